// Walking along receivers on the host.
#pragma once

#include <array>

#include "terrawave/solvers/terrain/grid.hpp"

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

// Rows [begin, end) of thread `t` of `threads`.
struct RowShare {
  Index begin, end;
};
inline RowShare row_share(Index rows, int t, int threads) {
  return {rows * t / threads, rows * (t + 1) / threads};
}

}  // namespace terrawave::terrain::cpu
