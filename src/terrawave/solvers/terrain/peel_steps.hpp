// Accumulation by kernels that run on both backends: peeling for any values, and rake and compress
// as published (Jain and others 2024, algorithm 1 and its per-cell ping-pong buffers).
#pragma once

#include "terrawave/par/exec.hpp"
#include "terrawave/solvers/terrain/device_cells.hpp"
#include "terrawave/solvers/terrain/terrain_routing.hpp"

namespace terrawave::terrain::steps {

// Every source starts a walk downstream that goes on while it is the last donor to arrive; each
// cell gathers its donors in the order of neighbours. `by_root` and `by_target` hold the same
// jumps. Returns the number of cells finished.
template <class Exec, class V>
Index peel(const Exec& exec, const GridView& grid, par::View<const Direction> direction,
           par::View<const Link> by_root, par::View<const Link> by_target,
           par::View<const V> weights, par::View<V> out, Combine combine);

struct RakeCompress {
  int rounds = 0;  // until no cell has a donor left; -1: the directions are cyclic
  double bytes_per_cell = 0;
};
// Sums of unit weights by rake and compress. With `ping_pong` each cell has two states and a byte
// that tells which is current; without, the whole state is copied between rounds.
template <class Exec>
RakeCompress rake_compress(const Exec& exec, const GridView& grid,
                           par::View<const Direction> direction, par::View<std::int64_t> out,
                           bool ping_pong);

}  // namespace terrawave::terrain::steps
