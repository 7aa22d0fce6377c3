// The benchmark's own figures: rounds, and memory within what was promised.
#include <string>

#include <gtest/gtest.h>

#include "terrawave/solvers/terrain/terrain_bench.hpp"

namespace terrawave::terrain {
namespace {

TEST(TerrainBench, NoMethodButThePublishedOneHoldsMoreThan48BytesPerCell) {
  BenchOptions options;
  options.sides = {1024};
  options.repeats = 1;
  const BenchResult result = bench(par::Queue::host(2), options);
  EXPECT_GT(result.entries.size(), 10u);
  for (const BenchEntry& e : result.entries) {
    const bool published = e.name.starts_with("rake and compress");
    EXPECT_GT(e.bytes_per_cell, 4 + 1) << e.name;  // heights and states at least
    EXPECT_LT(e.bytes_per_cell, published ? 120 : 48) << e.name;
    if (published) {
      EXPECT_GT(e.rounds, 0);
    }
  }
  EXPECT_NE(to_json(result, "", "").find("\"bytes_per_cell\": "), std::string::npos);
}

}  // namespace
}  // namespace terrawave::terrain
