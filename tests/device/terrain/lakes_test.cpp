// Lakes of one piece on a GPU: every field of the slow ones.
#include <gtest/gtest.h>

#include "device_or_skip.hpp"
#include "reference/terrain_lakes.hpp"
#include "terrawave/solvers/terrain/noise_steps.hpp"

namespace terrawave::terrain {
namespace {

using namespace reference;

TEST(LakesOnGpu, RandomRastersEqualTheSlowOnes) {
  TW_SKIP_WITHOUT_GPU();
  const par::Queue gpu = par::Queue::cuda();
  Random random(91);
  for (int i = 0; i < 60 && !HasFailure(); ++i) {
    SCOPED_TRACE(i);
    compare_random_lakes(random, gpu, i % 6 == 0 ? 200 : 24);
  }
}

// Few enough launches for compute-sanitizer.
TEST(LakesOnGpu, SmallRastersEqualTheSlowOnes) {
  TW_SKIP_WITHOUT_GPU();
  Random random(92);
  compare_random_lakes(random, par::Queue::cuda(), 24);
}

// All threads join cells of one lake.
TEST(LakesOnGpu, HugeLakesEqualTheSlowOnes) {
  TW_SKIP_WITHOUT_GPU();
  const par::Queue gpu = par::Queue::cuda();
  Random random(93);
  for (const Connectivity connectivity : {Connectivity::d4, Connectivity::d8}) {
    EXPECT_EQ(compare_lakes(random, gpu, bowl(1500, 1900, connectivity)), 1U);
    EXPECT_GT(compare_lakes(random, gpu, looped_lakes(700, connectivity)), 0U);
  }
}

TEST(LakesOnGpu, LakesThatWindEqualTheSlowOnes) {
  TW_SKIP_WITHOUT_GPU();
  const par::Queue gpu = par::Queue::cuda();
  Random random(94);
  for (const bool along_rows : {false, true})
    EXPECT_EQ(compare_lakes(random, gpu, winding_lake(1415, along_rows, Connectivity::d8)), 1U);
}

// A quarter of the cells under water, in lakes of every size.
TEST(LakesOnGpu, LakesOfNoiseEqualTheSlowOnes) {
  TW_SKIP_WITHOUT_GPU();
  const par::Queue gpu = par::Queue::cuda();
  Dem<float> noise;
  noise.grid.rows = 1500;
  noise.grid.cols = 1000;
  par::Buffer<float> z(gpu, noise.grid.cells());
  par::dispatch(gpu, [&](const auto& exec) {
    steps::make_noise(exec, steps::Noise{}, 3, 5, noise.grid.rows, noise.grid.cols, z.view());
  });
  noise.z = z.download();
  noise.state = make_states<float>(noise.grid, noise.z, {}, {});
  Random random(95);
  EXPECT_GT(compare_lakes(random, gpu, noise), 100U);
}

}  // namespace
}  // namespace terrawave::terrain
