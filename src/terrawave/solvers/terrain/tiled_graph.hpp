// The graphs that join tiles, solved on the root. Heights are doubles (every height type fits),
// cells are linear indices of the whole raster.
#pragma once

#include <vector>

#include "terrawave/solvers/terrain/tiled_plan.hpp"

namespace terrawave::terrain {

inline constexpr Index kOcean = -1;  // all base cells together

// Two nodes (rim cells, or the ocean) and the lowest height at which water passes between them.
struct SpillEdge {
  Index a = 0, b = 0;
  double height = 0;
};
// The lowest level at which water of each node reaches the ocean; nodes that cannot are left out.
std::vector<std::pair<Index, double>> spill_levels(const std::vector<SpillEdge>& edges);

// Where the flow that enters a tile at a rim cell ends inside it.
struct RimLink {
  Index cell = 0;           // the rim cell
  Index root = 0;           // the last cell inside the tile
  Index next = -1;          // the cell of another tile that the root flows to; -1: the flow ends
  std::int32_t dir = 0;     // direction of that step
  std::int32_t base = 0;    // 1: the root is a base cell
  std::int64_t amount = 0;  // accumulated at the root, inside the tile
};
struct RimRoot {
  Index root = 0;
  bool base = false;
};

// Follows flow from rim cell to rim cell.
class RimGraph {
 public:
  explicit RimGraph(std::vector<RimLink> links);
  const std::vector<RimLink>& links() const { return links_; }  // by cell
  const RimLink& link(Index cell) const;
  const RimLink* find(Index cell) const;  // nullptr: not a rim cell with data
  // The cell where the flow through a rim cell ends in the whole raster.
  RimRoot end_of(Index cell);
  // What enters at each rim cell from other tiles: (cell, amount).
  std::vector<std::pair<Index, std::int64_t>> inflow() const;

 private:
  std::size_t at(Index cell) const;
  std::vector<RimLink> links_;  // by cell
  std::vector<Index> end_;      // memo: position of the last link, -1 unknown
};

// A pass between two basins, by the core's order: height, then 4 * cell + k.
struct PassEdge {
  double height = 0;
  Index code = 0;                  // leads from code / 4 to its neighbour E, SE, S or SW
  Index other = 0;                 // that neighbour
  Index basin_a = 0, basin_b = 0;  // of code / 4 and of other; kOcean for base cells' basins
  Index exit_a = -1, exit_b = -1;  // where the old flow of each leaves the tile: 8 * cell + dir
  bool operator<(const PassEdge& o) const {
    return height != o.height ? height < o.height : code < o.code;
  }
};
// Keeps the edges of the lowest spanning forest (Kruskal): no other can be in that of any larger
// graph.
std::vector<PassEdge> lowest_forest(std::vector<PassEdge> edges);

// A path to reverse: from `cell` on, whose new direction is `dir`.
struct CarveStart {
  Index cell = 0;
  std::int32_t dir = 0;
  std::int32_t unused = 0;
};
// A basin to link across its pass: the basin of `cell` drains to `target` on the other side.
struct JumpStart {
  Index cell = 0;
  Index target = 0;
  Index basin = 0;  // of `cell`, or of the group that is drained there
};
// Hangs the forest from the ocean; every basin reached that way drains through its pass.
std::vector<JumpStart> jump_starts(const std::vector<PassEdge>& forest);
// Hangs the forest from the ocean; each basin reached that way is carved from its pass down to its
// pit. Returns every entry of such a path into a tile.
std::vector<CarveStart> carve_starts(const std::vector<PassEdge>& forest, const RimGraph& rims);

}  // namespace terrawave::terrain
