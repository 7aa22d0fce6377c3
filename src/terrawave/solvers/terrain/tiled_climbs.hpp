// Values carried up the flow over tiles by the kernels of tile_climb_steps.cpp: what sweep_up
// computes on host threads, with the same bytes.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "terrawave/solvers/terrain/tiled_queue.hpp"
#include "terrawave/solvers/terrain/tiled_sweep.hpp"

namespace terrawave::terrain {

// What is carried, for the m-th tile of this rank.
template <class V>
struct ClimbInput {
  std::function<FlowBits(std::size_t m)> bits;
  // The tile's own values: those of `fixed` cells stay, and so do those of roots and of nodata.
  std::function<std::vector<V>(std::size_t m)> own;
  // 1 for cells that keep their own value; others take that of their receiver. No function: values
  // are lengths [m], and grow by each step.
  std::function<std::vector<std::uint8_t>(std::size_t m)> fixed = {};
  std::function<double(const TileJump&)> jump_length = {};
};

// Results stay in the store under `name`, one for each cell of a tile. All ranks together. Throws
// LogicError where flow runs in a loop.
template <class V>
void tiled_climbs(const TileQueue& queue, const Rings& rings, TileStore& store,
                  const std::string& name, const ClimbInput<V>& input);

}  // namespace terrawave::terrain
