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
  const domain::RasterInfo info = info_of(session, type, nodata);
  if (!session.in_files()) {
    domain::Raster raster = gather_tiles(session, type, cells);
    raster.info.nodata = nodata;
    together(session.comm(), [&] {
      if (session.comm().is_root()) io::write_raster(out, raster);
    });
    return;
  }
  std::unique_ptr<io::RasterSink> sink;
  together(session.comm(), [&] {
    if (session.comm().is_root()) sink = io::create_raster(out, info);
  });
  each_tile(session, type, cells, [&](const domain::Window& window, const domain::Cells& part) {
    sink->write(window, part);
  });
  together(session.comm(), [&] {
    if (session.comm().is_root()) sink->finish();
  });
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
