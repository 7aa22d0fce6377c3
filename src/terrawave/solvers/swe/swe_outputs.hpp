// What a two-layer run writes: fields for QGIS, xarray and ParaView, gauges, maps for the report.
#pragma once

#include "terrawave/config/config.hpp"
#include "terrawave/domain/tri_mesh.hpp"
#include "terrawave/run/case.hpp"
#include "terrawave/sim/context.hpp"
#include "terrawave/solvers/swe/swe_solver.hpp"

namespace terrawave::swe {

// Makes the outputs that the [output] table of `config` (the root table) asks for part of `c`:
// its outputs, after_step, save_extra, load_extra, facts and report. c.end_time must be set.
// `solver` (the one in c), `mesh`, `context` must outlive c. Complains to `wrong` about gauges
// outside the mesh and times outside the run. Collective; writes nothing yet.
void add_outputs(run::TimeCase& c, const config::Config& config, SweSolver& solver,
                 const domain::TriMesh& mesh, sim::Context& context, const run::Options& options,
                 config::Diagnostics& wrong);

}  // namespace terrawave::swe
