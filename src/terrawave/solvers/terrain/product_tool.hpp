// One product from the command line: input raster, options, output.
#pragma once

#include <string>

#include "terrawave/base/error.hpp"
#include "terrawave/comm/comm.hpp"
#include "terrawave/solvers/terrain/product_from.hpp"
#include "terrawave/solvers/terrain/product_run.hpp"

namespace terrawave::terrain {

struct Tool {
  std::string input;
  int band = 0;
  FlowOptions flow;
  Step step;
  std::string from;     // direction codes of the input; "": the input holds heights
  std::string heights;  // codes --repair
  std::string device = "auto";
  int threads = 0;
  std::string memory;  // "": one piece
  bool verify = false;
  bool dry_run = false;
  bool json = false;
  std::string report;
  bool terminal = false;  // show progress on standard error
};

DirectionSource source_of(const Tool& tool);  // of --from
// Facts and words of `terrain codes`.
Made converted(Index led_out, Index repaired);

// Runs the tool with all ranks; several ranks work in tiles. Prints on the root only.
ExitCode run_tool(const Tool& tool, comm::Comm& comm);

}  // namespace terrawave::terrain
