// Lakes of one piece: every field of the slow ones, on any number of host threads, in memory that
// faults outside launches, and by the pieces of rows that GPUs take.
#include <gtest/gtest.h>

#include "reference/terrain_lakes.hpp"

namespace terrawave::terrain {
namespace {

using namespace reference;

std::vector<TileQueue> queues() {
  std::vector<TileQueue> all;
  for (int threads = 1; threads <= 4; ++threads) all.emplace_back(par::Queue::host(threads));
  all.emplace_back(par::Queue::guarded_host(2));
  all.push_back(TileQueue::with_kernels(par::Queue::host(1)));
  all.push_back(TileQueue::with_kernels(par::Queue::guarded_host(3)));
  return all;
}

TEST(Lakes, EqualTheSlowOnesOnRandomRasters) {
  Random random(81);
  const std::vector<TileQueue> on = queues();
  for (std::size_t i = 0; i < 1000 && !HasFailure(); ++i) {
    SCOPED_TRACE(i);
    compare_random_lakes(random, on[i % on.size()], i % 20 == 9 ? 150 : 18);
  }
}

// Pieces of rows are 64 cells: rows of several, and lakes over their ends.
TEST(Lakes, EqualTheSlowOnesOnWideRasters) {
  Random random(82);
  const std::vector<TileQueue> on = queues();
  for (std::size_t i = 0; i < 60 && !HasFailure(); ++i) {
    SCOPED_TRACE(i);
    Dem<std::int16_t> wide = random_dem<std::int16_t>(random, 9);
    wide.grid.cols = 60 + random.below(200);
    wide.z.clear();
    const double share = random.unit();
    for (Index c = 0; c < wide.grid.cells(); ++c)
      wide.z.push_back(random.chance(share) ? random_height<std::int16_t>(random, 4) : 7);
    wide.state = make_states<std::int16_t>(wide.grid, wide.z, {}, {});
    compare_lakes(random, on[i % on.size()], wide);
  }
}

TEST(Lakes, OneHugeLake) {
  Random random(83);
  for (const TileQueue& on : queues())
    for (const Connectivity connectivity : {Connectivity::d4, Connectivity::d8})
      EXPECT_EQ(compare_lakes(random, on, bowl(300, 401, connectivity)), 1U);
}

// Of 10^6 cells: in time linear in them, whichever way it winds.
TEST(Lakes, OneThatWindsThroughTheRaster) {
  Random random(84);
  const auto two = par::Queue::host(2);
  for (const TileQueue& on : {TileQueue(two), TileQueue::with_kernels(two)})
    for (const bool along_rows : {false, true})
      EXPECT_EQ(compare_lakes(random, on, winding_lake(1415, along_rows, Connectivity::d4)), 1U);
}

TEST(Lakes, NoLake) {
  Random random(85);
  for (const TileQueue& on : queues()) {
    EXPECT_EQ(compare_lakes(random, on, dem<float>(1, 1, {2.0F}, Connectivity::d8)), 0U);
    const std::vector<std::uint8_t> level(70 * 90, 4);
    EXPECT_EQ(compare_lakes(random, on, dem<std::uint8_t>(70, 90, level, Connectivity::d8)), 0U);
  }
}

// Cells that touch by their corners are one lake with 8 neighbours, and lakes of their own with 4.
TEST(Lakes, CornersJoinEightNeighbours) {
  Random random(86);
  constexpr Index kSide = 140;
  std::vector<double> z(std::size_t(kSide * kSide), 5.0);
  for (Index i = 1; i + 1 < kSide; ++i)
    z[std::size_t(i * kSide + (i % 2 == 0 ? i : kSide - 1 - i))] = double(i % 3);
  for (Index i = 2; i + 2 < kSide; ++i) z[std::size_t(i * kSide + i)] = 1.5;
  for (const TileQueue& on : queues()) {
    const auto eight = compare_lakes(random, on, dem(kSide, kSide, z, Connectivity::d8));
    const auto four = compare_lakes(random, on, dem(kSide, kSide, z, Connectivity::d4));
    EXPECT_LT(eight, four);
  }
}

TEST(Lakes, OverLoopedEdges) {
  Random random(87);
  for (const TileQueue& on : queues())
    for (const Index side : {6, 64, 65, 131})
      for (const Connectivity connectivity : {Connectivity::d4, Connectivity::d8})
        EXPECT_GT(compare_lakes(random, on, looped_lakes(side, connectivity)), 0U);
}

}  // namespace
}  // namespace terrawave::terrain
