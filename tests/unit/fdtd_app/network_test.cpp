// Voltages and currents at ports, and S-parameters from them.
#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "terrawave/solvers/fdtd/ports_measure.hpp"
#include "terrawave/solvers/fdtd/ports_network.hpp"
#include "terrawave/solvers/fdtd/probes_growth.hpp"

namespace terrawave::fdtd {
namespace {

TEST(Network, SpectrumOfAnExponential) {
  // x_n = exp(-a t_n): dt sum exp(-(a + j w) t_n) is a geometric series.
  const double dt = 1e-12, a = 1e9;
  std::vector<double> x;
  for (int n = 0; n < 30000; ++n) x.push_back(std::exp(-a * dt * (n + 1)));
  const auto s = spectrum_of(x, dt, 1, 0, {0, 1e8, 3e9, 7.77e10});
  const double f[] = {0, 1e8, 3e9, 7.77e10};
  for (int i = 0; i < 4; ++i) {
    const Complex q = std::exp(-Complex(a, 2 * M_PI * f[i]) * dt);
    const Complex exact = dt * q * (1.0 - std::pow(q, 30000)) / (1.0 - q);
    EXPECT_LT(std::abs(s[std::size_t(i)] - exact), 1e-12 * std::abs(exact) + 1e-22);
  }
  // Half a step earlier turns the phase.
  const auto h = spectrum_of(x, dt, 1, -0.5, {3e9});
  EXPECT_LT(std::abs(h[0] - s[2] * std::polar(1.0, M_PI * 3e9 * dt)), 1e-12 * std::abs(h[0]));
}

TEST(Network, WavesOfKnownLoads) {
  const std::vector<double> f = {1e9};
  const auto gamma = [&](Complex z, PortReference r) {
    PortSpectra p{{z}, {1.0}};  // V = z I
    const Waves w = power_waves(p, r, f);
    return w.b[0] / w.a[0];
  };
  EXPECT_LT(std::abs(gamma(50, {50})), 1e-15);
  EXPECT_NEAR(gamma(100, {50}).real(), 1.0 / 3, 1e-15);
  EXPECT_LT(std::abs(gamma(Complex(0, 50), {50}) - Complex(0, 1)), 1e-15);
  // A short seen from a plane a quarter wave before it is an open circuit, so moving the plane a
  // quarter wave into the device turns the open back into the short.
  PortReference r{50, 0, 299792458.0 / 1e9 / 4 / 1.5, 2.25};
  EXPECT_LT(std::abs(gamma(1e12, r) - Complex(-1, 0)), 1e-9);
  // The gap's capacitance in parallel with a matched load.
  const double c = 1e-13, w = 2 * M_PI * 1e9;
  const Complex z = 1.0 / Complex(1.0 / 50, w * c);
  PortReference gap{50, c, 0, 1};
  EXPECT_LT(std::abs(gamma(50, gap) - (z - 50.0) / (z + 50.0)), 1e-14);
}

std::vector<std::vector<Complex>> random_matrices(std::mt19937_64& random, std::size_t n,
                                                  std::size_t count) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<std::vector<Complex>> list(count, std::vector<Complex>(n * n));
  for (auto& m : list)
    for (Complex& x : m) x = Complex(uniform(random), uniform(random)) / double(n);
  return list;
}

double difference(const std::vector<Complex>& a, const std::vector<Complex>& b) {
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
  return worst;
}

TEST(Network, RenormalisedToOneImpedance) {
  // A load of 75 ohm looks matched at 75 ohm and is 1/5 at 50 ohm.
  Network one(1, {1e9});
  one.s[0] = {0.0};
  EXPECT_NEAR(renormalised(one, {75}, 50).s[0][0].real(), 0.2, 1e-15);
  // 100 ohm in series between ports of 50 and 75 ohm: S11 = (100 + 75 - 50) / (100 + 75 + 50),
  // S21 = 2 sqrt(50 75) / 225; between ports of 50 ohm: 1/2, 1/2.
  Network two(2, {1e9});
  two.s[0] = {125.0 / 225, 2 * std::sqrt(3750.0) / 225, 2 * std::sqrt(3750.0) / 225, 75.0 / 225};
  EXPECT_LT(difference(renormalised(two, {50, 75}, 50).s[0], {0.5, 0.5, 0.5, 0.5}), 1e-15);
  // Any network: by way of its impedance matrix, Z = sqrt(Z0) (1 + S) (1 - S)^-1 sqrt(Z0), the
  // same currents meet the same voltages; and back again.
  std::mt19937_64 random(6);
  Network n(3, {1e9, 2e9});
  n.s = random_matrices(random, 3, 2);
  const std::vector<double> own = {25, 60, 110};
  const Network m = renormalised(n, own, 50);
  for (std::size_t f = 0; f < 2; ++f)
    for (int trial = 0; trial < 3; ++trial) {
      const auto a = random_matrices(random, 3, 1)[0];
      double worst = 0;
      std::vector<Complex> a_new(3), b_new(3);
      for (std::size_t i = 0; i < 3; ++i) {
        Complex b = 0;
        for (std::size_t j = 0; j < 3; ++j) b += n.s[f][3 * i + j] * a[j];
        const Complex v = std::sqrt(own[i]) * (a[i] + b), c = (a[i] - b) / std::sqrt(own[i]);
        a_new[i] = (v + 50.0 * c) / (2 * std::sqrt(50.0));
        b_new[i] = (v - 50.0 * c) / (2 * std::sqrt(50.0));
      }
      for (std::size_t i = 0; i < 3; ++i) {
        Complex b = 0;
        for (std::size_t j = 0; j < 3; ++j) b += m.s[f][3 * i + j] * a_new[j];
        worst = std::max(worst, std::abs(b - b_new[i]));
      }
      EXPECT_LT(worst, 1e-14);
    }
}

TEST(Network, AColumnUntilAllPortsWereDriven) {
  Network n(2, {1e9, 2e9});
  EXPECT_FALSE(n.complete());
  const Waves one{{2, 2}, {Complex(0.6, 0), 0.1}}, two{{0, 0}, {0.8, Complex(0, 0.9)}};
  n.set_column(0, {one, two});
  EXPECT_FALSE(n.complete());
  EXPECT_EQ(n.s[0][2], Complex(0.4));  // S21
  n.set_column(1, {{{0, 0}, {0.4, Complex(0, 0.5)}}, {{1, 1}, {0.6, 0.5}}});
  EXPECT_TRUE(n.complete());
  EXPECT_EQ(n.s[0][2], Complex(0.4));  // nothing comes back: the same
  EXPECT_NEAR(reciprocity(n).worst, 0.05, 1e-15);
}

TEST(Network, LoadsThatReflectAreNotTheDevices) {
  // Any device between loads of any reflection: b = S a, and a = R b + the driven port's source.
  std::mt19937_64 random(7);
  for (std::size_t n = 1; n <= 5; ++n) {
    const auto s = random_matrices(random, n, 1)[0];
    const auto loads = random_matrices(random, n, 1)[0];  // its diagonal
    Network network(int(n), {1e9});
    double mismatched = 0;
    for (std::size_t j = 0; j < n; ++j) {
      // a by repeated reflection; every round trip loses at least half.
      std::vector<Complex> a(n), b(n);
      for (int trip = 0; trip < 200; ++trip)
        for (std::size_t i = 0; i < n; ++i) {
          b[i] = 0;
          for (std::size_t k = 0; k < n; ++k) b[i] += s[i * n + k] * a[k];
          a[i] = 0.3 * loads[i * n + i] * b[i] + (i == j ? 1.0 : 0.0);
        }
      std::vector<Waves> waves;
      for (std::size_t i = 0; i < n; ++i) {
        b[i] = 0;
        for (std::size_t k = 0; k < n; ++k) b[i] += s[i * n + k] * a[k];
        waves.push_back({{a[i]}, {b[i]}});
        mismatched = std::max(mismatched, std::abs(b[i] / a[j] - s[i * n + j]));
      }
      network.set_column(int(j), waves);
    }
    EXPECT_LT(difference(network.s[0], s), 1e-14);
    if (n > 1) {
      EXPECT_GT(mismatched, 1e-3);
    }
  }
}

TEST(Network, PowerOutOfAllThatCanGoIn) {
  // Both columns of ((1, 1), (1, 1)) / sqrt 2 carry the power 1; in phase they carry 2.
  Network two(2, {1e9, 2e9});
  const double r = std::sqrt(0.5);
  two.s = {{0, 0.5, 0.5, 0}, {r, r, r, r}};
  EXPECT_NEAR(passivity(two).worst, 2, 1e-14);
  EXPECT_EQ(passivity(two).frequency, 2e9);
  two.s = {{0, 0, 0, 0}, {0, 0, 0, 0}};
  EXPECT_EQ(passivity(two).worst, 0);
  // Nothing that goes in gives more, and what power iteration finds gives as much.
  std::mt19937_64 random(8);
  for (std::size_t n = 1; n <= 5; ++n) {
    Network any(int(n), {1e9});
    any.s = random_matrices(random, n, 1);
    const double worst = passivity(any).worst;
    std::vector<Complex> a = random_matrices(random, n, 1)[0];
    a.resize(n);
    double gain = 0;
    for (int k = 0; k < 2000; ++k) {
      double in = 0, out = 0;
      std::vector<Complex> b(n), next(n);
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) b[i] += any.s[0][i * n + j] * a[j];
        in += std::norm(a[i]);
        out += std::norm(b[i]);
      }
      gain = out / in;
      EXPECT_LE(gain, worst * (1 + 1e-12));
      for (std::size_t j = 0; j < n; ++j)
        for (std::size_t i = 0; i < n; ++i) next[j] += std::conj(any.s[0][i * n + j]) * b[i];
      for (Complex& x : next) x /= std::sqrt(out);
      a = next;
    }
    EXPECT_NEAR(gain, worst, 1e-9 * worst);
  }
}

