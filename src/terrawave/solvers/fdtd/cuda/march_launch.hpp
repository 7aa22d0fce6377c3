// The compiled shapes of the marching kernel. Each is built in a file of its own
// (march_shape_*.cu): they take a minute each.
#pragma once

#include "terrawave/solvers/fdtd/cuda/march_args.hpp"

namespace terrawave::fdtd::march {

// Steps per pass, warps of a block, rows of a warp; what a block needs of shared memory without the
// psi store; and how to run it.
template <class Real>
struct Variant {
  int steps = 0, warps = 0, rows = 0;
  std::int64_t shared_bytes = 0;
  void (*allow_shared)(std::int64_t bytes) = nullptr;  // before the first launch
  void (*launch)(const Args<Real>& args, unsigned blocks, std::int64_t bytes,
                 void* stream) = nullptr;
};

template <class Real, int T, int W, int R>
Variant<Real> variant();

}  // namespace terrawave::fdtd::march
