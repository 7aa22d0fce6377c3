// Tiles of 64 x 64 cells: small enough for the first-level cache, one word of bits wide.
#pragma once

#include <algorithm>

#include "terrawave/solvers/terrain/grid.hpp"

namespace terrawave::terrain::cpu {

inline constexpr int kTileSide = 64;

// Where the tiles lie and which of them touch. Looped edges count as touching.
class TileMap {
 public:
  struct Tile {
    Index row0, col0;
    int height, width;
  };

  explicit TileMap(const Grid& grid)
      : rows_(grid.rows),
        cols_(grid.cols),
        down_((grid.rows + kTileSide - 1) / kTileSide),
        across_((grid.cols + kTileSide - 1) / kTileSide),
        loop_rows_(grid.loop_rows),
        loop_cols_(grid.loop_cols) {}

  Index tiles() const { return down_ * across_; }
  Tile tile(Index t) const {
    const Index down = row_of(t, across_);
    const Index row = down * kTileSide;
    const Index col = (t - down * across_) * kTileSide;
    return {row, col, int(std::min<Index>(kTileSide, rows_ - row)),
            int(std::min<Index>(kTileSide, cols_ - col))};
  }
  // Tile t and the eight around it: at(down, right) with steps of -1, 0, 1; -1 outside the raster.
  struct Around {
    Index tiles[9];
    Index at(int down, int right) const { return tiles[3 * down + right + 4]; }
  };
  Around around(Index t) const {
    const Index row = row_of(t, across_);
    const Index col = t - row * across_;
    Around a{};
    const bool inner = row > 0 && row + 1 < down_ && col > 0 && col + 1 < across_;
    for (int down = -1; down <= 1; ++down)
      for (int right = -1; right <= 1; ++right)
        a.tiles[3 * down + right + 4] =
            inner ? t + down * across_ + right : outer(row + down, col + right);
    return a;
  }

 private:
  Index outer(Index row, Index col) const {
    if (loop_rows_) row = row < 0 ? down_ - 1 : (row >= down_ ? 0 : row);
    if (loop_cols_) col = col < 0 ? across_ - 1 : (col >= across_ ? 0 : col);
    return row < 0 || row >= down_ || col < 0 || col >= across_ ? -1 : row * across_ + col;
  }

  Index rows_, cols_, down_, across_;
  bool loop_rows_, loop_cols_;
};

}  // namespace terrawave::terrain::cpu