const domain::YeeGrid kGrid(std::array<std::vector<double>, 3>{
    std::vector<double>{0, 1, 2, 3.2, 4, 5, 6}, {0, 1, 2.1, 3, 4, 5, 6}, {0, 1, 2, 3, 4, 5, 6.5}});

// The value of a combination for fields given at their staggered places.
template <class F>
double evaluate(const ProbeList& probes, const Combination& c, const F& field) {
  std::vector<double> values;
  for (const Probe& p : probes.probes()) {
    Vec3 x;
    for (int a = 0; a < 3; ++a) {
      const bool middle = (p.component % 3 == a) == (p.component < 3);
      x[std::size_t(a)] = kGrid.line(a, p.node[std::size_t(a)]) +
                          (middle ? 0.5 * kGrid.primary(a, p.node[std::size_t(a)]) : 0);
    }
    values.push_back(field(x)[std::size_t(p.component % 3)]);
  }
  return c.value(values.data());
}

TEST(Measure, VoltageOfAUniformField) {
  ProbeList probes;
  Port p;
  p.gap = {2, 1, {2, 2, 1}, {3, 4, 3}};
  const auto v = port_voltage(probes, kGrid, {}, p);
  EXPECT_NEAR(evaluate(probes, v, [](const Vec3&) { return Vec3{0, 0, -3}; }), 6, 1e-12);
  EXPECT_EQ(v.offset, 0);
  p.gap.sign = -1;
  ProbeList again;
  const auto w = port_voltage(again, kGrid, {}, p);
  EXPECT_NEAR(evaluate(again, w, [](const Vec3&) { return Vec3{0, 0, -3}; }), -6, 1e-12);
}

