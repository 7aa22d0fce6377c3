// Kernel "two_pass": one pass over memory for H, one for E; the portable kernel that the others are
// compared with.
#pragma once

#include "terrawave/par/exec.hpp"
#include "terrawave/solvers/fdtd/fdtd_cells.hpp"
#include "terrawave/solvers/fdtd/fdtd_core.hpp"

namespace terrawave::fdtd {

// One step of a part of the entries. `scratch` holds one value per event group of the larger list;
// the rows are this step's rows of the sample table and of the records.
template <class Exec, class Real>
void two_pass_step(const Exec& exec, const Medium<Real>& medium, const State<Real>& state,
                   const EventTables& events, double* event_states, Real* scratch, Index sample_row,
                   Index record_row, Part part = Part::all, const Core& core = {});

}  // namespace terrawave::fdtd
