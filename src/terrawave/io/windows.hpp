// Global arrays in windows: collecting what the ranks own on the root, in global order, without
// the root ever holding more than one window.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "terrawave/base/index.hpp"
#include "terrawave/comm/comm.hpp"
#include "terrawave/sim/solver.hpp"

namespace terrawave::io {

// Bytes of one value of this type.
std::size_t value_bytes(sim::FieldInfo::Type type);
// Bytes of one entry (all components).
std::size_t entry_bytes(const sim::FieldInfo& field);

// A window and its ids stay below this, so all messages together stay far below the 2 GiB that MPI
// can count.
inline constexpr std::size_t kWindowBytes = std::size_t{64} << 20;

// Entries per window of an array whose entries have this many bytes.
Index window_entries(std::size_t bytes_per_entry, std::size_t window_bytes = kWindowBytes);

// Collective. Calls store(first entry, bytes of the window) on the root for window after window,
// in order. Every entry of [0, global_size) must be owned by exactly one rank; a gap or an overlap
// is a LogicError on every rank. `store` may throw on the root: every rank then throws SharedError.
using StoreWindow = std::function<void(Index first, std::span<const std::byte> bytes)>;
void collect_windows(comm::Comm& comm, const sim::FieldBlock& mine, Index global_size,
                     std::size_t bytes_per_entry, const StoreWindow& store,
                     std::size_t window_bytes = kWindowBytes);

// Collective. The values of the entries `ids`, which may repeat and need no order: the root calls
// fetch(first entry, bytes to fill) for window after window and hands each window to all ranks.
using FetchWindow = std::function<void(Index first, std::span<std::byte> bytes)>;
std::vector<std::byte> distribute_windows(comm::Comm& comm, std::span<const GlobalId> ids,
                                          Index global_size, std::size_t bytes_per_entry,
                                          const FetchWindow& fetch,
                                          std::size_t window_bytes = kWindowBytes);

}  // namespace terrawave::io
