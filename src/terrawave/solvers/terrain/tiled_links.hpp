// The flow of one tile seen from its rim.
#pragma once

#include <span>
#include <vector>

#include "terrawave/par/queue.hpp"
#include "terrawave/solvers/terrain/tiled_graph.hpp"
#include "terrawave/solvers/terrain/tiled_input.hpp"

namespace terrawave::terrain {

// A pit drains to `target`; linear indices of the map.
struct TileJump {
  Index root = 0;
  Index target = 0;
};

// The jumps of a tile's pits by root, and those that lead into the tile by target, then root.
struct TileJumps {
  std::vector<TileJump> out, in;
  const TileJump* from(Index root) const;  // nullptr: none
  std::span<const TileJump> into(Index target) const;
  std::size_t place(const TileJump& jump) const;  // in `in`
  void sort();
};

// A tile's own cells: directions and jumps whose target lies outside are portals.
struct TileFlow {
  domain::Window window;
  Grid grid;                       // of the tile alone
  std::vector<Direction> inner;    // portals are roots here
  std::vector<Link> jumps;         // inside the tile, by root
  std::vector<TileJump> leaps;     // out of the tile, by root
  std::vector<Index> entries;      // positions that jumps of other tiles lead to
  std::vector<std::int32_t> root;  // position in the tile where the flow ends; -1 at nodata
};

// Without `roots` the roots are left out.
TileFlow follow_inside(const par::Queue& queue, const Tiling& tiling, Index tile,
                       Connectivity connectivity, const std::vector<Direction>& direction,
                       const TileJumps& jumps = {}, bool roots = true);
// The cell outside that a cell's direction leads to, as linear index of the whole raster; -1 for
// others.
Index target_of(const Tiling& tiling, const domain::Window& window,
                const std::vector<Direction>& direction, Index position);
// The same, leaps included.
Index next_of(const TileFlow& flow, const Tiling& tiling, const std::vector<Direction>& direction,
              Index position);
// One link for each rim cell with data, each entry and each root of a leap. `amount` may be empty
// (then 0).
std::vector<RimLink> rim_links(const TileFlow& flow, const std::vector<Direction>& direction,
                               const std::vector<std::uint8_t>& base,
                               const std::vector<std::int64_t>& amount, const Tiling& tiling);

}  // namespace terrawave::terrain
