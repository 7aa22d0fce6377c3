// The basins of one tile on both backends: those that others know of (fixed) and those inside
// (inner), joined by Boruvka's rounds over the tile. First every group of inner basins takes its
// lowest pass until it has met a fixed basin; then the groups of fixed basins are spanned by their
// lowest passes, which are all that the raster's forest can need of this tile.
#pragma once

#include "terrawave/par/exec.hpp"
#include "terrawave/solvers/terrain/device_cells.hpp"
#include "terrawave/solvers/terrain/tile_place.hpp"
#include "terrawave/solvers/terrain/tile_ways.hpp"

namespace terrawave::terrain::steps {

// Cells and the basins that they are given.
struct BasinList {
  std::vector<std::int32_t> cells, basins;
};

// Basin numbers: 0 are the base cells, those below `fixed` are known outside, the others have a pit
// each, in the order of cells.
struct TileBasins {
  Index fixed = 1;
  par::Buffer<std::int32_t> labels;  // of the block, -1 at nodata
  par::Buffer<std::int32_t> pits;    // positions inside the tile; basin fixed + i has pits[i]
};

// `root`: where each cell of the tile ends inside it (position there), -1 at nodata; `state`: of
// the block. `roots`: positions inside the tile of roots of fixed basins; `ring`: positions in the
// block of ring cells with data.
template <class Exec>
TileBasins number_basins(const Exec& exec, const TilePlace& at, par::View<const std::int32_t> root,
                         par::View<const std::uint8_t> state, Index fixed, const BasinList& roots,
                         const BasinList& ring);

// A pass between two groups of fixed basins, from cell a to cell b; positions in the block.
struct OuterPass {
  Index code = 0;  // 4 * cell + k
  std::int32_t other = 0;
  std::int32_t basin_a = 0, basin_b = 0;  // the fixed basins of the groups
  // The cells where the ways out of inner basins reach the fixed ones: the pass's own where it
  // lies in these.
  std::int32_t last_a = 0, last_b = 0;
};

struct TileForest {
  par::Buffer<std::int32_t> group;   // of each basin: the fixed one, or none below `fixed`
  par::Buffer<std::int32_t> parent;  // of inner basins: the one on the other side of the pass
  par::Buffer<std::uint64_t> pass;   // of inner basins
  std::vector<OuterPass> outer;      // in no order
};

// `diagonals`: D8. Passes lead from cells of the tile to E, SE, S and SW; `z`: of the block.
template <class Exec, class T>
TileForest span_tile(const Exec& exec, const TilePlace& at, bool diagonals, par::View<const T> z,
                     const TileBasins& basins);

// How the inner basins that reach a fixed one are left, by pit.
template <class Exec>
std::vector<InnerWay> inner_ways(const Exec& exec, const TilePlace& at, const TileBasins& basins,
                                 const TileForest& forest);

// A path to reverse: from a cell of the tile on, whose new direction is `dir`.
struct TileCarve {
  std::int32_t cell = 0;
  std::int32_t dir = 0;
};
// Reverses the old flow of the tile from each start down to the pit or out of the tile. Starts in
// an inner basin reverse its way out as well; all other inner basins take theirs. `carved` holds
// the old directions at first.
template <class Exec>
void carve_ways(const Exec& exec, const TilePlace& at, par::View<const TileCarve> starts,
                par::View<const InnerWay> ways, par::View<const Direction> old,
                par::View<Direction> carved);

// Cells of the tile that are no base cells and minima of (height, position), its rim left out.
template <class Exec, class T>
Index count_minima(const Exec& exec, const TilePlace& at, bool diagonals, par::View<const T> z,
                   par::View<const std::uint8_t> state);

}  // namespace terrawave::terrain::steps
