#include "terrawave/run/schedule.hpp"

#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "terrawave/run/case.hpp"

namespace terrawave::run {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

TEST(Stride, LandsInOneStep) {
  const Stride s = stride(1.0, 1.25, 0.5);
  EXPECT_EQ(s.dt, 0.25);
  EXPECT_TRUE(s.lands);
}

TEST(Stride, SplitsTheLastTwoEvenly) {
  // One step of 0.5 would leave a sliver of 1e-12.
  const Stride s = stride(0.0, 0.5 + 1e-12, 0.5);
  EXPECT_FALSE(s.lands);
  EXPECT_EQ(s.dt, (0.5 + 1e-12) / 2);
}

TEST(Stride, TakesFullStepsFarFromTheEnd) { EXPECT_EQ(stride(0.0, 10.0, 0.5).dt, 0.5); }

TEST(Stride, IsNeverNegative) { EXPECT_EQ(stride(1.0, 1.0 - 1e-16, 0.5).dt, 0.0); }

TEST(Stride, GoesAnywhereWhereNothingMoves) {
  const Stride s = stride(0.0, 3.0, kNever);
  EXPECT_EQ(s.dt, 3.0);
  EXPECT_TRUE(s.lands);
}

// Random walks to random times with random limits: exact landing, limits kept, no slivers.
TEST(Stride, RandomWalks) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  for (int walk = 0; walk < 2000; ++walk) {
    double t = unit(random);
    const double next = t + std::pow(10.0, 4 * unit(random) - 4);
    const double scale = std::pow(10.0, 3 * unit(random) - 4);
    for (int k = 0; t < next && k < 2000000; ++k) {
      const double limit = scale * (0.9 + 0.1 * unit(random));
      const double rest = next - t;
      const Stride s = stride(t, next, limit);
      ASSERT_GE(s.dt, 0.0);
      ASSERT_LE(s.dt, limit * (1 + 1e-12));
      if (rest > limit * (1 + 1e-12)) {
        ASSERT_GE(s.dt, limit / 2);
      }
      t = s.lands ? next : t + s.dt;
      ASSERT_LE(t, next);
    }
    ASSERT_EQ(t, next);
  }
}

TEST(StepReaching, RoundsUpExceptForRounding) {
  EXPECT_EQ(step_reaching(0.0, 0.1), 0);
  EXPECT_EQ(step_reaching(0.3, 0.1), 3);  // 0.3 / 0.1 is 2.9999999999999996
  EXPECT_EQ(step_reaching(0.30001, 0.1), 4);
  EXPECT_EQ(step_reaching(1e-9, 1e-12), 1000);
  for (std::int64_t n : {7L, 12345L, 50000000L})
    EXPECT_EQ(step_reaching(static_cast<double>(n) * 1.37e-12, 1.37e-12), n);
}

TEST(OutputTimes, DoNotDrift) {
  const std::vector<double> times = output_times(0.1, 10.0);
  ASSERT_EQ(times.size(), 101u);
  for (std::size_t k = 0; k < 100; ++k) EXPECT_EQ(times[k], static_cast<double>(k) * 0.1);
  EXPECT_EQ(times.back(), 10.0);
}

TEST(OutputTimes, EndIsAlwaysOne) {
  EXPECT_EQ(output_times(0.4, 1.0), (std::vector<double>{0.0, 0.4, 0.8, 1.0}));
  EXPECT_EQ(output_times(1.0 / 3.0, 1.0).size(), 4u);
  EXPECT_EQ(output_times(5.0, 1.0), (std::vector<double>{0.0, 1.0}));
  EXPECT_EQ(output_times(1.0, 0.0), (std::vector<double>{0.0}));
}

TEST(OutputTimes, ChosenAreSortedAndClipped) {
  EXPECT_EQ(output_times(std::vector<double>{3, 1, 1, -1, 2.5, 9}, 3.0),
            (std::vector<double>{1, 2.5, 3}));
}

TEST(NextMultipleAfter, IsStrictlyLater) {
  EXPECT_DOUBLE_EQ(next_multiple_after(0.1, 0.0), 0.1);
  EXPECT_GT(next_multiple_after(0.1, 0.3), 0.3);
  for (int k = 0; k < 1000; ++k) {
    const double t = k * 0.1;
    EXPECT_GT(next_multiple_after(0.1, t), t);
    EXPECT_LE(next_multiple_after(0.1, t), t + 0.1000001);
  }
}

TEST(Checked, StepsAreDenseAtFirst) {
  std::vector<std::int64_t> steps;
  for (std::int64_t n = next_checked(0); n <= 256; n = next_checked(n)) steps.push_back(n);
  EXPECT_EQ(steps, (std::vector<std::int64_t>{1, 2, 4, 8, 16, 32, 64, 128, 192, 256}));
}

}  // namespace
}  // namespace terrawave::run
