// Fill, routing, accumulation and basins tile by tile: solve inside the tile, summarise on its
// perimeter, solve the perimeter graph, push back (after Barnes 2016 and 2017, with routing by
// carving added). Every result equals that of the raster in one piece, byte for byte, for any
// tiling and any number of ranks: filled surfaces, receivers (flats in the order of cells), basins
// and integer accumulation.
#pragma once

#include <functional>
#include <vector>

#include "terrawave/comm/comm.hpp"
#include "terrawave/solvers/terrain/tiled_input.hpp"
#include "terrawave/solvers/terrain/tiled_queue.hpp"

namespace terrawave::terrain {

// Receives the result of each of this rank's tiles.
template <class T>
using TakeTile = std::function<void(Index tile, const std::vector<T>& values)>;

struct TiledStats {
  Index pits = 0;
  Index undrained = 0;
};

// The filled surface. Two passes: each tile is read twice. `pits`: minima of (height, index).
template <class T>
TiledStats tiled_fill(comm::Comm& comm, const TileQueue& queue, BlockReader& reader,
                      const TakeTile<T>& take);

// Directions of the raster by the options of the reader (carve, jump, fill, or pits that stay;
// flats by keys or in the order of cells); kept in `store` as "directions". Mode fill keeps the
// filled surface there as well, as "filled", mode jump its jumps (tiled_jumps.hpp).
template <class T>
TiledStats tiled_route(comm::Comm& comm, const TileQueue& queue, BlockReader& reader,
                       TileStore& store);

// Accumulation of the directions in `store` and the linear index (in the whole raster) of the root
// that each cell drains to, -1 at nodata. `weights(tile)`, 0 at nodata, may be empty: 1 for each
// cell.
using ReadWeights = std::function<std::vector<std::int64_t>(Index tile)>;
void tiled_accumulate(comm::Comm& comm, const par::Queue& queue, BlockReader& reader,
                      TileStore& store, const ReadWeights& weights,
                      const TakeTile<std::int64_t>& take_accumulation,
                      const TakeTile<Index>& take_basins);

}  // namespace terrawave::terrain
