// The specification's exact discrete checks by their numbers, each on a few rasters; the suites of
// tests/property/terrain repeat them on thousands. T1 and T14: routing_small_test.cpp; T7 to T9:
// multiflow_test.cpp.
#include <array>
#include <cstring>
#include <numbers>
#include <tuple>

#include <gtest/gtest.h>

#include "reference/terrain_reference.hpp"
#include "reference/terrain_run.hpp"
#include "terrawave/domain/raster.hpp"
#include "terrawave/solvers/terrain/product_tree.hpp"

namespace terrawave::terrain {
namespace {

using namespace reference;

constexpr int kDems = 200;
constexpr Index kSide = 14;

const par::Queue& host() {
  static const par::Queue queue = par::Queue::host(1);
  return queue;
}

template <class T>
std::vector<T> filled(const Dem<T>& d) {
  return OnDevice<T>(host(), d).filled();
}

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

template <class Visit>
void each(std::uint64_t seed, const Visit& visit) {
  Random random(seed);
  for (int i = 0; i < kDems && !testing::Test::HasFailure(); ++i) {
    SCOPED_TRACE(i);
    visit(random_dem<std::int16_t>(random, kSide));
    visit(random_dem<float>(random, kSide));
  }
}

TEST(T2, RootsReceiveEveryCellAndReceiversCarryMore) {
  each(102, [](const auto& d) {
    using T = typename std::decay_t<decltype(d.z)>::value_type;
    const OnDevice<T> on(host(), d);
    const Routed routed = on.routed(RouteMode::carve, true);
    const auto to = targets(d.grid, routed.receivers.direction.download(), {});
    const auto sums = accumulated<std::int64_t>(host(), d.grid, routed.receivers, {});
    std::int64_t roots = 0;
    std::int64_t cells = 0;
    for (std::size_t c = 0; c < to.size(); ++c) {
      if (to[c] < 0) continue;
      ++cells;
      EXPECT_GE(sums[c], 1);
      if (to[c] == Index(c))
        roots += sums[c];
      else
        EXPECT_GT(sums[at(to[c])], sums[c]);
    }
    EXPECT_EQ(roots, cells);
  });
}

TEST(T3, FillIsPriorityFloodIdempotentAndMonotone) {
  each(103, [](auto d) {
    const auto once = filled(d);
    EXPECT_TRUE(same_bits(once, priority_flood(d.grid, d.z, d.state)));
    const auto lower = d.z;
    for (std::size_t c = 0; c < once.size(); ++c)
      if (is_data(d.state[c])) {
        EXPECT_GE(once[c], d.z[c]);
        if (is_base(d.state[c])) {
          EXPECT_EQ(once[c], d.z[c]);
        }
      }
    d.z = once;
    EXPECT_TRUE(same_bits(filled(d), once));
    // Heights raised here and there: the fill sinks nowhere.
    d.z = lower;
    for (std::size_t c = 0; c < d.z.size(); c += 3)
      if (is_data(d.state[c])) d.z[c] = static_cast<std::decay_t<decltype(d.z[c])>>(d.z[c] + 2);
    const auto higher = filled(d);
    for (std::size_t c = 0; c < once.size(); ++c)
      if (is_data(d.state[c])) {
        EXPECT_GE(higher[c], once[c]);
      }
  });
}

TEST(T4, CarvePathsClimbToTheFilledSurfaceAndNoHigher) {
  each(104, [](auto d) {
    using T = typename decltype(d.z)::value_type;
    const Routed routed = OnDevice<T>(host(), d).routed(RouteMode::carve, true);
    const auto surface = filled(d);
    if (routed.stats.undrained == 0) {
      const auto to = targets(d.grid, routed.receivers.direction.download(), {});
      const auto highest = path_maximum(d.z, to);
      for (std::size_t c = 0; c < highest.size(); ++c)
        if (is_data(d.state[c])) {
          EXPECT_EQ(highest[c], surface[c]);
        }
    }
    d.grid.connectivity = Connectivity::d8;
    const auto d8 = filled(d);
    d.grid.connectivity = Connectivity::d4;
    const auto d4 = filled(d);
    for (std::size_t c = 0; c < d8.size(); ++c)
      if (is_data(d.state[c]) && routed.stats.undrained == 0) {
        EXPECT_LE(d8[c], d4[c]);
      }
  });
}

// A cell of the turned raster for each cell: rows and columns exchanged, then flipped as asked.
struct Turn {
  bool transpose, flip_rows, flip_cols;
  Grid grid(const Grid& g) const {
    Grid out = g;
    if (transpose) {
      std::swap(out.rows, out.cols);
      std::swap(out.loop_rows, out.loop_cols);
    }
    out.dx = {1.0};
    out.dy = 1.0;
    return out;
  }
  Index cell(const Grid& g, Index row, Index col) const {
    const Grid out = grid(g);
    if (transpose) std::swap(row, col);
    if (flip_rows) row = out.rows - 1 - row;
    if (flip_cols) col = out.cols - 1 - col;
    return row * out.cols + col;
  }
  template <class V>
  std::vector<V> apply(const Grid& g, const std::vector<V>& values) const {
    std::vector<V> out(values.size());
    for (Index row = 0; row < g.rows; ++row)
      for (Index col = 0; col < g.cols; ++col)
        out[at(cell(g, row, col))] = values[at(row * g.cols + col)];
    return out;
  }
};

TEST(T5, FillCommutesWithTurningTheRaster) {
  each(105, [](const auto& d) {
    const auto surface = filled(d);
    for (int i = 0; i < 8; ++i) {
      const Turn turn{(i & 1) != 0, (i & 2) != 0, (i & 4) != 0};
      auto turned = d;
      turned.grid = turn.grid(d.grid);
      turned.z = turn.apply(d.grid, d.z);
      turned.state = turn.apply(d.grid, d.state);
      EXPECT_TRUE(same_bits(filled(turned), turn.apply(d.grid, surface))) << "turn " << i;
    }
  });
}

TEST(T5, FillCommutesWithAddingAConstant) {
  Random random(1051);
  for (int i = 0; i < kDems; ++i) {
    auto d = random_dem<std::int32_t>(random, kSide);
    auto expected = filled(d);
    const std::int32_t shift = std::int32_t(random.below(2000)) - 1000;
    for (std::size_t c = 0; c < d.z.size(); ++c)
      if (is_data(d.state[c])) {
        d.z[c] += shift;
        expected[c] += shift;
      }
    EXPECT_EQ(filled(d), expected);
  }
}

TEST(T5, FillDependsOnTheOrderOfHeightsOnly) {
  Random random(1052);
  const auto relabel = [](std::int32_t z) { return z * z * z + 5 * z - 700; };  // increasing
  for (int i = 0; i < kDems; ++i) {
    auto d = random_dem<std::int32_t>(random, kSide);
    auto expected = filled(d);
    for (std::size_t c = 0; c < d.z.size(); ++c)
      if (is_data(d.state[c])) {
        d.z[c] = relabel(d.z[c]);
        expected[c] = relabel(expected[c]);
      }
    EXPECT_EQ(filled(d), expected);
  }
}

// Tilings and ranks: tests/property/terrain_app and tests/ranks/terrain_app; GPU: tests/device.
TEST(T6, OneToSixteenThreadsGiveTheSameBytes) {
  Random random(106);
  for (int i = 0; i < 3; ++i) {
    Dem<float> d = random_dem<float>(random, kSide);
    d = random_dem<float>(random, 150 + 10 * i);
    const auto all = [&](const par::Queue& queue) {
      const OnDevice<float> on(queue, d);
      const Routed carved = on.routed(RouteMode::carve, true);
      const Routed routed = on.routed(RouteMode::fill, true);
      return std::tuple(
          on.steepest(FlatRule::by_index), on.filled(), carved.receivers.direction.download(),
          routed.receivers.direction.download(), labelled(queue, d.grid, routed.receivers),
          accumulated<std::int64_t>(queue, d.grid, routed.receivers, {}),
          accumulated<double>(queue, d.grid, carved.receivers, {}));
    };
    const auto bytes = [](const auto& results) {
      std::vector<unsigned char> out;
      std::apply(
          [&](const auto&... v) {
            (out.insert(out.end(), reinterpret_cast<const unsigned char*>(v.data()),
                        reinterpret_cast<const unsigned char*>(v.data() + v.size())),
             ...);
          },
          results);
      return out;
    };
    const auto one = bytes(all(host()));
    for (int threads = 2; threads <= 16; ++threads)
      EXPECT_TRUE(bytes(all(par::Queue::host(threads))) == one) << threads;
  }
}

TEST(T10, TheSteepestNeighbourOnNonSquareCells) {
  const auto middle = [](double dx, double dy) {
    auto d = dem<double>(3, 3, {9, 9, 9, 8, 10, 9, 9, 9, 6.5}, Connectivity::d8);
    d.grid.dx = {dx};
    d.grid.dy = dy;
    return int(OnDevice<double>(host(), d).steepest(FlatRule::leave)[4]);
  };
  EXPECT_EQ(middle(1, 1), 1);  // south-east
  EXPECT_EQ(middle(3, 1), 1);
  EXPECT_EQ(middle(1, 3), 4);  // west
}

TEST(T11, StrahlerOrdersWhereStreamsMeet) {
  // Streams of the given orders run from the west, the north and the south into the middle cell of
  // a cross, which drains east; an order above 1 begins where two sources meet.
  const auto meet = [](std::array<int, 3> orders) {
    Grid grid;
    grid.rows = 7;
    grid.cols = 7;
    std::vector<Direction> d(49, kNoDirection);
    const auto put = [&](int row, int col, int k) { d[std::size_t(row * 7 + col)] = Direction(k); };
    put(3, 3, 0);
    put(3, 4, kRoot);
    put(3, 2, 0);  // west
    put(2, 3, 2);  // north
    put(4, 3, 6);  // south
    if (orders[0] == 2) put(2, 1, 1), put(4, 1, 7);
    if (orders[1] == 2) put(1, 2, 1), put(1, 4, 3);
    if (orders[2] == 2) put(5, 2, 7), put(5, 4, 5);
    const FlowTree tree(host(), grid, d, {});
    const std::vector<std::uint8_t> all(49, 1);
    return strahler_order(tree, all)[3 * 7 + 3];
  };
  EXPECT_EQ(meet({1, 1, 1}), 2);
  EXPECT_EQ(meet({2, 1, 2}), 3);
  EXPECT_EQ(meet({2, 2, 2}), 3);
  EXPECT_EQ(meet({2, 1, 1}), 2);
}

TEST(T12, CellAreasOfAGlobalGridAddUpToTheSphere) {
  domain::RasterInfo info;
  info.rows = 90;
  info.cols = 180;
  info.frame.located = true;
  info.frame.west = -180;
  info.frame.north = 90;
  info.frame.dx = 2;
  info.frame.dy = 2;
  info.frame.geographic = true;
  info.frame.unit = std::numbers::pi / 180;
  info.frame.semi_major = 6371007.2;
  info.frame.inverse_flattening = 0;
  double sum = 0;
  for (const double area : domain::cell_metric(info).area) sum += area * 180;
  EXPECT_NEAR(sum / 5.10065624779439e14, 1, 1e-13);  // 90 roundings
}

TEST(T13, NestedPitsSinksAndAPitAcrossTiles) {
  const std::vector<int> two = {9, 9, 9, 9, 9, 9, 9, 9, 4, 5, 8, 5, 3, 9,
                                9, 5, 6, 8, 6, 5, 7, 9, 9, 9, 9, 9, 9, 9};
  auto d = dem<int>(4, 7, two, Connectivity::d8);
  auto expected = two;
  for (const auto& [cell, z] :
       {std::pair{8, 8}, {9, 8}, {11, 7}, {12, 7}, {15, 8}, {16, 8}, {18, 7}, {19, 7}})
    expected[std::size_t(cell)] = z;
  EXPECT_EQ(filled(d), expected);
  d.state[8] = std::uint8_t(CellState::sink);
  expected = two;
  for (const int cell : {11, 12, 18, 19}) expected[std::size_t(cell)] = 7;
  EXPECT_EQ(filled(d), expected);
  // 200 x 200 cells, so that the pit lies across the corner of four 64 x 64 tiles.
  std::vector<int> z(40000, 9);
  for (int row = 1; row < 199; ++row)
    for (int col = 1; col < 199; ++col) z[std::size_t(row * 200 + col)] = 5;
  for (const int cell : {127 * 200 + 127, 127 * 200 + 128, 128 * 200 + 127, 128 * 200 + 128})
    z[std::size_t(cell)] = 1;
  z[2] = 6;
  for (const Connectivity c : {Connectivity::d4, Connectivity::d8}) {
    auto rim = z;
    for (int row = 1; row < 199; ++row)
      for (int col = 1; col < 199; ++col) rim[std::size_t(row * 200 + col)] = 6;
    EXPECT_EQ(filled(dem<int>(200, 200, z, c)), rim);
  }
}

}  // namespace
}  // namespace terrawave::terrain
