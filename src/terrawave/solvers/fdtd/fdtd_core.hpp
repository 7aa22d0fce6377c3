// The part of a brick that can be advanced while ghosts travel.
#pragma once

#include "terrawave/solvers/fdtd/fdtd_setup.hpp"

namespace terrawave::fdtd {

// Which entries a step touches: all, those of the core, or the others.
enum class Part { all, core, rest };

// The entries of one step that can be updated before ghosts arrive: low <= entry < high.
struct Core {
  Index h_low[3], h_high[3];
  Index e_low[3], e_high[3];
};

// The core of step `step` (from 0) of a pass. Each step it shrinks by one entry on every side with
// ghosts, where E starts one entry above H. What the steps leave over is made up once the ghosts
// are there, again step by step: the core's rim still holds the values that each of those steps
// reads (a trapezoid in time and its complement). Boxes may be empty. Along x the core can be cut
// at multiples of `chunk` entries, and then shrinks by as many.
Core core_of(const Layout& layout, const Brick& brick, int step, Index chunk = 1);
}  // namespace terrawave::fdtd
