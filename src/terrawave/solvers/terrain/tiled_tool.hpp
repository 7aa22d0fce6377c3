// The command line's products in tiles: for several ranks, or for rasters larger than memory.
#pragma once

#include "terrawave/solvers/terrain/product_tool.hpp"
#include "terrawave/solvers/terrain/tiled_plan.hpp"

namespace terrawave::terrain {

// "500M", "8G", "1.5T", bytes without a letter. Throws InputError.
double memory_bytes(const std::string& text);
// The largest square tiles that a product needs at most `bytes` for: so many tiles at a time, and
// what the root keeps of all perimeters. Throws InputError where that cannot be.
Tiling tiling_for_memory(Index rows, Index cols, double bytes, const std::string& op,
                         const FlowOptions& flow, int at_once = 1);

// The tiles of a run, and how many threads work on one each at a time.
struct TilePlan {
  Tiling tiling;
  int threads = 1;
};
// Under --memory: fewer threads than asked for where their tiles would be so small that perimeters
// weigh. `threads`: what there is.
TilePlan plan_for_memory(const Tool& tool, const domain::RasterInfo& info, int threads);
ExitCode run_tiled_tool(const Tool& tool, comm::Comm& comm);

}  // namespace terrawave::terrain
