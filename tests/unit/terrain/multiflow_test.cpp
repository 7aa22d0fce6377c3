// Flow to several receivers: T7, T8, T9, and loops (F14).
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "reference/terrain_facets.hpp"
#include "reference/terrain_run.hpp"
#include "terrawave/solvers/terrain/terrain_multiflow.hpp"

namespace terrawave::terrain {
namespace {

using namespace reference;

const par::Queue& host() {
  static const par::Queue queue = par::Queue::host(1);
  return queue;
}

template <class T>
std::vector<double> fractions(const Dem<T>& d, MultiRule rule, double exponent) {
  const OnDevice<T> on(host(), d);
  par::Buffer<double> f(host(), d.grid.cells() * kNeighbours);
  multiflow_fractions(host(), d.grid, on.z.cview(), on.state.cview(), rule, exponent, f.view());
  return f.download();
}

Dem<double> plane(double gx, double gy) {
  std::vector<double> z;
  for (int r = 0; r < 7; ++r)
    for (int c = 0; c < 7; ++c) z.push_back(gx * c - gy * r);  // y grows to the north
  return dem<double>(7, 7, z, Connectivity::d8);
}

constexpr Index kCenter = 24;
double at_center(const std::vector<double>& f, int k) {
  return f[std::size_t(k) * 49 + std::size_t(kCenter)];
}

TEST(T8, MultipleFlowOnAPlane) {
  const Dem<double> d = plane(-1, 0);
  const auto check = [&](MultiRule rule, double p, double east, double diagonal) {
    const auto f = fractions(d, rule, p);
    EXPECT_NEAR(at_center(f, 0), east, 1e-9);
    EXPECT_NEAR(at_center(f, 1), diagonal, 1e-9);
    EXPECT_NEAR(at_center(f, 7), diagonal, 1e-9);
    EXPECT_EQ(at_center(f, 4), 0);
  };
  check(MultiRule::freeman, 1, 0.414213562373, 0.292893218813);
  check(MultiRule::freeman, 4, 2.0 / 3, 1.0 / 6);
  check(MultiRule::freeman, 8, 8.0 / 9, 1.0 / 18);
  check(MultiRule::quinn, 1, 0.5, 0.25);
  const auto f = fractions(d, MultiRule::freeman, 1.1);
  EXPECT_NEAR(at_center(f, 0), 0.422647078, 1e-9);
  EXPECT_NEAR(at_center(f, 1), 0.288676461, 1e-9);
}

TEST(T9, DInfinityOnPlanes) {
  for (int degrees = 0; degrees < 360; degrees += 5) {
    const double theta = degrees * std::numbers::pi / 180;
    const Dem<double> d = plane(-std::cos(theta), -std::sin(theta));
    const OnDevice<double> on(host(), d);
    par::Buffer<double> angles(host(), 49);
    dinf_angles(host(), d.grid, on.z.cview(), on.state.cview(), angles.view());
    const double apart = std::remainder(angles.at(kCenter) - theta, 2 * std::numbers::pi);
    EXPECT_NEAR(apart, 0, 1e-12) << degrees;
  }
  const auto split = [](double degrees, double cardinal, double diagonal) {
    const double theta = degrees * std::numbers::pi / 180;
    const auto f = fractions(plane(-std::cos(theta), -std::sin(theta)), MultiRule::dinf, 1);
    EXPECT_NEAR(at_center(f, 0), cardinal, 1e-12);
    EXPECT_NEAR(at_center(f, 7), diagonal, 1e-12);
  };
  split(10, 7.0 / 9, 2.0 / 9);
  split(30, 1.0 / 3, 2.0 / 3);
  split(45, 0, 1);
}

// Where facets are equally steep, roundings choose: the angle must be that of one of them.
TEST(Multiflow, AnglesEqualTheFacetsOfTheDefinition) {
  Random random(77);
  Index compared = 0;
  for (int i = 0; i < 500; ++i) {
    Dem<double> d = random_dem<double>(random, 12);
    d.grid.connectivity = Connectivity::d8;
    if (i % 2 == 0)
      for (double& z : d.z) z += random.unit();
    const OnDevice<double> on(host(), d);
    par::Buffer<double> angles(host(), d.grid.cells());
    dinf_angles(host(), d.grid, on.z.cview(), on.state.cview(), angles.view());
    for (Index c = 0; c < d.grid.cells(); ++c) {
      if (d.state[std::size_t(c)] != std::uint8_t(CellState::valid)) continue;
      const Facet expected = steepest_facet(d, c);
      const double angle = angles.at(c);
      ASSERT_EQ(angle < 0, expected.angle < 0) << "raster " << i << ", cell " << c;
      if (expected.angle < 0) continue;
      ++compared;
      ASSERT_LT(angle, 2 * std::numbers::pi);
      const double apart = std::remainder(angle - expected.angle, 2 * std::numbers::pi);
      if (i % 2 == 0) {
        ASSERT_NEAR(apart, 0, 4e-15) << "raster " << i << ", cell " << c;
      }
      ASSERT_NEAR(slope_along(d, c, angle), expected.slope, 1e-11 * expected.slope);
    }
  }
  EXPECT_GT(compared, 5000);
}

// Two pi is east again, in the single precision of other programs' files too, where it is more.
TEST(Multiflow, AWholeTurnIsEast) {
  Grid grid;
  grid.rows = grid.cols = 3;
  const std::vector<double> angles(9, double(float(2 * std::numbers::pi)));
  par::Buffer<double> f(host(), 72);
  dinf_fractions(host(), grid, par::Buffer<double>(host(), angles).cview(), f.view());
  EXPECT_NEAR(f.at(4), 1, 3e-7);
  EXPECT_NEAR(f.at(7 * 9 + 4), 0, 3e-7);
  for (int k = 1; k < 7; ++k) EXPECT_EQ(f.at(k * 9 + 4), 0);
}

// An angle just below east must not become one of two pi: all flow would be lost.
TEST(Multiflow, ATinyAngleBelowEastIsKept) {
  Dem<double> d = dem<double>(3, 3, {9, 9, 9, 9, 1, 1e-17, 9, 9, 0}, Connectivity::d8);
  d.state.assign(9, std::uint8_t(CellState::valid));
  d.state[2] = std::uint8_t(CellState::nodata);  // no facet to the north-east
  const auto f = fractions(d, MultiRule::dinf, 1);
  EXPECT_EQ(f[4], 1);
  for (int k = 1; k < 8; ++k) EXPECT_EQ(f[std::size_t(k * 9 + 4)], 0);
}

// Slopes to a high power vanish; their shares do not.
TEST(Multiflow, HighPowersKeepTheSteepest) {
  for (const double scale : {1.0, 1e-6, 1e-200, 1e200}) {
    const Dem<double> d = plane(-scale, 0);
    const auto f = fractions(d, MultiRule::freeman, 400);
    EXPECT_NEAR(at_center(f, 0), 1, 1e-15);
    EXPECT_NEAR(at_center(f, 1), std::pow(0.5, 200), 1e-15);
  }
}

// Powers against those of the library: shares differ by roundings of the sums alone.
TEST(Multiflow, PowersEqualTheLibrarys) {
  Random random(78);
  for (int i = 0; i < 300; ++i) {
    Dem<double> d = random_dem<double>(random, 10);
    for (double& z : d.z) z += random.unit();
    const double exponent = 0.2 + 9 * random.unit();
    const auto linear = fractions(d, MultiRule::freeman, 1);
    const auto raised = fractions(d, MultiRule::freeman, exponent);
    const Index n = d.grid.cells();
    for (Index c = 0; c < n; ++c) {
      const auto share = [&](const std::vector<double>& f, int k) {
        return f[std::size_t(k * n + c)];
      };
      double sum = 0;
      for (int k = 0; k < kNeighbours; ++k)
        if (share(linear, k) > 0) sum += std::pow(share(linear, k), exponent);
      for (int k = 0; k < kNeighbours; ++k) {
        if (!(share(linear, k) > 0)) {
          EXPECT_EQ(share(raised, k), 0);
          continue;
        }
        // Powers of what was rounded: `exponent` times the error of one share, and of eight terms.
        const double expected = std::pow(share(linear, k), exponent) / sum;
        ASSERT_NEAR(share(raised, k), expected, (4 * exponent + 16) * 0x1p-53);
      }
    }
  }
}

TEST(T7, FractionsAddUpAndNothingIsLost) {
  Random random(31);
  for (int i = 0; i < 300; ++i) {
    Dem<float> d = random_dem<float>(random, 14);
    d.grid.connectivity = Connectivity::d8;
    for (const MultiRule rule : {MultiRule::freeman, MultiRule::quinn, MultiRule::dinf}) {
      const auto f = fractions(d, rule, 1.5);
      const Index n = d.grid.cells();
      const par::Buffer<double> on_device(host(), f);
      const par::Buffer<std::uint8_t> state(host(), d.state);
      par::Buffer<double> out(host(), n);
      multiflow_accumulate(host(), d.grid, on_device.cview(), state.cview(), {}, out.view());
      const auto sums = out.download();
      double total = 0;
      double cells = 0;
      for (Index c = 0; c < n; ++c) {
        double given = 0;
        for (int k = 0; k < kNeighbours; ++k) given += f[std::size_t(k * n + c)];
        if (given > 0) {
          EXPECT_NEAR(given, 1, 2.3e-16);  // one unit in the last place
        }
        if (!is_data(d.state[std::size_t(c)])) continue;
        cells += 1;
        total += (1 - std::min(1.0, std::round(given))) * sums[std::size_t(c)];
      }
      EXPECT_NEAR(total, cells, 1e-12 * cells);
    }
  }
}

TEST(F14, FractionsThatGoInARingAreRefused) {
  Grid grid;
  grid.rows = 1;
  grid.cols = 2;
  const std::vector<double> angles = {0, std::numbers::pi};
  par::Buffer<double> f(host(), 16), out(host(), 2);
  dinf_fractions(host(), grid, par::Buffer<double>(host(), angles).cview(), f.view());
  const par::Buffer<std::uint8_t> state(host(), std::vector<std::uint8_t>{0, 0});
  try {
    multiflow_accumulate(host(), grid, f.cview(), state.cview(), {}, out.view());
    FAIL() << "a loop was accumulated";
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("loop of 2 cells"), std::string::npos) << e.what();
  }
}

// Random fractions, mostly with loops: after the repair all cells are final, and only the cells
// that became roots lost their receivers.
TEST(Multiflow, LoopsOfFractionsAreBrokenAtTheirLowestCells) {
  Random random(3);
  Index repaired = 0;
  for (int round = 0; round < 300; ++round) {
    auto dem = random_dem<float>(random, 9);
    const Index n = dem.grid.cells();
    std::vector<double> share(std::size_t(n * kNeighbours), 0.0);
    for (Index c = 0; c < n; ++c)
      for (int k = 0; k < kNeighbours; ++k) {
        const Index to = dem.grid.neighbour(c, k);
        if (is_data(dem.state[std::size_t(c)]) && to >= 0 && is_data(dem.state[std::size_t(to)]) &&
            random.chance(0.2))
          share[std::size_t(k * n + c)] = 0.125;
      }
    const OnDevice<float> on(host(), dem);
    par::Buffer<double> f(host(), share);
    par::Buffer<double> out(host(), n);
    const Index pits =
        repair_fraction_loops<float>(host(), dem.grid, on.z.cview(), on.state.cview(), f.view());
    repaired += pits;
    EXPECT_NO_THROW(
        multiflow_accumulate(host(), dem.grid, f.cview(), on.state.cview(), {}, out.view()));
    const std::vector<double> after = f.download();
    Index lost = 0;
    for (Index c = 0; c < n; ++c) {
      bool changed = false;
      bool gives = false;
      for (int k = 0; k < kNeighbours; ++k) {
        const auto at = std::size_t(k * n + c);
        changed = changed || after[at] != share[at];
        gives = gives || after[at] > 0;
      }
      if (!changed) continue;
      EXPECT_FALSE(gives);
      ++lost;
    }
    EXPECT_EQ(lost, pits);
  }
  EXPECT_GT(repaired, 100);
}

}  // namespace
}  // namespace terrawave::terrain
