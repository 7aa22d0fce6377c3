// Lengths, orders, labels, heights above the drainage and slopes: the bytes of the slow ones by the
// code for host threads on any number of them, and by the kernels of GPUs, on host threads, in
// memory that faults outside launches.
#include <gtest/gtest.h>

#include "reference/terrain_tree_compare.hpp"

namespace terrawave::terrain {
namespace {

using namespace reference;

// Mostly one thread: many threads on few cores take their time.
par::Queue threads_of(int i) { return par::Queue::host(i % 50 < 46 ? 1 : (i % 50 == 49 ? 16 : 2)); }

TEST(TreeProducts, EqualTheSlowOnesOnRandomRasters) {
  Random random(61);
  for (int i = 0; i < 400 && !HasFailure(); ++i) {
    SCOPED_TRACE(i);
    compare_random_products(random, threads_of(i), i % 20 == 9 ? 90 : 14);
  }
}

TEST(TreeProducts, EqualTheSlowOnesOnRandomForests) {
  Random random(62);
  for (int i = 0; i < 1000 && !HasFailure(); ++i) {
    SCOPED_TRACE(i);
    compare_random_forest(random, threads_of(i), i % 10 == 9 ? 150 : 12);
  }
}

TEST(TreeProducts, EqualTheSlowOnesByTheKernelsOfGpus) {
  Random random(63);
  for (int i = 0; i < 400 && !HasFailure(); ++i) {
    SCOPED_TRACE(i);
    const auto kernels = TileQueue::with_kernels(threads_of(i));
    compare_random_products(random, kernels, i % 20 == 9 ? 90 : 14);
    compare_random_forest(random, kernels, i % 10 == 9 ? 150 : 12);
  }
}

TEST(TreeProducts, TouchNoDeviceMemoryOutsideLaunches) {
  Random random(64);
  const par::Queue guarded = par::Queue::guarded_host(2);
  for (const TileQueue& on : {TileQueue(guarded), TileQueue::with_kernels(guarded)})
    for (int i = 0; i < 10 && !HasFailure(); ++i) {
      SCOPED_TRACE(i);
      compare_random_products(random, on, 14);
      compare_random_forest(random, on, 14);
    }
}

// A loop with a tree that drains into it is named from its smallest cell on, a jump included.
TEST(TreeProducts, LoopsAreRefused) {
  Grid grid;
  grid.rows = 3;
  grid.cols = 4;
  std::vector<Direction> d(12, kRoot);
  d[3] = 2;  // drains into the loop 7 -> 6 -> 10 -> 7
  d[7] = 4;
  d[6] = 2;
  d[10] = 7;
  const auto refusal = [&](const std::vector<Link>& jumps) {
    std::vector<std::string> said;
    const auto one = par::Queue::host(1);
    for (const TileQueue& on : {TileQueue(one), TileQueue::with_kernels(one)}) {
      said.push_back("");
      try {
        const FlowTree tree(on, grid, d, jumps);
      } catch (const InputError& e) {
        said.back() = e.what();
      }
    }
    EXPECT_EQ(said[0], said[1]);
    return said[0];
  };
  EXPECT_EQ(refusal({}),
            "the directions run in a loop of 3 cells: (row 1, column 2) (row 2, column 2) (row 1, "
            "column 3); repair them with terrain codes --repair");
  d[10] = kRoot;
  EXPECT_EQ(refusal({}), "");
  EXPECT_EQ(refusal({{10, 3}}),
            "the directions run in a loop of 4 cells: (row 0, column 3) (row 1, column 3) (row 1, "
            "column 2) (row 2, column 2); repair them with terrain codes --repair");
}

// One path of 10^6 cells, in time linear in them and without deep recursion.
TEST(TreeProducts, ASerpentineIsOnePath) {
  Grid grid;
  grid.rows = 1000;
  grid.cols = 1000;
  std::vector<Direction> d;
  for (Index row = 0; row < grid.rows; ++row)
    for (Index col = 0; col < grid.cols; ++col) {
      const bool east = row % 2 == 0;
      d.push_back(col == (east ? grid.cols - 1 : 0) ? Direction(2) : Direction(east ? 0 : 4));
    }
  d[std::size_t((grid.rows - 1) * grid.cols)] = kRoot;
  const std::vector<double> z(d.size(), 1.0);
  Random random(66);
  const auto two = par::Queue::host(2);
  for (const TileQueue& on : {TileQueue(two), TileQueue::with_kernels(two)})
    compare_tree(random, on, grid, d, {}, z);
  EXPECT_EQ(FlowTree(TileQueue::with_kernels(two), grid, d, {}).highest_rank(), 1);
}

TEST(TreeProducts, RanksAreFew) {
  Grid grid;
  grid.rows = 300;
  grid.cols = 300;
  Random random(65);
  const auto d = random_forest(random, grid, 0);
  const FlowTree tree(TileQueue::with_kernels(par::Queue::host(2)), grid, d, {});
  EXPECT_GE(tree.highest_rank(), 4);
  EXPECT_LE(tree.highest_rank(), 17);  // log2(90000) + 1
}

}  // namespace
}  // namespace terrawave::terrain
