// What the portable kernels share: the raster by value, ordered heights, and the few atomics that
// both backends need.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "terrawave/par/view.hpp"
#include "terrawave/solvers/terrain/grid.hpp"

namespace terrawave::terrain {

// Place of the step to neighbour k in a row of (dx, dy, diagonal).
TW_FUNCTION int step_place(int k) { return (k & 1) != 0 ? 2 : ((k & 3) == 0 ? 0 : 1); }

// The first of `size` places that before(place) is false for; it is true for all before that one.
template <class Before>
TW_FUNCTION Index partition_point(Index size, const Before& before) {
  Index begin = 0;
  Index end = size;
  while (begin < end) {
    const Index middle = (begin + end) / 2;
    if (before(middle))
      begin = middle + 1;
    else
      end = middle;
  }
  return begin;
}

// Grid as kernels see it.
struct GridView {
  Index rows, cols;
  int step;  // 1: D8, 2: D4
  bool loop_rows, loop_cols;
  par::View<const double> inverse;  // 1/dx, 1/dy, 1/diagonal: once, or for each row

  // Linear index of neighbour k, or -1; k must suit the connectivity.
  TW_FUNCTION Index neighbour(Index row, Index col, int k) const {
    Index r = row + row_step(k);
    Index c = col + col_step(k);
    if (loop_rows) r = r < 0 ? rows - 1 : (r >= rows ? 0 : r);
    if (loop_cols) c = c < 0 ? cols - 1 : (c >= cols ? 0 : c);
    return r < 0 || r >= rows || c < 0 || c >= cols ? -1 : r * cols + c;
  }
  TW_FUNCTION Index neighbour(Index cell, int k) const {
    const Index row = row_of(cell, cols);
    return neighbour(row, cell - row * cols, k);
  }
  TW_FUNCTION double inverse_distance(Index row, int k) const {
    const Index base = inverse.size == 3 ? 0 : 3 * row;
    return inverse[base + step_place(k)];
  }
};

// 1/dx, 1/dy, 1/diagonal for GridView::inverse.
inline std::vector<double> inverse_distances(const Grid& grid) {
  std::vector<double> inverse;
  for (Index row = 0; row < Index(grid.dx.size()); ++row)
    for (const int k : {0, 2, 1}) inverse.push_back(1.0 / grid.distance(row, k));
  return inverse;
}

// dx, dy, diagonal [m]: once, or for each row.
inline std::vector<double> step_lengths(const Grid& grid) {
  std::vector<double> lengths;
  for (Index row = 0; row < Index(grid.dx.size()); ++row)
    for (const int k : {0, 2, 1}) lengths.push_back(grid.distance(row, k));
  return lengths;
}

inline GridView view_of(const Grid& grid, par::View<const double> inverse) {
  return {grid.rows, grid.cols, grid.step(), grid.loop_rows, grid.loop_cols, inverse};
}

// Heights as unsigned integers of the same order; both zeros are one.
template <class T>
TW_FUNCTION std::uint64_t ordered(T z) {
  if constexpr (std::is_same_v<T, double>) {
    const double positive = z + 0.0;
    std::uint64_t bits = 0;
    memcpy(&bits, &positive, sizeof bits);
    return (bits >> 63) != 0 ? ~bits : bits | (std::uint64_t{1} << 63);
  } else if constexpr (std::is_same_v<T, float>) {
    return ordered(double(z));
  } else {
    return std::uint64_t(std::int64_t(z) + (std::int64_t{1} << 40));
  }
}

namespace atomics {

TW_FUNCTION void minimum(std::uint64_t* p, std::uint64_t value) {
#if defined(__CUDA_ARCH__)
  atomicMin(reinterpret_cast<unsigned long long*>(p), static_cast<unsigned long long>(value));
#else
  std::uint64_t seen = __atomic_load_n(p, __ATOMIC_RELAXED);
  while (value < seen &&
         !__atomic_compare_exchange_n(p, &seen, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
#endif
}

TW_FUNCTION void maximum(std::uint64_t* p, std::uint64_t value) {
#if defined(__CUDA_ARCH__)
  atomicMax(reinterpret_cast<unsigned long long*>(p), static_cast<unsigned long long>(value));
#else
  std::uint64_t seen = __atomic_load_n(p, __ATOMIC_RELAXED);
  while (seen < value &&
         !__atomic_compare_exchange_n(p, &seen, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
#endif
}

// Adds and returns what was there before.
TW_FUNCTION std::int32_t add(std::int32_t* p, std::int32_t value) {
#if defined(__CUDA_ARCH__)
  return atomicAdd(p, value);
#else
  return __atomic_fetch_add(p, value, __ATOMIC_RELAXED);
#endif
}

TW_FUNCTION void add(std::int64_t* p, std::int64_t value) {
#if defined(__CUDA_ARCH__)
  atomicAdd(reinterpret_cast<unsigned long long*>(p), static_cast<unsigned long long>(value));
#else
  __atomic_fetch_add(p, value, __ATOMIC_RELAXED);
#endif
}

// Sets *p from `expected` to `value`; true when this call did it.
TW_FUNCTION bool claim(std::int32_t* p, std::int32_t expected, std::int32_t value) {
#if defined(__CUDA_ARCH__)
  return atomicCAS(p, expected, value) == expected;
#else
  return __atomic_compare_exchange_n(p, &expected, value, false, __ATOMIC_RELAXED,
                                     __ATOMIC_RELAXED);
#endif
}

// A load and a store that other threads may race with; never torn.
template <class T>
TW_FUNCTION T load(const T* p) {
#if defined(__CUDA_ARCH__)
  return __ldcg(p);
#else
  T value;
  __atomic_load(p, &value, __ATOMIC_RELAXED);
  return value;
#endif
}
template <class T>
TW_FUNCTION void store(T* p, T value) {
#if defined(__CUDA_ARCH__)
  __stcg(p, value);
#else
  __atomic_store(p, &value, __ATOMIC_RELAXED);
#endif
}

// Arrivals at counters of bytes: arrive_before(), arrive() at each, arrive_after(). What this
// thread wrote before is seen by whoever arrives last at a counter; arrive() returns true for the
// last one. A GPU waits once for all of them.
TW_FUNCTION void arrive_before() {
#if defined(__CUDA_ARCH__)
  __threadfence();
#endif
}
TW_FUNCTION bool arrive(std::uint8_t* counters, Index i) {
#if defined(__CUDA_ARCH__)
  const unsigned shift = 8u * unsigned(i & 3);
  const unsigned before = atomicSub(reinterpret_cast<unsigned*>(counters) + (i >> 2), 1u << shift);
  return ((before >> shift) & 0xffu) == 1u;
#else
  return __atomic_sub_fetch(counters + i, 1, __ATOMIC_ACQ_REL) == 0;
#endif
}
TW_FUNCTION void arrive_after() { arrive_before(); }

// One arrival.
TW_FUNCTION bool last_to_arrive(std::uint8_t* counters, Index i) {
  arrive_before();
  const bool last = arrive(counters, i);
  arrive_after();
  return last;
}

}  // namespace atomics
}  // namespace terrawave::terrain
