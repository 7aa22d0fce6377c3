// Any number of ranks gives the files, facts and words of one piece.
#include "device_or_skip.hpp"
#include "reference/tiled_from_compare.hpp"
#include "reference/tiled_sums_compare.hpp"
#include "scratch_folder.hpp"
#include "test_world.hpp"

namespace terrawave::terrain {
namespace {

// The root's folder, for all ranks.
std::filesystem::path folder_of_root(comm::Comm& world, const test::ScratchFolder& own) {
  comm::Bytes name = to_bytes(std::span<const char>(own.path().string()));
  world.broadcast(name, 0);
  return std::string(reinterpret_cast<const char*>(name.data()), name.size());
}

TEST(TiledProductsRanks, EqualOnePiece) {
  const test::ScratchFolder own;
  comm::Comm& world = test::world();
  const std::filesystem::path folder = folder_of_root(world, own);
  reference::Random random(77);
  for (int k = 0; k < 80; ++k) {
    const auto c = reference::random_product(random, 14, folder, world.is_root());
    world.barrier();
    const domain::RasterInfo& info = c.on.raster.info;
    reference::compare_product(world, c, tiling_for_ranks(info.rows, info.cols, world.size()),
                               folder);
    reference::compare_product(world, c, c.tiling, folder);
    world.barrier();
  }
}

TEST(TiledProductsRanks, ReadDirectionsAsOnePiece) {
  const test::ScratchFolder own;
  comm::Comm& world = test::world();
  const std::filesystem::path folder = folder_of_root(world, own);
  reference::Random random(78);
  for (int k = 0; k < 80; ++k) {
    const auto c = reference::random_from(random, 10, folder, world.is_root());
    world.barrier();
    reference::compare_from(world, c, folder);
    world.barrier();
    const auto angles = reference::random_angles(random, 10, folder, world.is_root());
    world.barrier();
    reference::compare_from(world, angles, folder);
    world.barrier();
    const auto fractions = reference::random_fractions(random, 10, folder, world.is_root());
    world.barrier();
    reference::compare_from(world, fractions, folder);
    world.barrier();
  }
}

// Products and angles that were read, in tiles worked on by `on`.
void compare_products(const TileQueue& on) {
  const test::ScratchFolder own;
  comm::Comm& world = test::world();
  const std::filesystem::path folder = folder_of_root(world, own);
  reference::Random random(79);
  for (int k = 0; k < 40; ++k) {
    auto c = reference::random_product(random, 14, folder, world.is_root());
    if (c.step.out == ".geojson") c.step.out = ".npy";  // builds without GDAL write no vectors
    world.barrier();
    const domain::RasterInfo& info = c.on.raster.info;
    reference::compare_product(world, c, tiling_for_ranks(info.rows, info.cols, world.size()),
                               folder, {}, on);
    reference::compare_product(world, c, c.tiling, folder, {}, on);
    world.barrier();
    const auto angles = reference::random_angles(random, 10, folder, world.is_root());
    world.barrier();
    reference::compare_from(world, angles, folder, on);
    world.barrier();
  }
}

// As with one GPU for each rank, but on host threads.
TEST(TiledProductsRanks, EqualOnePieceByTheKernelsOfGpus) {
  compare_products(TileQueue::with_kernels(par::Queue::guarded_host(1)));
}

TEST(TiledSumsRanks, PatchesOfAnySizeEqualTilesAlone) {
  reference::Random random(67);
  for (int k = 0; k < 60 && !HasFailure(); ++k) {
    SCOPED_TRACE(testing::Message() << "case " << k);
    reference::compare_random_patches(test::world(), random, 24,
                                      TileQueue::with_kernels(par::Queue::host(1)));
  }
}

TEST(TiledProductsRanks, EqualOnePieceWithAGpuForEachRank) {
  TW_SKIP_WITHOUT_GPU();
  compare_products(par::Queue::cuda(test::world().local_rank() % par::Queue::cuda_device_count()));
}

}  // namespace
}  // namespace terrawave::terrain
