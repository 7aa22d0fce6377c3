// The terrain solver as the registry knows it.
#pragma once

#include "terrawave/run/case.hpp"

namespace terrawave::terrain {

run::SolverEntry terrain_entry();

}  // namespace terrawave::terrain
