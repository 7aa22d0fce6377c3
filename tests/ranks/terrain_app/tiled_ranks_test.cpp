// T6: any number of ranks gives the bytes of the raster in one piece.
#include <gtest/gtest.h>

#include "reference/tiled_compare.hpp"
#include "test_world.hpp"

namespace terrawave::terrain {
namespace {

TEST(TiledRanks, EqualOnePiece) {
  reference::Random random(31);
  for (int k = 0; k < 60 && !HasFatalFailure(); ++k) {
    const auto c = reference::random_tiled_case<std::int16_t>(random, 20);
    const domain::RasterInfo& info = c.raster.info;
    // One block per rank (also where rows are fewer than ranks), then many small tiles.
    reference::compare_tiled<std::int16_t>(
        test::world(), c, tiling_for_ranks(info.rows, info.cols, test::world().size()));
    reference::compare_tiled<std::int16_t>(
        test::world(), c,
        {info.rows, info.cols, 1 + random.below(info.rows), 1 + random.below(info.cols)});
    reference::compare_breach<std::int16_t>(
        test::world(), random, c,
        {info.rows, info.cols, 1 + random.below(info.rows), 1 + random.below(info.cols)});
  }
}

// One rank's bad input stops all of them with the same message.
TEST(TiledRanks, FailTogether) {
  comm::Comm& world = test::world();
  const int last = world.size() - 1;
  try {
    together(world, [&] {
      if (world.rank() == last) throw InputError("row 3 is bad");
    });
    FAIL();
  } catch (const InputError& e) {
    EXPECT_STREQ(e.what(), "row 3 is bad");
  }
}

}  // namespace
}  // namespace terrawave::terrain
