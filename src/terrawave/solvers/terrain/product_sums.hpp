// Sums of doubles over cells that are the same in any order: over threads, tiles and ranks.
#pragma once

#include "terrawave/base/exact_sum.hpp"
#include "terrawave/base/index.hpp"

namespace terrawave::terrain {

// Adds terms of at most `largest` in size, each rounded once to 2^-62 of that.
class OrderlessSum {
 public:
  explicit OrderlessSum(double largest)
      : exponent_(fixed_exponent(largest)), scale_(fixed_scale(exponent_)) {}
  OrderlessSum(double largest, const FixedSum& sum) : OrderlessSum(largest) { sum_ = sum; }
  void add(double term) { sum_ = sum_ + fixed_term(term, scale_); }
  double value() const { return fixed_value(sum_, exponent_); }
  FixedSum& parts() { return sum_; }

 private:
  int exponent_;
  double scale_;
  FixedSum sum_;
};

// The sum of value(i) > 0 over i in [0, n); `largest` is their maximum.
template <class Value>
double orderless_sum(Index n, double largest, const Value& value) {
  OrderlessSum sum(largest);
  for (Index i = 0; i < n; ++i)
    if (const double v = value(i); v > 0) sum.add(v);
  return sum.value();
}

}  // namespace terrawave::terrain
