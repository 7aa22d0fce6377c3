// What the [output] table asks for: read from the case file before anything is written.
#pragma once

#include <string>
#include <vector>

#include "terrawave/config/config.hpp"
#include "terrawave/domain/tri_mesh.hpp"
#include "terrawave/solvers/swe/swe_gauges.hpp"

namespace terrawave::swe {

struct OutputPlan {
  bool ugrid = true, paraview = true, single = false;
  std::vector<std::string> fields;
  std::vector<double> times;      // of records, s
  std::vector<double> map_times;  // some of them
};

// The [output] table with its [[output.gauge]] entries.
config::Table output_table();

// Both read the table `out` and complain to `wrong`: about times outside the run and gauges outside
// the mesh.
OutputPlan make_plan(const config::Config& out, double end_time, config::Diagnostics& wrong);
Gauges make_gauges(const config::Config& out, SweSolver& solver, const domain::TriMesh& mesh,
                   comm::Comm& comm, config::Diagnostics& wrong);

}  // namespace terrawave::swe
