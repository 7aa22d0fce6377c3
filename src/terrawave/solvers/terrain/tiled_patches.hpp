// Rectangles of a rank's tiles that lie in a device's memory as one block.
#pragma once

#include <vector>

#include "terrawave/solvers/terrain/tiled_rings.hpp"

namespace terrawave::terrain {

// Neighbouring tiles of this rank with one ring around all of them.
struct Patch {
  TileRun tiles;
  domain::Window inside;  // the tiles
  domain::Window around;  // and the ring: cut off at the map's edge, or over looped edges
  // A cell of the ring: where it is shown, and its position in `around`.
  struct RingCell {
    Rings::Place from;
    std::int32_t at = 0;
  };
  std::vector<RingCell> ring;
  // A cell that other patches, other ranks or the patch's own ring hold too.
  struct RimCell {
    std::size_t tile = 0;    // of this rank
    std::int32_t place = 0;  // in its rim
    std::int32_t at = 0;     // position in `around`
  };
  std::vector<RimCell> rim;

  // The tile and those cells of the ring that lie beside it: these windows share out `around`.
  domain::Window part(const domain::Window& tile) const;
};

// This rank's tiles in their order as rectangles with less than `most_cells` cells in `around`, or
// of one tile: rows of tiles where whole rows fit, else parts of a row.
std::vector<Patch> patches_of(const Rings& rings, Index most_cells);

}  // namespace terrawave::terrain
