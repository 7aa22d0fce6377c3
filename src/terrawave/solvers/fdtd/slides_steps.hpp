// The two mappings of Demir's slides (2010), for benchmarks only: 18 coefficient arrays, PEC walls,
// an H pass and an E pass. The solver's kernels are measured against them.
#pragma once

#include "terrawave/par/exec.hpp"
#include "terrawave/solvers/fdtd/fdtd_layout.hpp"

namespace terrawave::fdtd {

// Field arrays Ex Ey Ez Hx Hy Hz, and three coefficients for each component c = 0..5 by entry:
// new = k[3 c] old + k[3 c + 1] d1 + k[3 c + 2] d2 with the differences d1, d2 of the two fields of
// the curl: along c + 2 (H) or c + 1 (E) the field c + 1 or c + 2, and the other way round.
// Coefficients hold spacings and signs (Elsherbeni and Demir's Chxh, Chxey, Chxez, ...).
template <class Real>
struct SlidesGrid {
  Layout layout{};
  Real* f[6] = {};
  const Real* k[18] = {};
};

enum class SlidesMapping {
  xyz,  // a thread for each cell
  xy    // a thread for each column, which keeps what neighbours in z share
};

// One step.
template <class Exec, class Real>
void slides_step(const Exec& exec, const SlidesGrid<Real>& grid, SlidesMapping mapping);

}  // namespace terrawave::fdtd
