// Walking from cell to cell on the host.
#pragma once

#include <array>

#include "terrawave/solvers/terrain/terrain_routing.hpp"

namespace terrawave::terrain::cpu {

// From a cell to its neighbour k. `Looped`: the raster has looped edges, so a step may wrap.
template <bool Looped>
class Walk {
 public:
  explicit Walk(const Grid& grid) : rows_(grid.rows), cols_(grid.cols) {
    for (int k = 0; k < kNeighbours; ++k)
      offset_[std::size_t(k)] = Index(kRowStep[k]) * cols_ + kColStep[k];
  }
  // The step must not leave the raster.
  Index step(Index cell, int k) const {
    if constexpr (!Looped) {
      return cell + offset_[std::size_t(k)];
    } else {
      const Index from = row_of(cell, cols_);
      Index row = from + kRowStep[k];
      Index col = cell - from * cols_ + kColStep[k];
      row = row < 0 ? rows_ - 1 : (row >= rows_ ? 0 : row);
      col = col < 0 ? cols_ - 1 : (col >= cols_ ? 0 : col);
      return row * cols_ + col;
    }
  }

 private:
  Index rows_, cols_;
  std::array<Index, kNeighbours> offset_{};
};

// Calls f(Walk<looped or not>).
template <class F>
decltype(auto) with_walk(const Grid& grid, const F& f) {
  if (grid.loop_cols || grid.loop_rows) return f(Walk<true>(grid));
  return f(Walk<false>(grid));
}

// FlatRule::by_index for one cell without a lower neighbour.
template <class T>
Direction by_index(const Grid& grid, const T* z, const std::uint8_t* state, Index row, Index col) {
  const Index c = row * grid.cols + col;
  for (int k = 0; k < kNeighbours; k += grid.step()) {
    const Index n = grid.neighbour(row, col, k);
    if (n < 0 || !is_data(state[n]) || z[n] != z[c]) continue;
    if (is_base(state[n]) || n < c) return Direction(k);
  }
  return kRoot;
}

// Rows [begin, end) of thread `t` of `threads`.
struct RowShare {
  Index begin, end;
};
inline RowShare row_share(Index rows, int t, int threads) {
  return {rows * t / threads, rows * (t + 1) / threads};
}

}  // namespace terrawave::terrain::cpu
