// Rasters of bits in tiles of 64 x 64 cells, a word for each row of a tile (bit i: column i), so
// that one operation serves 64 cells.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "terrawave/solvers/terrain/cpu/tile_map.hpp"

namespace terrawave::terrain::cpu {

using Word = std::uint64_t;

// Bits from bytes of 0 or 1.
inline Word pack(const std::uint8_t* flags) {
  Word bits = 0;
  for (int i = 0; i < kTileSide / 8; ++i) {
    std::uint64_t eight = 0;
    std::copy_n(flags + 8 * i, 8, reinterpret_cast<std::uint8_t*>(&eight));
    bits |= ((eight * 0x0102040810204080u) >> 56) << (8 * i);
  }
  return bits;
}

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

  // `rows_of(t)(r)`: row r of tile t, or none of any tile for t = -1.
  template <class RowsOf>
  void load(const TileMap& map, Index t, const RowsOf& rows_of) {
    const TileMap::Around around = map.around(t);
    const TileMap::Tile me = map.tile(t);
    // The width of the tile to the left and the height of the one above: whole, but at a loop.
    const auto last_of = [&](Index n, int TileMap::Tile::*side) {
      return n < 0 ? 0 : (n < t ? kTileSide : map.tile(n).*side) - 1;
    };
    const int from_left = last_of(around.at(0, -1), &TileMap::Tile::width);
    const int from_right = me.width - 1;
    const auto rows = [&](int down, int at, int first, int count) {
      const auto left = rows_of(around.at(down, -1));
      const auto here = rows_of(around.at(down, 0));
      const auto right = rows_of(around.at(down, 1));
#pragma omp simd
      for (int i = 0; i < count; ++i) {
        const Word m = here(first + i);
        mid[at + i] = m;
        east[at + i] = (m >> 1) | ((right(first + i) & 1) << from_right);
        west[at + i] = (m << 1) | ((left(first + i) >> from_left) & 1);
      }
    };
    rows(0, 1, 0, kTileSide);
    rows(-1, 0, last_of(around.at(-1, 0), &TileMap::Tile::height), 1);
    rows(1, me.height + 1, 0, 1);
  }
};

}  // namespace terrawave::terrain::cpu
