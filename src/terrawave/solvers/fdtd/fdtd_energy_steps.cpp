#include "terrawave/solvers/fdtd/fdtd_energy_steps.hpp"

#include <limits>

#include "terrawave/par/launch.hpp"

namespace terrawave::fdtd {
namespace {

// Local position of the n-th owned entry.
struct Owned {
  Layout layout;
  TW_FUNCTION void place(Index n, Index (&at)[3]) const {
    const Index nx = layout.owned_high[0] - layout.owned_low[0];
    const Index ny = layout.owned_high[1] - layout.owned_low[1];
    at[0] = layout.owned_low[0] + n % nx;
    at[1] = layout.owned_low[1] + n / nx % ny;
    at[2] = layout.owned_low[2] + n / (nx * ny);
  }
  Index count() const {
    Index n = 1;
    for (int a = 0; a < 3; ++a) n *= layout.owned_high[a] - layout.owned_low[a];
    return n;
  }
};

template <class Real>
struct Energy {
  Medium<Real> m;
  State<Real> s;
  EnergyWeights w;
  TW_FUNCTION double operator()(Index n) const {
    Index at[3];
    Owned{m.layout}.place(n, at);
    const Index p = m.layout.at(at[0], at[1], at[2]);
    const int edge = m.edges(p), face = m.faces(p);
    double sum = 0;
    for (int c = 0; c < 3; ++c) {
      const int b = (c + 1) % 3, d = (c + 2) % 3;
      const double e = static_cast<double>(s.f[c][p]), h = static_cast<double>(s.f[3 + c][p]);
      sum +=
          w.eps[3 * edge + c] * e * e * w.primary[c][at[c]] * w.dual[b][at[b]] * w.dual[d][at[d]];
      sum +=
          w.mu[3 * face + c] * h * h * w.dual[c][at[c]] * w.primary[b][at[b]] * w.primary[d][at[d]];
    }
    sum *= 0.5;
    // A diverged field must not break the integer sum; find_bad_value reports it.
    return sum < 1e300 ? sum : 1e300;
  }
};

template <class Real>
struct Bad {
  Layout layout;
  State<Real> s;
  Index extent0, extent1;
  double limit;
  TW_FUNCTION Index operator()(Index n) const {
    Index at[3];
    Owned{layout}.place(n, at);
    const Index p = layout.at(at[0], at[1], at[2]);
    for (int c = 0; c < 6; ++c) {
      const double v = static_cast<double>(s.f[c][p]);
      if (!(v <= limit && v >= -limit))
        return (at[0] + layout.origin[0]) +
               extent0 * ((at[1] + layout.origin[1]) + extent1 * (at[2] + layout.origin[2]));
    }
    return std::numeric_limits<Index>::max();
  }
};

}  // namespace

template <class Exec, class Real>
double largest_energy(const Exec& exec, const Medium<Real>& medium, const State<Real>& state,
                      const EnergyWeights& weights) {
  return par::reduce_max(exec, Owned{medium.layout}.count(), Energy<Real>{medium, state, weights},
                         0.0);
}

template <class Exec, class Real>
FixedSum sum_energy(const Exec& exec, const Medium<Real>& medium, const State<Real>& state,
                    const EnergyWeights& weights, int exponent) {
  return par::fixed_sum(exec, Owned{medium.layout}.count(), Energy<Real>{medium, state, weights},
                        exponent);
}

template <class Exec, class Real>
Index first_bad(const Exec& exec, const Layout& layout, const State<Real>& state,
                const Index (&extent)[3], double limit) {
  constexpr Index none = std::numeric_limits<Index>::max();
  const Index first = par::reduce_min(exec, Owned{layout}.count(),
                                      Bad<Real>{layout, state, extent[0], extent[1], limit}, none);
  return first == none ? -1 : first;
}

template double largest_energy(const par::Exec&, const Medium<float>&, const State<float>&,
                               const EnergyWeights&);
template double largest_energy(const par::Exec&, const Medium<double>&, const State<double>&,
                               const EnergyWeights&);
template FixedSum sum_energy(const par::Exec&, const Medium<float>&, const State<float>&,
                             const EnergyWeights&, int);
template FixedSum sum_energy(const par::Exec&, const Medium<double>&, const State<double>&,
                             const EnergyWeights&, int);
template Index first_bad(const par::Exec&, const Layout&, const State<float>&, const Index (&)[3],
                         double);
template Index first_bad(const par::Exec&, const Layout&, const State<double>&, const Index (&)[3],
                         double);

}  // namespace terrawave::fdtd
