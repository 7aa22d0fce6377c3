// Fractions of flow over tiles: "fractions" in the store holds kNeighbours values for each cell of
// `around`, neighbour by neighbour; "fractions.data" and "fractions.gives" (a bit for each
// neighbour with a share) one for each.
#pragma once

#include <array>

#include "terrawave/solvers/terrain/tiled_from.hpp"
#include "terrawave/solvers/terrain/tiled_input.hpp"
#include "terrawave/solvers/terrain/tiled_queue.hpp"
#include "terrawave/solvers/terrain/tiled_sweep.hpp"

namespace terrawave::terrain {

using Shares = std::array<double, kNeighbours>;  // of one cell, by neighbour
// The neighbours that a cell gives to, a bit each.
inline std::uint8_t given_by(const Shares& shares) {
  unsigned bits = 0;
  for (std::size_t k = 0; k < kNeighbours; ++k) bits |= shares[k] > 0 ? 1u << k : 0u;
  return std::uint8_t(bits);
}

// Completes the rings of "fractions" and makes "fractions.gives", when the tiles' own cells are
// known. All ranks together.
void exchange_shares(const Rings& rings, const BlockReader& reader, TileStore& store);
FlowBits share_bits(const Rings& rings, const BlockReader& reader, const TileStore& store,
                    std::size_t m);

// As read_shares in one piece, with its errors: fractions into `store`, and as "directions" roots
// wherever there is data. All ranks together.
FromStats read_tiled_shares(const TileQueue& queue, const Rings& rings, BlockReader& reader,
                            const DirectionSource& from, TileStore& store);

}  // namespace terrawave::terrain
