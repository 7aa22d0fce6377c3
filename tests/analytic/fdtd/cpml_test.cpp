// 3.4: reflection of the convolution layers, against a run whose walls are too far away to be seen.
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "reference/fdtd_models.hpp"

namespace terrawave::test {
namespace {

struct Row {
  int layers;
  double order, sigma, kappa, alpha;  // alpha in S/m
  double decibels;                    // of the specification's table
};

// Ez at a probe of a box of `inner` cubic cells with a z dipole in its middle.
std::vector<double> trace(Index margin, const Row* row, std::int64_t steps) {
  constexpr Index inner = 26;
  const Index pad = row != nullptr ? row->layers : margin;
  const Index n = inner + 2 * pad;
  fdtd::Model m;
  const double d = 1e-3;
  m.grid = domain::YeeGrid::uniform({n, n, n}, {d, d, d});
  if (row != nullptr) {
    m.boundary.fill(fdtd::Boundary::cpml);
    for (auto& c : m.cpml)
      c = {row->layers,
           row->order,
           row->sigma,
           row->kappa,
           row->alpha / (2 * std::numbers::pi * fdtd::kEps0),
           1};
  }
  m.dt = 0.99 * fdtd::time_step_limit(m);
  const double dt = m.dt, width = 40e-12;
  m.signals.push_back({[width](double t) {
                         const double u = (t - 4 * width) / width;
                         return -2 * u * std::exp(-u * u);
                       },
                       0.5});
  m.events.push_back(
      {{pad + 13, pad + 13, pad + 13}, 2, fdtd::EventKind::add, 0, {dt / fdtd::kEps0}, "dipole"});
  m.probes.push_back({{pad + 2, pad + 2, pad + 2}, 2});
  Bench bench(false, par::Queue::host(0));
  const auto solver = fdtd::make_solver(m, bench.context);
  std::vector<double> values;
  while (std::int64_t(values.size()) < steps) {
    solver->steps(0, dt, steps - std::int64_t(values.size()));
    const auto r = solver->drain().values;
    values.insert(values.end(), r.begin(), r.end());
  }
  return values;
}

double error_of(const std::vector<double>& reference, const Row& row) {
  const auto got = trace(0, &row, std::int64_t(reference.size()));
  double peak = 0, worst = 0;
  for (std::size_t n = 0; n < reference.size(); ++n) {
    peak = std::max(peak, std::abs(reference[n]));
    worst = std::max(worst, std::abs(got[n] - reference[n]));
  }
  return 20 * std::log10(worst / peak);
}

constexpr Row kRows[] = {
    {6, 3, 1, 7, 0.05, -55},  {8, 3, 1, 7, 0.05, -70},   {10, 3, 1, 7, 0.05, -82},
    {12, 3, 1, 7, 0.05, -91}, {16, 3, 1, 7, 0.05, -99},  {10, 3, 1, 1, 0, -88},
    {10, 4, 1, 1, 0.24, -95}, {10, 3, 1, 15, 0.24, -47}, {8, 4, 1, 11, 0.05, -51}};

// A wave needs at least 2 (13 + margin) / (c dt / d) steps from the middle to a wall and back to
// the probe: within that time the reference box is an infinite one.
std::int64_t unseen(Index margin) {
  const double cells_per_step = 0.99 / std::sqrt(3.0);
  return std::int64_t((2.0 * double(13 + margin) - 11 * std::sqrt(3.0)) / cells_per_step);
}

TEST(FdtdCpml, TenLayersReflectLessThanMinus75Decibels) {
  const Index margin = 62;
  const auto reference = trace(margin, nullptr, unseen(margin));
  // Rows with ten layers; how large kappa does depends on the pulse, which the table does not name.
  for (const int n : {2, 5, 6}) EXPECT_LE(error_of(reference, kRows[n]), -75);
  // Fewer layers and a large kappa are worse: the order of the table.
  EXPECT_GT(error_of(reference, kRows[0]), error_of(reference, kRows[1]));
  EXPECT_GT(error_of(reference, kRows[7]), error_of(reference, kRows[2]) + 20);
  EXPECT_NEAR(error_of(reference, kRows[0]), kRows[0].decibels, 3);
  EXPECT_NEAR(error_of(reference, kRows[3]), kRows[3].decibels, 3);
  EXPECT_NEAR(error_of(reference, kRows[4]), kRows[4].decibels, 3);
}

}  // namespace
}  // namespace terrawave::test
