// Launches on a CUDA stream. Included by par/launch.hpp under nvcc.
#pragma once

#include <cstdint>

#include "terrawave/base/exact_sum.hpp"
#include "terrawave/par/cuda/check.hpp"
#include "terrawave/par/exec.hpp"
#include "terrawave/par/host/launch.hpp"  // the joins

namespace terrawave::par {
namespace cuda {

inline constexpr int kBlock = 256;
inline constexpr int kLoneBlock = 512;           // of for_each_appended
inline constexpr unsigned kReduceBlocks = 1056;  // eight per multiprocessor of the largest card
inline constexpr Index kMaxGridY = 65535;

inline cudaStream_t stream(const CudaExec& exec) {
  return static_cast<cudaStream_t>(exec.queue.impl().stream());
}
inline void launched() { check(cudaGetLastError(), "launching a kernel"); }

template <class Cell>
__global__ void each1(Range1 range, Cell cell) {
  const Index i = range.begin + Index(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < range.end) cell(i);
}
template <class Cell>
__global__ void each2(Range2 range, Cell cell) {
  const Index i = Index(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= range.nx) return;
  for (Index j = Index(blockIdx.y) * blockDim.y + threadIdx.y; j < range.ny;
       j += Index(gridDim.y) * blockDim.y)
    cell(i, j);
}
template <class Cell>
__global__ void each3(Range3 range, Cell cell) {
  const Index i = Index(blockIdx.x) * blockDim.x + threadIdx.x;
  const Index j = Index(blockIdx.y) * blockDim.y + threadIdx.y;
  if (i >= range.nx || j >= range.ny) return;
  for (Index k = blockIdx.z; k < range.nz; k += gridDim.z) cell(i, j, k);
}

// One block; rounds are apart, as launches are.
template <class Cell>
__global__ void __launch_bounds__(kLoneBlock)
    each_appended(Index begin, std::int32_t* front, Index most, Cell cell) {
  __shared__ std::int32_t found;
  while (true) {
    if (threadIdx.x == 0) found = __ldcg(front);
    __syncthreads();
    const Index end = found;
    if (begin >= end || end - begin > most) break;
    for (Index i = begin + threadIdx.x; i < end; i += blockDim.x) cell(i);
    begin = end;
    __threadfence();
    __syncthreads();
  }
  if (threadIdx.x == 0) front[1] = std::int32_t(begin);
}

inline unsigned blocks(Index n, Index per) { return static_cast<unsigned>((n + per - 1) / per); }

template <class T, class Join>
__device__ T join_block(T mine, const T& init, const Join& join) {
  __shared__ alignas(16) unsigned char raw[kBlock * sizeof(T)];
  T* shared = reinterpret_cast<T*>(raw);
  shared[threadIdx.x] = mine;
  __syncthreads();
  for (int half = kBlock / 2; half > 0; half /= 2) {
    if (threadIdx.x < unsigned(half))
      shared[threadIdx.x] = join(shared[threadIdx.x], shared[threadIdx.x + half]);
    __syncthreads();
  }
  return threadIdx.x == 0 ? shared[0] : init;
}

// One value per block; every join used is exact in any order.
template <class T, class F, class Join>
__global__ void reduce_blocks(Index n, F f, T init, Join join, T* out) {
  T mine = init;
  for (Index i = Index(blockIdx.x) * kBlock + threadIdx.x; i < n; i += Index(gridDim.x) * kBlock)
    mine = join(mine, static_cast<T>(f(i)));
  mine = join_block(mine, init, join);
  if (threadIdx.x == 0) out[blockIdx.x] = mine;
}

template <class T>
struct Element {
  const T* data;
  __host__ __device__ T operator()(Index i) const { return data[i]; }
};

template <class T, class F, class Join>
void reduce_to(const CudaExec& exec, Index n, const F& f, T init, const Join& join, T* out) {
  const unsigned nb = n > 0 ? min(blocks(n, kBlock), kReduceBlocks) : 1u;
  if (nb == 1) {
    reduce_blocks<<<1, kBlock, 0, stream(exec)>>>(n, f, init, join, out);
    launched();
    return;
  }
  // Stream-ordered scratch: freed when the kernels before it have run.
  T* partial = nullptr;
  check(cudaMallocAsync(reinterpret_cast<void**>(&partial), nb * sizeof(T), stream(exec)),
        "allocating reduction scratch");
  reduce_blocks<<<nb, kBlock, 0, stream(exec)>>>(n, f, init, join, partial);
  reduce_blocks<<<1, kBlock, 0, stream(exec)>>>(Index(nb), Element<T>{partial}, init, join, out);
  launched();
  check(cudaFreeAsync(partial, stream(exec)), "freeing reduction scratch");
}

template <class T, class F, class Join>
T reduce(const CudaExec& exec, Index n, const F& f, T init, const Join& join) {
  Buffer<T> out(exec.queue, 1);
  reduce_to(exec, n, f, init, join, out.view().data);
  return out.at(0);
}

struct Min {
  template <class T>
  __host__ __device__ T operator()(const T& a, const T& b) const {
    return b < a ? b : a;
  }
};
struct Max {
  template <class T>
  __host__ __device__ T operator()(const T& a, const T& b) const {
    return a < b ? b : a;
  }
};
struct Sum {
  template <class T>
  __host__ __device__ T operator()(const T& a, const T& b) const {
    return a + b;
  }
};

}  // namespace cuda

template <class Cell>
void for_each(const CudaExec& exec, Range1 range, Cell cell) {
  if (range.size() == 0) return;
  cuda::each1<<<cuda::blocks(range.size(), cuda::kBlock), cuda::kBlock, 0, cuda::stream(exec)>>>(
      range, cell);
  cuda::launched();
}
template <class Cell>
void for_each_appended(const CudaExec& exec, Index begin, View<std::int32_t> front, Index most,
                       Cell cell) {
  cuda::each_appended<<<1, cuda::kLoneBlock, 0, cuda::stream(exec)>>>(begin, front.data, most,
                                                                      cell);
  cuda::launched();
}
template <class Cell>
void for_each_simd(const CudaExec& exec, Range1 range, Cell cell) {
  for_each(exec, range, cell);
}
template <class Cell>
void for_each(const CudaExec& exec, Range2 range, Cell cell) {
  if (range.nx <= 0 || range.ny <= 0) return;
  const dim3 block(64, 4);
  const dim3 grid(cuda::blocks(range.nx, 64), min(cuda::blocks(range.ny, 4), 65535u));
  cuda::each2<<<grid, block, 0, cuda::stream(exec)>>>(range, cell);
  cuda::launched();
}
template <class Cell>
void for_each(const CudaExec& exec, Range3 range, Cell cell) {
  if (range.nx <= 0 || range.ny <= 0 || range.nz <= 0) return;
  require(range.ny <= cuda::kMaxGridY * 4, "for_each: more than 262140 rows");
  const dim3 block(64, 4, 1);
  const dim3 grid(cuda::blocks(range.nx, 64), cuda::blocks(range.ny, 4),
                  static_cast<unsigned>(min(range.nz, cuda::kMaxGridY)));
  cuda::each3<<<grid, block, 0, cuda::stream(exec)>>>(range, cell);
  cuda::launched();
}

template <class T, class F>
T reduce_min(const CudaExec& exec, Index n, F f, T init) {
  return cuda::reduce(exec, n, f, init, cuda::Min{});
}
template <class T, class F>
T reduce_max(const CudaExec& exec, Index n, F f, T init) {
  return cuda::reduce(exec, n, f, init, cuda::Max{});
}
template <class T, class F>
void reduce_min_into(const CudaExec& exec, Index n, F f, T init, View<T> out) {
  cuda::reduce_to(exec, n, f, init, cuda::Min{}, out.data);
}
template <class F>
std::int64_t reduce_sum(const CudaExec& exec, Index n, F f) {
  return cuda::reduce<std::int64_t>(exec, n, f, 0, cuda::Sum{});
}
template <class F>
FixedSum fixed_sum(const CudaExec& exec, Index n, F f, int exponent) {
  return cuda::reduce(exec, n, FixedTermOf<F>{f, fixed_scale(exponent)}, FixedSum{}, cuda::Sum{});
}

}  // namespace terrawave::par
