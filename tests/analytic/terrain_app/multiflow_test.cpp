// Flow to several receivers on planes, where every share is known (T7, T8, T9), and breaching.
#include <cmath>
#include <numbers>
#include <set>

#include <gtest/gtest.h>

#include "reference/terrain_random.hpp"
#include "reference/terrain_reference.hpp"
#include "terrawave/base/error.hpp"
#include "terrawave/solvers/terrain/terrain_multiflow.hpp"
#include "terrawave/solvers/terrain/terrain_routing.hpp"

namespace terrawave::terrain {
namespace {

struct Plane {
  Grid grid;
  std::vector<double> z;
  std::vector<std::uint8_t> state;
};

// Falls toward the azimuth `theta`, counter-clockwise from east.
Plane plane(double theta, double dx = 1, double dy = 1) {
  Plane p;
  p.grid.rows = p.grid.cols = 7;
  p.grid.dx = {dx};
  p.grid.dy = dy;
  for (Index r = 0; r < 7; ++r)
    for (Index c = 0; c < 7; ++c)
      p.z.push_back(-(double(c) * dx * std::cos(theta) - double(r) * dy * std::sin(theta)));
  p.state = make_states<double>(p.grid, p.z, std::nullopt, {});
  return p;
}

std::vector<double> shares(const Plane& p, MultiRule rule, double exponent) {
  const par::Queue queue = par::Queue::host(1);
  const par::Buffer<double> z(queue, p.z);
  const par::Buffer<std::uint8_t> state(queue, p.state);
  par::Buffer<double> fraction(queue, kNeighbours * p.grid.cells());
  multiflow_fractions<double>(queue, p.grid, z.cview(), state.cview(), rule, exponent,
                              fraction.view());
  std::vector<double> middle(kNeighbours);
  for (int k = 0; k < kNeighbours; ++k) middle[std::size_t(k)] = fraction.at(k * 49 + 24);
  return middle;
}

// T8: the plane z = -x; E, SE and NE are lower.
TEST(MultiFlow, SharesOnAnEastwardPlane) {
  struct Case {
    MultiRule rule;
    double exponent, east, diagonal;
  };
  for (const Case& c :
       {Case{MultiRule::freeman, 1, 0.414213562, 0.292893219},
        Case{MultiRule::freeman, 1.1, 0.422647078, 0.288676461},
        Case{MultiRule::freeman, 4, 2.0 / 3, 1.0 / 6},
        Case{MultiRule::freeman, 8, 8.0 / 9, 1.0 / 18}, Case{MultiRule::quinn, 1, 0.5, 0.25}}) {
    const auto s = shares(plane(0), c.rule, c.exponent);
    EXPECT_NEAR(s[0], c.east, 1e-9);
    EXPECT_NEAR(s[1], c.diagonal, 1e-9);
    EXPECT_NEAR(s[7], c.diagonal, 1e-9);
    for (int k = 2; k < 7; ++k) EXPECT_EQ(s[std::size_t(k)], 0);
  }
}

// T9: D-infinity finds the azimuth of any plane, also with cells that are not square.
TEST(MultiFlow, AnglesOnPlanesOfAnyAzimuth) {
  const par::Queue queue = par::Queue::host(1);
  for (int degrees = 0; degrees < 360; degrees += 5)
    for (const auto& [dx, dy] : {std::pair(1.0, 1.0), std::pair(3.0, 1.0), std::pair(1.0, 3.0)}) {
      const double theta = degrees * std::numbers::pi / 180;
      const Plane p = plane(theta, dx, dy);
      const par::Buffer<double> z(queue, p.z);
      const par::Buffer<std::uint8_t> state(queue, p.state);
      par::Buffer<double> angle(queue, p.grid.cells());
      dinf_angles<double>(queue, p.grid, z.cview(), state.cview(), angle.view());
      const double found = angle.at(24);
      const double off = std::remainder(found - theta, 2 * std::numbers::pi);
      EXPECT_NEAR(off, 0, 1e-12) << degrees << " degrees, cells of " << dx << " by " << dy;
    }
}

TEST(MultiFlow, DinfSplitsInProportionToTheAngle) {
  const auto at = [](double degrees) {
    return shares(plane(degrees * std::numbers::pi / 180), MultiRule::dinf, 0);
  };
  EXPECT_NEAR(at(10)[0], 7.0 / 9, 1e-12);
  EXPECT_NEAR(at(10)[7], 2.0 / 9, 1e-12);
  EXPECT_NEAR(at(30)[0], 1.0 / 3, 1e-12);
  EXPECT_NEAR(at(30)[7], 2.0 / 3, 1e-12);
  EXPECT_NEAR(at(45)[7], 1, 1e-12);
}

// T7 and the sums of a slow accumulation (by height) on random rasters.
TEST(MultiFlow, SharesAddUpAndNothingIsLost) {
  reference::Random random(8);
  const par::Queue queue = par::Queue::host(2);
  for (int k = 0; k < 200; ++k) {
    const auto dem = reference::random_dem<float>(random, 14);
    if (dem.grid.connectivity != Connectivity::d8) continue;
    const Index n = dem.grid.cells();
    const par::Buffer<float> z(queue, dem.z);
    const par::Buffer<std::uint8_t> state(queue, dem.state);
    par::Buffer<double> fraction(queue, kNeighbours * n);
    const MultiRule rule = k % 3 == 0   ? MultiRule::dinf
                           : k % 3 == 1 ? MultiRule::freeman
                                        : MultiRule::quinn;
    multiflow_fractions<float>(queue, dem.grid, z.cview(), state.cview(), rule, 1.1,
                               fraction.view());
    const auto share = fraction.download();
    par::Buffer<double> out(queue, n);
    multiflow_accumulate(queue, dem.grid, fraction.cview(), state.cview(), {}, out.view());
    const auto sum = out.download();
    std::vector<Index> order;
    double valid = 0;
    double rooted = 0;
    for (Index c = 0; c < n; ++c) {
      if (!is_data(dem.state[std::size_t(c)])) continue;
      order.push_back(c);
      ++valid;
      double all = 0;
      for (int j = 0; j < kNeighbours; ++j) {
        const double part = share[std::size_t(j * n + c)];
        all += part;
        if (part > 0) {
          EXPECT_LT(dem.z[std::size_t(dem.grid.neighbour(c, j))], dem.z[std::size_t(c)]);
        }
      }
      if (all == 0)
        rooted += sum[std::size_t(c)];
      else
        EXPECT_NEAR(all, 1, 8 * 0x1p-53);
    }
    EXPECT_NEAR(rooted, valid, 1e-12 * valid);
    std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
      return dem.z[std::size_t(a)] > dem.z[std::size_t(b)];
    });
    std::vector<double> slow(std::size_t(n), 0.0);
    for (const Index c : order) slow[std::size_t(c)] = 1;
    for (const Index c : order)
      for (int j = 0; j < kNeighbours; ++j)
        if (const double part = share[std::size_t(j * n + c)]; part > 0)
          slow[std::size_t(dem.grid.neighbour(c, j))] += part * slow[std::size_t(c)];
    for (const Index c : order)
      EXPECT_NEAR(sum[std::size_t(c)], slow[std::size_t(c)], 1e-12 * valid);
  }
}

