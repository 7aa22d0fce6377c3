// Loops of directions and of fractions: those found by walking, on any number of threads.
#include <gtest/gtest.h>

#include "reference/terrain_loops.hpp"

namespace terrawave::terrain {
namespace {

using namespace reference;

TEST(Loops, EqualTheSlowOnesOnRandomDirections) {
  Random random(91);
  for (int i = 0; i < 300 && !HasFailure(); ++i) {
    SCOPED_TRACE(i);
    compare_random_loops_of_all_types(random, par::Queue::host(i % 50 == 49 ? 16 : 1 + i % 2),
                                      i % 20 == 9 ? 60 : 10);
  }
}

TEST(Loops, EqualTheSlowOnesOnRandomFractions) {
  Random random(92);
  for (int i = 0; i < 300 && !HasFailure(); ++i) {
    SCOPED_TRACE(i);
    const par::Queue queue = par::Queue::host(1 + i % 2);
    compare_random_share_loops<float>(random, queue, i % 20 == 9 ? 30 : 9);
    compare_random_share_loops<std::int16_t>(random, queue, 9);
  }
}

TEST(Loops, TouchNoDeviceMemoryOutsideLaunches) {
  Random random(93);
  const par::Queue guarded = par::Queue::guarded_host(2);
  for (int i = 0; i < 5; ++i) {
    compare_random_loops_of_all_types(random, guarded, 10);
    compare_random_share_loops<float>(random, guarded, 9);
  }
}

// One loop round the map, and a raster in which every cell is on one of two cells.
TEST(Loops, LongOnesAndManyAreFoundInTimeOfTheirSize) {
  Grid grid;
  grid.rows = 1000;
  grid.cols = 2000;
  std::vector<Direction> snake(std::size_t(grid.cells()), kRoot);
  // Down the first column, up and down in pairs of rows over the others.
  for (Index r = 0; r < grid.rows; ++r) {
    for (Index c = 1; c < grid.cols; ++c)
      snake[std::size_t(r * grid.cols + c)] = Direction(r % 2 == 0 ? 4 : 0);
    snake[std::size_t(r * grid.cols)] = 2;
    snake[std::size_t(r * grid.cols + (r % 2 == 0 ? 1 : grid.cols - 1))] = 6;
  }
  snake[std::size_t((grid.rows - 1) * grid.cols)] = 0;
  snake[1] = 4;
  const par::Queue queue = par::Queue::host(2);
  const auto round = find_loop(queue, grid, to_receivers(queue, snake));
  EXPECT_EQ(Index(round.size()), grid.cells());
  std::vector<Direction> pairs;
  for (Index i = 0; i < grid.cells(); ++i) pairs.push_back(Direction(i % 2 == 0 ? 0 : 4));
  Receivers receivers = to_receivers(queue, pairs);
  const par::Buffer<std::uint8_t> z(queue, std::vector<std::uint8_t>(pairs.size(), 7));
  EXPECT_EQ(repair_loops(queue, grid, z.cview(), receivers), grid.cells() / 2);
}

}  // namespace
}  // namespace terrawave::terrain
