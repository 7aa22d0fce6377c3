// 3.1: a PEC cavity oscillates at the frequency of the discrete equations, keeps its discrete
// energy, and its div B.
#include <algorithm>
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "reference/fdtd_models.hpp"

namespace terrawave::test {
namespace {

using std::numbers::pi;

constexpr std::array<Index, 3> kCells{50, 25, 30};
constexpr double kD = 1e-3;

// sum over axes of (sin(pi m / 2N) / d)^2, and the frequency that the scheme gives the mode.
double discrete_frequency(const std::array<int, 3>& m, double dt) {
  double s = 0;
  for (std::size_t a = 0; a < 3; ++a)
    s += std::pow(std::sin(pi * m[a] / (2.0 * double(kCells[a]))) / kD, 2);
  return std::asin(fdtd::kLightSpeed * dt * std::sqrt(s)) / (pi * dt);
}

fdtd::Model cavity(double courant) {
  fdtd::Model model;
  model.grid = domain::YeeGrid::uniform(kCells, {kD, kD, kD});
  model.dt = courant * fdtd::time_step_limit(model);
  return model;
}

// Sets Ez (m, n, 0) of the mode shape and probes it at an antinode.
double measured_frequency(fdtd::Model model, const std::array<int, 3>& m, bool single,
                          std::int64_t steps) {
  model.probes.push_back({{kCells[0] / (2 * m[0]), kCells[1] / (2 * m[1]), 3}, 2});
  Bench bench(single, par::Queue::host(1));
  const auto solver = fdtd::make_solver(model, bench.context);
  solver->set_field(2, [&](Index i, Index j, Index) {
    return std::sin(pi * m[0] * double(i) / double(kCells[0])) *
           std::sin(pi * m[1] * double(j) / double(kCells[1]));
  });
  // With H half a step before at -H half a step after, E is a cosine at whole steps: half of the
  // first H update is put in before the first step, with the other sign.
  const double half = 0.5 * model.dt / fdtd::kMu0;
  const auto ez = [&](Index i, Index j) {
    return std::sin(pi * m[0] * double(i) / double(kCells[0])) *
           std::sin(pi * m[1] * double(j) / double(kCells[1]));
  };
  solver->set_field(3,
                    [&](Index i, Index j, Index) { return half * (ez(i, j + 1) - ez(i, j)) / kD; });
  solver->set_field(
      4, [&](Index i, Index j, Index) { return -half * (ez(i + 1, j) - ez(i, j)) / kD; });
  std::vector<double> x{ez(kCells[0] / (2 * m[0]), kCells[1] / (2 * m[1]))};
  for (std::int64_t done = 0; done < steps;) {
    done += solver->steps(0, model.dt, steps - done);
    const auto r = solver->drain().values;
    x.insert(x.end(), r.begin(), r.end());
  }
  // x[n+1] + x[n-1] = 2 cos(w dt) x[n] exactly: least squares for the cosine, over a long lag for
  // accuracy: cos(w L dt) by the same relation at lag L, unwrapped from the short estimate.
  const auto cosine = [&](std::size_t lag) {
    double top = 0, bottom = 0;
    for (std::size_t n = lag; n + lag < x.size(); ++n) {
      top += x[n] * (x[n + lag] + x[n - lag]);
      bottom += 2 * x[n] * x[n];
    }
    return std::clamp(top / bottom, -1.0, 1.0);
  };
  double w = std::acos(cosine(1));
  for (std::size_t lag = 2; lag * 4 < x.size(); lag *= 2) {
    // Candidates near the present estimate, away from the flat ends of the cosine.
    const double c = cosine(lag);
    if (std::abs(c) > 0.95) continue;
    const double phase = w * double(lag), base = std::acos(c);
    double best = base;
    for (int turn = -1; turn <= int(phase / (2 * pi)) + 1; ++turn)
      for (const double candidate : {2 * pi * turn + base, 2 * pi * turn - base})
        if (std::abs(candidate - phase) < std::abs(best - phase)) best = candidate;
    w = best / double(lag);
  }
  return w / (2 * pi * model.dt);
}

TEST(FdtdCavity, FrequenciesAreThoseOfTheDiscreteEquations) {
  for (const double courant : {0.9, 0.5})
    for (const auto& m : {std::array{1, 1, 0}, std::array{2, 1, 0}}) {
      const fdtd::Model model = cavity(courant);
      const double exact = discrete_frequency(m, model.dt);
      EXPECT_NEAR(measured_frequency(model, m, false, 2000) / exact, 1, 1e-10) << courant;
      EXPECT_NEAR(measured_frequency(model, m, true, 2000) / exact, 1, 1e-5) << courant;
    }
  // The value printed in the specification, at 0.9 of the limit.
  EXPECT_NEAR(discrete_frequency({1, 1, 0}, cavity(0.9).dt), 6.701301867e9, 1e1);
}

// sum of eps E^n E^n + mu H^(n-1/2) H^(n+1/2) over edges and faces of a uniform grid.
double discrete_energy(const std::vector<double> (&f)[6], const std::vector<double> (&before)[6]) {
  double sum = 0;
  for (std::size_t c = 0; c < 6; ++c)
    for (std::size_t n = 0; n < f[c].size(); ++n)
      sum +=
          c < 3 ? fdtd::kEps0 * before[c][n] * before[c][n] : fdtd::kMu0 * f[c][n] * before[c][n];
  return sum;
}

TEST(FdtdCavity, DiscreteEnergyAndDivBStayConstant) {
  fdtd::Model model;
  model.grid = domain::YeeGrid::uniform({14, 11, 9}, {kD, kD, kD});
  model.dt = 0.95 * fdtd::time_step_limit(model);
  Bench bench(false, par::Queue::host(1));
  const auto solver = fdtd::make_solver(model, bench.context);
  randomise(*solver, 3);
  const auto snapshot = [&](std::vector<double>(&f)[6]) {
    fdtd::Box found;
    for (int c = 0; c < 6; ++c) f[std::size_t(c)] = solver->owned_values(c, whole(model), found);
  };
  const auto at = [&](Index i, Index j, Index k) { return std::size_t(i + 15 * (j + 12 * k)); };
  const auto div_b = [&](const std::vector<double>(&f)[6]) {
    std::vector<double> d;
    for (Index k = 0; k < 9; ++k)
      for (Index j = 0; j < 11; ++j)
        for (Index i = 0; i < 14; ++i)
          d.push_back(f[3][at(i + 1, j, k)] - f[3][at(i, j, k)] + f[4][at(i, j + 1, k)] -
                      f[4][at(i, j, k)] + f[5][at(i, j, k + 1)] - f[5][at(i, j, k)]);
    return d;
  };
  advance(*solver, 2);  // the walls have taken their tangential E
  std::vector<double> before[6], now[6];
  snapshot(before);
  advance(*solver, 1);
  snapshot(now);
  const double first = discrete_energy(now, before);
  const auto div = div_b(now);
  for (int n = 0; n < 500; ++n) {
    for (std::size_t c = 0; c < 6; ++c) before[c] = now[c];
    advance(*solver, 1);
    snapshot(now);
  }
  EXPECT_NEAR(discrete_energy(now, before) / first, 1, 1e-12);
  const auto last = div_b(now);
  double scale = 0, worst = 0;
  for (std::size_t n = 0; n < div.size(); ++n) {
    scale = std::max(scale, std::abs(div[n]));
    worst = std::max(worst, std::abs(last[n] - div[n]));
  }
  EXPECT_LE(worst, 1e-12 * scale);
}

}  // namespace
}  // namespace terrawave::test
