// The memory bandwidth that throughput is compared with.
#pragma once

#include <optional>

#include "terrawave/comm/comm.hpp"
#include "terrawave/par/queue.hpp"

namespace terrawave::run {

// Bytes/s of a triad a = b + s c over arrays larger than the caches, best of several passes, all
// ranks at once, summed over them; each pass counts three arrays. Takes about 0.1 s and 192 MiB
// (768 MiB on CUDA) per rank; none where some rank has no room for that. Collective.
std::optional<double> measure_bandwidth(const par::Queue& queue, comm::Comm& comm);

}  // namespace terrawave::run
