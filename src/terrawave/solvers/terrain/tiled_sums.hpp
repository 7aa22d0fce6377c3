// Sums, maxima, minima, longest ways and orders along the flow over tiles by the kernels of
// tile_sum_steps.cpp: what sweep_down computes on host threads, with the same bytes.
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "terrawave/par/buffer.hpp"
#include "terrawave/solvers/terrain/tile_sum_steps.hpp"
#include "terrawave/solvers/terrain/tiled_sweep.hpp"

namespace terrawave::terrain {

// What flows, for the m-th tile of this rank.
template <class V>
struct SumInput {
  std::function<FlowBits(std::size_t m)> bits;
  std::function<std::vector<V>(std::size_t m)> own;  // the tile's own values, 0 at nodata
  // Eight for each cell of the block, by neighbour; empty: all goes to the one receiver.
  std::function<par::Buffer<double>(std::size_t m)> shares = {};
  steps::TileJoin how = steps::TileJoin::sum;
  std::function<double(const TileJump&)> jump_length = {};  // longest ways [m]
};

// Results stay in the store under `name`, one for each cell of a tile. Where all of a rank's tiles
// have room in the device's memory they lie there as one block, or as a few of less than
// `most_together` cells, and flow crosses from tile to tile within a launch. Otherwise tiles stay
// there while there is room, and a visit moves what is new in a ring and a rim. All ranks together.
// Returns the number of this rank's cells that are not final, as sweep_down; throws LogicError for
// them unless `cycles` allows for loops.
template <class V>
Index tiled_sums(const par::Queue& queue, const Rings& rings, TileStore& store,
                 const std::string& name, const SumInput<V>& input,
                 Index most_together = std::numeric_limits<std::int32_t>::max(),
                 Cycles cycles = Cycles::none);

}  // namespace terrawave::terrain
