// Lengths, orders, labels, heights above the drainage and slopes on a GPU: the bytes of the CPU.
#include <gtest/gtest.h>

#include "device_or_skip.hpp"
#include "reference/terrain_tree_compare.hpp"
#include "reference/whole_products_compare.hpp"
#include "scratch_folder.hpp"
#include "terrawave/solvers/terrain/noise_steps.hpp"

namespace terrawave::terrain {
namespace {

using namespace reference;

TEST(TreeOnGpu, ProductsOfRandomRastersEqualTheSlowOnes) {
  TW_SKIP_WITHOUT_GPU();
  const par::Queue gpu = par::Queue::cuda();
  Random random(71);
  for (int i = 0; i < 30 && !HasFailure(); ++i) {
    SCOPED_TRACE(i);
    compare_random_products(random, gpu, i % 6 == 0 ? 200 : 24);
  }
}

TEST(TreeOnGpu, ProductsOfRandomForestsEqualTheSlowOnes) {
  TW_SKIP_WITHOUT_GPU();
  const par::Queue gpu = par::Queue::cuda();
  Random random(72);
  for (int i = 0; i < 60 && !HasFailure(); ++i) {
    SCOPED_TRACE(i);
    compare_random_forest(random, gpu, 150);
  }
}

// Few enough launches for compute-sanitizer.
TEST(TreeOnGpu, ProductsOfSmallRastersEqualTheSlowOnes) {
  TW_SKIP_WITHOUT_GPU();
  Random random(73);
  compare_random_products(random, par::Queue::cuda(), 24);
}

// Rivers of thousands of cells, by every mode.
TEST(TreeOnGpu, ProductsOfNoiseEqualTheSlowOnes) {
  TW_SKIP_WITHOUT_GPU();
  const par::Queue gpu = par::Queue::cuda();
  const par::Queue cpu = par::Queue::host();
  Dem<float> dem;
  dem.grid.rows = 1500;
  dem.grid.cols = 1000;
  par::Buffer<float> z(cpu, dem.grid.cells());
  par::dispatch(cpu, [&](const auto& exec) {
    steps::make_noise(exec, steps::Noise{}, 3, 5, dem.grid.rows, dem.grid.cols, z.view());
  });
  dem.z = z.download();
  dem.state = make_states<float>(dem.grid, dem.z, {}, {});
  Random random(74);
  const OnDevice<float> on(cpu, dem);
  for (const RouteMode mode : {RouteMode::carve, RouteMode::jump, RouteMode::fill}) {
    const Routed routed = on.routed(mode, true);
    compare_tree(random, gpu, dem.grid, routed.receivers.direction.download(),
                 routed.receivers.jumps, dem.z);
  }
}

// Whole products of one piece, marks of streams and watersheds among them.
TEST(TreeOnGpu, FilesOfOnePieceEqualTheCpu) {
  TW_SKIP_WITHOUT_GPU();
  const test::ScratchFolder folder;
  const par::Queue gpu = par::Queue::cuda();
  Random random(75);
  for (int k = 0; k < 150 && !HasFatalFailure(); ++k) {
    ProductCase c = random_product(random, k % 10 == 0 ? 150 : 24, folder.path(), true);
    if (c.step.out == ".geojson") c.step.out = ".npy";  // builds without GDAL write no vectors
    SCOPED_TRACE(testing::Message() << "case " << k);
    compare_whole(gpu, c, folder.path());
  }
}

TEST(TreeOnGpu, LoopsAreRefused) {
  TW_SKIP_WITHOUT_GPU();
  Grid grid;
  grid.rows = 100;
  grid.cols = 100;
  std::vector<Direction> direction(10000, kRoot);
  direction[63] = 0;
  direction[64] = 4;
  EXPECT_THROW(FlowTree(par::Queue::cuda(), grid, direction, {}), InputError);
}

}  // namespace
}  // namespace terrawave::terrain
