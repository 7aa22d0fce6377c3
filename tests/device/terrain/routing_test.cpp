// Routing on the GPU gives the bytes of the CPU.
#include <gtest/gtest.h>

#include "device_or_skip.hpp"
#include "reference/terrain_breach.hpp"
#include "reference/terrain_gpu.hpp"
#include "reference/terrain_loops.hpp"
#include "terrawave/solvers/terrain/noise_steps.hpp"

namespace terrawave::terrain {
namespace {

using namespace reference;

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
    const Dem<std::int16_t> dem = random_plain(random, 300, 500, i);
    compare(dem, par::Queue::cuda(), par::Queue::host());
  }
}

TEST(TerrainOnGpu, RandomForestsAddUp) {
  TW_SKIP_WITHOUT_GPU();
  const par::Queue gpu = par::Queue::cuda();
  const par::Queue cpu = par::Queue::host(1);
  Random random(9);
  for (int i = 0; i < 300 && !HasFailure(); ++i) {
    SCOPED_TRACE(testing::Message() << "forest " << i);
    compare_forest(random, gpu, cpu);
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

TEST(TerrainOnGpu, LoopsOfRandomDirectionsEqualTheSlowOnes) {
  TW_SKIP_WITHOUT_GPU();
  const par::Queue gpu = par::Queue::cuda();
  Random random(94);
  for (int i = 0; i < 20 && !HasFailure(); ++i) {
    SCOPED_TRACE(i);
    compare_random_loops_of_all_types(random, gpu, i % 10 == 9 ? 150 : 24);
  }
}

TEST(TerrainOnGpu, LoopsOfRandomFractionsEqualTheSlowOnes) {
  TW_SKIP_WITHOUT_GPU();
  const par::Queue gpu = par::Queue::cuda();
  Random random(95);
  for (int i = 0; i < 20 && !HasFailure(); ++i) {
    SCOPED_TRACE(i);
    compare_random_share_loops<float>(random, gpu, 30);
  }
}

TEST(TerrainOnGpu, ChannelsEqualTheSlowOnes) {
  TW_SKIP_WITHOUT_GPU();
  compare_random_breaches(par::Queue::cuda(), 20);
}

// Few enough launches for compute-sanitizer.
TEST(TerrainOnGpu, ChannelsAndLoopsOfSmallRastersEqualTheSlowOnes) {
  TW_SKIP_WITHOUT_GPU();
  const par::Queue gpu = par::Queue::cuda();
  Random random(96);
  compare_breach(random, random_dem<float>(random, 40), gpu);
  compare_random_loops<float>(random, gpu, 40);
  compare_random_share_loops<float>(random, gpu, 30);
}

}  // namespace
}  // namespace terrawave::terrain
