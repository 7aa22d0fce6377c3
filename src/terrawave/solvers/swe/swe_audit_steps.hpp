// Launches that look at the state: conserved sums, and cells that went wrong.
#pragma once

#include <cstdint>

#include "terrawave/base/exact_sum.hpp"
#include "terrawave/solvers/swe/swe_steps.hpp"

namespace terrawave::swe {

// area * (a f + b g) of every cell, in double whatever the state's precision.
template <class Real>
struct Weighted {
  par::View<const double> area;  // m^2
  par::View<const Real> f, g;
  double a = 1, b = 0;
  TW_FUNCTION double operator()(Index i) const {
    return area[i] * (a * double(f[i]) + b * double(g[i]));
  }
};

// max |w(i)| over the first n cells; NaN is ignored.
template <class Exec, class Real>
double largest(const Exec& exec, const Weighted<Real>& w, Index n);
// Sum of w(i); every |w(i)| < 2^exponent. NaN counts as whatever its bits make.
template <class Exec, class Real>
FixedSum sum(const Exec& exec, const Weighted<Real>& w, Index n, int exponent);

inline constexpr std::int64_t kNoCell = INT64_MAX;

// The least global id among the first n cells that hold a value that is not finite or a layer
// without water; kNoCell where all are well.
template <class Exec, class Real>
std::int64_t first_bad_cell(const Exec& exec, const StateView<Real>& state,
                            par::View<const std::int64_t> global, Index n);

}  // namespace terrawave::swe
