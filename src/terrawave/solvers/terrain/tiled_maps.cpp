// The maps of a report from tiles, thinned to their pixels.
#include <algorithm>
#include <limits>

#include "terrawave/solvers/terrain/tiled_makers.hpp"

namespace terrawave::terrain {

Maps tiled_maps(TiledSession& session, int pixels) {
  session.require_heights();
  Maps maps;
  maps.info = session.info();
  maps.valid = session.valid();
  const Thinning t(maps.info, pixels);
  maps.thinning = t;
  const bool single = session.options().single_receiver();
  session.accumulate();
  if (single) session.label();
  // The least of doubles stands for nothing, so that the largest over ranks is what there is.
  constexpr double none = std::numeric_limits<double>::lowest();
  std::vector<double> z(std::size_t(t.pixels()), none), rivers = z, basin = z;
  with_height_type(session.info(), [&]<class T>(T) {
    for_tiles(session, [&](std::size_t m, Index tile) {
      const Block<T> block = session.ground<T>(m);
      const std::vector<double> all = tile_amounts(session, tile);
      const auto label = single ? session.store().get<Index>(tile, "basins") : std::vector<Index>();
      for (Index i = 0; i < block.inside.size(); ++i) {
        const auto a = std::size_t(block.around_of(i));
        if (!is_data(block.state[a])) continue;
        const Index row = block.inside.row + i / block.inside.cols;
        const Index col = block.inside.col + i % block.inside.cols;
        const auto x = int(col / t.each);
        const auto y = int(row / t.each);
        const auto p = std::size_t(y) * std::size_t(t.width) + std::size_t(x);
        rivers[p] = std::max(rivers[p], all[std::size_t(i)]);
        if (row != t.middle_row(y) || col != t.middle_col(x)) continue;
        z[p] = double(block.z[a]);
        if (single) basin[p] = double(label[std::size_t(i)]);
      }
    });
  });
  for (std::vector<double>* values : {&z, &rivers, &basin})
    session.comm().max(std::span<double>(*values));
  const auto or_nan = [&](double v) { return v == none ? kNoValue : v; };
  for (std::size_t p = 0; p < z.size(); ++p) {
    maps.z.push_back(or_nan(z[p]));
    maps.accumulation.push_back(or_nan(rivers[p]));
    if (rivers[p] > maps.most) maps.most = rivers[p];
    if (single) maps.basin.push_back(basin[p] == none ? -1 : Index(basin[p]));
  }
  const TileShape shape = session.reader().shape(0);
  maps.dy = shape.grid.dy;
  for (int y = 0; y < t.height; ++y)
    maps.dx.push_back(
        std::max(session.reader().metric().dx[std::size_t(t.middle_row(y))], 1e-6 * maps.dy));
  if (single && session.options().mode == RouteMode::carve) maps.lakes = find_lakes_tiled(session);
  return maps;
}

}  // namespace terrawave::terrain
