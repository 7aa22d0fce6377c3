// Any tiling gives the files, facts and words of one piece, for every product that tiles make.
#include "reference/tiled_large.hpp"
#include "scratch_folder.hpp"
#include "terrawave/comm/threads.hpp"
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

// As under --memory: each thread is a rank.
TEST(TiledProducts, EqualOnePieceOnThreads) {
  const test::ScratchFolder folder;
  reference::Random random(6);
  for (int k = 0; k < 250 && !HasFatalFailure(); ++k) {
    const auto c = reference::random_product(random, 18, folder.path(), true);
    comm::run_on_threads(2 + k % 4, [&](comm::Comm& team) {
      reference::compare_product(team, c, c.tiling, folder.path());
    });
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

// Each thread works on a tile of its own, so tiles are as many and as small as that needs; where
// there is too little for that, fewer threads do.
TEST(TiledProducts, ThreadsShareTheMemoryOfABudget) {
  domain::RasterInfo info;
  info.rows = info.cols = 4096;
  Tool tool;
  tool.step.op = "fill";
  tool.memory = "400M";
  const TilePlan one = plan_for_memory(tool, info, 1);
  const TilePlan four = plan_for_memory(tool, info, 4);
  EXPECT_EQ(one.threads, 1);
  EXPECT_EQ(four.threads, 4);
  EXPECT_LE(4 * four.tiling.tile_rows * four.tiling.tile_cols,
            one.tiling.tile_rows * one.tiling.tile_cols);
  tool.memory = "100G";
  EXPECT_EQ(plan_for_memory(tool, info, 1).tiling.tiles(), 1);
  EXPECT_EQ(plan_for_memory(tool, info, 6).tiling.tiles(), 6);
  tool.memory = "60M";
  EXPECT_LT(plan_for_memory(tool, info, 64).threads, 64);
  info.rows = info.cols = 300;
  EXPECT_EQ(plan_for_memory(tool, info, 8).threads, 1);
}

}  // namespace
}  // namespace terrawave::terrain
