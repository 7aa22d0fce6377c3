// A GPU against the CPU on random rasters and forests: the same bytes.
#pragma once

#include <cstring>

#include <gtest/gtest.h>

#include "reference/terrain_run.hpp"
#include "terrawave/solvers/terrain/peel_steps.hpp"

namespace terrawave::terrain::reference {

template <class T>
void compare(const Dem<T>& dem, const par::Queue& gpu, const par::Queue& cpu) {
  const OnDevice<T> a(gpu, dem);
  const OnDevice<T> b(cpu, dem);
  const Grid& grid = dem.grid;
  for (const FlatRule rule : {FlatRule::leave, FlatRule::by_index})
    EXPECT_TRUE(a.steepest(rule) == b.steepest(rule));
  const auto filled = a.filled();
  const auto expected = b.filled();
  EXPECT_EQ(0, std::memcmp(filled.data(), expected.data(), filled.size() * sizeof(T)));
  for (const RouteMode mode : {RouteMode::carve, RouteMode::jump, RouteMode::fill})
    for (const bool flats : {false, true}) {
      const Routed x = a.routed(mode, flats);
      const Routed y = b.routed(mode, flats);
      EXPECT_TRUE(x.receivers.direction.download() == y.receivers.direction.download());
      EXPECT_TRUE(x.receivers.jumps == y.receivers.jumps);
      EXPECT_EQ(x.stats.pits, y.stats.pits);
      EXPECT_EQ(x.stats.undrained, y.stats.undrained);
      EXPECT_TRUE(labelled(gpu, grid, x.receivers) == labelled(cpu, grid, y.receivers));
      EXPECT_TRUE(accumulated<std::int64_t>(gpu, grid, x.receivers, {}) ==
                  accumulated<std::int64_t>(cpu, grid, y.receivers, {}));
      EXPECT_TRUE(accumulated<double>(gpu, grid, x.receivers, {}) ==
                  accumulated<double>(cpu, grid, y.receivers, {}));
    }
}

template <class T>
void compare_random(std::uint64_t seed, int count) {
  const par::Queue gpu = par::Queue::cuda();
  const par::Queue cpu = par::Queue::host(1);
  Random random(seed);
  for (int i = 0; i < count && !testing::Test::HasFailure(); ++i) {
    const Dem<T> dem = random_dem<T>(random, i % 8 == 0 ? 200 : 24);
    SCOPED_TRACE(testing::Message()
                 << "raster " << i << ", " << dem.grid.rows << " x " << dem.grid.cols);
    compare(dem, gpu, cpu);
  }
}

// Sums, maxima and minima along the directions of a raster.
inline void compare_sums(Random& random, const Grid& grid, const std::vector<Direction>& direction,
                         const par::Queue& gpu, const par::Queue& cpu) {
  std::vector<std::int64_t> weights(direction.size());
  for (auto& w : weights) w = random.below(1000) - 500;
  const Receivers on_gpu = to_receivers(gpu, direction);
  const Receivers on_cpu = to_receivers(cpu, direction);
  for (const auto& w : {std::vector<std::int64_t>{}, weights})
    for (const Combine combine : {Combine::sum, Combine::max, Combine::min})
      EXPECT_TRUE(accumulated(gpu, grid, on_gpu, w, combine) ==
                  accumulated(cpu, grid, on_cpu, w, combine));
  par::Buffer<std::int64_t> out(gpu, grid.cells());
  for (const bool ping_pong : {false, true}) {
    par::dispatch(gpu, [&](const auto& exec) {
      steps::rake_compress(exec, view_of(grid, {}), on_gpu.direction.cview(), out.view(),
                           ping_pong);
    });
    EXPECT_TRUE(out.download() == accumulated<std::int64_t>(cpu, grid, on_cpu, {}));
  }
}

// A random forest of up to 150 x 150 cells.
inline void compare_forest(Random& random, const par::Queue& gpu, const par::Queue& cpu) {
  Grid grid;
  grid.rows = 1 + random.below(150);
  grid.cols = 1 + random.below(150);
  grid.loop_cols = random.chance(0.3);
  grid.loop_rows = random.chance(0.3);
  compare_sums(random, grid, random_forest(random, grid, 0.01), gpu, cpu);
}

// `across` x `across` random forests of less than `slot` cells a side, on one raster.
inline void compare_forests(Random& random, Index slot, Index across, const par::Queue& gpu,
                            const par::Queue& cpu) {
  Grid sheet;
  sheet.rows = sheet.cols = slot * across;
  std::vector<Direction> directions(std::size_t(sheet.cells()), kRoot);
  for (Index n = 0; n < across * across; ++n) {
    Grid grid;
    grid.rows = 1 + random.below(slot - 1);
    grid.cols = 1 + random.below(slot - 1);
    const auto forest = random_forest(random, grid, 0.01);
    const Index first = (n / across * sheet.cols + n % across) * slot;
    for (Index i = 0; i < grid.cells(); ++i)
      directions[std::size_t(first + i / grid.cols * sheet.cols + i % grid.cols)] =
          forest[std::size_t(i)];
  }
  compare_sums(random, sheet, directions, gpu, cpu);
}

// `across` x `across` random rasters of at most 24 cells a side, on one raster, with cells that do
// not belong to it between them.
template <class T>
void compare_rasters(Random& random, Index across, const par::Queue& gpu, const par::Queue& cpu) {
  constexpr Index kSlot = 25;
  Dem<T> sheet;
  sheet.grid.rows = sheet.grid.cols = kSlot * across;
  sheet.grid.connectivity = random.chance(0.5) ? Connectivity::d4 : Connectivity::d8;
  sheet.grid.dy = random.chance(0.5) ? 1.0 : 3.0;
  sheet.z.resize(std::size_t(sheet.grid.cells()));
  sheet.state.assign(sheet.z.size(), std::uint8_t(CellState::nodata));
  for (Index n = 0; n < across * across; ++n) {
    const Dem<T> dem = random_dem<T>(random, kSlot - 1);
    const Index first = (n / across * sheet.grid.cols + n % across) * kSlot;
    for (Index i = 0; i < dem.grid.cells(); ++i) {
      const auto at = std::size_t(first + i / dem.grid.cols * sheet.grid.cols + i % dem.grid.cols);
      sheet.z[at] = dem.z[std::size_t(i)];
      sheet.state[at] = dem.state[std::size_t(i)];
    }
  }
  compare(sheet, gpu, cpu);
}

}  // namespace terrawave::terrain::reference
