// Packing of halo values on the device.
#pragma once

#include <cstddef>

#include "terrawave/base/index.hpp"
#include "terrawave/par/exec.hpp"

namespace terrawave::comm {

// packed[i] = field[list[i]] for elements of `bytes` (4 or 8); ordered on the queue.
template <class Exec>
void pack(const Exec& exec, const std::byte* field, std::size_t bytes,
          par::View<const LocalIndex> list, std::byte* packed);
// field[list[i]] = packed[i].
template <class Exec>
void unpack(const Exec& exec, const std::byte* packed, std::size_t bytes,
            par::View<const LocalIndex> list, std::byte* field);

}  // namespace terrawave::comm
