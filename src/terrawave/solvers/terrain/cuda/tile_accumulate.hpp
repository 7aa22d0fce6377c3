// Sums of integers on CUDA: tiles are solved in shared memory, their perimeters as one graph.
// Replaces steps::peel where values are integers, joined by sum, and nothing jumps.
#pragma once

#include "terrawave/par/queue.hpp"
#include "terrawave/solvers/terrain/device_cells.hpp"

namespace terrawave::terrain::cuda {

// `weights` empty: 1 for each cell with data. Returns the number of cells finished: less than those
// with data when the directions are cyclic.
Index tile_accumulate(const par::Queue& queue, const GridView& grid,
                      par::View<const Direction> direction, par::View<const std::int64_t> weights,
                      par::View<std::int64_t> out);

}  // namespace terrawave::terrain::cuda
