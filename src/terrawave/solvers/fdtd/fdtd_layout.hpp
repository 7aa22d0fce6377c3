// How a rank's share of the grid lies in memory; plain data for host and device.
#pragma once

#include <array>

#include "terrawave/base/function.hpp"
#include "terrawave/base/index.hpp"

namespace terrawave::fdtd {

// x entries are handled in chunks of this many, and rows start on a multiple of it.
inline constexpr Index kChunk = 16;

// All six components share one layout: entry (i, j, k) of an array holds the edge or face that
// starts at node (i, j, k) + origin. Entries 0 <= i < size[0] and so on, x fastest. Ghost entries
// lie around the owned box. Outside the grid everything is zero and stays zero: edges there are
// PEC, and derivatives there have zero weight.
struct Layout {
  Index size[3];       // entries per axis, ghosts included; size[0] is a multiple of kChunk
  Index origin[3];     // global node of entry 0
  Index owned_low[3];  // owned entries: low <= i < high
  Index owned_high[3];
  Index update_low[3];  // entries that a step may change: low <= i < high, 1 <= low, high < size
  Index update_high[3];
  Index row;    // stride of j
  Index plane;  // stride of k
  Index count;  // entries in all

  TW_FUNCTION Index at(Index i, Index j, Index k) const { return i + row * j + plane * k; }
};

// One axis' share of the convolution layers. Entries [low0, low1) and [high0, high1) are members;
// psi is stored for [low_begin, low_begin + low_width) and [high_begin, high_begin + high_width),
// one after the other. Along x both ranges are whole chunks.
struct Slab {
  Index low0, low1, high0, high1;
  Index low_begin, low_width, high_begin, high_width;

  TW_FUNCTION bool holds(Index i) const {
    return (i >= low0 && i < low1) || (i >= high0 && i < high1);
  }
  TW_FUNCTION Index width() const { return low_width + high_width; }
  // Position in storage of entry i, for an entry of the stored ranges.
  TW_FUNCTION Index position(Index i) const {
    return i < low_begin + low_width ? i - low_begin : i - high_begin + low_width;
  }
  TW_FUNCTION bool stores(Index i) const {
    return (i >= low_begin && i < low_begin + low_width) ||
           (i >= high_begin && i < high_begin + high_width);
  }
};

}  // namespace terrawave::fdtd
