// Sums of doubles that do not depend on the order: every term is rounded once to a multiple of a
// common power of two and added as integers.
#pragma once

#include <cmath>
#include <cstdint>

#include "terrawave/base/function.hpp"

namespace terrawave {

// A partial sum in units of 2^(exponent - 62), as two halves that integer reductions can add:
// value = (high * 2^32 + low) * 2^(exponent - 62).
struct FixedSum {
  std::int64_t high = 0;
  std::int64_t low = 0;

  TW_FUNCTION FixedSum operator+(const FixedSum& other) const {
    return {high + other.high, low + other.low};
  }
  bool operator==(const FixedSum&) const = default;
};

// The exponent e with |x| < 2^e for every |x| <= max_abs; what fixed_term and fixed_value need.
inline int fixed_exponent(double max_abs) {
  int e = 0;
  if (max_abs > 0) std::frexp(max_abs, &e);
  return e;
}

// One term; |x| < 2^exponent. `scale` is 2^(62 - exponent). Rounds to 2^-62 of the largest term.
TW_FUNCTION FixedSum fixed_term(double x, double scale) {
  const auto q = static_cast<std::int64_t>(rint(x * scale));
  return {q >> 32, q & 0xffffffff};
}

inline double fixed_scale(int exponent) { return std::ldexp(1.0, 62 - exponent); }

inline double fixed_value(const FixedSum& s, int exponent) {
  const __int128 q = (static_cast<__int128>(s.high) << 32) + s.low;
  // Two exactly rounded halves; the upper one carries the result.
  const auto top = static_cast<double>(static_cast<std::int64_t>(q >> 40));
  const auto rest = static_cast<double>(static_cast<std::int64_t>(q & ((__int128(1) << 40) - 1)));
  return std::ldexp(top, exponent - 62 + 40) + std::ldexp(rest, exponent - 62);
}

}  // namespace terrawave
