// Breaching over tiles.
#pragma once

#include "terrawave/solvers/terrain/tiled_routing.hpp"

namespace terrawave::terrain {

// Channels follow the carved directions, whatever the products of the raster follow.
FlowOptions breach_options(FlowOptions options);

// As breach() in one piece, byte for byte. The reader has breach_options; the cut heights are kept
// in `store` as "breached", beside what routing keeps there. Nodata keeps its bytes. A channel that
// leaves its tile waits in memory (64 bytes) until the tile that it enters has its turn.
template <class T>
BreachStats tiled_breach(comm::Comm& comm, const TileQueue& queue, BlockReader& reader,
                         TileStore& store, const BreachLimits& limits);

}  // namespace terrawave::terrain
