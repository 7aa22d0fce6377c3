// Properties of cells along single-receiver flow, on the host: lengths, stream orders, heights
// above drainage, watersheds. Linear time, one pass up or down the trees.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "terrawave/solvers/terrain/grid.hpp"
#include "terrawave/solvers/terrain/terrain_routing.hpp"

namespace terrawave::terrain {

// Receivers with an order of the cells in which each stands before its receiver.
class FlowTree {
 public:
  // Throws InputError naming the cells of a loop when the directions are cyclic.
  FlowTree(const Grid& grid, std::span<const Direction> direction, std::span<const Link> jumps);

  // From receivers alone, and the length of each step.
  FlowTree(std::vector<std::int32_t> receiver, std::vector<double> step_length);

  Index cells() const { return Index(receiver_.size()); }
  // The cell itself at a root, -1 at nodata.
  std::int32_t receiver(Index cell) const { return receiver_[std::size_t(cell)]; }
  bool is_data(Index cell) const { return receiver_[std::size_t(cell)] >= 0; }
  bool is_root(Index cell) const { return receiver_[std::size_t(cell)] == cell; }
  // Cells with data, donors before receivers.
  std::span<const std::int32_t> downstream_order() const { return order_; }
  // Distance to the receiver [unit of dx]: of the step between neighbours, or, across a jump, of
  // the straight line. 0 at roots.
  double step_length(Index cell) const;
  const Grid& grid() const { return grid_; }

 private:
  void list_cells();
  Grid grid_;
  std::vector<Direction> direction_;
  std::vector<double> step_length_;  // where it was given
  std::vector<std::int32_t> receiver_;
  std::vector<std::int32_t> order_;
};

// Distance along the flow to the root; NaN at nodata.
std::vector<double> length_downstream(const FlowTree& tree);
// Longest distance along the flow from a divide; NaN at nodata.
std::vector<double> length_upstream(const FlowTree& tree);

// Orders of the cells marked in `stream`; 0 elsewhere. A stream begins where no donor is marked.
// Strahler 1957: where two or more of the highest order m meet, m + 1.
std::vector<std::int32_t> strahler_order(const FlowTree& tree,
                                         std::span<const std::uint8_t> stream);
// Shreve 1966: number of sources upstream.
std::vector<std::int32_t> shreve_order(const FlowTree& tree, std::span<const std::uint8_t> stream);

// The first marked cell on the way down (the cell itself included), or -1.
std::vector<std::int32_t> first_marked_downstream(const FlowTree& tree,
                                                  std::span<const std::uint8_t> marked);

// Height above nearest drainage: z minus z of the first stream cell on the way down; NaN where the
// flow meets no stream. T: the height types.
template <class T>
std::vector<double> height_above_drainage(const FlowTree& tree, std::span<const T> z,
                                          std::span<const std::uint8_t> stream);

// Steepest descent to a neighbour, drop / distance, 0 where no neighbour is lower, NaN at nodata.
template <class T>
std::vector<double> steepest_slope(const Grid& grid, std::span<const T> z,
                                   std::span<const std::uint8_t> state);

}  // namespace terrawave::terrain
