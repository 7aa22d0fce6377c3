// Fractions of flow over tiles: "fractions" in the store holds kNeighbours values for each cell of
// `around`, neighbour by neighbour; "fractions.data" and "fractions.gives" (a bit for each
// neighbour with a share) one for each.
#pragma once

#include "terrawave/solvers/terrain/tiled_from.hpp"
#include "terrawave/solvers/terrain/tiled_input.hpp"
#include "terrawave/solvers/terrain/tiled_sweep.hpp"

namespace terrawave::terrain {

// Completes the rings of "fractions" and makes "fractions.gives", when the tiles' own cells are
// known. All ranks together.
void exchange_shares(const Rings& rings, const BlockReader& reader, TileStore& store);
FlowBits share_bits(const Rings& rings, const BlockReader& reader, const TileStore& store,
                    std::size_t m);

// As read_shares in one piece, with its errors: fractions into `store`, and as "directions" roots
// wherever there is data. All ranks together.
FromStats read_tiled_shares(const par::Queue& queue, const Rings& rings, BlockReader& reader,
                            const DirectionSource& from, TileStore& store);

}  // namespace terrawave::terrain
