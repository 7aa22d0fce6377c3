// T6: any tiling gives the bytes of the raster in one piece.
#include <gtest/gtest.h>

#include "reference/tiled_compare.hpp"
#include "scratch_folder.hpp"

namespace terrawave::terrain {
namespace {

using reference::Random;

template <class T>
class Tiled : public ::testing::Test {};
using Types =
    ::testing::Types<std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, float, double>;
TYPED_TEST_SUITE(Tiled, Types);

TYPED_TEST(Tiled, EqualsOnePieceForRandomTilings) {
  const auto self = comm::make_self();
  Random random(20240611 + sizeof(TypeParam));
  for (int k = 0; k < 400 && !this->HasFatalFailure(); ++k) {
    const auto c = reference::random_tiled_case<TypeParam>(random, 24);
    const domain::RasterInfo& info = c.raster.info;
    const Tiling tiling = {info.rows, info.cols, 1 + random.below(info.rows),
                           1 + random.below(info.cols)};
    reference::compare_tiled<TypeParam>(*self, c, tiling);
    reference::compare_breach<TypeParam>(*self, random, c, tiling);
  }
}

// The code that tiles take on a GPU, on host threads, in memory that faults where a transfer was
// forgotten.
TYPED_TEST(Tiled, EqualsOnePieceByTheKernelsOfGpus) {
  const auto self = comm::make_self();
  const auto kernels = TileQueue::with_kernels(par::Queue::guarded_host(2));
  Random random(20261130 + sizeof(TypeParam));
  for (int k = 0; k < 50 && !this->HasFatalFailure(); ++k) {
    const auto c = reference::random_tiled_case<TypeParam>(random, 24);
    const domain::RasterInfo& info = c.raster.info;
    const Tiling tiling = {info.rows, info.cols, 1 + random.below(info.rows),
                           1 + random.below(info.cols)};
    reference::compare_tiled<TypeParam>(*self, c, tiling, {}, kernels);
    reference::compare_breach<TypeParam>(*self, random, c, tiling, {}, kernels);
  }
}

TEST(Tiled, EqualsOnePieceForEveryTilingOfOneRaster) {
  const auto self = comm::make_self();
  Random random(7);
  auto c = reference::random_tiled_case<std::int16_t>(random, 9);
  while (c.raster.info.rows < 7 || c.raster.info.cols < 6)
    c = reference::random_tiled_case<std::int16_t>(random, 9);
  const domain::RasterInfo& info = c.raster.info;
  for (Index r = 1; r <= info.rows; ++r)
    for (Index col = 1; col <= info.cols && !HasFatalFailure(); ++col)
      reference::compare_tiled<std::int16_t>(*self, c, {info.rows, info.cols, r, col});
}

TEST(Tiled, KeepsItsTilesInFilesWhenAsked) {
  const test::ScratchFolder folder;
  const auto self = comm::make_self();
  Random random(11);
  for (int k = 0; k < 5; ++k) {
    const auto c = reference::random_tiled_case<float>(random, 30);
    reference::compare_tiled<float>(*self, c, {c.raster.info.rows, c.raster.info.cols, 7, 9},
                                    folder.path() / "tiles");
    // Tiles so small that most walkers wait in files too.
    reference::compare_breach<float>(
        *self, random, c, {c.raster.info.rows, c.raster.info.cols, 3, 5}, folder.path() / "tiles");
    EXPECT_FALSE(std::filesystem::exists(folder.path() / "tiles"));
  }
}

// F7: a pit across tile borders.
TEST(Tiled, FillsAPitAcrossTileBorders) {
  const auto self = comm::make_self();
  domain::Raster raster;
  raster.info.rows = raster.info.cols = 6;
  raster.info.type = domain::CellType::i16;
  std::vector<std::int16_t> z(36, 9);
  for (int r = 1; r < 5; ++r)
    for (int c = 1; c < 5; ++c)
      z[std::size_t(6 * r + c)] = (r == 2 || r == 3) && (c == 2 || c == 3) ? 1 : 5;
  z[2] = 6;
  raster.cells = z;
  for (const FlowRule rule : {FlowRule::d4, FlowRule::d8})
    for (const auto& [rows, cols] :
         std::vector<std::pair<Index, Index>>{{3, 3}, {2, 2}, {1, 6}, {6, 1}, {5, 5}, {6, 6}}) {
      FlowOptions options;
      options.rule = rule;
      test::MemorySource source(raster);
      BlockReader reader(source, options, {6, 6, rows, cols});
      std::vector<std::int16_t> all(36);
      tiled_fill<std::int16_t>(*self, par::Queue::host(1), reader,
                               [&](Index tile, const std::vector<std::int16_t>& part) {
                                 domain::Cells whole = all;
                                 domain::paste(reader.tiling().window(tile), part,
                                               raster.info.whole(), whole);
                                 all = std::get<std::vector<std::int16_t>>(whole);
                               });
      for (int r = 1; r < 5; ++r)
        for (int c = 1; c < 5; ++c) EXPECT_EQ(all[std::size_t(6 * r + c)], 6);
    }
}

// The index layer beyond 2^31 cells: windows, tiles and linear indices of a virtual raster.
TEST(Tiled, CountsBeyond31Bits) {
  const Tiling tiling = {100000, 60000, 4096, 4096};
  EXPECT_EQ(tiling.tiles(), 25 * 15);
  Index cells = 0;
  for (Index tile = 0; tile < tiling.tiles(); ++tile) {
    const domain::Window w = tiling.window(tile);
    cells += w.size();
    const Index last = (w.row + w.rows - 1) * tiling.cols + w.col + w.cols - 1;
    EXPECT_EQ(tiling.tile_of(last), tile);
    EXPECT_EQ(tiling.tile_of(w.row * tiling.cols + w.col), tile);
  }
  EXPECT_EQ(cells, Index(6000000000));
}

}  // namespace
}  // namespace terrawave::terrain
