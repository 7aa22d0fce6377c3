// Rasters as the routing algorithms see them: shape, metric, neighbours, cell states, directions.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "terrawave/base/error.hpp"
#include "terrawave/base/function.hpp"
#include "terrawave/base/index.hpp"

namespace terrawave::terrain {

// Row 0 is north, column 0 is west; cell (row, col) has the linear index row * cols + col.
//
// Neighbours are numbered 0..7: E, SE, S, SW, W, NW, N, NE. D4 uses the even ones. Wherever two
// neighbours are equally good, the first in this order wins.
inline constexpr int kNeighbours = 8;
inline constexpr int kRowStep[kNeighbours] = {0, 1, 1, 1, 0, -1, -1, -1};
inline constexpr int kColStep[kNeighbours] = {1, 1, 0, -1, -1, -1, 0, 1};
TW_FUNCTION int opposite(int k) { return (k + 4) & 7; }
TW_FUNCTION int row_step(int k) { return (k & 3) == 0 ? 0 : (k < 4 ? 1 : -1); }
TW_FUNCTION int col_step(int k) { return row_step((k + 2) & 7); }

// A receiver as one byte: the neighbour that the cell drains to, or one of these.
using Direction = std::uint8_t;
inline constexpr Direction kRoot = 8;           // drains nowhere: an outlet, a kept sink, or a pit
inline constexpr Direction kNoDirection = 255;  // nodata

// What a cell is. A closed border is made of plain valid cells.
enum class CellState : std::uint8_t {
  valid = 0,
  nodata = 1,
  outlet = 2,  // keeps its height; flow leaves the map here
  sink = 3     // keeps its height; flow ends here (endorheic)
};
TW_FUNCTION bool is_data(std::uint8_t state) { return state != std::uint8_t(CellState::nodata); }
// Outlets and kept sinks: roots that no routing changes.
TW_FUNCTION bool is_base(std::uint8_t state) { return state >= std::uint8_t(CellState::outlet); }

// Row of a cell. 32-bit division where it will do: several times faster than 64-bit.
TW_FUNCTION Index row_of(Index cell, Index cols) {
  if (((cell | cols) >> 32) == 0)
    return Index(static_cast<std::uint32_t>(cell) / static_cast<std::uint32_t>(cols));
  return cell / cols;
}

enum class Connectivity : std::uint8_t { d4, d8 };

// Shape and metric of a raster.
struct Grid {
  Index rows = 0;
  Index cols = 0;
  Connectivity connectivity = Connectivity::d8;
  std::vector<double> dx = {1.0};  // cell width [m]: one value, or one for each row (geographic)
  double dy = 1.0;                 // cell height [m]
  bool loop_cols = false;          // the east edge meets the west edge (periodic longitude)
  bool loop_rows = false;          // the south edge meets the north edge

  Index cells() const { return rows * cols; }
  double width(Index row) const { return dx.size() == 1 ? dx[0] : dx[std::size_t(row)]; }
  // Distance [m] from a cell in `row` to its neighbour k, with the metric of `row`.
  double distance(Index row, int k) const {
    if ((k & 1) != 0) return std::hypot(width(row), dy);
    return (k & 3) == 0 ? width(row) : dy;
  }
  int step() const { return connectivity == Connectivity::d4 ? 2 : 1; }
  // Linear index of neighbour k, or -1 outside the raster (or where k is no neighbour in D4).
  Index neighbour(Index row, Index col, int k) const {
    if (connectivity == Connectivity::d4 && (k & 1) != 0) return -1;
    Index r = row + kRowStep[k];
    Index c = col + kColStep[k];
    if (loop_rows) r = r < 0 ? rows - 1 : (r >= rows ? 0 : r);
    if (loop_cols) c = c < 0 ? cols - 1 : (c >= cols ? 0 : c);
    return r < 0 || r >= rows || c < 0 || c >= cols ? -1 : r * cols + c;
  }
  Index neighbour(Index cell, int k) const {
    const Index row = row_of(cell, cols);
    return neighbour(row, cell - row * cols, k);
  }
  // Throws LogicError unless sizes fit and distances are positive and finite.
  void check() const;
};

// Which edges of the map let flow out. A looped edge is never open.
struct Borders {
  bool north = true, south = true, west = true, east = true;
  bool nodata_drains = true;  // cells that touch nodata are outlets; false: nodata is a wall
};

// The state of each cell of a raster of heights: NaN and `nodata` become CellState::nodata, open
// edges and (where asked) cells that touch nodata become outlets. T: the height types of
// terrain_routing.hpp.
template <class T>
std::vector<std::uint8_t> make_states(const Grid& grid, std::span<const T> z,
                                      std::optional<T> nodata, const Borders& borders);

}  // namespace terrawave::terrain
