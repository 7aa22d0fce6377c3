// Sums of integers on CUDA: tiles are solved in shared memory, their perimeters as one graph.
// Replaces steps::peel where values are integers, joined by sum, and nothing jumps.
#pragma once

#include <limits>

#include "terrawave/par/queue.hpp"
#include "terrawave/solvers/terrain/device_cells.hpp"

namespace terrawave::terrain::cuda {

// Whether the perimeters of the tiles can be numbered in 32 bits. Only rasters a few rows or
// columns wide, with more than 2^27 cells, have too many tiles.
inline bool fits_tiles(const GridView& grid) {
  constexpr Index kSide = 64;
  const Index tiles = ((grid.rows + kSide - 1) / kSide) * ((grid.cols + kSide - 1) / kSide);
  return tiles * 4 * kSide <= std::numeric_limits<std::int32_t>::max();
}

// `weights` empty: 1 for each cell with data. Returns the number of cells finished: less than those
// with data when the directions are cyclic.
Index tile_accumulate(const par::Queue& queue, const GridView& grid,
                      par::View<const Direction> direction, par::View<const std::int64_t> weights,
                      par::View<std::int64_t> out);

}  // namespace terrawave::terrain::cuda
