// Where the flow of a tile's cells ends in the raster, on both backends.
#pragma once

#include "terrawave/par/exec.hpp"
#include "terrawave/solvers/terrain/device_cells.hpp"

namespace terrawave::terrain::steps {

// A tile in its raster.
struct TileOrigin {
  Index row = 0, col = 0;  // of the tile's first cell
  Index width = 0;         // of the tile
  Index cols = 0;          // of the raster
};

// The linear index in the raster of the last cell that each cell's flow reaches; -1 at nodata.
// `root`: the last cell inside the tile (position there); `portals`: those roots whose flow goes
// on, and `ends`: where it ends.
template <class Exec>
void end_cells(const Exec& exec, const TileOrigin& tile, par::View<const std::int32_t> root,
               const std::vector<std::int32_t>& portals, const std::vector<Index>& ends,
               par::View<Index> out);

}  // namespace terrawave::terrain::steps