TEST(Measure, LoopCurrentOfASolidRotation) {
  // H = J/2 (-y, x, 0) has curl (0, 0, J): the loop holds J times its area, exactly (linear field).
  for (int axis = 0; axis < 3; ++axis) {
    ProbeList probes;
    Cell low{2, 2, 2}, high{3, 3, 3};
    low[std::size_t(axis)] = high[std::size_t(axis)] = 2;
    const auto c = loop_current(probes, kGrid, {}, axis, -1, low, high, 2);
    EXPECT_EQ(c.offset, -0.5);
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    const double found = evaluate(probes, c, [&](const Vec3& x) {
      Vec3 h{};
      h[std::size_t(u)] = -1.5 * x[std::size_t(v)];
      h[std::size_t(v)] = 1.5 * x[std::size_t(u)];
      return h;
    });
    const double area =
        (kGrid.dual(u, 2) + kGrid.dual(u, 3)) * (kGrid.dual(v, 2) + kGrid.dual(v, 3));
    EXPECT_NEAR(found, -3 * area, 1e-12);
  }
}

TEST(Measure, PlaneCurrentAveragesBothSides) {
  ProbeList probes;
  Port p;
  p.gap = {2, 1, {2, 1, 1}, {3, 1, 2}};
  p.plane = Port::Plane{1, 1, 3};
  const auto i = port_current(probes, kGrid, {}, p);
  // H of a current along y that varies along y: 1 + y in the loop's cross-section.
  const double found = evaluate(probes, i, [](const Vec3& x) {
    const double j = 1 + x[1];
    return Vec3{j / 2 * x[2], 0, -j / 2 * x[0]};
  });
  const double area = (kGrid.dual(0, 2) + kGrid.dual(0, 3)) * kGrid.dual(2, 2);
  const double below = 1 + 0.5 * (2.1 + 3), above = 1 + 0.5 * (3 + 4);
  EXPECT_NEAR(found, area * 0.5 * (below + above), 1e-12);
}

TEST(Growth, NoticesGrowthOnlyAfterTheSources) {
  GrowthDetector d(1.0);
  EXPECT_FALSE(d.grows(0.1, 1));
  EXPECT_FALSE(d.grows(0.5, 100));
  double e = 100;
  for (int n = 0; n < 50; ++n) EXPECT_FALSE(d.grows(1.1 + n, e *= 0.9));
  bool noticed = false;
  for (int n = 0; n < 40 && !noticed; ++n) noticed = d.grows(60 + n, e *= 2);
  EXPECT_TRUE(noticed);
  EXPECT_TRUE(GrowthDetector(1.0).grows(0.1, std::nan("")));
}

}  // namespace
}  // namespace terrawave::fdtd
