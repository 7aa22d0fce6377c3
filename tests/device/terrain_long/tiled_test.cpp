// Tiles worked on by a GPU at full size: the bytes of one piece, and what each way takes.
#include <chrono>
#include <cstdio>
#include <functional>
#include <map>

#include "device_or_skip.hpp"
#include "reference/tiled_large.hpp"
#include "scratch_folder.hpp"

namespace terrawave::terrain {
namespace {

using namespace reference;

TEST(LargeTilesOnGpu, EqualOnePiece) {
  TW_SKIP_WITHOUT_GPU();
  const test::ScratchFolder folder;
  const auto self = comm::make_self();
  compare_large(*self, par::Queue::cuda(), 2500, 3000, folder.path());
}

double since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// The arrays of a session's tiles, by step.
std::map<std::string, std::vector<double>> measured(const TiledCase<float>& c, const Tiling& tiling,
                                                    const TileQueue& on, const char* name) {
  const auto self = comm::make_self();
  test::MemorySource source(c.raster);
  std::map<std::string, std::vector<double>> made;
  FlowOptions flow = c.options;
  flow.weights = "area";
  const auto run = [&](const std::string& what, const FlowOptions& options,
                       const std::function<void(TiledSession&)>& work, const std::string& kept) {
    std::string phases;
    double before = 0;
    const auto start = std::chrono::steady_clock::now();
    const auto tell = [&](const std::string& next) {
      const double now = since(start);
      if (!phases.empty()) phases += " " + std::to_string(now - before).substr(0, 5) + ", ";
      phases += next;
      before = now;
    };
    TiledSession session(*self, on, source, options, tiling, {}, tell);
    work(session);
    tell("end");
    std::printf("%-6s %-26s %2d tiles of %d x %d: %.3f s (%s)\n", name, what.c_str(),
                int(tiling.tiles()), int(tiling.tile_rows), int(tiling.tile_cols), since(start),
                phases.c_str());
    std::fflush(stdout);
    for (const Index tile : session.rings().tiles()) {
      const auto part = kept == "directions"
                            ? [&] {
                                const auto d = session.store().get<Direction>(tile, kept);
                                return std::vector<double>(d.begin(), d.end());
                              }()
                            : session.store().get<double>(tile, kept);
      made[what].insert(made[what].end(), part.begin(), part.end());
    }
  };
  const auto accumulate = [](TiledSession& s) { s.accumulate(); };
  run("carve + sums of areas", flow, accumulate, "accumulation");
  flow.mode = RouteMode::fill;
  run(
      "fill + directions", flow, [](TiledSession& s) { s.route(); }, "directions");
  flow.rule = FlowRule::freeman;
  flow.exponent = 1;
  run("fill + MFD sums of areas", flow, accumulate, "accumulation");
  return made;
}

TEST(LargeTilesOnGpu, EqualHostThreadsAndTellTheirTimes) {
  TW_SKIP_WITHOUT_GPU();
  constexpr Index kSide = 4096;
  const TiledCase<float> noise = noise_case(kSide, kSide);
  for (const Index tile : {kSide, kSide / 2}) {
    const Tiling tiling = {kSide, kSide, tile, tile};
    const auto gpu = measured(noise, tiling, par::Queue::cuda(), "GPU");
    const auto host = measured(noise, tiling, par::Queue::host(), "host");
    for (const auto& [what, values] : host) EXPECT_TRUE(same_bytes(values, gpu.at(what))) << what;
  }
}

}  // namespace
}  // namespace terrawave::terrain
