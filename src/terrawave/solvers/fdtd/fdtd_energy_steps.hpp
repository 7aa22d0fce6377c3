// Field energy and search for values that are not finite.
#pragma once

#include "terrawave/base/exact_sum.hpp"
#include "terrawave/par/exec.hpp"
#include "terrawave/solvers/fdtd/fdtd_cells.hpp"

namespace terrawave::fdtd {

// Lengths by local entry: dual[a] at nodes, primary[a] of cells, 0 outside the grid, metres; and
// eps (F/m) and mu (H/m) per class and component.
struct EnergyWeights {
  const double* dual[3] = {};
  const double* primary[3] = {};
  const double* eps = nullptr;
  const double* mu = nullptr;
};

// Largest energy of one owned entry (a bound for the fixed sum), then the sum in its exponent.
template <class Exec, class Real>
double largest_energy(const Exec& exec, const Medium<Real>& medium, const State<Real>& state,
                      const EnergyWeights& weights);
template <class Exec, class Real>
FixedSum sum_energy(const Exec& exec, const Medium<Real>& medium, const State<Real>& state,
                    const EnergyWeights& weights, int exponent);

// First owned entry, by global number with `extent` entries per axis, that holds a value which is
// not finite or larger than `limit`; -1 where all are good.
template <class Exec, class Real>
Index first_bad(const Exec& exec, const Layout& layout, const State<Real>& state,
                const Index (&extent)[3], double limit);

}  // namespace terrawave::fdtd
