// Products on small rasters with known answers; the numbers in brackets are those of the
// specification's lists.
#include <cmath>
#include <fstream>

#include <gtest/gtest.h>

#include "reference/terrain_random.hpp"
#include "reference/terrain_reference.hpp"
#include "scratch_folder.hpp"
#include "terrawave/base/error.hpp"
#include "terrawave/io/raster.hpp"
#include "terrawave/solvers/terrain/codec_directions.hpp"
#include "terrawave/solvers/terrain/product_lakes.hpp"
#include "terrawave/solvers/terrain/product_network.hpp"
#include "terrawave/solvers/terrain/product_verify.hpp"

namespace terrawave::terrain {
namespace {

domain::Raster dem(Index rows, Index cols, std::vector<std::int16_t> z) {
  domain::Raster raster;
  raster.info.name = "dem";
  raster.info.rows = rows;
  raster.info.cols = cols;
  raster.info.type = domain::CellType::i16;
  raster.cells = std::move(z);
  return raster;
}

Session open(const domain::Raster& raster, const FlowOptions& options = {}) {
  return Session(par::Queue::host(1), raster, options, {});
}

std::vector<std::int16_t> filled(const domain::Raster& raster, const FlowOptions& options = {}) {
  Session session = open(raster, options);
  return std::get<std::vector<std::int16_t>>(session.filled().cells);
}

// F3: interior nodata stays, and drains or not as asked.
TEST(Products, NodataDrainsOrIsAWall) {
  domain::Raster raster = dem(3, 4, {250, 260, 265, 270, 240, -9999, 100, 210, 230, 220, 225, 205});
  raster.info.nodata = -9999;
  EXPECT_EQ(filled(raster), std::get<std::vector<std::int16_t>>(raster.cells));
  FlowOptions wall;
  wall.nodata_drains = false;
  auto expected = std::get<std::vector<std::int16_t>>(raster.cells);
  expected[6] = 205;
  EXPECT_EQ(filled(raster, wall), expected);
}

// F4: sinks that are kept.
TEST(Products, KeptSinksKeepTheirHeight) {
  const domain::Raster raster = dem(
      4, 7, {9, 9, 9, 9, 9, 9, 9, 9, 4, 5, 8, 5, 3, 9, 9, 5, 6, 8, 6, 5, 7, 9, 9, 9, 9, 9, 9, 9});
  const auto rows = [](const std::vector<std::int16_t>& z) {
    return std::vector<std::int16_t>(z.begin() + 7, z.begin() + 21);
  };
  EXPECT_EQ(rows(filled(raster)),
            (std::vector<std::int16_t>{9, 8, 8, 8, 7, 7, 9, 9, 8, 8, 8, 7, 7, 7}));
  FlowOptions kept;
  kept.keep_sinks = "1,1";
  EXPECT_EQ(rows(filled(raster, kept)),
            (std::vector<std::int16_t>{9, 4, 5, 8, 7, 7, 9, 9, 5, 6, 8, 7, 7, 7}));
  kept.keep_sinks = "1,1;1,5";
  Session session = open(raster, kept);
  const auto& count = std::get<std::vector<std::int64_t>>(session.accumulation());
  std::int64_t sum = 0;
  for (Index i = 0; i < 28; ++i)
    if (session.tree().is_root(i)) sum += count[std::size_t(i)];
  EXPECT_EQ(sum, 28);
}

// F20, F21, F22.
TEST(Products, RootsClosedBordersAndConnectivity) {
  EXPECT_EQ(filled(dem(3, 3, {5, 5, 5, 5, 1, 5, 5, 5, 5}))[4], 5);

  FlowOptions corner;
  corner.rule = FlowRule::d4;
  corner.closed = {"all"};
  corner.keep_sinks = "0,0";
  const domain::Raster closed = dem(3, 4, {0, 3, 1, 9, 9, 9, 9, 9, 9, 9, 9, 9});
  for (const RouteMode mode : {RouteMode::carve, RouteMode::jump, RouteMode::fill}) {
    corner.mode = mode;
    Session session = open(closed, corner);
    EXPECT_EQ(std::get<std::vector<std::int16_t>>(session.filled().cells)[2], 3);
    EXPECT_EQ(std::get<std::vector<std::int64_t>>(session.accumulation())[0], 12);
  }
  const domain::Raster both =
      dem(5, 5, {5, 5, 5, 5, 0, 5, 1, 1, 5, 5, 5, 1, 1, 5, 5, 5, 5, 5, 2, 5, 5, 5, 5, 5, 2});
  EXPECT_EQ(filled(both)[6], 2);
  FlowOptions d4;
  d4.rule = FlowRule::d4;
  EXPECT_EQ(filled(both, d4)[6], 5);
  EXPECT_EQ(filled(both, d4)[18], 5);
}

TEST(Products, NoOutletIsBadInput) {
  FlowOptions closed;
  closed.closed = {"all"};
  EXPECT_THROW(open(dem(3, 3, {5, 5, 5, 5, 1, 5, 5, 5, 5}), closed), InputError);
  closed.closed = {"nrth"};
  EXPECT_THROW(open(dem(3, 3, {5, 5, 5, 5, 1, 5, 5, 5, 5}), closed), InputError);
  FlowOptions outside;
  outside.keep_sinks = "3,0";
  EXPECT_THROW(open(dem(3, 3, {5, 5, 5, 5, 1, 5, 5, 5, 5}), outside), InputError);
}

// A tree by hand: a row of cells flowing east, with donors from north and south.
FlowTree tree_of(const Grid& grid, const std::vector<Direction>& direction) {
  return FlowTree(par::Queue::host(1), grid, direction, {});
}

// T11: Strahler's order where more than two streams meet.
TEST(Products, StrahlerAndShreveWhereThreeMeet) {
  Grid grid;
  grid.rows = 3;
  grid.cols = 3;
  // West, north and south drain into the middle; the middle drains east.
  const std::vector<Direction> d = {kNoDirection, 2, kNoDirection, 0, 0, kRoot,
                                    kNoDirection, 6, kNoDirection};
  const std::vector<std::uint8_t> all(9, 1);
  const FlowTree tree = tree_of(grid, d);
  EXPECT_EQ(strahler_order(tree, all)[4], 2);
  EXPECT_EQ(strahler_order(tree, all)[5], 2);
  EXPECT_EQ(shreve_order(tree, all)[5], 3);
}

// Strahler and Shreve by recursion, lengths by walking, on random forests.
TEST(Products, OrdersAndLengthsEqualSlowOnes) {
  reference::Random random(5);
  for (int k = 0; k < 300; ++k) {
    Grid grid;
    grid.rows = 1 + random.below(12);
    grid.cols = 1 + random.below(12);
    grid.dy = 2;
    const auto d = reference::random_forest(random, grid, 0.1);
    const FlowTree tree = tree_of(grid, d);
    std::vector<std::uint8_t> stream(d.size());
    // Streams: everything downstream of some sources, as a threshold makes them.
    for (std::size_t i = 0; i < d.size(); ++i)
      if (random.chance(0.3))
        for (std::int32_t c = std::int32_t(i);; c = tree.receiver(c)) {
          stream[std::size_t(c)] = 1;
          if (tree.is_root(c)) break;
        }
    const std::function<int(Index, bool)> order = [&](Index c, bool shreve) -> int {
      int most = 0, ties = 0, sum = 0;
      for (Index o = 0; o < tree.cells(); ++o) {
        if (o == c || tree.receiver(o) != c || stream[std::size_t(o)] == 0) continue;
        const int one = order(o, shreve);
        sum += one;
        ties = one > most ? 1 : ties + (one == most ? 1 : 0);
        most = std::max(most, one);
      }
      if (shreve) return std::max(1, sum);
      return most == 0 ? 1 : most + (ties > 1 ? 1 : 0);
    };
    const auto strahler = strahler_order(tree, stream);
    const auto shreve = shreve_order(tree, stream);
    const auto down = length_downstream(tree);
    std::vector<double> up(d.size(), 0);
    for (Index i = 0; i < tree.cells(); ++i) {
      double length = 0;
      for (auto c = std::int32_t(i); !tree.is_root(c); c = tree.receiver(c)) {
        length += tree.step_length(c);
        up[std::size_t(tree.receiver(c))] = std::max(up[std::size_t(tree.receiver(c))], length);
      }
      EXPECT_NEAR(down[std::size_t(i)], length, 1e-12 * (1 + length));
      if (stream[std::size_t(i)] == 0) {
        EXPECT_EQ(strahler[std::size_t(i)], 0);
        continue;
      }
      EXPECT_EQ(strahler[std::size_t(i)], order(i, false));
      EXPECT_EQ(shreve[std::size_t(i)], order(i, true));
    }
    const auto upstream = length_upstream(tree);
    for (std::size_t i = 0; i < up.size(); ++i)
      EXPECT_NEAR(upstream[i], up[i], 1e-12 * (1 + up[i]));
    // Every stream cell lies on exactly one link, but for the ends that links share.
    std::vector<int> covered(d.size(), 0);
    std::vector<StreamCell> cells;
    for (Index i = 0; i < tree.cells(); ++i)
      if (stream[std::size_t(i)] != 0)
        cells.push_back({i, tree.is_root(i) ? -1 : tree.receiver(i), tree.step_length(i)});
    for (const StreamLink& link : stream_links(cells)) {
      for (std::size_t j = 0; j + 1 < link.cells.size(); ++j) {
        const auto c = std::size_t(cells[std::size_t(link.cells[j])].cell);
        ++covered[c];
        EXPECT_EQ(link.strahler, strahler[c]);
        EXPECT_EQ(link.shreve, shreve[c]);
      }
    }
    for (Index i = 0; i < tree.cells(); ++i)
      EXPECT_EQ(covered[std::size_t(i)], stream[std::size_t(i)] != 0 && !tree.is_root(i) ? 1 : 0);
  }
}

TEST(Products, LakesHaveLevelSpillAndVolume) {
  // Two lakes; the west one spills over the saddle (1, 3) at 8, the east one at (2, 6) at 7.
  const domain::Raster raster = dem(
      4, 7, {9, 9, 9, 9, 9, 9, 9, 9, 4, 5, 8, 5, 3, 9, 9, 5, 6, 8, 6, 5, 7, 9, 9, 9, 9, 9, 9, 9});
  Session session = open(raster);
  const Lakes lakes = find_lakes(session);
  ASSERT_EQ(lakes.lakes.size(), 2u);
  EXPECT_EQ(lakes.lakes[0].level, 8);
  EXPECT_EQ(lakes.lakes[0].depth, 4);
  EXPECT_EQ(lakes.lakes[0].cells, 4);
  EXPECT_EQ(lakes.lakes[0].volume, 4 + 3 + 3 + 2);
  EXPECT_EQ(lakes.lakes[1].level, 7);
  EXPECT_EQ(lakes.lakes[1].volume, 2 + 4 + 1 + 2);
  EXPECT_EQ(lakes.lakes[1].spill, 2 * 7 + 6);
  const std::string csv = lake_table_csv(lakes, session.info());
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 3);
}

TEST(Products, InvariantsHoldOnRandomRasters) {
  reference::Random random(17);
  for (int k = 0; k < 100; ++k) {
    const Index rows = 1 + random.below(20);
    const Index cols = 1 + random.below(20);
    std::vector<std::int16_t> z;
    for (Index i = 0; i < rows * cols; ++i) z.push_back(std::int16_t(random.below(6)));
    FlowOptions options;
    options.rule = random.chance(0.5) ? FlowRule::d4 : FlowRule::d8;
    options.mode = random.chance(0.5) ? RouteMode::carve : RouteMode::fill;
    options.flats = random.chance(0.5);
    Session session = open(dem(rows, cols, z), options);
    for (const Check& check : verify(session))
      EXPECT_TRUE(check.ok) << check.name << ": " << check.detail;
  }
}

TEST(Products, PourPointsSnapAndNest) {
  const test::ScratchFolder folder;
  // A slope to the east: each row drains east on its own.
  const domain::Raster raster = dem(3, 5, {9, 7, 5, 3, 1, 8, 6, 4, 2, 0, 9, 7, 5, 3, 1});
  FlowOptions d4;
  d4.rule = FlowRule::d4;
  d4.closed = {"north", "south", "west"};
  Session session = open(raster, d4);
  const auto file = folder.path() / "points.csv";
  const auto points = [&](const std::string& text) {
    std::ofstream(file) << text;
    return read_pour_points(file.string(), session.info());
  };
  auto two = points("name,row,col\nlower,1,4\nupper,1,2\n");
  snap_pour_points(session, 0, two);
  const auto labels = watersheds(session.tree(), two);
  EXPECT_EQ(labels[5 + 4], 1);
  EXPECT_EQ(labels[5 + 3], 1);
  EXPECT_EQ(labels[5 + 2], 2);
  auto one = points("x,y\n2.5,-1.5\n");  // row 1, column 2: north is 0 here
  EXPECT_EQ(one[0].cell, 7);
  snap_pour_points(session, 1, one);
  EXPECT_EQ(session.tree().is_data(one[0].cell), true);
  EXPECT_THROW(points("x,y\n99,1\n"), InputError);
  EXPECT_THROW(points("lon,lat\n1,1\n"), InputError);
  EXPECT_THROW(points("x,y\n1,abc\n"), InputError);
  EXPECT_THROW(points("x,y\n"), InputError);
  auto same = points("row,col\n1,1\n1,1\n");
  EXPECT_THROW(snap_pour_points(session, 0, same), InputError);
}

TEST(Codes, RoundTripEveryKind) {
  reference::Random random(3);
  Grid grid;
  grid.rows = 9;
  grid.cols = 11;
  const auto d = reference::random_forest(random, grid, 0.2);
  domain::RasterInfo info;
  info.name = "d";
  info.rows = 9;
  info.cols = 11;
  for (const std::string& name : code_names()) {
    const Codes codes = *codes_named(name);
    const domain::Raster raster = encode_directions(d, info, codes);
    const Decoded back = decode_directions(raster, codes);
    EXPECT_EQ(back.direction, d) << name;
    EXPECT_EQ(back.led_out, 0) << name;
  }
}

// The compass of each kind, written out once more: the neighbour to the north-east.
TEST(Codes, NorthEastOfEveryKind) {
  domain::RasterInfo info;
  info.rows = 3;
  info.cols = 3;
  std::vector<Direction> d(9, kRoot);
  d[4] = 7;
  const auto code = [&](Codes codes) {
    return domain::value_at(encode_directions(d, info, codes).cells, 4);
  };
  EXPECT_EQ(code(Codes::esri), 128);
  EXPECT_EQ(code(Codes::taudem), 2);
  EXPECT_EQ(code(Codes::grass), 1);
  EXPECT_EQ(code(Codes::whitebox), 1);
  EXPECT_EQ(code(Codes::ldd), 9);
  EXPECT_EQ(code(Codes::richdem), 4);
}

TEST(Codes, RefuseTheWrongKindByItsValues) {
  domain::Raster raster = dem(1, 3, {64, 3, 64});
  try {
    decode_directions(raster, Codes::esri);
    FAIL();
  } catch (const InputError& e) {
    const std::string text = e.what();
    EXPECT_NE(text.find("found 3 (1 cell, first at row 0, column 1)"), std::string::npos) << text;
  }
  raster = dem(1, 3, {5, 9, 7});
  try {
    decode_directions(raster, Codes::taudem);
    FAIL();
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("could be of kind ldd"), std::string::npos) << e.what();
  }
}

TEST(Codes, FlowOffTheMapAndIntoNodataEndsThere) {
  domain::Raster raster = dem(1, 3, {16, 1, -1});  // west off the map; east into nodata
  raster.info.nodata = -1;
  const Decoded decoded = decode_directions(raster, Codes::esri);
  EXPECT_EQ(decoded.led_out, 2);
  EXPECT_EQ(decoded.direction, (std::vector<Direction>{kRoot, kRoot, kNoDirection}));
}

// F14: cyclic directions are named.
TEST(Codes, LoopsAreNamed) {
  Grid grid;
  grid.rows = 1;
  grid.cols = 2;
  const std::vector<Direction> d = {0, 4};
  try {
    FlowTree(par::Queue::host(1), grid, d, {});
    FAIL();
  } catch (const InputError& e) {
    const std::string text = e.what();
    EXPECT_NE(text.find("loop of 2 cells: (row 0, column 0) (row 0, column 1)"), std::string::npos)
        << text;
  }
}

}  // namespace
}  // namespace terrawave::terrain
