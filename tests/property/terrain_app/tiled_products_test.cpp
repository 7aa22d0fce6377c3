// Any tiling gives the files, facts and words of one piece, for every product that tiles make.
#include "reference/tiled_large.hpp"
#include "scratch_folder.hpp"
#include "terrawave/solvers/terrain/tiled_tool.hpp"

namespace terrawave::terrain {
namespace {

TEST(TiledProducts, EqualOnePieceForRandomTilings) {
  const test::ScratchFolder folder;
  const auto self = comm::make_self();
  reference::Random random(2027);
  for (int k = 0; k < 1500 && !HasFatalFailure(); ++k) {
    const auto c = reference::random_product(random, 18, folder.path(), true);
    reference::compare_product(*self, c, c.tiling, folder.path());
  }
}

TEST(TiledProducts, EqualOnePieceWhenKeptInFiles) {
  const test::ScratchFolder folder;
  const auto self = comm::make_self();
  reference::Random random(5);
  for (int k = 0; k < 40 && !HasFatalFailure(); ++k) {
    const auto c = reference::random_product(random, 12, folder.path(), true);
    reference::compare_product(*self, c, c.tiling, folder.path(), folder.path() / "tiles");
  }
}

// The code that tiles take on a GPU, on host threads, in memory that faults where a transfer was
// forgotten.
TEST(TiledProducts, EqualOnePieceByTheKernelsOfGpus) {
  const test::ScratchFolder folder;
  const auto self = comm::make_self();
  const auto kernels = TileQueue::with_kernels(par::Queue::guarded_host(2));
  reference::Random random(31);
  for (int k = 0; k < 250 && !HasFatalFailure(); ++k) {
    const auto c = reference::random_product(random, 18, folder.path(), true);
    reference::compare_product(*self, c, c.tiling, folder.path(), {}, kernels);
  }
}

// With tiles in files only some have room, and others are put away and brought back.
TEST(TiledProducts, EqualOnePieceByTheKernelsOfGpusWithTilesInFiles) {
  const test::ScratchFolder folder;
  const auto self = comm::make_self();
  const auto kernels = TileQueue::with_kernels(par::Queue::guarded_host(1));
  reference::Random random(37);
  for (int k = 0; k < 80 && !HasFatalFailure(); ++k) {
    const auto c = reference::random_product(random, 18, folder.path(), true);
    reference::compare_product(*self, c, c.tiling, folder.path(), folder.path() / "tiles", kernels);
  }
}

TEST(TiledProducts, LargeRastersEqualOnePieceByTheKernelsOfGpus) {
  const test::ScratchFolder folder;
  const auto self = comm::make_self();
  reference::compare_large(*self, TileQueue::with_kernels(par::Queue::host(2)), 200, 300,
                           folder.path());
}

TEST(TiledProducts, SmallBudgetsMakeSmallTilesAndTooSmallOnesAreRefused) {
  const FlowOptions flow;
  const Tiling large = tiling_for_memory(4096, 4096, 256e6, "fill", flow);
  const Tiling small = tiling_for_memory(4096, 4096, 64e6, "fill", flow);
  EXPECT_GT(large.tile_rows, small.tile_rows);
  EXPECT_GT(small.tile_rows, 100);
  EXPECT_EQ(tiling_for_memory(100, 200, 1e9, "fill", flow).tiles(), 1);
  EXPECT_THROW(tiling_for_memory(4096, 4096, 1e6, "fill", flow), InputError);
}

}  // namespace
}  // namespace terrawave::terrain
