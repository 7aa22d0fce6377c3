// The products along single-receiver flow, on one queue against the slow ones: the same bytes.
#pragma once

#include <gtest/gtest.h>

#include "reference/terrain_run.hpp"
#include "reference/terrain_tree.hpp"
#include "terrawave/solvers/terrain/product_tree.hpp"

namespace terrawave::terrain::reference {

// Marks of cells as a threshold makes them, everything downstream of some cells; or any cells.
inline std::vector<std::uint8_t> random_marks(Random& random, const SlowTree& slow) {
  std::vector<std::uint8_t> marked(std::size_t(slow.cells()), 0);
  const bool closed = random.chance(0.6);
  const double share = random.chance(0.2) ? 0.9 : 0.1;
  for (Index i = 0; i < slow.cells(); ++i) {
    if (!random.chance(share) || marked[std::size_t(i)] != 0) continue;
    marked[std::size_t(i)] = 1;
    if (!closed || slow.receiver(i) < 0) continue;
    for (auto c = slow.receiver(i); marked[std::size_t(c)] == 0; c = slow.receiver(c))
      marked[std::size_t(c)] = 1;
  }
  return marked;
}

// `z`: a height for each cell.
template <class T>
void compare_tree(Random& random, const TileQueue& queue, const Grid& grid,
                  const std::vector<Direction>& direction, const std::vector<Link>& jumps,
                  const std::vector<T>& z) {
  const SlowTree slow(grid, direction, jumps);
  const FlowTree tree(queue, grid, direction, jumps);
  for (Index i = 0; i < grid.cells() && !testing::Test::HasFailure(); ++i) {
    EXPECT_EQ(tree.receiver(i), slow.receiver(i)) << "cell " << i;
    EXPECT_EQ(tree.step_length(i), slow.step_length(i)) << "cell " << i;
  }
  EXPECT_TRUE(same_bytes(length_downstream(tree), length_downstream(slow)));
  EXPECT_TRUE(same_bytes(length_upstream(tree), length_upstream(slow)));
  const std::vector<std::uint8_t> marked = random_marks(random, slow);
  EXPECT_TRUE(same_bytes(strahler_order(tree, marked), strahler_order(slow, marked)));
  EXPECT_TRUE(same_bytes(shreve_order(tree, marked), shreve_order(slow, marked)));
  const auto first = first_marked_downstream(slow, marked);
  EXPECT_TRUE(same_bytes(first_marked_downstream(tree, marked), first));
  EXPECT_TRUE(same_bytes(
      height_above_drainage(tree, std::span<const T>(z), marked),
      height_above_drainage(slow, std::span<const T>(z), std::span<const std::uint8_t>(marked))));
  // Labels of a few cells, as of pour points.
  std::vector<std::int32_t> labels(direction.size(), 0), expected(direction.size(), 0);
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (marked[i] != 0 && slow.receiver(Index(i)) >= 0) labels[i] = std::int32_t(i % 7) + 1;
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (first[i] >= 0) expected[i] = labels[std::size_t(first[i])];
  EXPECT_EQ(first_label_downstream(tree, labels, 0), expected);
}

// Routes the raster in one of the modes, or not at all, and compares there; and the slope.
template <class T>
void compare_products(Random& random, const TileQueue& queue, const Dem<T>& dem) {
  const par::Queue host = par::Queue::host(1);
  const OnDevice<T> on(host, dem);
  const RouteMode modes[] = {RouteMode::carve, RouteMode::jump, RouteMode::fill};
  const Index mode = random.below(4);
  const bool flats = random.chance(0.5);
  if (mode == 3) {
    compare_tree(random, queue, dem.grid, on.steepest(flats ? FlatRule::leave : FlatRule::by_index),
                 {}, dem.z);
  } else {
    const Routed routed = on.routed(modes[mode], flats);
    compare_tree(random, queue, dem.grid, routed.receivers.direction.download(),
                 routed.receivers.jumps, dem.z);
  }
  const std::span<const T> z(dem.z);
  const std::span<const std::uint8_t> state(dem.state);
  EXPECT_TRUE(
      same_bytes(steepest_slope(queue, dem.grid, z, state), steepest_slope(dem.grid, z, state)));
}

// Rasters of every type of heights.
inline void compare_random_products(Random& random, const TileQueue& queue, Index max_side) {
  compare_products(random, queue, random_dem<std::uint8_t>(random, max_side));
  compare_products(random, queue, random_dem<std::int16_t>(random, max_side));
  compare_products(random, queue, random_dem<std::uint16_t>(random, max_side));
  compare_products(random, queue, random_dem<std::int32_t>(random, max_side));
  compare_products(random, queue, random_dem<float>(random, max_side));
  compare_products(random, queue, random_dem<double>(random, max_side));
}

// A random forest of up to `max_side` cells a side.
inline void compare_random_forest(Random& random, const TileQueue& queue, Index max_side) {
  Grid grid;
  grid.rows = 1 + random.below(max_side);
  grid.cols = 1 + random.below(max_side);
  grid.loop_cols = random.chance(0.3);
  grid.loop_rows = random.chance(0.3);
  grid.dy = 1.7;
  std::vector<double> z(std::size_t(grid.cells()), 0.0);
  for (double& height : z) height = random.unit();
  compare_tree(random, queue, grid, random_forest(random, grid, 0.02), {}, z);
}

}  // namespace terrawave::terrain::reference
