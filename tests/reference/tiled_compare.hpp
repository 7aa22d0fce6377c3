// Routes a random raster in tiles and in one piece, and compares every byte.
#pragma once

#include <cstring>

#include <gtest/gtest.h>

#include "memory_raster.hpp"
#include "reference/terrain_random.hpp"
#include "terrawave/base/error.hpp"
#include "terrawave/solvers/terrain/product_session.hpp"
#include "terrawave/solvers/terrain/tiled_breach.hpp"
#include "terrawave/solvers/terrain/tiled_jumps.hpp"
#include "terrawave/solvers/terrain/tiled_queue.hpp"
#include "terrawave/solvers/terrain/tiled_routing.hpp"

namespace terrawave::terrain::reference {

template <class T>
struct TiledCase {
  domain::Raster raster;
  FlowOptions options;
};

template <class T>
TiledCase<T> random_tiled_case(Random& random, Index max_side) {
  TiledCase<T> c;
  domain::RasterInfo& info = c.raster.info;
  info.name = "random";
  info.rows = 1 + random.below(max_side);
  info.cols = 1 + random.below(max_side);
  const Index choices[] = {1, 2, 4, 16, 250};
  const Index levels = choices[random.below(5)];
  std::vector<T> z;
  for (Index i = 0; i < info.size(); ++i) z.push_back(random_height<T>(random, levels));
  const T hole = std::numeric_limits<T>::max();
  if (random.chance(0.4)) {
    info.nodata = double(hole);
    for (T& height : z)
      if (random.chance(0.15)) height = hole;
  }
  FlowOptions& o = c.options;
  o.rule = random.chance(0.5) ? FlowRule::d8 : FlowRule::d4;
  o.flats = random.chance(0.7);
  o.loop_cols = random.chance(0.15);
  o.loop_rows = random.chance(0.1);
  o.mode = random.chance(0.5)   ? RouteMode::carve
           : random.chance(0.5) ? RouteMode::fill
                                : RouteMode::jump;
  o.depressions = random.chance(0.9);
  o.nodata_drains = random.chance(0.7);
  for (const char* side : {"north", "south", "west", "east"})
    if (random.chance(0.2)) o.closed.emplace_back(side);
  const Index sink = random.below(info.size());
  const bool hollow = info.nodata && z[std::size_t(sink)] == hole;
  if (!hollow &&
      (o.closed.size() + (o.loop_cols || o.loop_rows ? 2 : 0) >= 4 || random.chance(0.3)))
    o.keep_sinks = std::to_string(sink / info.cols) + "," + std::to_string(sink % info.cols);
  // Without an outlet there is nothing to compare: let an edge drain.
  if (o.keep_sinks.empty()) o.closed.clear();
  if (o.keep_sinks.empty() && o.loop_cols) o.loop_rows = false;
  c.raster.cells = z;
  info.type = domain::type_of(c.raster.cells);
  try {
    Session(par::Queue::host(1), c.raster, o, {});
  } catch (const InputError&) {  // no outlet at all: nothing to compare
    return random_tiled_case<T>(random, max_side);
  }
  return c;
}

// The values of all tiles of this rank equal those of the whole.
template <class V>
void expect_tile(const Tiling& tiling, Index tile, const std::vector<V>& part,
                 const std::vector<V>& whole, const char* what) {
  const domain::Window w = tiling.window(tile);
  ASSERT_EQ(Index(part.size()), w.size()) << what;
  for (Index r = 0; r < w.rows; ++r)
    ASSERT_EQ(
        std::memcmp(part.data() + r * w.cols, whole.data() + (w.row + r) * tiling.cols + w.col,
                    std::size_t(w.cols) * sizeof(V)),
        0)
        << what << " differs in tile " << tile << " (" << tiling.tile_rows << " x "
        << tiling.tile_cols << " of " << tiling.rows << " x " << tiling.cols << "), row "
        << w.row + r;
}

// Tiles are worked on by `on`.
template <class T>
void compare_tiled(comm::Comm& comm, const TiledCase<T>& c, const Tiling& tiling,
                   const std::filesystem::path& scratch = {},
                   const TileQueue& on = par::Queue::host(1)) {
  const par::Queue queue = par::Queue::host(1);
  // All nodata: the one-piece session has nothing to route.
  Session whole(queue, c.raster, c.options, {});
  test::MemorySource source(c.raster);
  BlockReader reader(source, c.options, tiling);
  TileStore store(scratch);

  const std::vector<T>& filled = std::get<std::vector<T>>(whole.filled().cells);
  tiled_fill<T>(comm, on, reader, [&](Index tile, const std::vector<T>& part) {
    expect_tile(tiling, tile, part, filled, "fill");
  });
  const TiledStats stats = tiled_route<T>(comm, on, reader, store);
  EXPECT_EQ(stats.pits, whole.route_stats().pits);
  EXPECT_EQ(stats.undrained, whole.route_stats().undrained);
  for (const Index tile : tiles_of_rank(tiling, comm))
    expect_tile(tiling, tile, store.get<Direction>(tile, "directions"), whole.directions(),
                "directions");
  std::vector<Link> jumps;
  for (const Index tile : tiles_of_rank(tiling, comm))
    for (const TileJump& jump : jumps_of(store, tile).out)
      jumps.push_back({std::int32_t(jump.root), std::int32_t(jump.target)});
  std::vector<Link> all_jumps;
  for (const comm::Bytes& bytes : comm.all_gather(to_bytes(jumps)))
    for (const Link& jump : from_bytes<Link>(bytes)) all_jumps.push_back(jump);
  std::sort(all_jumps.begin(), all_jumps.end(),
            [](const Link& a, const Link& b) { return a.root < b.root; });
  EXPECT_EQ(all_jumps, whole.jumps());
  const auto& count = std::get<std::vector<std::int64_t>>(whole.accumulation());
  const auto narrow = whole.basins();
  const std::vector<Index> basins(narrow.begin(), narrow.end());
  tiled_accumulate(
      comm, on, reader, store, {},
      [&](Index tile, const std::vector<std::int64_t>& part) {
        expect_tile(tiling, tile, part, count, "accumulation");
      },
      [&](Index tile, const std::vector<Index>& part) {
        expect_tile(tiling, tile, part, basins, "basins");
      });
}

// Channels with random limits.
template <class T>
void compare_breach(comm::Comm& comm, Random& random, const TiledCase<T>& c, const Tiling& tiling,
                    const std::filesystem::path& scratch = {},
                    const TileQueue& on = par::Queue::host(1)) {
  const par::Queue queue = par::Queue::host(1);
  BreachLimits limits;
  if (random.chance(0.5)) limits.max_length = 1 + random.below(8);
  if (random.chance(0.5)) limits.max_depth = random.unit() * 4;
  Session whole(queue, c.raster, c.options, {});
  BreachStats expected;
  const domain::Raster cut = whole.breached(limits, expected);
  test::MemorySource source(c.raster);
  BlockReader reader(source, breach_options(c.options), tiling);
  TileStore store(scratch);
  const BreachStats found = tiled_breach<T>(comm, on, reader, store, limits);
  EXPECT_EQ(found.breached, expected.breached);
  EXPECT_EQ(found.remaining, expected.remaining);
  for (const Index tile : tiles_of_rank(tiling, comm))
    expect_tile(tiling, tile, store.get<T>(tile, "breached"), std::get<std::vector<T>>(cut.cells),
                "breach");
}

}  // namespace terrawave::terrain::reference
