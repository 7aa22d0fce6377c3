// Elementary functions of basic operations against long double, within the bounds they state.
#include "terrawave/base/portable_math.hpp"

#include <cmath>
#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

namespace terrawave::portable {
namespace {

class Random {
 public:
  double unit() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return double(state_ >> 11) * 0x1p-53;
  }
  // Of all sizes from 2^-range to 2^range.
  double size(int range) { return std::ldexp(0.5 + 0.5 * unit(), int((2 * unit() - 1) * range)); }
  double sign() { return unit() < 0.5 ? -1 : 1; }

 private:
  std::uint64_t state_ = 20261130;
};

double ulp(long double value) {
  int exponent = 0;
  std::frexp(value, &exponent);
  return std::ldexp(1.0, exponent - 53);
}

TEST(PortableMath, AtanIsWithinTwoUnits) {
  Random random;
  for (int i = 0; i < 1'000'000; ++i) {
    const int range = i % 2 == 0 ? 4 : 200;
    const double y = random.sign() * random.size(range);
    const double x = random.sign() * random.size(range);
    const long double exact = std::atan2(static_cast<long double>(y), static_cast<long double>(x));
    ASSERT_LE(std::fabs(double(atan2(y, x) - exact)), 2 * ulp(exact)) << y << ", " << x;
  }
}

TEST(PortableMath, AtanIsExactOnAxesAndDiagonals) {
  for (const double a : {1e-300, 0.1, 1.0, 3.7, 1e300}) {
    EXPECT_EQ(atan2(0, a), 0);
    EXPECT_EQ(atan2(a, a), kHalfPi / 2);
    EXPECT_EQ(atan2(a, 0), kHalfPi);
    EXPECT_EQ(atan2(a, -a), std::atan2(1.0, -1.0));
    EXPECT_EQ(atan2(0, -a), kPi);
    EXPECT_EQ(atan2(-a, 0), -kHalfPi);
    EXPECT_EQ(atan2(-a, a), -kHalfPi / 2);
  }
  EXPECT_EQ(atan2(0, 0), 0);
}

TEST(PortableMath, LogIsWithinItsBound) {
  Random random;
  for (int i = 0; i < 1'000'000; ++i) {
    const double x = i % 2 == 0 ? random.unit() + 0x1p-60 : random.size(1020);
    const long double exact = std::log(static_cast<long double>(x));
    const double bound = 0x1p-52 * std::max(1.0, std::fabs(double(exact)));
    ASSERT_LE(std::fabs(double(log(x) - exact)), bound) << x;
  }
  EXPECT_EQ(log(1), 0);
  const double least = std::numeric_limits<double>::denorm_min();
  EXPECT_NEAR(log(least), std::log(least), 0x1p-52 * 745);
}

TEST(PortableMath, ExpIsWithinTwoUnits) {
  Random random;
  for (int i = 0; i < 1'000'000; ++i) {
    const double x = i % 2 == 0 ? -random.unit() : -708 * random.unit();
    const long double exact = std::exp(static_cast<long double>(x));
    ASSERT_LE(std::fabs(double(exp_of_negative(x) - exact)), 2 * ulp(exact)) << x;
  }
  EXPECT_EQ(exp_of_negative(0), 1);
  EXPECT_EQ(exp_of_negative(-800), 0);
  EXPECT_EQ(exp_of_negative(-std::numeric_limits<double>::infinity()), 0);
}

TEST(PortableMath, PowersOfRatiosAreWithinTheirBound) {
  Random random;
  for (int i = 0; i < 1'000'000; ++i) {
    const double ratio = i % 2 == 0 ? random.unit() : std::ldexp(random.unit(), -int(i % 1000));
    const double exponent = random.size(8);
    const long double exact =
        std::pow(static_cast<long double>(ratio), static_cast<long double>(exponent));
    ASSERT_LE(std::fabs(double(pow_of_ratio(ratio, exponent) - exact)), 0x1p-51)
        << ratio << "^" << exponent;
  }
  EXPECT_EQ(pow_of_ratio(1, 1e300), 1);
  EXPECT_EQ(pow_of_ratio(0, 0.1), 0);
}

}  // namespace
}  // namespace terrawave::portable
