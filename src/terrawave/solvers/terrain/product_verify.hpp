// Recomputes what must hold of the products of one raster.
#pragma once

#include <string>
#include <vector>

#include "terrawave/io/raster.hpp"
#include "terrawave/solvers/terrain/product_from.hpp"
#include "terrawave/solvers/terrain/product_session.hpp"

namespace terrawave::terrain {

struct Check {
  std::string name;
  bool ok = false;
  std::string detail;  // what was counted, or the first cell where it fails
};

// fill        nowhere below the ground, base cells unchanged, and the lowest such surface: each
//             cell is the higher of its ground and its lowest neighbour's surface, and its own flow
//             path climbs no higher (so no surface below it can be drained)
// accumulation every cell counts itself, grows downstream, and the roots add up to all cells
// routing     every cell reaches an outlet or a kept sink (or is counted as undrained)
// basins      each cell has the label of its receiver
// multiple flow (where asked for): shares add up to 1, outlets receive all weight
std::vector<Check> verify(Session& session);
// Makes fill, directions, accumulation and basins once more in another way and compares them: the
// fill on the raster turned over its diagonal, everything in tiles. Needs the memory of a second
// session.
std::vector<Check> verify_again(Session& session);
// The same of what was read from `source`: directions with their repairs, accumulation, basins.
std::vector<Check> verify_again(Session& session, io::RasterSource& source,
                                const DirectionSource& from);

}  // namespace terrawave::terrain
