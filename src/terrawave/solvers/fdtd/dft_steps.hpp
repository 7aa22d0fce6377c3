// Running Fourier sums where the fields are.
#pragma once

#include "terrawave/par/exec.hpp"
#include "terrawave/par/view.hpp"
#include "terrawave/solvers/fdtd/fdtd_layout.hpp"

namespace terrawave::fdtd {

// Entries of one field, local low <= entry < low + size, and their sums for several frequencies:
// real and imaginary part side by side, [frequency][z][y][x].
template <class Real>
struct DftBox {
  Layout layout{};
  Index low[3] = {};
  Index size[3] = {};
  const Real* field = nullptr;
  const double* phases = nullptr;  // real, imaginary part of each frequency's factor
  double* sums = nullptr;
};

// sums += field * phase, in double precision, one rounding per product and per sum.
template <class Exec, class Real>
void add_to_sums(const Exec& exec, const DftBox<Real>& box, Index frequencies);

}  // namespace terrawave::fdtd
