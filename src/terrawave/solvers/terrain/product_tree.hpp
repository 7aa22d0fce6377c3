// Properties of cells along single-receiver flow, on the queue's device: lengths, stream orders,
// labels carried up the trees, heights above drainage; and the slope. Results and inputs are host
// vectors, one element for each cell. Either code of a TileQueue gives the same bytes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "terrawave/solvers/terrain/grid.hpp"
#include "terrawave/solvers/terrain/host_copies.hpp"
#include "terrawave/solvers/terrain/terrain_routing.hpp"
#include "terrawave/solvers/terrain/tree_steps.hpp"

namespace terrawave::terrain {

// Receivers on a raster of less than 2^31 cells, and the paths that the products follow.
class FlowTree {
 public:
  // Throws InputError naming the cells of a loop when the directions are cyclic. The roots of
  // `jumps` have direction kRoot.
  FlowTree(const TileQueue& on, const Grid& grid, std::span<const Direction> direction,
           std::vector<Link> jumps);

  Index cells() const { return Index(direction_.size()); }
  // The cell itself at a root, -1 at nodata.
  std::int32_t receiver(Index cell) const;
  bool is_data(Index cell) const { return direction_[std::size_t(cell)] != kNoDirection; }
  bool is_root(Index cell) const { return receiver(cell) == cell; }
  // Distance to the receiver [unit of dx]: of the step between neighbours, or, across a jump, of
  // the straight line. 0 at roots.
  double step_length(Index cell) const;
  const Grid& grid() const { return grid_; }
  const std::vector<Link>& jumps() const { return jumps_; }  // by root

  const TileQueue& queue() const { return on_; }
  // On the queue's device; donors and paths are known where the queue asks for kernels.
  steps::TreeView view() const;
  int highest_rank() const { return highest_rank_; }  // of the paths

 private:
  bool lay_paths();
  bool ends() const;

  TileQueue on_;
  Grid grid_;
  std::vector<Direction> direction_;
  std::vector<Link> jumps_;
  OnQueue<Direction> on_device_;
  par::Buffer<double> distance_;
  par::Buffer<steps::Leap> by_root_, by_target_;
  par::Buffer<std::uint8_t> donors_, path_;
  int highest_rank_ = 0;
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

// The first label other than `none` on the way down, the cell's own included.
std::vector<std::int32_t> first_label_downstream(const FlowTree& tree,
                                                 std::vector<std::int32_t> labels,
                                                 std::int32_t none);
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
std::vector<double> steepest_slope(const TileQueue& on, const Grid& grid, std::span<const T> z,
                                   std::span<const std::uint8_t> state);

}  // namespace terrawave::terrain
