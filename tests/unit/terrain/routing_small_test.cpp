// Small rasters with known answers: faults of other tools (F*), and the tests T1 and T14.
#include <gtest/gtest.h>

#include "reference/terrain_flats.hpp"
#include "reference/terrain_reference.hpp"
#include "reference/terrain_run.hpp"
#include "terrawave/solvers/terrain/peel_steps.hpp"

namespace terrawave::terrain {
namespace {

using namespace reference;
using Counts = std::vector<std::int64_t>;

const par::Queue& host() {
  static const par::Queue queue = par::Queue::host(1);
  return queue;
}

template <class T>
void only_outlet(Dem<T>& d, Index cell) {
  for (auto& s : d.state)
    if (s == std::uint8_t(CellState::outlet)) s = std::uint8_t(CellState::valid);
  d.state[at(cell)] = std::uint8_t(CellState::outlet);
}

// Both ways of rake-compress, and peeling.
void expect_counts(const Grid& grid, const Receivers& receivers, const Counts& expected) {
  EXPECT_EQ(accumulated<std::int64_t>(host(), grid, receivers, {}), expected);
  par::Buffer<std::int64_t> out(host(), grid.cells());
  for (const bool ping_pong : {false, true}) {
    steps::rake_compress(par::HostExec{host()}, view_of(grid, {}), receivers.direction.cview(),
                         out.view(), ping_pong);
    EXPECT_EQ(out.download(), expected);
  }
}

TEST(F1, NoCellIsLostAfterAFixedNumberOfRounds) {
  auto a = dem<int>(4, 4, {11, 12, 14, 15, 9, 13, 3, 2, 8, 5, 4, 1, 7, 6, 10, 0}, Connectivity::d4);
  only_outlet(a, 15);
  expect_counts(a.grid, OnDevice<int>(host(), a).routed(RouteMode::carve, true).receivers,
                {2, 1, 1, 1, 3, 1, 3, 5, 4, 7, 8, 14, 1, 2, 1, 16});
  auto b = dem<int>(4, 4, {15, 13, 11, 0, 9, 10, 12, 1, 8, 6, 3, 2, 7, 14, 5, 4}, Connectivity::d8);
  only_outlet(b, 3);
  expect_counts(b.grid, OnDevice<int>(host(), b).routed(RouteMode::carve, true).receivers,
                {1, 1, 1, 16, 2, 2, 1, 14, 1, 5, 8, 4, 1, 1, 2, 1});
  // Input C as a raster: receivers 0 0 1 2 3 4 1 6 laid out so that each step is a neighbour.
  Grid grid;
  grid.rows = 2;
  grid.cols = 6;
  const std::vector<Direction> direction = {
      kRoot, 4, 4, 4, 4, 4, 0, 6, 4, kNoDirection, kNoDirection, kNoDirection};
  expect_counts(grid, to_receivers(host(), direction), {9, 8, 4, 3, 2, 1, 1, 3, 1, 0, 0, 0});
}

TEST(F2, FlatsAreDrainedWithoutNewPits) {
  const std::vector<int> z = {250, 260, 265, 270, 240, 200, 200, 210, 230, 220, 225, 205};
  auto d4 = dem<int>(3, 4, z, Connectivity::d4);
  EXPECT_EQ(OnDevice<int>(host(), d4).filled(),
            (std::vector<int>{250, 260, 265, 270, 240, 210, 210, 210, 230, 220, 225, 205}));
  const auto direction =
      OnDevice<int>(host(), d4).routed(RouteMode::fill, true).receivers.direction.download();
  EXPECT_EQ(direction[5], 0);
  EXPECT_EQ(direction[6], 0);
  auto d8 = dem<int>(3, 4, z, Connectivity::d8);
  EXPECT_EQ(OnDevice<int>(host(), d8).filled(),
            (std::vector<int>{250, 260, 265, 270, 240, 205, 205, 210, 230, 220, 225, 205}));
}

TEST(F3, NodataIsNeverAHeight) {
  const std::vector<int> z = {250, 260, 265, 270, 240, -9999, 100, 210, 230, 220, 225, 205};
  const auto drains = dem<int>(3, 4, z, Connectivity::d8, {}, -9999);
  EXPECT_EQ(OnDevice<int>(host(), drains).filled(), z);
  Borders wall;
  wall.nodata_drains = false;
  auto expected = z;
  expected[6] = 205;
  EXPECT_EQ(OnDevice<int>(host(), dem<int>(3, 4, z, Connectivity::d8, wall, -9999)).filled(),
            expected);
}

TEST(F3, AlmostNothingButNodata) {
  constexpr Index kSide = 2000;
  std::vector<std::int16_t> z(std::size_t(kSide * kSide), -1);
  for (Index r = 1000; r < 1003; ++r)
    for (Index c = 700; c < 703; ++c) z[at(r * kSide + c)] = 1;
  const auto d = dem<std::int16_t>(kSide, kSide, z, Connectivity::d8, {}, std::int16_t(-1));
  const Routed routed = OnDevice<std::int16_t>(host(), d).routed(RouteMode::carve, true);
  std::int64_t total = 0;
  const auto direction = routed.receivers.direction.download();
  const auto sums = accumulated<std::int64_t>(host(), d.grid, routed.receivers, {});
  for (std::size_t c = 0; c < sums.size(); ++c)
    if (direction[c] == kRoot) total += sums[c];
  EXPECT_EQ(total, 9);
}

TEST(F4, KeptSinksStay) {
  const std::vector<int> z = {9, 9, 9, 9, 9, 9, 9, 9, 4, 5, 8, 5, 3, 9,
                              9, 5, 6, 8, 6, 5, 7, 9, 9, 9, 9, 9, 9, 9};
  auto d = dem<int>(4, 7, z, Connectivity::d8);
  const auto middle = [&] {
    const auto f = OnDevice<int>(host(), d).filled();
    return std::vector<int>(f.begin() + 7, f.begin() + 21);
  };
  EXPECT_EQ(middle(), (std::vector<int>{9, 8, 8, 8, 7, 7, 9, 9, 8, 8, 8, 7, 7, 7}));
  d.state[8] = std::uint8_t(CellState::sink);
  EXPECT_EQ(middle(), (std::vector<int>{9, 4, 5, 8, 7, 7, 9, 9, 5, 6, 8, 7, 7, 7}));
  d.state[12] = std::uint8_t(CellState::sink);
  const Routed routed = OnDevice<int>(host(), d).routed(RouteMode::carve, true);
  const auto direction = routed.receivers.direction.download();
  const auto sums = accumulated<std::int64_t>(host(), d.grid, routed.receivers, {});
  std::int64_t total = 0;
  for (std::size_t c = 0; c < sums.size(); ++c) total += direction[c] == kRoot ? sums[c] : 0;
  EXPECT_EQ(total, 28);
}

TEST(F5, ALongFlatDrainsByIntegers) {
  constexpr Index kCols = 1100;
  std::vector<float> z(3 * kCols, 8193.0f);
  for (Index c = 0; c < kCols; ++c) z[at(kCols + c)] = 8192.0f;
  z[at(kCols)] = 8191.0f;
  auto d = dem<float>(3, kCols, z, Connectivity::d8);
  only_outlet(d, kCols);
  const Routed routed = OnDevice<float>(host(), d).routed(RouteMode::fill, true);
  const auto direction = routed.receivers.direction.download();
  for (Index c = 1; c < kCols; ++c) EXPECT_EQ(direction[at(kCols + c)], 4) << c;
  EXPECT_EQ(accumulated<std::int64_t>(host(), d.grid, routed.receivers, {})[at(kCols)], 3300);
}

TEST(F7, APitAcrossTileBorders) {
  std::vector<int> z(36, 9);
  for (Index r = 1; r < 5; ++r)
    for (Index c = 1; c < 5; ++c) z[at(6 * r + c)] = 5;
  for (const Index c : {14, 15, 20, 21}) z[at(c)] = 1;
  z[2] = 6;
  for (const Connectivity connectivity : {Connectivity::d4, Connectivity::d8}) {
    const auto filled = OnDevice<int>(host(), dem<int>(6, 6, z, connectivity)).filled();
    for (Index r = 1; r < 5; ++r)
      for (Index c = 1; c < 5; ++c) EXPECT_EQ(filled[at(6 * r + c)], 6);
  }
}

TEST(F9, SlopesUseTheMetric) {
  auto d = dem<double>(3, 3, {9, 9, 9, 8, 10, 9, 9, 9, 6.5}, Connectivity::d8);
  const auto center = [&](double dx, double dy) {
    d.grid.dx = {dx};
    d.grid.dy = dy;
    return OnDevice<double>(host(), d).steepest(FlatRule::leave)[4];
  };
  EXPECT_EQ(center(1, 1), 1);
  EXPECT_EQ(center(3, 1), 1);
  EXPECT_EQ(center(1, 3), 4);
}

TEST(F14, LoopsAreNamedAndRepaired) {
  Grid grid;
  grid.rows = 2;
  grid.cols = 2;
  Receivers loop = to_receivers(host(), {0, 2, 6, 4});
  try {
    accumulated<std::int64_t>(host(), grid, loop, {});
    FAIL() << "a loop was accumulated";
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("loop of 4 cells"), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find("(0, 0) -> (0, 1)"), std::string::npos) << e.what();
  }
  EXPECT_THROW(labelled(host(), grid, loop), InputError);
  const par::Buffer<float> z(host(), std::vector<float>{3, 2, 1, 4});
  EXPECT_EQ(repair_loops(host(), grid, z.cview(), loop), 1);
  EXPECT_EQ(accumulated<std::int64_t>(host(), grid, loop, {}), (Counts{1, 2, 4, 3}));
  EXPECT_EQ(loop.direction.download()[2], kRoot);
  EXPECT_TRUE(find_loop(host(), grid, loop).empty());
}

TEST(F20, TheOutletsHeightCounts) {
  const auto d = dem<int>(3, 3, {5, 5, 5, 5, 1, 5, 5, 5, 5}, Connectivity::d8);
  EXPECT_EQ(OnDevice<int>(host(), d).filled()[4], 5);
}

TEST(F21, PassesAlongClosedEdges) {
  auto d = dem<int>(3, 4, {0, 3, 1, 9, 9, 9, 9, 9, 9, 9, 9, 9}, Connectivity::d4);
  only_outlet(d, 0);
  EXPECT_EQ(OnDevice<int>(host(), d).filled()[2], 3);
  const Routed carved = OnDevice<int>(host(), d).routed(RouteMode::carve, true);
  const auto direction = carved.receivers.direction.download();
  EXPECT_EQ(direction[2], 4);
  EXPECT_EQ(direction[1], 4);
  EXPECT_EQ(accumulated<std::int64_t>(host(), d.grid, carved.receivers, {})[0], 12);
  const Routed jumped = OnDevice<int>(host(), d).routed(RouteMode::jump, true);
  EXPECT_EQ(jumped.receivers.jumps.size(), 1u);
  EXPECT_EQ(accumulated<std::int64_t>(host(), d.grid, jumped.receivers, {})[0], 12);
}

TEST(F22, OneConnectivityForTheWholePipeline) {
  const std::vector<int> z = {5, 5, 5, 5, 0, 5, 1, 1, 5, 5, 5, 1, 1,
                              5, 5, 5, 5, 5, 2, 5, 5, 5, 5, 5, 2};
  const auto d8 = OnDevice<int>(host(), dem<int>(5, 5, z, Connectivity::d8)).filled();
  const auto d4 = OnDevice<int>(host(), dem<int>(5, 5, z, Connectivity::d4)).filled();
  for (const Index c : {6, 7, 11, 12}) {
    EXPECT_EQ(d8[at(c)], 2);
    EXPECT_EQ(d4[at(c)], 5);
  }
  EXPECT_EQ(d4[18], 5);
  // The D8 fill still has pits for D4.
  const auto mixed = dem<int>(5, 5, d8, Connectivity::d4);
  const OnDevice<int> on(host(), mixed);
  EXPECT_GT(count_pits(host(),
                       steepest_receivers(host(), mixed.grid, on.z.cview(), on.state.cview(),
                                          FlatRule::by_index),
                       on.state.cview()),
            0);
}

TEST(T14, TheFlatOfGarbrechtAndMartz) {
  std::vector<int> z(49, 9);
  for (Index r = 1; r < 6; ++r)
    for (Index c = 1; c < 6; ++c) z[at(7 * r + c)] = 6;
  z[45] = 5;  // the way out, in the south edge
  auto d = dem<int>(7, 7, z, Connectivity::d8);
  only_outlet(d, 45);
  const OnDevice<int> on(host(), d);
  const auto start = on.steepest(FlatRule::leave);
  const FlatKeys keys = flat_keys(d.grid, d.z, d.state, start);
  Index max_away = 0;
  for (const Index a : keys.away) max_away = std::max(max_away, a);
  EXPECT_EQ(max_away, 3);
  for (std::size_t c = 0; c < z.size(); ++c)
    if (keys.key[c] >= 0) {
      EXPECT_EQ(keys.key[c], 2 * keys.toward[c] + max_away - keys.away[c]);
    }
  const Routed routed = on.routed(RouteMode::carve, true);
  EXPECT_EQ(accumulated<std::int64_t>(host(), d.grid, routed.receivers, {})[45], 49);
  EXPECT_EQ(routed.stats.pits, 0);
}

TEST(Linear, ALongSerpentineAndAConstantRaster) {
  // One cell wide between walls, 10^6 cells long, falling to the start; then flat.
  constexpr Index kCols = 1001;
  constexpr Index kRows = 1999;
  for (const bool flat : {false, true}) {
    std::vector<int> z(std::size_t(kRows * kCols), 9000000);
    int height = 0;
    for (Index r = 0; r < kRows; ++r)
      for (Index i = 0; i < kCols; ++i) {
        const bool west = (r / 2) % 2 == 1;
        const Index c = west ? kCols - 1 - i : i;
        if (r % 2 == 0 || i == kCols - 1) z[at(r * kCols + c)] = flat ? 7 : ++height;
        if (r % 2 == 1) z[at(r * kCols + ((r / 2) % 2 == 0 ? kCols - 1 : 0))] = flat ? 7 : height;
      }
    auto d = dem<int>(kRows, kCols, z, Connectivity::d4);
    only_outlet(d, 0);
    const Routed routed = OnDevice<int>(host(), d).routed(RouteMode::carve, true);
    EXPECT_EQ(accumulated<std::int64_t>(host(), d.grid, routed.receivers, {})[0], kRows * kCols);
  }
  const std::vector<float> same(std::size_t(1024 * 1024), 3.0f);
  const auto d = dem<float>(1024, 1024, same, Connectivity::d8);
  for (const bool flats : {false, true}) {
    const Routed routed = OnDevice<float>(host(), d).routed(RouteMode::carve, flats);
    EXPECT_EQ(routed.stats.pits, 0);
  }
}

TEST(Breach, CutsWithinItsLimits) {
  const std::vector<int> z = {9, 9, 9, 9, 9, 9, 9, 2, 6, 5, 1, 9, 9, 9, 9, 9, 9, 9};
  auto d = dem<int>(3, 6, z, Connectivity::d8);
  only_outlet(d, 10);
  const OnDevice<int> on(host(), d);
  par::Buffer<int> cut(host(), d.grid.cells());
  const auto run = [&](const BreachLimits& limits) {
    return breach(host(), d.grid, on.z.cview(), on.state.cview(), limits, cut.view());
  };
  EXPECT_EQ(run({}).breached, 1);
  auto expected = z;
  expected[8] = expected[9] = 2;
  EXPECT_EQ(cut.download(), expected);
  EXPECT_EQ(run({1, 0}).remaining, 1);
  EXPECT_EQ(run({0, 3.5}).remaining, 1);
  EXPECT_EQ(cut.download(), z);
  EXPECT_EQ(run({2, 4}).breached, 1);
}

}  // namespace
}  // namespace terrawave::terrain
