#include "terrawave/solvers/swe/swe_audit_steps.hpp"

#include "terrawave/par/launch.hpp"

namespace terrawave::swe {
namespace {

template <class Real>
struct Magnitude {
  Weighted<Real> w;
  TW_FUNCTION double operator()(Index i) const {
    const double x = w(i);
    return x < 0 ? -x : x;
  }
};

template <class Real>
struct BadCell {
  StateView<Real> s;
  par::View<const std::int64_t> global;
  // x - x is 0 for finite numbers only.
  TW_FUNCTION static bool finite(Real x) { return x - x == Real(0); }
  TW_FUNCTION std::int64_t operator()(Index i) const {
    const bool well = finite(s.h1[i]) && finite(s.h2[i]) && finite(s.q1x[i]) && finite(s.q1y[i]) &&
                      finite(s.q2x[i]) && finite(s.q2y[i]) && s.h1[i] > Real(0) &&
                      s.h2[i] > Real(0);
    return well ? kNoCell : global[i];
  }
};

}  // namespace

template <class Exec, class Real>
double largest(const Exec& exec, const Weighted<Real>& w, Index n) {
  return par::reduce_max(exec, n, Magnitude<Real>{w}, 0.0);
}

template <class Exec, class Real>
FixedSum sum(const Exec& exec, const Weighted<Real>& w, Index n, int exponent) {
  return par::fixed_sum(exec, n, w, exponent);
}

template <class Exec, class Real>
std::int64_t first_bad_cell(const Exec& exec, const StateView<Real>& state,
                            par::View<const std::int64_t> global, Index n) {
  return par::reduce_min(exec, n, BadCell<Real>{state, global}, kNoCell);
}

template double largest(const par::Exec&, const Weighted<float>&, Index);
template double largest(const par::Exec&, const Weighted<double>&, Index);
template FixedSum sum(const par::Exec&, const Weighted<float>&, Index, int);
template FixedSum sum(const par::Exec&, const Weighted<double>&, Index, int);
template std::int64_t first_bad_cell(const par::Exec&, const StateView<float>&,
                                     par::View<const std::int64_t>, Index);
template std::int64_t first_bad_cell(const par::Exec&, const StateView<double>&,
                                     par::View<const std::int64_t>, Index);

}  // namespace terrawave::swe
