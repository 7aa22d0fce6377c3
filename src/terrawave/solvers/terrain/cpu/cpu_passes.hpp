// The basin graph on host threads: its passes and its minimum spanning tree.
#pragma once

#include <limits>

#include "terrawave/solvers/terrain/terrain_routing.hpp"

namespace terrawave::terrain::cpu {

// The lowest way between two adjacent basins. `code` = 4 * cell + k: see terrain_routing.hpp.
template <class T>
struct Pass {
  Index code;
  std::int32_t lower_basin;  // the smaller number of the two
  std::int32_t upper_basin;
  T height;
  bool before(const Pass& other) const {
    return height != other.height ? height < other.height : code < other.code;
  }
};

// A part of a raster.
struct CellRange {
  Index row = 0, col = 0, rows = 0, cols = 0;
};

// Every pass whose first cell lies in `range` that can belong to the minimum spanning tree; a pair
// of basins may appear repeatedly. Labels below 0 have no passes.
template <class T>
std::vector<Pass<T>> collect_passes(const par::Queue& queue, const Grid& grid, par::View<const T> z,
                                    par::View<const std::int32_t> labels, const CellRange& range);
template <class T>
std::vector<Pass<T>> collect_passes(const par::Queue& queue, const Grid& grid, par::View<const T> z,
                                    par::View<const std::int32_t> labels) {
  return collect_passes(queue, grid, z, labels, {0, 0, grid.rows, grid.cols});
}

// The passes of the minimum spanning forest of `basins` basins. Consumes `passes`.
template <class T>
std::vector<Pass<T>> lowest_passes(std::vector<Pass<T>>& passes, Index basins, int& rounds);

// How basin b (b > 0) is left: through which pass, into which basin, and at what level.
template <class T>
struct BasinTree {
  std::vector<std::int32_t> parent;  // -1: cannot be left
  std::vector<Index> pass;           // code
  std::vector<T> level;              // highest pass on the way to basin 0
  int rounds = 0;
  Index undrained = 0;
};

// Boruvka's rounds over the passes, the tree hung from basin 0.
template <class T>
BasinTree<T> hang_basins(std::vector<Pass<T>> passes, Index basins);

}  // namespace terrawave::terrain::cpu
