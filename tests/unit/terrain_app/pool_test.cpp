// Tiles that stay in memory: who has to go, who is visited first, and that sweeps load no tile
// twice where there is room.
#include <gtest/gtest.h>

#include "reference/tiled_large.hpp"
#include "scratch_folder.hpp"
#include "terrawave/solvers/terrain/tiled_pool.hpp"

namespace terrawave::terrain {
namespace {

using namespace reference;

TEST(TilePool, WhatWasUsedLongestAgoGoesFirst) {
  TilePool<int> pool(2);
  std::vector<std::size_t> made, put;
  const auto get = [&](std::size_t m) {
    return pool.get(
        m,
        [&](std::size_t k) {
          made.push_back(k);
          return std::make_unique<int>(int(10 * k));
        },
        [&](std::size_t k, const int& value) {
          EXPECT_EQ(value, int(10 * k));
          put.push_back(k);
        });
  };
  for (const std::size_t m : {0, 1, 0, 2, 0, 1}) EXPECT_EQ(get(m), int(10 * m));
  EXPECT_EQ(made, (std::vector<std::size_t>{0, 1, 2, 1}));
  EXPECT_EQ(put, (std::vector<std::size_t>{1, 2}));
  EXPECT_TRUE(pool.holds(0));
  EXPECT_FALSE(pool.holds(2));
  pool.clear([&](std::size_t k, const int&) { put.push_back(k); });
  EXPECT_EQ(put, (std::vector<std::size_t>{1, 2, 0, 1}));
  EXPECT_FALSE(pool.holds(0));
}

// A value climbs to and fro between two tiles before the third is looked at again.
TEST(Settle, StaysWithTilesThatAreHeld) {
  const auto self = comm::make_self();
  const Rings rings(*self, {2, 6, 2, 2});  // three tiles in a row
  RimField<int> rims(rings, 0);
  TilePool<int> pool(2);
  std::vector<std::size_t> visits;
  const auto visit = [&](std::size_t m) {
    visits.push_back(m);
    pool.get(
        m, [](std::size_t) { return std::make_unique<int>(0); }, [](std::size_t, const int&) {});
    int most = 0;
    for (const int value : rims.ring(m)) most = std::max(most, value);
    if (most < 9) rims.rim(m).assign(rims.rim(m).size(), most + 1);
  };
  settle(rings, rims, visit, nullptr, [&](std::size_t m) { return pool.holds(m); });
  std::size_t loads = 0;  // changes to a tile that is not one of the last two
  for (std::size_t i = 2; i < visits.size(); ++i)
    loads += visits[i] != visits[i - 1] && visits[i] != visits[i - 2] ? 1 : 0;
  EXPECT_GT(visits.size(), 8u);
  EXPECT_LE(loads, 2u);
}

// Multiple flow crosses a border thousands of times.
TEST(Sweeps, LoadEachTileOnceWhereThereIsRoom) {
  const TiledCase<float> noise = noise_case(120, 100);
  const Tiling tiling{120, 100, 40, 50};
  const auto self = comm::make_self();
  test::MemorySource source(noise.raster);
  FlowOptions flow = noise.options;
  flow.rule = FlowRule::freeman;
  const auto loads = [&](const std::filesystem::path& scratch) {
    TiledSession session(*self, par::Queue::host(1), source, flow, tiling, scratch, {});
    session.fractions();
    std::vector<int> count(session.rings().count(), 0);
    sweep_down<double>(
        session.rings(), session.store(), "test",
        [&](std::size_t m) {
          ++count[m];
          return session.shared_bits(m);
        },
        [&](std::size_t m) { return session.weights<double>(m); },
        [](std::size_t) {
          return [](Index, double own, std::span<const Donor<double>> donors) {
            for (const Donor<double>& d : donors) own += d.value;
            return own;
          };
        },
        kNeighbours * sizeof(double));
    return count;
  };
  EXPECT_EQ(loads({}), std::vector<int>(6, 1));
  // Room for three of six tiles: far fewer than the crossings of a border of 40 cells.
  const test::ScratchFolder folder;
  for (const int count : loads(folder.path() / "tiles")) EXPECT_LT(count, 40);
}

}  // namespace
}  // namespace terrawave::terrain
