// Kernel "wavefront": several steps per sweep over memory on the CPU, with SIMD.
//
// Planes z are swept once; level t of a sweep works on plane s - t while level 0 works on plane s,
// in place, because a step reads E one plane up (still at the old level) and H one plane down
// (already at the new one). Rows y are cut into strips that move one row down per level for the
// same reason, so that the planes of a strip stay in the cache through all levels; a strip follows
// its lower neighbour, which is how threads share a sweep (wavefront_schedule.hpp). Nothing is
// computed twice.
#pragma once

#include <memory>
#include <span>

#include "terrawave/par/queue.hpp"
#include "terrawave/solvers/fdtd/fdtd_core.hpp"
#include "terrawave/solvers/fdtd/fdtd_setup.hpp"

namespace terrawave::fdtd {

// Steps per sweep that keep the working set in the cache, for numbers of this many bytes.
int wavefront_steps(const Model& model, int bytes);

template <class Real>
class Wavefront {
 public:
  Wavefront() = default;
  Wavefront(const Medium<Real>& medium, const HostClasses& edges, const HostClasses& faces,
            const HostAxis& x_axis, const Model& model, const HostEvents& events);

  // Whether all fields are zero from the wall at the end of x on, where the wall is alone in its
  // chunk of entries: they then stay zero and the chunk can be left out. A pass over those entries.
  bool wall_is_quiet(const Medium<Real>& medium, const State<Real>& state) const;
  // `count` steps in place of a part of the entries: the core of each step, `cores`, can be
  // advanced through all steps before the rest is. `quiet_wall`: the above held once, and no field
  // was set since.
  void run(const par::Queue& queue, const Medium<Real>& medium, const State<Real>& state,
           const EventTables& events, double* event_states, Index sample_row, Index record_row,
           int count, bool quiet_wall, Part part = Part::all,
           std::span<const Core> cores = {}) const;

 private:
  struct Plan;  // what is looked up once
  std::shared_ptr<const Plan> plan_;
};

}  // namespace terrawave::fdtd
