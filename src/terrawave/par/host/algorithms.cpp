// Scan, select and sort on host threads.
#include "terrawave/par/algorithms.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include <omp.h>

namespace terrawave::par {
namespace {

// The part of [0, n) that thread `t` of `threads` works on.
Range1 share(Index n, int t, int threads) { return {n * t / threads, n * (t + 1) / threads}; }

// Two passes over one contiguous share per thread: count(range), then fill(range, start).
template <class T, class Count, class Fill>
T two_pass(const Queue& queue, Index n, const Count& count, const Fill& fill) {
  const int threads = queue.threads();
  std::vector<T> start(static_cast<std::size_t>(threads) + 1, T{0});
#pragma omp parallel for schedule(static, 1) num_threads(threads)
  for (int t = 0; t < threads; ++t)
    start[static_cast<std::size_t>(t) + 1] = count(share(n, t, threads));
  std::partial_sum(start.begin(), start.end(), start.begin());
#pragma omp parallel for schedule(static, 1) num_threads(threads)
  for (int t = 0; t < threads; ++t) fill(share(n, t, threads), start[static_cast<std::size_t>(t)]);
  return start.back();
}

}  // namespace

template <class Exec, class T>
T exclusive_scan(const Exec& exec, View<const T> in, View<T> out) {
  const LaunchScope open(exec.queue);
  return two_pass<T>(
      exec.queue, in.size,
      [&](Range1 r) { return std::accumulate(in.data + r.begin, in.data + r.end, T{0}); },
      [&](Range1 r, T sum) {
        for (Index i = r.begin; i < r.end; ++i) {
          const T value = in[i];
          out[i] = sum;
          sum += value;
        }
      });
}

template <class Exec, class T>
Index select_flagged(const Exec& exec, View<const std::uint8_t> flags, View<T> out) {
  const LaunchScope open(exec.queue);
  return two_pass<Index>(
      exec.queue, flags.size,
      [&](Range1 r) {
        return Index{(r.end - r.begin) -
                     std::count(flags.data + r.begin, flags.data + r.end, std::uint8_t{0})};
      },
      [&](Range1 r, Index at) {
        for (Index i = r.begin; i < r.end; ++i)
          if (flags[i] != 0) out[at++] = static_cast<T>(i);
      });
}

template <class Exec, class K, class V>
void sort_pairs(const Exec& exec, View<K> keys, View<V> values) {
  const LaunchScope open(exec.queue);
  const auto n = static_cast<std::size_t>(keys.size);
  constexpr int kRadixBits = 8;
  constexpr std::size_t kBuckets = std::size_t{1} << kRadixBits;
  std::vector<K> other_keys(n);
  std::vector<V> other_values(n);
  K* from_k = keys.data;
  V* from_v = values.data;
  K* to_k = other_keys.data();
  V* to_v = other_values.data();
  const K all = std::accumulate(keys.data, keys.data + n, K{0}, [](K a, K b) { return a | b; });
  for (unsigned shift = 0; shift < sizeof(K) * 8; shift += kRadixBits) {
    if (((all >> shift) & (kBuckets - 1)) == 0) continue;  // every key has zeros here
    std::vector<std::size_t> start(kBuckets + 1, 0);
    for (std::size_t i = 0; i < n; ++i) ++start[((from_k[i] >> shift) & (kBuckets - 1)) + 1];
    std::partial_sum(start.begin(), start.end(), start.begin());
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t at = start[(from_k[i] >> shift) & (kBuckets - 1)]++;
      to_k[at] = from_k[i];
      to_v[at] = from_v[i];
    }
    std::swap(from_k, to_k);
    std::swap(from_v, to_v);
  }
  if (from_k != keys.data) {
    std::copy_n(from_k, n, keys.data);
    std::copy_n(from_v, n, values.data);
  }
}

template std::int32_t exclusive_scan(const HostExec&, View<const std::int32_t>, View<std::int32_t>);
template std::int64_t exclusive_scan(const HostExec&, View<const std::int64_t>, View<std::int64_t>);
template Index select_flagged(const HostExec&, View<const std::uint8_t>, View<std::int32_t>);
template Index select_flagged(const HostExec&, View<const std::uint8_t>, View<std::int64_t>);
template void sort_pairs(const HostExec&, View<std::uint32_t>, View<std::int32_t>);
template void sort_pairs(const HostExec&, View<std::uint32_t>, View<std::int64_t>);
template void sort_pairs(const HostExec&, View<std::uint64_t>, View<std::int32_t>);
template void sort_pairs(const HostExec&, View<std::uint64_t>, View<std::int64_t>);

}  // namespace terrawave::par
