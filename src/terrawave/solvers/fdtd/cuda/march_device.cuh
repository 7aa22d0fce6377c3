// The marching kernel on a GPU: its Lane, and its launches.
#pragma once

#include <iterator>
#include <utility>

#include <cuda_runtime.h>

#include "terrawave/par/cuda/check.hpp"
#include "terrawave/solvers/fdtd/cuda/async_copy.cuh"
#include "terrawave/solvers/fdtd/cuda/march_kernel.hpp"
#include "terrawave/solvers/fdtd/cuda/march_launch.hpp"
#include "terrawave/solvers/fdtd/cuda/tile_event.hpp"

namespace terrawave::fdtd::march {

// Out of line: events are rare and large, and must not take registers from the march.
template <class Real, int T>
__device__ __noinline__ Real device_event(const Args<Real>& a, const TileEvent* te, int pass, int t,
                                          int number, Real before, Real linear) {
  return tiling::tile_event<Real, T>(a, *te, pass, t, number, before, linear);
}

struct CudaLane {
  TW_LANE int thread() const { return int(threadIdx.x); }
  TW_LANE void sync() const { __syncthreads(); }
  TW_LANE void sync_warp() const { __syncwarp(); }
  // What a whole warp agrees on: as a vote, so that the compiler knows.
  TW_LANE bool uniform(bool v) const { return __any_sync(0xffffffffu, v) != 0; }
  template <class Real>
  TW_LANE Real down(Real v) const {
    return __shfl_down_sync(0xffffffffu, v, 1);
  }
  template <class Real>
  TW_LANE Real up(Real v) const {
    return __shfl_up_sync(0xffffffffu, v, 1);
  }
  template <class P>
  TW_LANE void copy(P* to, const P* from, bool valid) const {
    copy_beside(to, from, valid);
  }
  TW_LANE void wait() const { asm volatile("cp.async.wait_all;" ::: "memory"); }
  TW_LANE void put(Pair<float>* to, Pair<float> v, int stream) const {
    if (stream != 0)
      __stcs(reinterpret_cast<float2*>(to), make_float2(v.x, v.y));
    else
      *reinterpret_cast<float2*>(to) = make_float2(v.x, v.y);
  }
  TW_LANE void put(Pair<double>* to, Pair<double> v, int stream) const {
    if (stream != 0)
      __stcs(reinterpret_cast<double2*>(to), make_double2(v.x, v.y));
    else
      *reinterpret_cast<double2*>(to) = make_double2(v.x, v.y);
  }
  template <class Real, int T>
  TW_LANE static Real event(const Args<Real>& a, const TileEvent* te, int pass, int t, int number,
                            Real before, Real linear) {
    return device_event<Real, T>(a, te, pass, t, number, before, linear);
  }
};

// Inlined: a body that is called reads `args` from memory, not from the bank of constants.
template <int kBody, class Real, int T, int W, int R>
TW_LANE void run_body(const Args<Real>& args, const Tile& tile, Shared<Real, T, W, R>& shared) {
  if (tile.body != kBody) return;
  // Only tiles with events may have psi in memory; the compiler has to see that others read shared
  // memory.
  auto* psi = reinterpret_cast<Pair<Real>*>(&shared + 1);
  if ((kBody & kNeedsEvents) != 0 && tile.store >= 0) psi = args.store + tile.store;
  CudaLane lane;
  March<CudaLane, Real, T, W, R, kBody>(lane, args, tile, shared, psi).run();
}
template <class Real, int T, int W, int R, std::size_t... kIndex>
TW_LANE void run_tile(const Args<Real>& args, const Tile& tile, Shared<Real, T, W, R>& shared,
                      std::index_sequence<kIndex...>) {
  (run_body<kBodies[kIndex]>(args, tile, shared), ...);
}

template <class Real, int T, int W, int R>
__global__ void __launch_bounds__(32 * W, 1) march_kernel(const __grid_constant__ Args<Real> args) {
  extern __shared__ __align__(16) unsigned char memory[];
  auto& shared = *reinterpret_cast<Shared<Real, T, W, R>*>(memory);
  run_tile<Real, T, W, R>(args, args.tiles[blockIdx.x], shared,
                          std::make_index_sequence<std::size(kBodies)>());
}

template <class Real, int T, int W, int R>
void allow_shared(std::int64_t bytes) {
  par::cuda::check(cudaFuncSetAttribute(march_kernel<Real, T, W, R>,
                                        cudaFuncAttributeMaxDynamicSharedMemorySize, int(bytes)),
                   "raising the shared memory of a kernel");
}

template <class Real, int T, int W, int R>
void launch(const Args<Real>& args, unsigned blocks, std::int64_t bytes, void* stream) {
  march_kernel<Real, T, W, R>
      <<<blocks, 32 * W, std::size_t(bytes), static_cast<cudaStream_t>(stream)>>>(args);
  par::cuda::check(cudaGetLastError(), "launching the marching kernel");
}

template <class Real, int T, int W, int R>
Variant<Real> variant() {
  return {T,
          W,
          R,
          std::int64_t(sizeof(Shared<Real, T, W, R>)),
          allow_shared<Real, T, W, R>,
          launch<Real, T, W, R>};
}

}  // namespace terrawave::fdtd::march
