// Loops in directions that came from outside, over tiles.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "terrawave/par/queue.hpp"
#include "terrawave/solvers/terrain/tiled_rings.hpp"

namespace terrawave::terrain {

struct LoopsFound {
  Index loops = 0;
  Index length = 0;          // of the loop that holds the smallest linear index
  std::vector<Index> cells;  // its cells in flow order from that one, kNamedLoopCells at most
};

// Heights of the m-th tile's cells, row by row; may be empty: all equal.
using ReadHeights = std::function<std::vector<double>(std::size_t m)>;

// Finds every loop of the directions that `store` holds under a name (no jumps). With `repair`, the
// lowest cell (ties: the smallest index) of each becomes a root there. All ranks together; complete
// on all.
LoopsFound settle_tiled_loops(const par::Queue& queue, const Rings& rings, TileStore& store,
                              const std::string& name, bool repair, const ReadHeights& heights);

}  // namespace terrawave::terrain
