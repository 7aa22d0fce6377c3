// The command line's products in tiles: for several ranks, or for rasters larger than memory.
#pragma once

#include "terrawave/solvers/terrain/product_tool.hpp"
#include "terrawave/solvers/terrain/tiled_plan.hpp"

namespace terrawave::terrain {

// "500M", "8G", "1.5T", bytes without a letter. Throws InputError.
double memory_bytes(const std::string& text);
// Square tiles that need at most `bytes` at a time.
Tiling tiling_for_memory(Index rows, Index cols, double bytes);
// Throws InputError for products and options that need the raster in one piece.
void check_tiled(const Tool& tool);
ExitCode run_tiled_tool(const Tool& tool, comm::Comm& comm);

}  // namespace terrawave::terrain
