// Routing on the GPU gives the bytes of the CPU.
#include <cstring>

#include <gtest/gtest.h>

#include "device_or_skip.hpp"
#include "reference/terrain_run.hpp"
#include "terrawave/solvers/terrain/noise_steps.hpp"
#include "terrawave/solvers/terrain/peel_steps.hpp"

namespace terrawave::terrain {
namespace {

using namespace reference;

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

TEST(TerrainOnGpu, RandomRastersOfEveryTypeEqualTheCpu) {
  TW_SKIP_WITHOUT_GPU();
  constexpr int kEach = 60;
  compare_random<std::uint8_t>(1, kEach);
  compare_random<std::int16_t>(2, kEach);
  compare_random<std::uint16_t>(3, kEach);
  compare_random<std::int32_t>(4, kEach);
  compare_random<float>(5, kEach);
  compare_random<double>(6, kEach);
}

// Few enough launches for compute-sanitizer.
TEST(TerrainOnGpu, SmallRastersEqualTheCpu) {
  TW_SKIP_WITHOUT_GPU();
  compare_random<float>(7, 3);
}

TEST(TerrainOnGpu, NoiseTerrainEqualsTheCpu) {
  TW_SKIP_WITHOUT_GPU();
  Dem<float> dem;
  dem.grid.rows = 1000;
  dem.grid.cols = 1500;
  const auto make = [&](const par::Queue& queue) {
    par::Buffer<float> z(queue, dem.grid.cells());
    par::dispatch(queue, [&](const auto& exec) {
      steps::make_noise(exec, steps::Noise{}, 3, 5, dem.grid.rows, dem.grid.cols, z.view());
    });
    return z.download();
  };
  dem.z = make(par::Queue::host());
  EXPECT_TRUE(make(par::Queue::cuda()) == dem.z);
  dem.state = make_states<float>(dem.grid, dem.z, {}, {});
  compare(dem, par::Queue::cuda(), par::Queue::host());
}

// Flats over many tiles of words, with looped edges and in both connectivities.
TEST(TerrainOnGpu, WideFlatsDrainAsOnTheCpu) {
  TW_SKIP_WITHOUT_GPU();
  Random random(10);
  for (int i = 0; i < 6 && !HasFailure(); ++i) {
    Dem<std::int16_t> dem;
    dem.grid.rows = 300 + random.below(500);
    dem.grid.cols = 300 + random.below(500);
    dem.grid.loop_cols = i % 3 == 1;
    dem.grid.loop_rows = i % 3 == 2;
    if (i % 2 == 1) dem.grid.connectivity = Connectivity::d4;
    dem.z.assign(std::size_t(dem.grid.cells()), 7);
    for (auto& z : dem.z)
      if (random.chance(0.1)) z = std::int16_t(8 + random.below(3));
    Borders borders;
    borders.north = borders.south = borders.east = false;
    dem.state = make_states<std::int16_t>(dem.grid, dem.z, {}, borders);
    dem.state[std::size_t(dem.grid.cells() / 2)] = std::uint8_t(CellState::sink);
    compare(dem, par::Queue::cuda(), par::Queue::host());
  }
}

TEST(TerrainOnGpu, RandomForestsAddUp) {
  TW_SKIP_WITHOUT_GPU();
  const par::Queue gpu = par::Queue::cuda();
  const par::Queue cpu = par::Queue::host(1);
  Random random(9);
  for (int i = 0; i < 300 && !HasFailure(); ++i) {
    Grid grid;
    grid.rows = 1 + random.below(150);
    grid.cols = 1 + random.below(150);
    grid.loop_cols = random.chance(0.3);
    grid.loop_rows = random.chance(0.3);
    const auto direction = random_forest(random, grid, 0.01);
    std::vector<std::int64_t> weights(direction.size());
    for (auto& w : weights) w = random.below(1000) - 500;
    const Receivers on_gpu = to_receivers(gpu, direction);
    const Receivers on_cpu = to_receivers(cpu, direction);
    for (const auto& w : {std::vector<std::int64_t>{}, weights})
      for (const Combine combine : {Combine::sum, Combine::max, Combine::min})
        EXPECT_TRUE(accumulated(gpu, grid, on_gpu, w, combine) ==
                    accumulated(cpu, grid, on_cpu, w, combine))
            << "forest " << i;
    par::Buffer<std::int64_t> out(gpu, grid.cells());
    for (const bool ping_pong : {false, true}) {
      par::dispatch(gpu, [&](const auto& exec) {
        steps::rake_compress(exec, view_of(grid, {}), on_gpu.direction.cview(), out.view(),
                             ping_pong);
      });
      EXPECT_TRUE(out.download() == accumulated<std::int64_t>(cpu, grid, on_cpu, {}));
    }
  }
}

TEST(TerrainOnGpu, LoopsAreNamed) {
  TW_SKIP_WITHOUT_GPU();
  const par::Queue gpu = par::Queue::cuda();
  Grid grid;
  grid.rows = 100;
  grid.cols = 100;
  std::vector<Direction> direction(10000, kRoot);
  direction[63] = 0;  // across a tile border and back
  direction[64] = 4;
  const Receivers receivers = to_receivers(gpu, direction);
  EXPECT_THROW(accumulated<std::int64_t>(gpu, grid, receivers, {}), InputError);
  EXPECT_THROW(labelled(gpu, grid, receivers), InputError);
  EXPECT_EQ(find_loop(gpu, grid, receivers), (std::vector<Index>{63, 64}));
}

}  // namespace
}  // namespace terrawave::terrain
