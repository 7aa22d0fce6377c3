// 3.18: how far single precision drifts from double over a long run of a patch antenna.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "scratch_folder.hpp"
#include "terrawave/solvers/fdtd/fdtd_case_solver.hpp"
#include "terrawave/solvers/fdtd/fdtd_entry.hpp"

namespace terrawave {
namespace {

constexpr std::size_t kSteps = 20000;

// Voltage at the port of examples/fdtd/patch_antenna.
std::vector<double> voltage(bool single) {
  std::ifstream file(std::string(TERRAWAVE_SOURCE_DIR) + "/examples/fdtd/patch_antenna/case.toml");
  std::stringstream text;
  text << file.rdbuf();
  std::string toml = text.str().substr(text.str().find("[fdtd]"));  // [run] is the program's
  const std::string steps = "steps = 8000";
  toml.replace(toml.find(steps), steps.size(), "steps = " + std::to_string(kSteps));
  const auto self = comm::make_self();
  sim::Log log([](sim::Log::Level, const std::string&) {});
  sim::Timers timers;
  sim::Context context{*self, par::Queue::host(), log, timers, single, true};
  const test::ScratchFolder out;
  fdtd::CaseSolver solver(
      fdtd::build_case(config::parse(toml, "case.toml", fdtd::fdtd_schema()), *self), context,
      out.path());
  while (!solver.finished()) solver.steps(0, solver.max_dt(), 1 << 20);
  return solver.results().front().series.front();
}

double largest(const std::vector<double>& v, std::size_t from, std::size_t to) {
  double most = 0;
  for (std::size_t n = from; n < to; ++n) most = std::max(most, std::abs(v[n]));
  return most;
}

TEST(FdtdDrift, SinglePrecisionKeepsAFloorBelowThePulse) {
  const auto exact = voltage(false), rounded = voltage(true);
  ASSERT_EQ(exact.size(), kSteps);
  ASSERT_EQ(rounded.size(), kSteps);
  std::vector<double> drift;
  for (std::size_t n = 0; n < kSteps; ++n) drift.push_back(rounded[n] - exact[n]);
  const double peak = largest(exact, 0, kSteps);
  std::printf("steps            |V| / peak   |drift| / peak   |drift| / |V|\n");
  for (std::size_t from = 0; from < kSteps; from += 2500) {
    const std::size_t to = from + 2500;
    const double v = largest(exact, from, to), d = largest(drift, from, to);
    std::printf("%5zu to %5zu   %10.3g   %14.3g   %13.3g\n", from, to, v / peak, d / peak, d / v);
    // A rounding of 2^-24 of the local field in each step; the steps' errors add up at random, and
    // what has left the domain takes its errors with it: a few hundred steps' worth at most.
    EXPECT_LE(d / peak, std::sqrt(400.0) * 0x1p-24);
  }
  // A floor, not an instability: it does not rise while the signal falls.
  EXPECT_LE(largest(drift, kSteps / 2, kSteps), largest(drift, 0, kSteps / 2));
}

}  // namespace
}  // namespace terrawave
