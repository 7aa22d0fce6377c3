// Directions of other programs in tiles: the bytes and the complaints of one piece.
#include "reference/tiled_from_compare.hpp"
#include "scratch_folder.hpp"
#include "terrawave/comm/threads.hpp"

namespace terrawave::terrain {
namespace {

TEST(TiledFrom, EqualsOnePieceForRandomCodes) {
  const test::ScratchFolder folder;
  const auto self = comm::make_self();
  reference::Random random(41);
  for (int k = 0; k < 1500 && !HasFailure(); ++k)
    reference::compare_from(*self, reference::random_from(random, 12, folder.path(), true),
                            folder.path());
}

// As under --memory: each thread is a rank.
TEST(TiledFrom, EqualsOnePieceOnThreads) {
  const test::ScratchFolder folder;
  reference::Random random(45);
  for (int k = 0; k < 100 && !HasFailure(); ++k) {
    const auto compare = [&](const reference::FromCase& input) {
      comm::run_on_threads(2 + k % 4, [&](comm::Comm& team) {
        reference::compare_from(team, input, folder.path());
      });
    };
    compare(reference::random_from(random, 12, folder.path(), true));
    compare(reference::random_angles(random, 12, folder.path(), true));
    compare(reference::random_fractions(random, 12, folder.path(), true));
  }
}

// As on a GPU, but on host threads.
TEST(TiledFrom, EqualsOnePieceByTheKernelsOfGpus) {
  const test::ScratchFolder folder;
  const auto self = comm::make_self();
  const auto kernels = TileQueue::with_kernels(par::Queue::guarded_host(2));
  reference::Random random(42);
  for (int k = 0; k < 300 && !HasFailure(); ++k) {
    reference::compare_from(*self, reference::random_from(random, 12, folder.path(), true),
                            folder.path(), kernels);
    reference::compare_from(*self, reference::random_angles(random, 12, folder.path(), true),
                            folder.path(), kernels);
    reference::compare_from(*self, reference::random_fractions(random, 12, folder.path(), true),
                            folder.path(), kernels);
  }
}

TEST(TiledFrom, EqualsOnePieceForRandomAngles) {
  const test::ScratchFolder folder;
  const auto self = comm::make_self();
  reference::Random random(43);
  for (int k = 0; k < 1000 && !HasFailure(); ++k)
    reference::compare_from(*self, reference::random_angles(random, 12, folder.path(), true),
                            folder.path());
}

TEST(TiledFrom, EqualsOnePieceForRandomFractions) {
  const test::ScratchFolder folder;
  const auto self = comm::make_self();
  reference::Random random(44);
  for (int k = 0; k < 1000 && !HasFailure(); ++k)
    reference::compare_from(*self, reference::random_fractions(random, 12, folder.path(), true),
                            folder.path());
}

// Fractions that this program wrote give the accumulation of the heights they came from, bit for
// bit, over looped edges too.
TEST(TiledFrom, FractionsOfHeightsGiveTheirAccumulation) {
  const test::ScratchFolder folder;
  const par::Queue queue = par::Queue::host(1);
  reference::Random random(48);
  for (int k = 0; k < 100 && !HasFailure(); ++k) {
    auto c = reference::random_tiled_case<float>(random, 16);
    c.options.rule = random.chance(0.5) ? FlowRule::freeman : FlowRule::quinn;
    Session heights(queue, c.raster, c.options, {});
    Step step;
    step.op = "flow";
    step.out = (folder.path() / "fractions.npy").string();
    make_product(heights, step);
    const ShareInput input =
        read_shares(queue, step.out, 0, direction_source("fractions", false, ""), c.options);
    EXPECT_EQ(input.led_out, 0);
    Session again(queue, input.info, input.fractions, input.states, c.options, {});
    EXPECT_EQ(std::get<std::vector<double>>(again.accumulation()),
              std::get<std::vector<double>>(heights.accumulation()));
  }
}

// Angles that this program wrote give the accumulation of the heights they came from.
TEST(TiledFrom, AnglesOfHeightsGiveTheirAccumulation) {
  const test::ScratchFolder folder;
  const par::Queue queue = par::Queue::host(1);
  reference::Random random(47);
  for (int k = 0; k < 100 && !HasFailure(); ++k) {
    auto c = reference::random_tiled_case<float>(random, 16);
    c.options.rule = FlowRule::dinf;
    c.options.loop_cols = c.options.loop_rows = false;  // angles lead over no looped edge
    c.options.closed.clear();
    Session heights(queue, c.raster, c.options, {});
    Step step;
    step.op = "flow";
    step.out = (folder.path() / "angles.npy").string();
    make_product(heights, step);
    const ShareInput input =
        read_shares(queue, step.out, 0, direction_source("dinf", false, ""), c.options);
    EXPECT_EQ(input.led_out, 0);
    Session again(queue, input.info, input.fractions, input.states, c.options, {});
    EXPECT_EQ(std::get<std::vector<double>>(again.accumulation()),
              std::get<std::vector<double>>(heights.accumulation()));
  }
}

// F14: two cells whose angles point at each other.
template <class T>
class LoopOfAngles : public ::testing::Test {};
using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(LoopOfAngles, Precisions);
TYPED_TEST(LoopOfAngles, IsNamed) {
  const test::ScratchFolder folder;
  const auto self = comm::make_self();
  domain::Raster raster;
  raster.info.rows = 1;
  raster.info.cols = 2;
  raster.cells = std::vector<TypeParam>{0, TypeParam(std::acos(-1.0))};
  raster.info.type = domain::type_of(raster.cells);
  const std::string file = (folder.path() / "angles.npy").string();
  io::write_raster(file, raster);
  const auto source = io::open_raster(file);
  FlowOptions flow;
  flow.rule = FlowRule::dinf;
  const DirectionSource from = direction_source("dinf", false, "");
  const std::string said = file +
                           ": error: the flow of the angles runs in a loop of 2 cells, against the "
                           "flow: (row 0, column 0) (row 0, column 1); break loops with --repair";
  try {
    TiledSession(*self, par::Queue::host(1), *source, from, flow, {1, 2, 1, 1}, {}, {});
    FAIL();
  } catch (const InputError& e) {
    EXPECT_EQ(std::string(e.what()), said);
  }
  EXPECT_EQ(
      read_shares(par::Queue::host(1), file, 0, direction_source("dinf", true, ""), flow).repaired,
      1);
}

// A loop through four tiles, named from its smallest cell on, whichever way it turns.
TEST(TiledFrom, NamesALoopAcrossTiles) {
  const test::ScratchFolder folder;
  const auto self = comm::make_self();
  domain::Raster raster;
  raster.info.rows = raster.info.cols = 6;
  raster.info.type = domain::CellType::u8;
  std::vector<std::uint8_t> codes(36, 0);
  // Clockwise round the cells (1, 1) to (4, 4), in ESRI's codes.
  for (int k = 1; k < 4; ++k) {
    codes[std::size_t(6 + k)] = 1;
    codes[std::size_t(6 * k + 4)] = 4;
    codes[std::size_t(24 + k + 1)] = 16;
    codes[std::size_t(6 * (k + 1) + 1)] = 64;
  }
  raster.cells = codes;
  const std::string file = (folder.path() / "codes.npy").string();
  io::write_raster(file, raster);
  const auto source = io::open_raster(file);
  try {
    TiledSession(*self, par::Queue::host(1), *source, DirectionSource{}, {}, {6, 6, 3, 3}, {}, {});
    FAIL();
  } catch (const InputError& e) {
    EXPECT_EQ(std::string(e.what()),
              file +
                  ": error: the directions run in a loop of 12 cells: (row 1, column 1) (row 1, "
                  "column 2) (row 1, column 3) (row 1, column 4) (row 2, column 4) (row 3, "
                  "column 4) (row 4, column 4) (row 4, column 3) ...; break loops with "
                  "--repair");
  }
}

}  // namespace
}  // namespace terrawave::terrain
