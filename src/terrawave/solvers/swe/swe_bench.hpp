// The paper's benchmark: an internal circular dam break on seven mesh sizes.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "terrawave/sim/context.hpp"

namespace terrawave::swe {

struct BenchOptions {
  // The mesh sizes of the paper's table.
  std::vector<Index> cells{4016, 16040, 64052, 256576, 1001898, 2000608, 3000948};
  bool single = true;   // run in single precision ...
  bool both = true;     // ... and in double
  double seconds = 1;   // measured time per size, about
  bool methods = true;  // compare edges and cells
};

// Runs with the context's queue and ranks; `print` gets the table line by line on the root rank.
// Returns the figures as a JSON object (root; empty elsewhere). Collective. Under several ranks
// each size also runs with blocking messages, in turn, and the gain of the overlap is given:
// seconds of a blocking step over those of an overlapping one.
std::string bench(sim::Context& context, const BenchOptions& options,
                  const std::function<void(const std::string&)>& print);

}  // namespace terrawave::swe
