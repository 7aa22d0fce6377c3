// The checks that make a raster's products once more, in tiles (T5, T6).
#include "reference/tiled_from_compare.hpp"
#include "reference/tiled_products_compare.hpp"
#include "scratch_folder.hpp"
#include "terrawave/solvers/terrain/product_verify.hpp"

namespace terrawave::terrain {
namespace {

TEST(TiledAgain, HoldsWhereOnePieceHolds) {
  const auto self = comm::make_self();
  reference::Random random(55);
  for (int k = 0; k < 300 && !HasFailure(); ++k) {
    auto c = reference::random_tiled_case<float>(random, 16);
    const FlowRule rules[] = {FlowRule::d8, FlowRule::d4, FlowRule::dinf, FlowRule::quinn};
    c.options.rule = rules[random.below(4)];
    const domain::RasterInfo& info = c.raster.info;
    Session whole(par::Queue::host(1), c.raster, c.options, {});
    test::MemorySource source(c.raster);
    TiledSession tiled(
        *self, par::Queue::host(1), source, c.options,
        {info.rows, info.cols, 1 + random.below(info.rows), 1 + random.below(info.cols)}, {}, {});
    const std::vector<Check> one = verify_again(whole);
    const std::vector<Check> many = verify_tiled_again(tiled);
    ASSERT_EQ(one.size(), many.size());
    for (std::size_t i = 0; i < one.size(); ++i) {
      EXPECT_EQ(one[i].name, many[i].name);
      EXPECT_TRUE(one[i].ok) << one[i].name;
      EXPECT_TRUE(many[i].ok) << many[i].name;
    }
  }
}

// What was read from files: directions, angles, fractions, with and without repairs.
TEST(TiledAgain, HoldsOfWhatWasRead) {
  const test::ScratchFolder folder;
  const auto self = comm::make_self();
  const par::Queue queue = par::Queue::host(1);
  reference::Random random(56);
  int checked = 0;
  const auto check = [&](const reference::FromCase& c) {
    try {
      const auto source = io::open_raster(c.file, c.from.kind == FromKind::fractions ? 1 : 0);
      TiledSession tiled(*self, queue, *source, c.from, c.flow, c.tiling, {}, {});
      std::optional<Session> whole;
      if (c.from.shares()) {
        const ShareInput input = read_shares(queue, c.file, 0, c.from, c.flow);
        whole.emplace(queue, input.info, input.fractions, input.states, c.flow,
                      Session::Progress());
      } else {
        const DirectionInput input = read_directions(queue, c.file, 0, c.from, c.flow);
        whole.emplace(queue, input.info, input.direction, c.flow, Session::Progress());
      }
      const std::vector<Check> one = verify_again(*whole, *source, c.from);
      const std::vector<Check> many = verify_tiled_again(tiled, c.from);
      ASSERT_EQ(one.size(), many.size());
      for (std::size_t i = 0; i < one.size(); ++i, ++checked) {
        EXPECT_EQ(one[i].name, many[i].name);
        EXPECT_TRUE(one[i].ok) << one[i].name << ": " << one[i].detail;
        EXPECT_TRUE(many[i].ok) << many[i].name << ": " << many[i].detail;
      }
    } catch (const InputError&) {  // a raster of another kind, or loops
    }
  };
  for (int k = 0; k < 60 && !HasFailure(); ++k) {
    check(reference::random_from(random, 12, folder.path(), true));
    check(reference::random_angles(random, 12, folder.path(), true));
    check(reference::random_fractions(random, 12, folder.path(), true));
  }
  EXPECT_GT(checked, 100);
}

// One cell by one step of its type is enough to be found.
TEST(TiledAgain, FindsACellThatDiffers) {
  const auto self = comm::make_self();
  reference::Random random(8);
  auto c = reference::random_tiled_case<std::int16_t>(random, 12);
  c.options = {};
  test::MemorySource source(c.raster);
  const domain::RasterInfo& info = c.raster.info;
  TiledSession session(*self, par::Queue::host(1), source, c.options,
                       {info.rows, info.cols, (info.rows + 1) / 2, info.cols}, {}, {});
  session.fill();
  auto filled = session.store().get<std::int16_t>(0, "filled");
  ++filled.back();
  session.store().put(0, "filled", filled);
  const std::vector<Check> checks = verify_tiled_again(session);
  ASSERT_GE(checks.size(), 3u);
  EXPECT_FALSE(checks[0].ok);  // turned
  EXPECT_FALSE(checks[1].ok);  // fill in tiles
  EXPECT_TRUE(checks[2].ok);   // directions
}

TEST(TiledAgain, FindsACellThatDiffersInWhatWasRead) {
  const test::ScratchFolder folder;
  const auto self = comm::make_self();
  const std::string file = (folder.path() / "codes.npy").string();
  domain::Raster codes;
  codes.info.rows = codes.info.cols = 4;
  codes.info.type = domain::CellType::u8;
  codes.cells = std::vector<std::uint8_t>(16, 1);  // ESRI: east
  io::write_raster(file, codes);
  const auto source = io::open_raster(file, 0);
  const DirectionSource from = direction_source("esri", false, "");
  TiledSession session(*self, par::Queue::host(1), *source, from, {}, {4, 4, 2, 4}, {}, {});
  session.accumulate();
  session.store().edit<std::int64_t>(1, "accumulation",
                                     [](std::span<std::int64_t> all) { ++all.back(); });
  const std::vector<Check> checks = verify_tiled_again(session, from);
  ASSERT_EQ(checks.size(), 3u);
  EXPECT_TRUE(checks[0].ok);   // directions
  EXPECT_FALSE(checks[1].ok);  // accumulation
  EXPECT_TRUE(checks[2].ok);   // basins
}

}  // namespace
}  // namespace terrawave::terrain
