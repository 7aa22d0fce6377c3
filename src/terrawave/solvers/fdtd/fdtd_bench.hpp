// Benchmark of the Yee kernels: steps per second by size, boundary and kernel.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "terrawave/solvers/fdtd/fdtd_solver.hpp"

namespace terrawave::fdtd {

struct BenchCase {
  std::string name;  // "512^3 vacuum, PEC"
  std::array<Index, 3> cells{};
  bool cpml = false;  // ten layers on six faces
  int materials = 1;  // different dielectrics in blocks; 1: vacuum
  bool single_precision = true;
  Kernel kernel = Kernel::automatic;
  int steps_per_pass = 0;
  bool slides_xyz = false, slides_xy = false;  // instead: one of the kernels of the slides
};

struct BenchResult {
  BenchCase what;
  std::string kernel;
  std::string shape;  // of its blocks, where it has any
  int steps_per_pass = 0;
  std::int64_t steps = 0;
  double seconds = 0;
  double cell_steps_per_second = 0;
  double bytes_per_cell_step = 0;  // fewest that the kernel must move
  double bandwidth_share = 0;      // bytes moved per second over the measured copy bandwidth
  std::string error;               // what went wrong, if anything did
};

// A model of a bench case.
Model bench_model(const BenchCase& what);
// The cases that `terrawave bench fdtd` runs on the context's device. `small`: those that a CPU
// does in seconds.
std::vector<BenchCase> bench_cases(bool cuda);
// Runs one case for about `seconds`. `bandwidth`: measured copy bandwidth of the device, bytes/s.
BenchResult run_bench(const BenchCase& what, sim::Context& context, double seconds,
                      double bandwidth);
// The same for a case of the slides' kernels (slides_bench.cpp).
BenchResult run_slides_bench(const BenchCase& what, sim::Context& context, double seconds,
                             double bandwidth);
// One JSON object per result, one a line in an array; and a table row for people.
std::string bench_json(const std::vector<BenchResult>& results);
std::string bench_row(const BenchResult& result);

}  // namespace terrawave::fdtd
