// The passes of one tile. Basins that lie inside it wholly are joined there (Boruvka): each knows
// all its passes, and its lowest is in the minimum spanning tree whatever lies outside. What is
// left for the root are the basins that touch the tile's edge: as many as its perimeter is long.
#pragma once

#include <vector>

#include "terrawave/solvers/terrain/tile_ways.hpp"
#include "terrawave/solvers/terrain/tiled_graph.hpp"
#include "terrawave/solvers/terrain/tiled_links.hpp"
#include "terrawave/solvers/terrain/tiled_queue.hpp"

namespace terrawave::terrain {

// The basin of a rim cell (kOcean where it ends in a base cell), told to the tiles around it.
struct RimBasin {
  Index cell = 0;
  Index basin = 0;
  Index exit = -1;  // 8 * next + dir where its flow leaves its own tile
};

// Where a pit stands in a list of ways; its size: nowhere.
std::size_t way_of(const std::vector<InnerWay>& inner, std::int32_t pit);

struct TilePasses {
  std::vector<PassEdge> edges;  // between basins that touch the rim (and the ocean): a forest
  std::vector<InnerWay> inner;  // by pit
};

// `known`: the basins of the ring's cells.
template <class T>
TilePasses tile_passes(const TileQueue& queue, const Block<T>& block, const TileFlow& flow,
                       const std::vector<Direction>& direction, const std::vector<RimBasin>& known);

// Reverses the old flow from each start down to the pit or out of the tile. Starts in an inner
// basin reverse its way out as well; all other inner basins take theirs.
std::vector<Direction> carve_tile(const TileQueue& queue, const domain::Window& window,
                                  const Tiling& tiling, const std::vector<Direction>& old,
                                  const std::vector<CarveStart>& starts,
                                  const std::vector<InnerWay>& inner);

}  // namespace terrawave::terrain
