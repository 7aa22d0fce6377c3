// The solver's part of report.html and run.json.
#pragma once

#include <string>

#include "terrawave/io/report.hpp"
#include "terrawave/io/snapshot.hpp"
#include "terrawave/solvers/fdtd/fdtd_case_solver.hpp"

namespace terrawave::fdtd {

void add_report(io::Report& report, const CaseSolver& run);
// A JSON object: grid, dt, objects, S-parameter extremes, how each run ended.
std::string facts_json(const CaseSolver& run);
// The metal edges with the position of the owning object (from 1) in the case.
io::Segments metal_edges(const BuiltCase& built);
// The geometry truth report as lines of text, for the log.
std::string geometry_text(const BuiltCase& built);

// A slice of the material grid across `axis` at node `node`: cells below the node coloured by
// material, metal edges of the node's plane in black. Row 0 is the high end of the second axis.
io::Image slice_image(const BuiltCase& built, int axis, Index node);
// |S| <= 1 on the Smith chart, one polyline per curve.
std::string smith_svg(const Network& network, const std::vector<std::string>& port_names);

}  // namespace terrawave::fdtd
