// Lakes on both backends: connected cells under water, what each lake holds, where it spills.
//
// Union-find over the cells: runs of a row point to their first cells, then touching runs of two
// rows are joined by hanging the later root under the earlier one (compare-and-swap; finds make
// each cell that they pass point to the one after the next, as Jaiganesh and Burtscher 2018 do). So
// the root of a lake is its first cell, whoever comes first, and lakes are numbered by their roots.
#pragma once

#include <algorithm>
#include <vector>

#include "terrawave/base/exact_sum.hpp"
#include "terrawave/par/exec.hpp"
#include "terrawave/solvers/terrain/device_cells.hpp"

namespace terrawave::terrain::steps {

// A raster, or a tile inside its block, with memory of the queue's device.
template <class T>
struct WaterView {
  GridView grid;  // of the raster or the tile alone
  // Of the block: cell (row, col) lies at first + row * stride + col.
  par::View<const T> ground, surface;
  par::View<const std::uint8_t> state;
  Index first = 0, stride = 0;
  Index piece = 1;  // cells of a row that one thread walks along

  TW_FUNCTION bool is_wet(Index at) const { return is_data(state[at]) && ground[at] < surface[at]; }
  TW_FUNCTION double depth(Index at) const { return double(surface[at]) - double(ground[at]); }
};

// Cells of a row for one thread. A GPU has to be fed, but each piece adds to its lake's sums on its
// own, and one lake may be all there is: so many pieces that all its threads have one.
inline Index lake_piece(bool kernels, Index rows, Index cols) {
  return kernels ? std::max(Index{64}, rows * cols >> 18) : cols;
}

struct LakeList {
  std::vector<std::int32_t> first;  // the cell of smallest index of each lake, in order
  double deepest = 0;               // of the water over any cell
};
// Sets `id` of each cell: k + 1 in the lake whose first cell is first[k], 0 on land.
template <class Exec, class T>
LakeList label_lakes(const Exec& exec, const WaterView<T>& water, par::View<std::int32_t> id);

struct LakeSums {
  std::int64_t cells = 0;
  std::uint64_t depth = 0;  // bits of the largest, a double above 0
  FixedSum area, volume;    // in units of the scales below
};
// The largest terms of the sums.
struct LakeTerms {
  double area = 0;    // m^2
  double volume = 0;  // m^2 times the unit of heights
};
// What the lakes hold, by their ids. `row_area`: of a cell of each row.
template <class Exec, class T>
std::vector<LakeSums> measure_lakes(const Exec& exec, const WaterView<T>& water,
                                    par::View<const std::int32_t> id, Index lakes,
                                    par::View<const double> row_area, const LakeTerms& largest);

// The cells (increasing) that drain into a cell with another id. `id`: of the block, 0 on land;
// `grid`: of the block. `direction`: of the tile, whose first cell lies at `first` there; in one
// piece they are the same.
template <class I>
struct LakeExits {
  GridView grid;
  Index first = 0;
  Index rows = 0, cols = 0;  // of the tile
  par::View<const I> id;
  par::View<const Direction> direction;
  Index piece = 1;
};
template <class Exec, class I>
std::vector<std::int32_t> lake_exits(const Exec& exec, const LakeExits<I>& lakes);

// out = table[id], cell by cell.
template <class Exec>
void rename_lakes(const Exec& exec, par::View<const std::int32_t> id, par::View<const Index> table,
                  par::View<Index> out);

}  // namespace terrawave::terrain::steps
