// The solver in the registry.
#pragma once

#include "terrawave/run/case.hpp"

namespace terrawave::fdtd {

run::SolverEntry fdtd_entry();

}  // namespace terrawave::fdtd
