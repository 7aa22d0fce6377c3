// Timings of the routing algorithms on synthetic terrain: `terrawave bench terrain`.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "terrawave/par/queue.hpp"
#include "terrawave/solvers/terrain/grid.hpp"

namespace terrawave::terrain {

struct BenchOptions {
  std::vector<Index> sides = {1024, 2048, 4096};  // square rasters
  int repeats = 3;                                // the median counts
  bool published = true;  // also rake and compress as published (81 bytes a cell)
};

struct BenchEntry {
  std::string name;  // "accumulate, tiles first"
  Index side = 0;
  double seconds = 0;  // median
  double cells_per_second = 0;
  int rounds = 0;              // 0: the method has none
  double bytes_per_cell = 0;   // peak memory / cells, inputs and results included
  double bandwidth_share = 0;  // fewest bytes the step must move / seconds / measured copy rate
  std::string note;
};

struct BenchResult {
  std::string device;
  double copy_bytes_per_second = 0;  // read plus written
  std::vector<BenchEntry> entries;
};

// Runs everything on the queue's device. Rasters too large for its memory are left out and named
// in a note. `print` is given the line of each measurement as it is made, without its end.
BenchResult bench(const par::Queue& queue, const BenchOptions& options,
                  const std::function<void(const std::string& line)>& print = {});

// One JSON object; `when` and `commit` are recorded as given.
std::string to_json(const BenchResult& result, const std::string& when, const std::string& commit);
// A line for people.
std::string to_text(const BenchEntry& entry);

}  // namespace terrawave::terrain
