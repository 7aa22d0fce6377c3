// Reads random codes of directions in tiles and in one piece, and compares what follows.
#pragma once

#include "reference/tiled_products_compare.hpp"
#include "terrawave/solvers/terrain/product_from.hpp"

namespace terrawave::terrain::reference {

struct FromCase {
  std::string file, heights;
  DirectionSource from;
  FlowOptions flow;
  Step step;
  Tiling tiling;
};

// Codes without any plan: many loops, steps off the map and into nodata; some rasters hold values
// that are no codes, some diagonal steps under D4.
inline FromCase random_from(Random& random, Index max_side, const std::filesystem::path& folder,
                            bool write) {
  FromCase c;
  domain::Raster raster;
  domain::RasterInfo& info = raster.info;
  info.rows = 1 + random.below(max_side);
  info.cols = 1 + random.below(max_side);
  const bool d4 = random.chance(0.3);
  const bool stray = random.chance(0.1);
  // Mostly to the east and south: long ways with few loops.
  const bool calm = random.chance(0.5);
  std::vector<Direction> direction;
  for (Index i = 0; i < info.size(); ++i) {
    auto d = Direction(calm && random.chance(0.97) ? random.below(3) : random.below(kNeighbours));
    if (d4 && !(stray && random.chance(0.1))) d = Direction(d & 6);
    if (random.chance(0.05)) d = kRoot;
    if (random.chance(0.05)) d = kNoDirection;
    direction.push_back(d);
  }
  c.from.codes = Codes(random.below(6));
  const domain::Raster codes = encode_directions(direction, info, c.from.codes);
  raster.cells = codes.cells;
  if (random.chance(0.15))
    for (Index k = 0; k < 14; ++k)
      std::visit(
          [&](auto& v) {
            using T = typename std::decay_t<decltype(v)>::value_type;
            v[std::size_t(random.below(Index(v.size())))] = T(90 + random.below(12));
          },
          raster.cells);
  info.type = domain::type_of(raster.cells);
  c.file = (folder / "codes.npy").string();
  if (write) io::write_raster(c.file, raster);
  c.from.repair = random.chance(0.7);
  if (random.chance(0.5)) {
    domain::Raster heights{info, {}};
    std::vector<float> z;
    for (Index i = 0; i < info.size(); ++i)
      z.push_back(random.chance(0.1) ? std::numeric_limits<float>::quiet_NaN()
                                     : random_height<float>(random, 5));
    heights.cells = z;
    heights.info.type = domain::type_of(heights.cells);
    c.from.heights = (folder / "heights.npy").string();
    if (write) io::write_raster(c.from.heights, heights);
  }
  c.flow.rule = d4 ? FlowRule::d4 : FlowRule::d8;
  if (random.chance(0.3)) c.flow.weights = "area";
  if (random.chance(0.2)) c.flow.combine = Combine::max;
  const char* ops[] = {"flow",   "accumulate", "basins", "streams", "order", "length", "watershed",
                       "verify", "jump",       "fill",   "carve",   "hand",  "lakes",  "slope"};
  c.step.op = ops[random.below(14)];
  if (c.step.op == "jump") c.flow.mode = RouteMode::jump;
  c.step.codes = random.chance(0.5) ? "receivers" : "taudem";
  c.step.threshold = 3;
  c.step.upstream = random.chance(0.5);
  c.step.points = (folder / "points.csv").string();
  if (write)
    std::ofstream(c.step.points) << "row,col\n"
                                 << random.below(info.rows) << "," << random.below(info.cols)
                                 << "\n";
  else
    random.below(info.rows), random.below(info.cols);
  const bool vector = c.step.op == "basins" || c.step.op == "streams";
  c.step.out = c.step.op == "verify" ? ".csv" : vector && random.chance(0.5) ? ".geojson" : ".npy";
  c.tiling = {info.rows, info.cols, 1 + random.below(info.rows), 1 + random.below(info.cols)};
  return c;
}

// Angles of D-infinity without any plan.
inline FromCase random_angles(Random& random, Index max_side, const std::filesystem::path& folder,
                              bool write) {
  FromCase c = random_from(random, max_side, folder, write);
  c.from.kind = FromKind::angles;
  c.flow.rule = FlowRule::dinf;
  c.flow.mode = RouteMode::carve;
  const char* ops[] = {"accumulate", "streams", "verify", "fill", "flow", "slope"};
  c.step.op = ops[random.below(6)];
  c.step.out = c.step.op == "verify" ? ".csv" : ".npy";
  domain::Raster raster;
  raster.info.rows = c.tiling.rows;
  raster.info.cols = c.tiling.cols;
  constexpr double pi = 3.14159265358979323846;
  const bool calm = random.chance(0.5);
  const bool stray = random.chance(0.1);
  std::vector<double> angle;
  for (Index i = 0; i < raster.info.size(); ++i) {
    double a = calm ? 1.5 * pi + random.unit() * pi / 2 : random.unit() * 2 * pi;
    if (random.chance(0.3)) a = double(random.below(9)) * pi / 4;
    if (random.chance(0.05)) a = -1;
    if (random.chance(0.05)) a = std::numeric_limits<double>::quiet_NaN();
    if (stray && random.chance(0.05)) a = random.chance(0.5) ? 7 : -0.5;
    angle.push_back(a);
  }
  raster.cells = angle;
  raster.info.type = domain::CellType::f64;
  c.file = (folder / "angles.npy").string();
  if (write) io::write_raster(c.file, raster);
  return c;
}

// Fractions to any neighbours, some of them of no use.
inline FromCase random_fractions(Random& random, Index max_side,
                                 const std::filesystem::path& folder, bool write) {
  FromCase c = random_angles(random, max_side, folder, write);
  c.from.kind = FromKind::fractions;
  c.flow.rule = FlowRule::freeman;
  const domain::RasterInfo info = [&] {
    domain::RasterInfo like;
    like.rows = c.tiling.rows;
    like.cols = c.tiling.cols;
    like.type = domain::CellType::f64;
    return like;
  }();
  c.flow.loop_cols = info.cols > 2 && random.chance(0.2);
  c.flow.loop_rows = info.rows > 2 && random.chance(0.2);
  const bool calm = random.chance(0.5);
  const bool stray = random.chance(0.1);
  std::vector<std::vector<double>> bands(kNeighbours,
                                         std::vector<double>(std::size_t(info.size())));
  for (std::size_t i = 0; i < std::size_t(info.size()); ++i) {
    const bool hole = random.chance(0.05);
    const int first = calm ? 0 : int(random.below(8));  // calm: to E, SE and S alone
    double sum = 0;
    for (int k = first; k < first + 3; ++k)
      sum += bands[std::size_t(k % 8)][i] = random.chance(0.5) ? random.unit() : 0;
    for (std::size_t k = 0; k < kNeighbours; ++k) {
      if (sum > 0) bands[k][i] /= sum;
      if (hole) bands[k][i] = std::numeric_limits<double>::quiet_NaN();
      if (stray && random.chance(0.02)) bands[k][i] = random.chance(0.5) ? -0.5 : 0.7;
    }
  }
  c.file = (folder / "fractions.npy").string();
  if (write) {
    const auto sink = io::create_raster(c.file, info, kNeighbours);
    for (std::size_t k = 0; k < kNeighbours; ++k)
      sink->write_band(int(k) + 1, info.whole(), bands[k]);
    sink->finish();
  }
  return c;
}

// Compares on the root; tiles are worked on by `on`.
inline void compare_from(comm::Comm& comm, FromCase c, const std::filesystem::path& folder,
                         const TileQueue& on = par::Queue::host(1)) {
  const par::Queue queue = par::Queue::host(1);
  const std::string end = c.step.out;
  Made whole, tiled;
  std::string refused, refused_tiled;
  Index led_out = 0, repaired = 0;
  std::vector<Direction> direction;
  c.step.out = (folder / ("whole" + end)).string();
  if (comm.is_root() && c.from.shares()) {
    try {
      const ShareInput input = read_shares(queue, c.file, 0, c.from, c.flow);
      led_out = input.led_out;
      repaired = input.repaired;
      Session session(queue, input.info, input.fractions, input.states, c.flow, {});
      whole = make_product(session, c.step);
    } catch (const InputError& e) {
      refused = e.what();
    }
  } else if (comm.is_root()) {
    try {
      DirectionInput input = read_directions(queue, c.file, 0, c.from, c.flow);
      led_out = input.led_out;
      repaired = input.repaired;
      direction = input.direction;
      Session session(queue, input.info, std::move(input.direction), c.flow, {});
      whole = make_product(session, c.step);
    } catch (const InputError& e) {
      refused = e.what();
    }
  }
  c.step.out = (folder / ("tiled" + end)).string();
  try {
    const auto source = io::open_raster(c.file, c.from.kind == FromKind::fractions ? 1 : 0);
    TiledSession session(comm, on, *source, c.from, c.flow, c.tiling, {}, {});
    if (comm.is_root()) {
      EXPECT_EQ(session.from_stats().led_out, led_out);
      EXPECT_EQ(session.from_stats().repaired, repaired);
      for (const Index tile : session.rings().tiles())
        if (!c.from.shares())
          expect_tile(session.tiling(), tile, session.store().get<Direction>(tile, "directions"),
                      direction, "directions");
    }
    tiled = make_tiled_product(session, c.step);
  } catch (const InputError& e) {
    refused_tiled = e.what();
  }
  if (!comm.is_root()) return;
  const std::string said = c.step.op + " " + end + ", tiles " + std::to_string(c.tiling.tile_rows) +
                           " x " + std::to_string(c.tiling.tile_cols) + " of " +
                           std::to_string(c.tiling.rows) + " x " + std::to_string(c.tiling.cols);
  ASSERT_EQ(refused, refused_tiled) << said;
  ASSERT_EQ(whole.facts, tiled.facts) << said;
  ASSERT_EQ(whole.text, tiled.text) << said;
  if (!refused.empty()) return;
  ASSERT_TRUE(bytes_of(folder / ("whole" + end)) == bytes_of(folder / ("tiled" + end))) << said;
}

}  // namespace terrawave::terrain::reference
