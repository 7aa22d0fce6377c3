// Makes random products in tiles and in one piece, and compares files, facts and words.
#pragma once

#include <fstream>

#include "reference/tiled_compare.hpp"
#include "terrawave/io/raster.hpp"
#include "terrawave/solvers/terrain/product_run.hpp"
#include "terrawave/solvers/terrain/tiled_products.hpp"

namespace terrawave::terrain::reference {

inline std::string bytes_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

struct ProductCase {
  TiledCase<float> on;
  Step step;
  Tiling tiling;
};

// Places on the Earth, so that widths and areas differ from row to row.
inline void locate(domain::RasterInfo& info) {
  info.frame.located = true;
  info.frame.geographic = true;
  info.frame.unit = std::acos(-1.0) / 180;
  info.frame.west = 10;
  info.frame.north = 60;
  info.frame.dx = 0.01;
  info.frame.dy = 0.02;
}

// `folder`: for the files that the case reads; written when `write`.
inline ProductCase random_product(Random& random, Index max_side,
                                  const std::filesystem::path& folder, bool write) {
  ProductCase c;
  c.on = random_tiled_case<float>(random, max_side);
  domain::RasterInfo& info = c.on.raster.info;
  FlowOptions& flow = c.on.options;
  if (random.chance(0.5)) locate(info);
  if (random.chance(0.3)) {
    const FlowRule rules[] = {FlowRule::dinf, FlowRule::freeman, FlowRule::quinn};
    flow.rule = rules[random.below(3)];
    if (random.chance(0.5)) flow.exponent = 1;
  }
  if (random.chance(0.4)) flow.weights = "area";
  if (random.chance(0.4)) {
    domain::Raster weights{info, {}};
    weights.info.nodata = -1;
    if (random.chance(0.5)) {
      std::vector<double> w;
      for (Index i = 0; i < info.size(); ++i)
        w.push_back(random.chance(0.1) ? -1 : random.unit() * 1e3);
      weights.cells = w;
    } else {
      std::vector<std::int32_t> w;
      for (Index i = 0; i < info.size(); ++i)
        w.push_back(random.chance(0.1) ? -1 : std::int32_t(random.below(1000)));
      weights.cells = w;
    }
    weights.info.type = domain::type_of(weights.cells);
    flow.weights = (folder / "weights.npy").string();
    if (write) io::write_raster(flow.weights, weights);
  }
  const char* many[] = {"fill",   "flow",  "accumulate", "streams", "slope",
                        "verify", "carve", "breach",     "jump"};
  const char* single[] = {"basins", "order", "length", "hand", "watershed", "lakes"};
  Step& s = c.step;
  s.op = flow.single_receiver() && random.chance(0.6) ? single[random.below(6)]
                                                      : many[random.below(9)];
  if (s.op == "jump") flow.mode = RouteMode::jump;
  if (s.op == "jump" && !flow.single_receiver()) flow.rule = FlowRule::d8;
  if (s.op == "lakes") {
    flow.mode = RouteMode::carve;
    flow.depressions = true;
  }
  if (s.op == "accumulate" && flow.single_receiver() && random.chance(0.3))
    flow.combine = random.chance(0.5) ? Combine::max : Combine::min;
  const char* codes[] = {"esri", "taudem", "grass", "whitebox", "ldd", "richdem", "receivers"};
  s.codes = codes[random.below(7)];
  if (s.op == "flow" && flow.single_receiver() && flow.mode == RouteMode::jump)
    s.codes = "receivers";
  const bool counts = flow.weights == "unit";
  s.threshold = random.chance(0.5) ? (counts ? 2 : 1e3) : (counts ? 7 : 1e4);
  s.kind = random.chance(0.5) ? "strahler" : "shreve";
  s.surface = random.chance(0.5) ? "filled" : "ground";
  s.upstream = random.chance(0.5);
  s.breach.max_length = random.chance(0.5) ? 0 : 1 + random.below(6);
  s.breach.max_depth = random.chance(0.5) ? 0 : random.unit() * 4;
  s.snap = random.below(4);
  s.points = (folder / "points.csv").string();
  std::string points = "row,col,name\n";
  for (int k = 0; k < 3; ++k)
    points += std::to_string(random.below(info.rows)) + "," +
              std::to_string(random.below(info.cols)) + ",p" + std::to_string(k) + "\n";
  if (write) std::ofstream(s.points) << points;
  c.tiling = {info.rows, info.cols, 1 + random.below(info.rows), 1 + random.below(info.cols)};
  const bool vector = random.chance(0.3) && flow.single_receiver() &&
                      (s.op == "basins" || s.op == "streams" || s.op == "watershed");
  s.out = vector                                                          ? ".geojson"
          : (s.op == "verify" || (s.op == "lakes" && random.chance(0.5))) ? ".csv"
                                                                          : ".npy";
  return c;
}

// Compares on the root; tiles are worked on by `on`.
inline void compare_product(comm::Comm& comm, ProductCase c, const Tiling& tiling,
                            const std::filesystem::path& folder,
                            const std::filesystem::path& scratch = {},
                            const TileQueue& on = par::Queue::host(1)) {
  const par::Queue queue = par::Queue::host(1);
  const std::string end = c.step.out;
  Made whole, tiled;
  std::string refused, refused_tiled;
  c.step.out = (folder / ("whole" + end)).string();
  if (comm.is_root()) {
    try {
      Session session(queue, c.on.raster, c.on.options, {});
      whole = make_product(session, c.step);
    } catch (const InputError& e) {
      refused = e.what();
    }
  }
  c.step.out = (folder / ("tiled" + end)).string();
  try {
    test::MemorySource source(c.on.raster);
    TiledSession session(comm, on, source, c.on.options, tiling, scratch, {});
    tiled = make_tiled_product(session, c.step);
  } catch (const InputError& e) {
    refused_tiled = e.what();
  }
  if (!comm.is_root()) return;
  const std::string said = c.step.op + " " + end + ", tiles " + std::to_string(tiling.tile_rows) +
                           " x " + std::to_string(tiling.tile_cols) + " of " +
                           std::to_string(tiling.rows) + " x " + std::to_string(tiling.cols) +
                           ", rule " + std::to_string(int(c.on.options.rule)) + ", weights " +
                           c.on.options.weights + (c.on.options.loop_cols ? ", looped ew" : "") +
                           (c.on.options.loop_rows ? ", looped ns" : "");
  ASSERT_EQ(refused, refused_tiled) << said;
  ASSERT_EQ(whole.facts, tiled.facts) << said;
  ASSERT_EQ(whole.text, tiled.text) << said;
  if (!refused.empty()) return;
  ASSERT_TRUE(bytes_of(folder / ("whole" + end)) == bytes_of(folder / ("tiled" + end))) << said;
}

}  // namespace terrawave::terrain::reference
