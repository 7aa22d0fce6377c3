// Launches on host threads (OpenMP, static schedule).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <omp.h>

#include "terrawave/base/exact_sum.hpp"
#include "terrawave/par/exec.hpp"

namespace terrawave::par {

template <class Cell>
void for_each(const HostExec& exec, Range1 range, Cell cell) {
  const LaunchScope open(exec.queue);
#pragma omp parallel for schedule(static) num_threads(exec.queue.threads())
  for (Index i = range.begin; i < range.end; ++i) cell(i);
}

// The indices must be independent also within one SIMD register: no atomics in `cell`.
template <class Cell>
void for_each_simd(const HostExec& exec, Range1 range, Cell cell) {
  const LaunchScope open(exec.queue);
#pragma omp parallel for simd schedule(static) num_threads(exec.queue.threads())
  for (Index i = range.begin; i < range.end; ++i) cell(i);
}

template <class Cell>
void for_each(const HostExec& exec, Range2 range, Cell cell) {
  const LaunchScope open(exec.queue);
#pragma omp parallel for schedule(static) num_threads(exec.queue.threads())
  for (Index j = 0; j < range.ny; ++j)
    for (Index i = 0; i < range.nx; ++i) cell(i, j);
}

template <class Cell>
void for_each(const HostExec& exec, Range3 range, Cell cell) {
  const LaunchScope open(exec.queue);
#pragma omp parallel for collapse(2) schedule(static) num_threads(exec.queue.threads())
  for (Index k = 0; k < range.nz; ++k)
    for (Index j = 0; j < range.ny; ++j)
      for (Index i = 0; i < range.nx; ++i) cell(i, j, k);
}

// A list that grows while it is worked on, without a look from the host in between: front[0] says
// how many entries it has, and cell(i) may append. Calls cell(i) for the entries from `begin` on,
// then for those appended meanwhile, until a round has none or more than `most`; front[1] then says
// how many are done. On a GPU one block of threads does all of it, so `most` should be small.
template <class Cell>
void for_each_appended(const HostExec& exec, Index begin, View<std::int32_t> front, Index most,
                       Cell cell) {
  const LaunchScope open(exec.queue);
  for (Index end = front[0]; begin < end && end - begin <= most; end = front[0]) {
#pragma omp parallel for schedule(static) num_threads(exec.queue.threads()) if (end - begin > 64)
    for (Index i = begin; i < end; ++i) cell(i);
    begin = end;
  }
  front[1] = std::int32_t(begin);
}

namespace detail {

// One partial result per thread, joined in thread order; exact for every `join` used here.
template <class T, class F, class Join>
T host_reduce(const HostExec& exec, Index n, const F& f, T init, const Join& join) {
  const LaunchScope open(exec.queue);
  const int threads = exec.queue.threads();
  std::vector<T> partial(static_cast<std::size_t>(threads), init);
#pragma omp parallel num_threads(threads)
  {
    T mine = init;
#pragma omp for schedule(static)
    for (Index i = 0; i < n; ++i) mine = join(mine, static_cast<T>(f(i)));
    partial[static_cast<std::size_t>(omp_get_thread_num())] = mine;
  }
  T all = init;
  for (const T& p : partial) all = join(all, p);
  return all;
}

struct JoinMin {
  template <class T>
  T operator()(const T& a, const T& b) const {
    return b < a ? b : a;
  }
};
struct JoinMax {
  template <class T>
  T operator()(const T& a, const T& b) const {
    return a < b ? b : a;
  }
};
struct JoinSum {
  template <class T>
  T operator()(const T& a, const T& b) const {
    return a + b;
  }
};

}  // namespace detail

// Extremes ignore NaN. `init` is the result of an empty range.
template <class T, class F>
T reduce_min(const HostExec& exec, Index n, F f, T init) {
  return detail::host_reduce(exec, n, f, init, detail::JoinMin{});
}
template <class T, class F>
T reduce_max(const HostExec& exec, Index n, F f, T init) {
  return detail::host_reduce(exec, n, f, init, detail::JoinMax{});
}
template <class T, class F>
void reduce_min_into(const HostExec& exec, Index n, F f, T init, View<T> out) {
  const T value = reduce_min(exec, n, f, init);
  const LaunchScope open(exec.queue);
  out[0] = value;
}
template <class F>
std::int64_t reduce_sum(const HostExec& exec, Index n, F f) {
  return detail::host_reduce<std::int64_t>(exec, n, f, 0, detail::JoinSum{});
}
template <class F>
struct FixedTermOf {
  F f;
  double scale;
  TW_FUNCTION FixedSum operator()(Index i) const { return fixed_term(f(i), scale); }
};
template <class F>
FixedSum fixed_sum(const HostExec& exec, Index n, F f, int exponent) {
  return detail::host_reduce<FixedSum>(exec, n, FixedTermOf<F>{f, fixed_scale(exponent)},
                                       FixedSum{}, detail::JoinSum{});
}

}  // namespace terrawave::par
