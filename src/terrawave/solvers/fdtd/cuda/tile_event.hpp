// Events in a tile of the z-marching kernels.
#pragma once

#include "terrawave/solvers/fdtd/cuda/tiling.hpp"
#include "terrawave/solvers/fdtd/fdtd_cells.hpp"

namespace terrawave::fdtd::tiling {

// One event group at level t of T, of the tile with scratch `number`: `before` the value before
// the step, `linear` the plain update's; returns the value after it. The states of a tile's events
// live in its scratch from level to level. Args: what a launch of either kernel is given.
template <class Real, int T, class Args>
TW_FUNCTION Real tile_event(const Args& a, const TileEvent& te, int pass, int t, int number,
                            Real before, Real linear) {
  double* states = a.states_scratch + Index(number) * a.states;
  const EventList& list = a.events.list[pass];
  const int e0 = list.group[te.group], e1 = list.group[te.group + 1];
  if (t == 0)
    for (int e = e0; e < e1; ++e)
      for (int i = 0; i < event_states(list.events[e].kind); ++i)
        states[list.events[e].state + i] = a.states_from[list.events[e].state + i];
  const Real next = apply_group(a.events, list, te.group, a.sample_row + t, a.record_row + t,
                                before, linear, states, te.owned != 0);
  if (t == T - 1 && te.owned != 0)
    for (int e = e0; e < e1; ++e)
      for (int i = 0; i < event_states(list.events[e].kind); ++i)
        a.states_to[list.events[e].state + i] = states[list.events[e].state + i];
  return next;
}

}  // namespace terrawave::fdtd::tiling
