// Directions that another program wrote, read tile by tile.
#pragma once

#include "terrawave/io/raster.hpp"
#include "terrawave/solvers/terrain/product_from.hpp"
#include "terrawave/solvers/terrain/tiled_loops.hpp"

namespace terrawave::terrain {

// Reads the heights that say which cell of a loop is the lowest. Throws InputError for another
// shape. The rings must outlive it.
ReadHeights loop_heights(const Rings& rings, const std::string& file,
                         const domain::RasterInfo& like);

struct FromStats {
  Index led_out = 0;
  Index repaired = 0;
};
// As read_directions in one piece, with its errors: into `store`, as "directions". All ranks
// together.
FromStats read_tiled_directions(const par::Queue& queue, const Rings& rings,
                                io::RasterSource& source, const DirectionSource& from,
                                Connectivity connectivity, TileStore& store);

}  // namespace terrawave::terrain
