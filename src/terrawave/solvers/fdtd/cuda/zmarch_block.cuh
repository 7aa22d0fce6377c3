// What a block of the z-marching kernel holds in shared memory, pairs of neighbouring entries, and
// copies into shared memory that run beside the arithmetic.
#pragma once

#include <cstdint>

#include "terrawave/solvers/fdtd/cuda/async_copy.cuh"
#include "terrawave/solvers/fdtd/cuda/zmarch_launch.cuh"

namespace terrawave::fdtd::zmarch {

template <class Real, int T, int W, int R>
struct Shared {
  static constexpr int kThreads = 32 * W;
  static constexpr int kPlanes = kMostPlanes + 2 * T + 2;
  Pair<Real> e[T][W][2][32];            // Ex, Ez of the first row of each warp
  Pair<Real> h[2][W][2][32];            // Hx, Hz of the last row of each warp
  Pair<Real> stage[2][6][R][kThreads];  // the next plane, private to its thread
  Real z[6][kPlanes];                   // weights along z
  Real table[256 * 6];
  std::int32_t offsets[2][kPlanes];
  std::uint16_t uniform[kPlanes];             // class of a plane, or kMixed
  std::uint32_t classes[T + 1][R][kThreads];  // of mixed planes, by plane mod T + 1; private
};

// Copies started since the last commit become one group.
__device__ __forceinline__ void fetch_commit() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}
// Until at most kLeft groups are under way.
template <int kLeft>
__device__ __forceinline__ void fetch_wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kLeft) : "memory");
}

// Two neighbouring entries of a row.
template <class Real>
struct Two {
  Real v[2];
};
template <class Real>
__device__ __forceinline__ Two<Real> two(const Pair<Real>& p) {
  return {{p.x, p.y}};
}
template <class Real>
__device__ __forceinline__ Pair<Real> pair(Real x, Real y) {
  Pair<Real> p;
  p.x = x;
  p.y = y;
  return p;
}

}  // namespace terrawave::fdtd::zmarch
