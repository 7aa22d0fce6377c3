// The same results in another way: turned, and in tiles.
#include <algorithm>

#include <fmt/format.h>

#include "terrawave/par/buffer.hpp"
#include "terrawave/solvers/terrain/product_verify.hpp"
#include "terrawave/solvers/terrain/tiled_memory.hpp"
#include "terrawave/solvers/terrain/tiled_session.hpp"

namespace terrawave::terrain {
namespace {

// Where a cell lies on the raster turned over its other diagonal.
Index turned(const Grid& g, Index cell) {
  return (g.cols - 1 - cell % g.cols) * g.rows + g.rows - 1 - cell / g.cols;
}

template <class V>
std::vector<V> turn(const Grid& g, std::span<const V> values) {
  std::vector<V> result(values.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    result[std::size_t(turned(g, Index(i)))] = values[i];
  return result;
}

template <class T>
Check turned_fill(Session& session, std::span<const T> heights) {
  const Grid& g = session.grid();
  Grid over;
  over.rows = g.cols;
  over.cols = g.rows;
  over.connectivity = g.connectivity;
  over.loop_rows = g.loop_cols;
  over.loop_cols = g.loop_rows;
  const par::Buffer<T> z(session.queue(), turn(g, heights));
  const par::Buffer<std::uint8_t> state(session.queue(),
                                        turn(g, std::span<const std::uint8_t>(session.states())));
  par::Buffer<T> w(session.queue(), g.cells());
  fill<T>(session.queue(), over, z.cview(), state.cview(), w.view());
  const std::vector<T> again = w.download();
  const auto& filled = std::get<std::vector<T>>(session.filled().cells);
  Index other = 0;
  for (Index i = 0; i < g.cells(); ++i)
    if (is_data(session.states()[std::size_t(i)]) &&
        again[std::size_t(turned(g, i))] != filled[std::size_t(i)])
      ++other;
  return {"fill: the same on the raster turned over its diagonal", other == 0,
          other == 0 ? "all cells" : fmt::format("{} cells differ", other)};
}

// Compares a value of the tiles with the whole raster's.
template <class V, class Whole>
Check same_in_tiles(TiledSession& tiled, const char* what, const std::string& name,
                    const Whole& whole) {
  Index other = 0;
  for_tiles(tiled, [&](std::size_t, Index tile) {
    const domain::Window w = tiled.tiling().window(tile);
    const auto part = tiled.store().get<V>(tile, what);
    for (Index i = 0; i < w.size(); ++i) {
      const auto at = std::size_t((w.row + i / w.cols) * tiled.info().cols + w.col + i % w.cols);
      const V there = V(whole[at]);
      // NaN at nodata equals itself.
      if (part[std::size_t(i)] != there &&
          !(there != there && part[std::size_t(i)] != part[std::size_t(i)]))
        ++other;
    }
  });
  return {name + ": the same in tiles", other == 0,
          other == 0 ? fmt::format("{} tiles", tiled.tiling().tiles())
                     : fmt::format("{} cells differ", other)};
}

Tiling nine_tiles(const domain::RasterInfo& info) {
  return {info.rows, info.cols, (info.rows + 2) / 3, (info.cols + 2) / 3};
}

void compare_sums(Session& session, TiledSession& tiled, std::vector<Check>& checks) {
  tiled.accumulate();
  std::visit(
      [&](const auto& all) {
        using V = typename std::decay_t<decltype(all)>::value_type;
        checks.push_back(same_in_tiles<V>(tiled, "accumulation", "accumulation", all));
      },
      session.accumulation());
  if (!session.options().single_receiver()) return;
  tiled.label();
  checks.push_back(same_in_tiles<Index>(tiled, "basins", "basins", session.basins()));
}

void compare_in_tiles(Session& session, std::vector<Check>& checks) {
  const auto self = comm::make_self();
  RasterInMemory source(session.dem());
  TiledSession tiled(*self, session.queue(), source, session.options(), nine_tiles(session.info()),
                     {}, {});
  tiled.fill();
  std::visit(
      [&](auto heights) {
        using T = std::remove_const_t<typename decltype(heights)::element_type>;
        checks.push_back(same_in_tiles<T>(tiled, "filled", "fill",
                                          std::get<std::vector<T>>(session.filled().cells)));
      },
      session.heights());
  tiled.route();
  checks.push_back(
      same_in_tiles<Direction>(tiled, "directions", "directions", session.directions()));
  compare_sums(session, tiled, checks);
}

}  // namespace

std::vector<Check> verify_again(Session& session) {
  std::vector<Check> checks;
  if (!session.has_heights() || session.valid() == 0) return checks;
  if (session.options().depressions)
    std::visit([&](auto heights) { checks.push_back(turned_fill(session, heights)); },
               session.heights());
  if (!session.options().single_receiver()) session.fractions();  // settles the mode
  compare_in_tiles(session, checks);
  return checks;
}

std::vector<Check> verify_again(Session& session, io::RasterSource& source,
                                const DirectionSource& from) {
  std::vector<Check> checks;
  if (session.valid() == 0) return checks;
  const auto self = comm::make_self();
  TiledSession tiled(*self, session.queue(), source, from, session.options(),
                     nine_tiles(session.info()), {}, {});
  if (!from.shares())
    checks.push_back(
        same_in_tiles<Direction>(tiled, "directions", "directions", session.directions()));
  compare_sums(session, tiled, checks);
  return checks;
}

}  // namespace terrawave::terrain
