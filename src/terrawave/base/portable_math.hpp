// atan, log, exp and pow from +, -, *, / alone, so that host and GPU round alike: their libraries
// do not. Errors are those of a few roundings; tests/unit/par/portable_math_test.cpp bounds them.
#pragma once

#include <cstdint>
#include <cstring>

#include "terrawave/base/function.hpp"

namespace terrawave::portable {

inline constexpr double kPi = 3.141592653589793116;
inline constexpr double kHalfPi = 1.570796326794896558;
inline constexpr double kHalfPiLow = 6.123233995736766036e-17;  // pi/2 - kHalfPi
inline constexpr double kLn2 = 0.6931471803691238165;           // 33 bits: n kLn2 is exact
inline constexpr double kLn2Low = 1.9082149292705878e-10;       // ln 2 - kLn2

// atan(y / x) of 0 <= y <= x, x > 0. Reduced by atan(t) = atan(c) + atan((t - c) / (1 + c t)) with
// c in {0, 1/2, 1}, which leaves |u| <= 1/4: the series ends 2^-56 below its first term.
TW_FUNCTION double atan_octant(double y, double x) {
  const bool one = y > 0.75 * x;
  const bool half = y > 0.25 * x && !one;
  const double c = one ? 1.0 : (half ? 0.5 : 0.0);
  const double high = one ? 0.5 * kHalfPi : (half ? 0.46364760900080609 : 0.0);
  const double low = one ? 0.5 * kHalfPiLow : (half ? 2.2698777452961687e-17 : 0.0);
  const double u = (y - c * x) / (x + c * y);
  const double v = u * u;
  constexpr double inverse[] = {1.0 / 3,  1.0 / 5,  1.0 / 7,  1.0 / 9,  1.0 / 11, 1.0 / 13,
                                1.0 / 15, 1.0 / 17, 1.0 / 19, 1.0 / 21, 1.0 / 23};
  double series = 1.0 / 25;
  for (int k = 10; k >= 0; --k) series = inverse[k] - v * series;
  return high + (u - (u * v * series - low));
}

// As std::atan2 for arguments below 2^1000, within 2 units in the last place; 0 for (0, 0).
TW_FUNCTION double atan2(double y, double x) {
  const double up = y < 0 ? -y : y;
  const double along = x < 0 ? -x : x;
  if (!(up > 0)) return x < 0 ? kPi : 0.0;
  const double octant = up <= along ? atan_octant(up, along) : atan_octant(along, up);
  double angle = up <= along ? octant : kHalfPi - (octant - kHalfPiLow);
  if (x < 0) angle = kPi - (angle - 2 * kHalfPiLow);
  return y < 0 ? -angle : angle;
}

// Natural logarithm of a positive finite number, within 2^-52 of the larger of 1 and its size.
TW_FUNCTION double log(double x) {
  int exponent = 0;
  if (x < 0x1p-1022) {
    x *= 0x1p54;
    exponent = -54;
  }
  std::uint64_t bits = 0;
  memcpy(&bits, &x, sizeof bits);
  exponent += int(bits >> 52) - 1023;
  bits = (bits & 0xfffffffffffffull) | (std::uint64_t{1023} << 52);
  double m = 1;
  memcpy(&m, &bits, sizeof m);
  if (m > 1.4142135623730951) {
    m *= 0.5;
    exponent += 1;
  }
  const double s = (m - 1.0) / (m + 1.0);  // |s| <= 0.172; ln m = 2 atanh s
  const double v = s * s;
  constexpr double inverse[] = {1.0 / 3,  1.0 / 5,  1.0 / 7,  1.0 / 9, 1.0 / 11,
                                1.0 / 13, 1.0 / 15, 1.0 / 17, 1.0 / 19};
  double series = 1.0 / 21;
  for (int k = 8; k >= 0; --k) series = inverse[k] + v * series;
  const double n = exponent;
  return n * kLn2 + (2 * (s + s * v * series) + n * kLn2Low);
}

// e^x of x <= 0, within 2 units in the last place; 0 where the result would be subnormal.
TW_FUNCTION double exp_of_negative(double x) {
  if (!(x > -708)) return 0;
  const int n = -int(0.5 - x * 1.4426950408889634);
  const double r = (x - n * kLn2) - n * kLn2Low;  // |r| <= 0.347
  constexpr double inverse[] = {1.0,     1.0 / 2, 1.0 / 3,  1.0 / 4,  1.0 / 5,  1.0 / 6, 1.0 / 7,
                                1.0 / 8, 1.0 / 9, 1.0 / 10, 1.0 / 11, 1.0 / 12, 1.0 / 13};
  double series = 1;
  for (int k = 12; k >= 0; --k) series = 1 + r * series * inverse[k];
  const std::uint64_t bits = std::uint64_t(n + 1023) << 52;
  double scale = 0;
  memcpy(&scale, &bits, sizeof scale);
  return series * scale;
}

// ratio^exponent of 0 <= ratio <= 1 and exponent > 0. The error is at most 2^-51 absolute: that of
// the logarithm grows with its size, where the power itself is small.
TW_FUNCTION double pow_of_ratio(double ratio, double exponent) {
  return ratio > 0 ? exp_of_negative(exponent * log(ratio)) : 0.0;
}

}  // namespace terrawave::portable
