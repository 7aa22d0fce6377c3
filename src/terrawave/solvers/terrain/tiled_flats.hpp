// Directions over flats that lie across tiles.
#pragma once

#include <functional>
#include <vector>

#include "terrawave/solvers/terrain/tiled_input.hpp"
#include "terrawave/solvers/terrain/tiled_queue.hpp"
#include "terrawave/solvers/terrain/tiled_rings.hpp"

namespace terrawave::terrain {

// Reads the m-th tile of this rank with the heights that flow follows.
template <class T>
using ReadBlock = std::function<Block<T>(std::size_t m)>;

// Whether a cell of the tile without a lower neighbour has one of equal height. `direction`: of
// `around`, by FlatRule::leave. Tiles without have nothing to drain over.
template <class T>
bool has_flats(const Block<T>& block, const std::vector<Direction>& direction);

// Drains flats in `store`'s "downhill" (steepest descent, FlatRule::leave) by the keys of
// resolve_flats: the distances from the low edge and from higher ground spread inside tiles and
// over their rims until none changes, so the directions are those of the raster in one piece.
// `level`: for each tile of this rank whether it has_flats().
template <class T>
void tiled_resolve_flats(const TileQueue& queue, const Rings& rings, TileStore& store,
                         const std::vector<std::uint8_t>& level, const ReadBlock<T>& read);

// The rest by FlatRule::by_index, with the linear indices of the map.
template <class T>
void drain_by_map_index(const TileQueue& queue, const Block<T>& block,
                        std::vector<Direction>& direction);

}  // namespace terrawave::terrain
