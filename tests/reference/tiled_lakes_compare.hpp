// Finds the lakes of a raster in tiles, and compares every field with the slow ones in one piece.
#pragma once

#include "reference/terrain_lakes.hpp"
#include "reference/tiled_products_compare.hpp"

namespace terrawave::terrain::reference {

// Compares lakes on the root, ids everywhere. Tiles are worked on by `on`.
template <class T>
void compare_tiled_lakes(comm::Comm& comm, const TiledCase<T>& c, const Tiling& tiling,
                         const std::filesystem::path& scratch = {},
                         const TileQueue& on = par::Queue::host(1)) {
  Session whole(par::Queue::host(1), c.raster, c.options, {});
  const auto& surface = std::get<std::vector<T>>(whole.filled().cells);
  const auto& ground = std::get<std::vector<T>>(c.raster.cells);
  const Lakes expected = slow_lakes<T>(
      whole.grid(), {ground, surface, whole.states(), whole.directions(), whole.metric().area});
  test::MemorySource source(c.raster);
  TiledSession session(comm, on, source, c.options, tiling, scratch, {});
  const std::vector<Lake> found = find_lakes_tiled(session);
  if (comm.is_root()) expect_same_lakes(found, expected.lakes);
  const std::vector<Index> id(expected.id.begin(), expected.id.end());
  for (const Index tile : tiles_of_rank(session.tiling(), comm))
    expect_tile(session.tiling(), tile, session.store().get<Index>(tile, "lakes"), id, "lakes");
}

inline Tiling random_tiling(Random& random, const domain::RasterInfo& info) {
  return {info.rows, info.cols, 1 + random.below(info.rows), 1 + random.below(info.cols)};
}

template <class T>
void compare_random_tiled_lakes(comm::Comm& comm, Random& random, Index max_side,
                                const std::filesystem::path& scratch, const TileQueue& on) {
  TiledCase<T> c = random_tiled_case<T>(random, max_side);
  c.options.mode = RouteMode::carve;
  c.options.depressions = true;
  if (random.chance(0.5)) locate(c.raster.info);
  compare_tiled_lakes(comm, c, random_tiling(random, c.raster.info), scratch, on);
}

// Rasters of every type of heights.
inline void compare_random_tiled_lakes(comm::Comm& comm, Random& random, Index max_side,
                                       const std::filesystem::path& scratch, const TileQueue& on) {
  compare_random_tiled_lakes<std::uint8_t>(comm, random, max_side, scratch, on);
  compare_random_tiled_lakes<std::int16_t>(comm, random, max_side, scratch, on);
  compare_random_tiled_lakes<std::uint16_t>(comm, random, max_side, scratch, on);
  compare_random_tiled_lakes<std::int32_t>(comm, random, max_side, scratch, on);
  compare_random_tiled_lakes<float>(comm, random, max_side, scratch, on);
  compare_random_tiled_lakes<double>(comm, random, max_side, scratch, on);
}

// A raster whose edges are open.
template <class T>
TiledCase<T> tiled_case(const Dem<T>& dem) {
  TiledCase<T> c;
  c.raster.info.name = "dem";
  c.raster.info.rows = dem.grid.rows;
  c.raster.info.cols = dem.grid.cols;
  c.raster.cells = dem.z;
  c.raster.info.type = domain::type_of(c.raster.cells);
  c.options.rule = dem.grid.connectivity == Connectivity::d4 ? FlowRule::d4 : FlowRule::d8;
  c.options.loop_rows = dem.grid.loop_rows;
  c.options.loop_cols = dem.grid.loop_cols;
  for (std::size_t i = 0; i < dem.state.size(); ++i)
    if (dem.state[i] == std::uint8_t(CellState::sink))
      c.options.keep_sinks =
          std::to_string(Index(i) / dem.grid.cols) + "," + std::to_string(Index(i) % dem.grid.cols);
  return c;
}

// A lake of two cells that touch by a corner where four tiles of `side` cells meet.
inline Dem<float> lake_over_a_corner(Index side, bool falling, Connectivity connectivity) {
  std::vector<float> z(std::size_t(4 * side * side), 3.0F);
  const Index cols = 2 * side;
  z[std::size_t((side - 1) * cols + (falling ? side - 1 : side))] = 1.0F;
  z[std::size_t(side * cols + (falling ? side : side - 1))] = 2.0F;
  return dem<float>(cols, cols, std::move(z), connectivity);
}

// Lakes made for what tilings could get wrong.
inline void compare_special_tiled_lakes(comm::Comm& comm, Random& random, const TileQueue& on) {
  for (const Connectivity connectivity : {Connectivity::d4, Connectivity::d8}) {
    for (const bool falling : {false, true})
      for (const Index side : {2, 3, 65})
        compare_tiled_lakes(comm, tiled_case(lake_over_a_corner(side, falling, connectivity)),
                            {2 * side, 2 * side, side, side}, {}, on);
    const auto compare = [&](const auto& dem) {
      const auto c = tiled_case(dem);
      const domain::RasterInfo& info = c.raster.info;
      compare_tiled_lakes(comm, c, {info.rows, info.cols, info.rows / 3 + 1, info.cols / 4 + 1}, {},
                          on);
      compare_tiled_lakes(
          comm, c, {info.rows, info.cols, 5 + random.below(info.rows), 5 + random.below(info.cols)},
          {}, on);
    };
    compare(bowl(90, 170, connectivity));
    compare(winding_lake(41, true, connectivity));
    compare(winding_lake(41, false, connectivity));
    compare(looped_lakes(66, connectivity));
    compare(dem<float>(9, 7, std::vector<float>(63, 1.0F), connectivity));  // no lake
  }
}

}  // namespace terrawave::terrain::reference
