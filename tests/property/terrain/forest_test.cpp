// 10^5 random forests: accumulation and basins against the stack order.
#include <gtest/gtest.h>

#include "reference/terrain_reference.hpp"
#include "reference/terrain_run.hpp"

namespace terrawave::terrain {
namespace {

using namespace reference;

constexpr int kForests = 100000;

Grid random_grid(Random& random, Index side) {
  Grid grid;
  grid.rows = 1 + random.below(side);
  grid.cols = 1 + random.below(side);
  grid.loop_cols = random.chance(0.2);
  grid.loop_rows = random.chance(0.2);
  return grid;
}

TEST(RandomForests, UnitSumsAreCompleteAndEqualTheStackOrder) {
  const par::Queue queues[] = {par::Queue::host(1), par::Queue::host(2), par::Queue::host(5)};
  Random random(11);
  for (int i = 0; i < kForests && !HasFailure(); ++i) {
    const Grid grid = random_grid(random, i % 1000 == 0 ? 64 : 8);
    const auto direction = random_forest(random, grid, 0.02);
    const par::Queue& queue = queues[i % 100 < 2 ? 1 + i % 100 : 0];
    const Receivers receivers = to_receivers(queue, direction);
    EXPECT_EQ(accumulated<std::int64_t>(queue, grid, receivers, {}),
              reference::accumulate<std::int64_t>(grid, direction, {}, {}))
        << "forest " << i;
  }
}

TEST(RandomForests, WeightsExtremesAndDoublesKeepTheDonorOrder) {
  Random random(12);
  for (int i = 0; i < kForests / 20 && !HasFailure(); ++i) {
    const par::Queue queue = par::Queue::host(i % 100 < 2 ? 2 + i % 100 : 1);
    const Grid grid = random_grid(random, 12);
    auto direction = random_forest(random, grid, 0.05);
    std::vector<std::int64_t> whole(direction.size());
    std::vector<double> real(direction.size());
    for (std::size_t c = 0; c < direction.size(); ++c) {
      whole[c] = random.below(1000) - 300;
      real[c] = random.unit() - 0.3;
    }
    const Receivers receivers = to_receivers(queue, direction);
    for (const Combine combine : {Combine::sum, Combine::max, Combine::min}) {
      EXPECT_EQ(accumulated(queue, grid, receivers, whole, combine),
                reference::accumulate(grid, direction, {}, whole, combine));
      EXPECT_EQ(accumulated(queue, grid, receivers, real, combine),
                reference::accumulate(grid, direction, {}, real, combine));
    }
    const auto roots = basins(targets(grid, direction, {}));
    const auto labels = labelled(queue, grid, receivers);
    EXPECT_TRUE(std::equal(roots.begin(), roots.end(), labels.begin()));
  }
}

}  // namespace
}  // namespace terrawave::terrain
