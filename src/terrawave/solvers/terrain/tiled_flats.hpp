// Directions over flats that lie across tiles.
#pragma once

#include <functional>
#include <vector>

#include "terrawave/solvers/terrain/tiled_input.hpp"
#include "terrawave/solvers/terrain/tiled_rings.hpp"

namespace terrawave::terrain {

// Reads the m-th tile of this rank with the heights that flow follows.
template <class T>
using ReadBlock = std::function<Block<T>(std::size_t m)>;

// Drains flats in `store`'s "downhill" (steepest descent, FlatRule::leave) by the keys of
// resolve_flats: the distances from the low edge and from higher ground spread inside tiles and
// over their rims until none changes, so the directions are those of the raster in one piece.
template <class T>
void tiled_resolve_flats(const Rings& rings, TileStore& store, const ReadBlock<T>& read);

// The rest by FlatRule::by_index, with the linear indices of the map.
template <class T>
void drain_by_map_index(const Block<T>& block, std::vector<Direction>& direction);

}  // namespace terrawave::terrain
