#include "terrawave/solvers/terrain/tiled_write.hpp"

namespace terrawave::terrain {
namespace {

// Calls take(window, cells) on the root for every tile, in their order.
template <class Take>
void each_tile(TiledSession& session, domain::CellType type, const TileCells& cells,
               const Take& take) {
  comm::Comm& comm = session.comm();
  const Tiling& tiling = session.tiling();
  std::size_t m = 0;
  for (Index tile = 0; tile < tiling.tiles(); ++tile) {
    const int owner = owner_of(tiling, tile, comm.size());
    domain::Cells part = domain::make_cells(type, 0);
    together(comm, [&] {
      if (owner == comm.rank()) part = cells(m++, tile);
    });
    if (owner != 0) {
      comm::Bytes mine;
      if (owner == comm.rank()) std::visit([&](const auto& v) { mine = to_bytes(v); }, part);
      const std::vector<comm::Bytes> all = comm.gather(mine, 0);
      if (comm.is_root())
        std::visit(
            [&](auto& v) {
              v = from_bytes<typename std::decay_t<decltype(v)>::value_type>(
                  all[std::size_t(owner)]);
            },
            part);
    }
    together(comm, [&] {
      if (comm.is_root()) take(tiling.window(tile), part);
    });
  }
}

domain::RasterInfo info_of(const TiledSession& session, domain::CellType type,
                           std::optional<double> nodata) {
  domain::RasterInfo info = session.info();
  info.type = type;
  info.nodata = nodata;
  return info;
}

}  // namespace

void write_tiles(TiledSession& session, const std::string& out, domain::CellType type,
                 std::optional<double> nodata, const TileCells& cells) {
  write_tile_bands(session, out, 1, type, nodata,
                   [&](int, std::size_t m, Index tile) { return cells(m, tile); });
}

void write_tile_bands(TiledSession& session, const std::string& out, int bands,
                      domain::CellType type, std::optional<double> nodata,
                      const TileBandCells& cells) {
  const domain::RasterInfo info = info_of(session, type, nodata);
  std::unique_ptr<io::RasterSink> sink;
  const auto on_root = [&](const auto& work) {
    together(session.comm(), [&] {
      if (session.comm().is_root()) work();
    });
  };
  const auto create = [&] {
    if (!sink) sink = io::create_raster(out, info, bands);
  };
  if (session.in_files()) on_root(create);
  for (int band = 1; band <= bands; ++band) {
    const TileCells of_band = [&](std::size_t m, Index tile) { return cells(band, m, tile); };
    if (session.in_files()) {
      each_tile(session, type, of_band,
                [&](const domain::Window& window, const domain::Cells& part) {
                  sink->write_band(band, window, part);
                });
      continue;
    }
    const domain::Raster raster = gather_tiles(session, type, of_band);
    on_root([&] {
      create();
      sink->write_band(band, info.whole(), raster.cells);
    });
  }
  on_root([&] { sink->finish(); });
}

domain::Raster gather_tiles(TiledSession& session, domain::CellType type, const TileCells& cells) {
  domain::Raster raster{info_of(session, type, {}), domain::make_cells(type, 0)};
  if (session.comm().is_root()) raster.cells = domain::make_cells(type, raster.info.size());
  each_tile(session, type, cells, [&](const domain::Window& window, const domain::Cells& part) {
    domain::paste(window, part, raster.info.whole(), raster.cells);
  });
  return raster;
}

}  // namespace terrawave::terrain
