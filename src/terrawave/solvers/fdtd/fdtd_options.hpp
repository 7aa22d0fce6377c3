// Which kernel, how many steps per pass and which bricks: what Options leave open is decided here.
#pragma once

#include "terrawave/sim/context.hpp"
#include "terrawave/solvers/fdtd/fdtd_solver.hpp"

namespace terrawave::fdtd {

// Options with nothing left to choose. Steps per pass that the kernel chose are lowered where the
// bricks of the ranks (or a short periodic axis) are too small for the ghosts of so many, and the
// log says so; a user's own number is refused there. Throws InputError.
Options resolve_options(Options options, const Model& model, const sim::Context& context);

}  // namespace terrawave::fdtd
