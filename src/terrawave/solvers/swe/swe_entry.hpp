// The two-layer shallow water solver as the program knows it.
#pragma once

#include "terrawave/run/case.hpp"

namespace terrawave::swe {

run::SolverEntry swe_entry();

}  // namespace terrawave::swe
