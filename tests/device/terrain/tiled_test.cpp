// Tiles worked on by a GPU give the bytes of one piece on the CPU.
#include "device_or_skip.hpp"
#include "reference/tiled_from_compare.hpp"
#include "reference/tiled_lakes_compare.hpp"
#include "reference/tiled_large.hpp"
#include "reference/tiled_sums_compare.hpp"
#include "scratch_folder.hpp"

namespace terrawave::terrain {
namespace {

using namespace reference;

// A random product as a raster or a table: builds without GDAL write no vectors.
ProductCase random_raster_product(Random& random, Index max_side,
                                  const std::filesystem::path& folder) {
  ProductCase c = random_product(random, max_side, folder, true);
  if (c.step.out == ".geojson") c.step.out = ".npy";
  return c;
}

TEST(TilesOnGpu, ProductsEqualOnePiece) {
  TW_SKIP_WITHOUT_GPU();
  const test::ScratchFolder folder;
  const auto self = comm::make_self();
  Random random(77);
  for (int k = 0; k < 150 && !HasFatalFailure(); ++k) {
    const ProductCase c = random_raster_product(random, k % 10 == 0 ? 150 : 24, folder.path());
    SCOPED_TRACE(testing::Message() << "case " << k);
    compare_product(*self, c, c.tiling, folder.path(), {}, par::Queue::cuda());
  }
}

TEST(TilesOnGpu, RasterOfEveryTypeEqualsOnePiece) {
  TW_SKIP_WITHOUT_GPU();
  const auto self = comm::make_self();
  const par::Queue gpu = par::Queue::cuda();
  Random random(79);
  const auto compare_each = [&]<class T>(T) {
    for (int k = 0; k < 25 && !HasFatalFailure(); ++k) {
      const TiledCase<T> c = random_tiled_case<T>(random, k % 10 == 0 ? 200 : 24);
      const domain::RasterInfo& info = c.raster.info;
      SCOPED_TRACE(testing::Message() << "raster " << k);
      const Tiling tiling = {info.rows, info.cols, 1 + random.below(info.rows),
                             1 + random.below(info.cols)};
      compare_tiled<T>(*self, c, tiling, {}, gpu);
      compare_breach<T>(*self, random, c, tiling, {}, gpu);
    }
  };
  compare_each(std::uint8_t{});
  compare_each(std::int16_t{});
  compare_each(std::uint16_t{});
  compare_each(std::int32_t{});
  compare_each(float{});
  compare_each(double{});
}

TEST(TilesOnGpu, AnglesAndFractionsThatWereReadEqualOnePiece) {
  TW_SKIP_WITHOUT_GPU();
  const test::ScratchFolder folder;
  const auto self = comm::make_self();
  const par::Queue gpu = par::Queue::cuda();
  Random random(80);
  for (int k = 0; k < 30 && !HasFailure(); ++k) {
    compare_from(*self, random_angles(random, 24, folder.path(), true), folder.path(), gpu);
    compare_from(*self, random_fractions(random, 24, folder.path(), true), folder.path(), gpu);
  }
}

TEST(TilesOnGpu, LakesEqualTheSlowOnes) {
  TW_SKIP_WITHOUT_GPU();
  const auto self = comm::make_self();
  const par::Queue gpu = par::Queue::cuda();
  Random random(82);
  for (int k = 0; k < 12 && !HasFailure(); ++k) {
    SCOPED_TRACE(k);
    compare_random_tiled_lakes(*self, random, k % 4 == 0 ? 150 : 24, {}, gpu);
  }
  compare_special_tiled_lakes(*self, random, gpu);
}

TEST(TilesOnGpu, LargeRastersEqualOnePiece) {
  TW_SKIP_WITHOUT_GPU();
  const test::ScratchFolder folder;
  const auto self = comm::make_self();
  compare_large(*self, par::Queue::cuda(), 1000, 1500, folder.path());
}

TEST(TilesOnGpu, PatchesOfAnySizeEqualTilesAlone) {
  TW_SKIP_WITHOUT_GPU();
  const auto self = comm::make_self();
  Random random(81);
  for (int k = 0; k < 25 && !HasFailure(); ++k) {
    SCOPED_TRACE(testing::Message() << "case " << k);
    compare_random_patches(*self, random, 24, par::Queue::cuda());
  }
}

// Few enough launches for compute-sanitizer.
TEST(TilesOnGpu, FewProductsEqualOnePiece) {
  TW_SKIP_WITHOUT_GPU();
  const test::ScratchFolder folder;
  const auto self = comm::make_self();
  Random random(78);
  for (int k = 0; k < 12 && !HasFatalFailure(); ++k) {
    const ProductCase c = random_raster_product(random, 18, folder.path());
    compare_product(*self, c, c.tiling, folder.path(), {}, par::Queue::cuda());
  }
}

}  // namespace
}  // namespace terrawave::terrain
