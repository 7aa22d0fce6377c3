// Scan, select and sort on CUDA, by CUB. The only file that includes it.
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>

#include "terrawave/par/algorithms.hpp"
#include "terrawave/par/cuda/check.hpp"

namespace terrawave::par {
namespace {

cudaStream_t stream(const CudaExec& exec) {
  return static_cast<cudaStream_t>(exec.queue.impl().stream());
}

// Calls a CUB algorithm twice: for the size of its scratch, and to run.
template <class Call>
void with_scratch(const CudaExec& exec, const char* doing, const Call& call) {
  std::size_t bytes = 0;
  cuda::check(call(nullptr, bytes), doing);
  Buffer<unsigned char> scratch(exec.queue, Index(bytes > 0 ? bytes : 1));
  cuda::check(call(scratch.view().data, bytes), doing);
  exec.queue.synchronize();
}

}  // namespace

template <class Exec, class T>
T exclusive_scan(const Exec& exec, View<const T> in, View<T> out) {
  if (in.size == 0) return T{0};
  T last = 0;
  exec.queue.impl().download(&last, in.data + in.size - 1, sizeof(T));
  with_scratch(exec, "scanning", [&](void* p, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(p, bytes, in.data, out.data, in.size, stream(exec));
  });
  T before = 0;
  exec.queue.impl().download(&before, out.data + out.size - 1, sizeof(T));
  return before + last;
}

template <class Exec, class T>
Index select_flagged(const Exec& exec, View<const std::uint8_t> flags, View<T> out) {
  Buffer<Index> count(exec.queue, 1);
  with_scratch(exec, "selecting", [&](void* p, std::size_t& bytes) {
    return cub::DeviceSelect::Flagged(p, bytes, thrust::counting_iterator<T>(0), flags.data,
                                      out.data, count.view().data, flags.size, stream(exec));
  });
  return count.at(0);
}

template <class Exec, class K, class V>
void sort_pairs(const Exec& exec, View<K> keys, View<V> values) {
  Buffer<K> keys_out(exec.queue, keys.size);
  Buffer<V> values_out(exec.queue, values.size);
  cub::DoubleBuffer<K> k(keys.data, keys_out.view().data);
  cub::DoubleBuffer<V> v(values.data, values_out.view().data);
  with_scratch(exec, "sorting", [&](void* p, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(p, bytes, k, v, keys.size, 0, int(sizeof(K) * 8),
                                           stream(exec));
  });
  const auto bytes_of = [](auto view) { return std::size_t(view.size) * sizeof(*view.data); };
  if (k.Current() != keys.data) exec.queue.impl().copy(keys.data, k.Current(), bytes_of(keys));
  if (v.Current() != values.data)
    exec.queue.impl().copy(values.data, v.Current(), bytes_of(values));
  exec.queue.synchronize();
}

template std::int32_t exclusive_scan(const CudaExec&, View<const std::int32_t>, View<std::int32_t>);
template std::int64_t exclusive_scan(const CudaExec&, View<const std::int64_t>, View<std::int64_t>);
template Index select_flagged(const CudaExec&, View<const std::uint8_t>, View<std::int32_t>);
template Index select_flagged(const CudaExec&, View<const std::uint8_t>, View<std::int64_t>);
template void sort_pairs(const CudaExec&, View<std::uint32_t>, View<std::int32_t>);
template void sort_pairs(const CudaExec&, View<std::uint32_t>, View<std::int64_t>);
template void sort_pairs(const CudaExec&, View<std::uint64_t>, View<std::int32_t>);
template void sort_pairs(const CudaExec&, View<std::uint64_t>, View<std::int64_t>);

}  // namespace terrawave::par
