// The triad whose speed stands for the memory bandwidth.
#pragma once

#include "terrawave/par/exec.hpp"

namespace terrawave::run {

// a[i] = b[i] + s * c[i]
template <class Exec>
void triad(const Exec& exec, par::View<double> a, par::View<const double> b,
           par::View<const double> c, double s);

}  // namespace terrawave::run
