// Rasters of bits in tiles of 64 x 64 cells, a word for each row of a tile (bit i: column i), so
// that one operation serves 64 cells.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "terrawave/solvers/terrain/grid.hpp"

namespace terrawave::terrain::cpu {

using Word = std::uint64_t;
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
    const Index row = t / across_ * kTileSide;
    const Index col = t % across_ * kTileSide;
    return {row, col, int(std::min<Index>(kTileSide, rows_ - row)),
            int(std::min<Index>(kTileSide, cols_ - col))};
  }
  // The tile `down` and `right` of t by one each way or none; -1 outside the raster.
  Index beside(Index t, int down, int right) const {
    Index row = t / across_ + down;
    Index col = t % across_ + right;
    if (loop_rows_) row = row < 0 ? down_ - 1 : (row >= down_ ? 0 : row);
    if (loop_cols_) col = col < 0 ? across_ - 1 : (col >= across_ ? 0 : col);
    return row < 0 || row >= down_ || col < 0 || col >= across_ ? -1 : row * across_ + col;
  }

 private:
  Index rows_, cols_, down_, across_;
  bool loop_rows_, loop_cols_;
};

// One bit for each cell; bits outside the raster are 0.
class Plane {
 public:
  explicit Plane(const TileMap& map) : words_(std::size_t(map.tiles()) * kTileSide, 0) {}
  Word* tile(Index t) { return words_.data() + t * kTileSide; }
  const Word* tile(Index t) const { return words_.data() + t * kTileSide; }

 private:
  std::vector<Word> words_;
};

// A tile of a plane and what surrounds it: row r of the tile is at r + 1. `east` holds at each bit
// the cell one column further east, `west` the one further west.
struct Window {
  static constexpr int kRows = kTileSide + 2;
  Word west[kRows], mid[kRows], east[kRows];
  const Word* shifted(int columns) const { return columns < 0 ? west : (columns > 0 ? east : mid); }

  void load(const TileMap& map, const Plane& plane, Index t) {
    static constexpr Word kNone[kTileSide] = {};
    const TileMap::Tile me = map.tile(t);
    const auto words = [&](int down, int right) {
      const Index n = map.beside(t, down, right);
      return n < 0 ? kNone : plane.tile(n);
    };
    const Index left = map.beside(t, 0, -1);
    const int from_left = left < 0 ? 0 : map.tile(left).width - 1;
    const int from_right = me.width - 1;
    const auto rows = [&](int at, int count, const Word* l, const Word* m, const Word* r) {
#pragma omp simd
      for (int i = 0; i < count; ++i) {
        mid[at + i] = m[i];
        east[at + i] = (m[i] >> 1) | ((r[i] & 1) << from_right);
        west[at + i] = (m[i] << 1) | ((l[i] >> from_left) & 1);
      }
    };
    rows(1, kTileSide, words(0, -1), words(0, 0), words(0, 1));
    const Index above = map.beside(t, -1, 0);
    const int last = above < 0 ? 0 : map.tile(above).height - 1;
    rows(0, 1, words(-1, -1) + last, words(-1, 0) + last, words(-1, 1) + last);
    rows(me.height + 1, 1, words(1, -1), words(1, 0), words(1, 1));
  }
};

}  // namespace terrawave::terrain::cpu
