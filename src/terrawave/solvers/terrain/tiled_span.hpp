// The passes and levels of one tile by the kernels of tile_basin_steps.cpp: what tiled_passes.cpp
// and tiled_fill.cpp find on host threads.
#pragma once

#include <vector>

#include "terrawave/solvers/terrain/tiled_passes.hpp"

namespace terrawave::terrain {

// The tile's grid alone; levels need no metric.
template <class T>
Grid grid_inside(const Block<T>& block) {
  Grid g = block.grid;
  g.rows = block.inside.rows;
  g.cols = block.inside.cols;
  g.dx.assign({1.0});
  return g;
}

// As tile_passes, with the same edges and ways.
template <class T>
TilePasses span_passes(const par::Queue& queue, const Block<T>& block, const TileFlow& flow,
                       const std::vector<Direction>& direction, const std::vector<RimBasin>& known);

// Where the waters of rim cells, and of one and the ocean, meet inside the tile. The edges may
// differ from those of host threads, the levels that follow from them do not.
template <class T>
std::vector<SpillEdge> span_levels(const par::Queue& queue, const Block<T>& block);

// As carve_tile.
std::vector<Direction> carve_by_kernels(const par::Queue& queue, const domain::Window& window,
                                        const Tiling& tiling, const std::vector<Direction>& old,
                                        const std::vector<CarveStart>& starts,
                                        const std::vector<InnerWay>& inner);

}  // namespace terrawave::terrain
