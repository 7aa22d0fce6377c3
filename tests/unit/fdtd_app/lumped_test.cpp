// The diode's closed form, and how elements spread over boxes of edges.
#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "../../reference/fdtd_app_circuits.hpp"
#include "terrawave/solvers/fdtd/lumped_elements.hpp"

namespace terrawave::fdtd {
namespace {

TEST(Diode, WrightOmegaSolvesItsEquation) {
  for (double z = -700; z <= 700; z += 0.37) {
    const double w = wright_omega(z);
    ASSERT_GT(w, 0) << z;
    if (w < 1e-8)
      EXPECT_NEAR(w / std::exp(z), 1, 1e-7) << z;
    else
      EXPECT_NEAR(w + std::log(w) - z, 0, 4e-16 * (std::abs(z) + w + 1)) << z;
  }
  EXPECT_NEAR(wright_omega(1), 1, 1e-15);
  EXPECT_NEAR(wright_omega(0), 0.56714329040978384, 1e-15);
}

TEST(Diode, ClosedFormEqualsBisection) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> u(-1, 1);
  for (int n = 0; n < 2000; ++n) {
    const double beta = 0.02 * std::pow(10, u(random));
    const double k = std::pow(10, -8 + 4 * u(random));
    const double e = 1000 * u(random), linear = 5000 * u(random);
    const double c[4] = {beta, k, std::log(k * beta), 1};
    const double found = diode_field(c, e, linear);
    const double expected = reference::diode_field(beta, k, e, linear);
    EXPECT_NEAR(found, expected, 1e-11 * (std::abs(expected) + std::abs(e) + std::abs(linear)));
    const double mirrored[4] = {beta, k, std::log(k * beta), -1};
    EXPECT_EQ(diode_field(mirrored, -e, -linear), -found);
  }
}

// One edge of a 1 mm cube with source, Rs and diode, left to settle: spec values.
TEST(Diode, QuasiStaticVoltages) {
  const double l = 1e-3, area = 1e-6, rs = 50, i0 = 1e-14, kelvin = 298, dt = 1e-12;
  const EdgeMaterial m{kEps0, l / (rs * area), false};
  const Update update = edge_update(m, dt);
  const auto c = diode_coefficients(i0, 1, kelvin, l, area, update.b, 1);
  const double vs[] = {0.5, 0.7, 0.8, 1, 2, 5, 10};
  const double vd[] = {0.49986, 0.65028, 0.67413, 0.69672, 0.73342, 0.76442, 0.78439};
  const double vt = 1.380649e-23 * kelvin / 1.602176634e-19;
  for (int n = 0; n < 7; ++n)
    for (const int sign : {1, -1}) {
      double e = 0;
      for (int step = 0; step < 4000; ++step) {
        const double linear = update.a * e + update.b * sign * vs[n] / (rs * area);
        e = diode_field(c.data(), e, linear);
      }
      const double expected = sign > 0 ? vd[n] : -vs[n];
      EXPECT_NEAR(e * l, expected, 1e-5) << sign * vs[n];
      EXPECT_NEAR(e * l, reference::diode_voltage(sign * vs[n], rs, i0, vt), 1e-9);
    }
}

struct Fixture {
  domain::YeeGrid grid{
      std::array<std::vector<double>, 3>{std::vector<double>{0, 1e-3, 2.2e-3, 3e-3, 4e-3},
                                         {0, 1e-3, 2e-3, 3.1e-3, 4e-3},
                                         {0, 0.9e-3, 2e-3, 3e-3, 4e-3}}};
  LumpedLoads loads{grid, {false, false, false}};
  EdgeBox box{2, 1, {1, 1, 1}, {2, 3, 3}};
};

// Sum over columns of the admittance in series: total of what was put in.
TEST(Lumped, ResistorOfTheWholeBoxIsWhatWasAsked) {
  Fixture f;
  f.loads.resistor(f.box, 75);
  double g = 0, g_first = -1;
  for (Index j = 1; j <= 3; ++j)
    for (Index i = 1; i <= 2; ++i) {
      double r = 0;
      for (Index k = 1; k < 3; ++k) {
        const EdgeId e{2, {i, j, k}};
        r += f.loads.length(e) / (f.loads.loads().at(e).sigma * f.loads.area(e));
      }
      g += 1 / r;
      g_first = g_first < 0 ? 1 / r : g_first;
    }
  EXPECT_NEAR(1 / g, 75, 1e-10);
  EXPECT_EQ(f.loads.loads().size(), 12u);
  // Equal conductivity everywhere: the box is a homogeneous block.
  const double sigma = f.loads.loads().begin()->second.sigma;
  for (const auto& [edge, load] : f.loads.loads()) EXPECT_NEAR(load.sigma, sigma, 1e-12 * sigma);
}

TEST(Lumped, CapacitorOfTheWholeBoxIsWhatWasAsked) {
  Fixture f;
  f.loads.capacitor(f.box, 2e-12);
  double c = 0;
  for (Index j = 1; j <= 3; ++j)
    for (Index i = 1; i <= 2; ++i) {
      double elastance = 0;
      for (Index k = 1; k < 3; ++k) {
        const EdgeId e{2, {i, j, k}};
        elastance += f.loads.length(e) / (f.loads.loads().at(e).eps * f.loads.area(e));
      }
      c += 1 / elastance;
    }
  EXPECT_NEAR(c, 2e-12, 1e-24);
}

TEST(Lumped, DiodeSitsOnOneEdgeOfEachColumnAndMetalFillsTheRest) {
  Fixture f;
  f.loads.diode(f.box, 1e-14, 1, 298, "D");
  EXPECT_EQ(f.loads.loads().size(), 6u);
  EXPECT_EQ(f.loads.metal().size(), 6u);
}

}  // namespace
}  // namespace terrawave::fdtd
