// Results of tiles, put together on the root.
#pragma once

#include <functional>
#include <string>

#include "terrawave/solvers/terrain/tiled_session.hpp"

namespace terrawave::terrain {

using TileCells = std::function<domain::Cells(std::size_t m, Index tile)>;

// Writes a raster like the session's whose cells of the m-th tile are cells(m, tile). Kept in
// memory, the file is that of the raster in one piece, byte for byte; kept in files, it is written
// tile by tile (the same cells, blocks in another order).
void write_tiles(TiledSession& session, const std::string& out, domain::CellType type,
                 std::optional<double> nodata, const TileCells& cells);
// The same for several bands: cells(band, m, tile), the first band is 1.
using TileBandCells = std::function<domain::Cells(int band, std::size_t m, Index tile)>;
void write_tile_bands(TiledSession& session, const std::string& out, int bands,
                      domain::CellType type, std::optional<double> nodata,
                      const TileBandCells& cells);
// The whole raster on the root; without cells elsewhere.
domain::Raster gather_tiles(TiledSession& session, domain::CellType type, const TileCells& cells);

// All ranks' values on the root, in the order of ranks.
template <class V>
std::vector<V> gather_values(comm::Comm& comm, const std::vector<V>& mine) {
  std::vector<V> all;
  for (const comm::Bytes& bytes : comm.gather(to_bytes(mine), 0)) {
    const auto part = from_bytes<V>(bytes);
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

}  // namespace terrawave::terrain
