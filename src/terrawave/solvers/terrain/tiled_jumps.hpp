// Jumps over tiles: receivers that are no neighbours, and maybe in another tile.
#pragma once

#include <span>
#include <vector>

#include "terrawave/solvers/terrain/tiled_passes.hpp"
#include "terrawave/solvers/terrain/tiled_rings.hpp"

namespace terrawave::terrain {

// The jumps that this tile knows of: of its inner basins, and of basins that are drained through
// the tile.
std::vector<TileJump> jump_tile(const TileFlow& flow, const Tiling& tiling,
                                const std::vector<JumpStart>& starts,
                                const std::vector<InnerWay>& inner);

// Brings the jumps that the tiles know of (jumps(m) of the m-th tile) to the tiles of their roots
// and targets, into `store`. Returns their number over all ranks. All ranks together.
Index keep_jumps(const Rings& rings, TileStore& store,
                 const std::function<std::vector<TileJump>(std::size_t m)>& jumps);
// Empty where none were kept.
TileJumps jumps_of(const TileStore& store, Index tile);

}  // namespace terrawave::terrain