// F14: shares that run in a circle are named.
TEST(MultiFlow, CyclicSharesAreNamed) {
  const par::Queue queue = par::Queue::host(1);
  Grid grid;
  grid.rows = 1;
  grid.cols = 2;
  std::vector<double> share(16, 0.0);
  share[0] = 1;          // cell 0 to the east
  share[4 * 2 + 1] = 1;  // cell 1 to the west
  const par::Buffer<double> fraction(queue, share);
  const par::Buffer<std::uint8_t> state(queue, std::vector<std::uint8_t>(2, 0));
  par::Buffer<double> out(queue, 2);
  try {
    multiflow_accumulate(queue, grid, fraction.cview(), state.cview(), {}, out.view());
    FAIL();
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("loop of 2 cells"), std::string::npos) << e.what();
  }
  const std::vector<double> opposed = {0, std::numbers::pi};
  const par::Buffer<double> angles(queue, opposed);
  par::Buffer<double> from_angles(queue, 16);
  dinf_fractions(queue, grid, angles.cview(), from_angles.view());
  EXPECT_EQ(from_angles.at(0), 1);
  EXPECT_EQ(from_angles.at(4 * 2 + 1), 1);
}

// Breaching without limits never raises, drains every pit above its outlet, and cuts only where
// ground stood above a pit.
TEST(Breach, DrainsEveryPitAboveItsOutlet) {
  reference::Random random(21);
  const par::Queue queue = par::Queue::host(1);
  for (int k = 0; k < 300; ++k) {
    const auto dem = reference::random_dem<std::int16_t>(random, 14);
    const Index n = dem.grid.cells();
    const par::Buffer<std::int16_t> z(queue, dem.z);
    const par::Buffer<std::uint8_t> state(queue, dem.state);
    par::Buffer<std::int16_t> cut(queue, n);
    const BreachStats stats =
        breach<std::int16_t>(queue, dem.grid, z.cview(), state.cview(), {}, cut.view());
    const auto lower = cut.download();
    for (Index c = 0; c < n; ++c) {
      EXPECT_LE(lower[std::size_t(c)], dem.z[std::size_t(c)]);
      if (is_base(dem.state[std::size_t(c)])) {
        EXPECT_EQ(lower[std::size_t(c)], dem.z[std::size_t(c)]);
      }
    }
    if (stats.remaining > 0) continue;
    // Nothing is left to fill, where a base cell can be reached at all.
    std::vector<std::uint8_t> states = dem.state;
    EXPECT_EQ(reference::priority_flood(dem.grid, lower, states), lower);
  }
}

TEST(Breach, RespectsItsLimits) {
  const par::Queue queue = par::Queue::host(1);
  Grid grid;
  grid.rows = 1;
  grid.cols = 6;
  grid.connectivity = Connectivity::d4;
  // A pit of 2 behind a wall of two cells, 7 and 5; the east end is an outlet.
  const std::vector<std::int16_t> z = {9, 2, 7, 5, 1, 0};
  std::vector<std::uint8_t> states(6, std::uint8_t(CellState::valid));
  states[5] = std::uint8_t(CellState::outlet);
  const par::Buffer<std::int16_t> heights(queue, z);
  const par::Buffer<std::uint8_t> state(queue, states);
  par::Buffer<std::int16_t> cut(queue, 6);
  const auto run = [&](const BreachLimits& limits) {
    const BreachStats stats =
        breach<std::int16_t>(queue, grid, heights.cview(), state.cview(), limits, cut.view());
    return std::pair(stats, cut.download());
  };
  const std::vector<std::int16_t> through = {9, 2, 2, 2, 1, 0};
  EXPECT_EQ(run({}).second, through);
  EXPECT_EQ(run({2, 5.0}).second, through);
  EXPECT_EQ(run({1, 0.0}).second, z);
  EXPECT_EQ(run({0, 4.5}).second, z);
  EXPECT_EQ(run({1, 0.0}).first.remaining, 1);
  EXPECT_EQ(run({}).first.breached, 1);
}

}  // namespace
}  // namespace terrawave::terrain
