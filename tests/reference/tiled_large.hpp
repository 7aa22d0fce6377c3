// Rasters of many cells in a few tiles: long rivers, wide flats and many nested pits in each.
#pragma once

#include "reference/tiled_products_compare.hpp"
#include "terrawave/par/launch.hpp"
#include "terrawave/solvers/terrain/noise_steps.hpp"

namespace terrawave::terrain::reference {

// Fractal noise.
inline TiledCase<float> noise_case(Index rows, Index cols) {
  const par::Queue queue = par::Queue::host(1);
  par::Buffer<float> z(queue, rows * cols);
  steps::make_noise(par::HostExec{queue}, steps::Noise{}, 3, 5, rows, cols, z.view());
  TiledCase<float> c;
  c.raster.info.name = "noise";
  c.raster.info.rows = rows;
  c.raster.info.cols = cols;
  c.raster.info.type = domain::CellType::f32;
  c.raster.cells = z.download();
  return c;
}

// A plain with hills that drains at its west edge.
inline TiledCase<std::int16_t> plain_case(Random& random, Index rows, Index cols, int kind) {
  TiledCase<std::int16_t> c;
  c.raster.info.name = "plain";
  c.raster.info.rows = rows;
  c.raster.info.cols = cols;
  c.raster.info.type = domain::CellType::i16;
  std::vector<std::int16_t> z(std::size_t(rows * cols), 7);
  for (std::int16_t& height : z)
    if (random.chance(0.1)) height = std::int16_t(8 + random.below(3));
  c.raster.cells = z;
  c.options.closed = {"north", "south", "east"};
  c.options.keep_sinks = std::to_string(rows / 2) + "," + std::to_string(cols / 3);
  c.options.loop_rows = kind % 3 == 2;
  if (kind % 2 == 1) c.options.rule = FlowRule::d4;
  return c;
}

// Every mode over noise and plains, and ordered sums of doubles, in tiles worked on by `on`.
inline void compare_large(comm::Comm& comm, const TileQueue& on, Index rows, Index cols,
                          const std::filesystem::path& folder) {
  const Tiling tiling = {rows, cols, rows / 2 + 7, cols / 3 + 5};
  TiledCase<float> noise = noise_case(rows, cols);
  for (const RouteMode mode : {RouteMode::carve, RouteMode::jump, RouteMode::fill}) {
    noise.options.mode = mode;
    compare_tiled<float>(comm, noise, tiling, {}, on);
  }
  ProductCase sums{noise, {}, tiling};
  locate(sums.on.raster.info);
  sums.on.options.weights = "area";
  sums.step.op = "accumulate";
  sums.step.out = ".npy";
  for (const RouteMode mode : {RouteMode::carve, RouteMode::jump}) {
    sums.on.options.mode = mode;
    compare_product(comm, sums, tiling, folder, {}, on);
  }
  for (const FlowRule rule : {FlowRule::dinf, FlowRule::freeman}) {
    sums.on.options.rule = rule;
    sums.on.options.mode = RouteMode::fill;
    compare_product(comm, sums, tiling, folder, {}, on);
  }
  Random random(3);
  for (int kind = 0; kind < 4; ++kind) {
    TiledCase<std::int16_t> plain = plain_case(random, rows, cols, kind);
    compare_tiled<std::int16_t>(comm, plain, tiling, {}, on);
    plain.options.mode = RouteMode::fill;
    compare_tiled<std::int16_t>(comm, plain, tiling, {}, on);
  }
}

}  // namespace terrawave::terrain::reference
