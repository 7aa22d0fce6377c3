// The flow of one tile seen from its rim.
#pragma once

#include <vector>

#include "terrawave/par/queue.hpp"
#include "terrawave/solvers/terrain/tiled_graph.hpp"
#include "terrawave/solvers/terrain/tiled_input.hpp"

namespace terrawave::terrain {

// A tile's own cells: directions whose target lies outside are portals.
struct TileFlow {
  domain::Window window;
  Grid grid;                       // of the tile alone
  std::vector<Direction> inner;    // portals are roots here
  std::vector<std::int32_t> root;  // position in the tile where the flow ends; -1 at nodata
};

TileFlow follow_inside(const par::Queue& queue, const domain::Window& window,
                       Connectivity connectivity, const std::vector<Direction>& direction);
// The cell outside that a portal flows to, as linear index of the whole raster; -1 for others.
Index target_of(const Tiling& tiling, const domain::Window& window,
                const std::vector<Direction>& direction, Index position);
// One link for each rim cell with data. `amount` may be empty (then 0).
std::vector<RimLink> rim_links(const TileFlow& flow, const std::vector<Direction>& direction,
                               const std::vector<std::uint8_t>& base,
                               const std::vector<std::int64_t>& amount, const Tiling& tiling);

}  // namespace terrawave::terrain
