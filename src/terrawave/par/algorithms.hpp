// Scan, select and sort on one device; declared here, defined per backend
// (host/algorithms.cpp, cuda/algorithms.cu), instantiated for the types named below.
#pragma once

#include <cstdint>

#include "terrawave/par/exec.hpp"

namespace terrawave::par {

// out[i] = in[0] + ... + in[i-1]; returns the sum of all. T: int32_t, int64_t. in may equal out.
template <class Exec, class T>
T exclusive_scan(const Exec& exec, View<const T> in, View<T> out);

// Writes the positions i with flags[i] != 0 in increasing order to `out` (at least as large as
// their number) and returns the number. T: int32_t, int64_t.
template <class Exec, class T>
Index select_flagged(const Exec& exec, View<const std::uint8_t> flags, View<T> out);

// Sorts keys increasingly and moves values along; stable. K: uint32_t, uint64_t;
// V: int32_t, int64_t.
template <class Exec, class K, class V>
void sort_pairs(const Exec& exec, View<K> keys, View<V> values);

}  // namespace terrawave::par
