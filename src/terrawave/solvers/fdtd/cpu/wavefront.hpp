// Kernel "wavefront": several steps per sweep over memory on the CPU, with SIMD.
//
// Planes z are swept once; level t of a sweep works on plane s - t while level 0 works on plane s,
// in place, because a step reads E one plane up (still at the old level) and H one plane down
// (already at the new one). Rows y are cut into strips that move one row down per level for the
// same reason, so that the planes of a strip stay in the cache through all levels; a strip follows
// its lower neighbour by one plane, which is how threads share a sweep. Nothing is computed twice.
#pragma once

#include <cstdint>
#include <vector>

#include "terrawave/par/queue.hpp"
#include "terrawave/solvers/fdtd/fdtd_setup.hpp"

namespace terrawave::fdtd {

// Steps per sweep that keep the working set in the cache, for numbers of this many bytes.
int wavefront_steps(const Model& model, int bytes);

template <class Real>
class Wavefront {
 public:
  Wavefront() = default;
  Wavefront(const par::Queue& queue, const Medium<Real>& medium, const HostClasses& edges,
            const Model& model, const HostEvents& events, int steps);

  // `count` <= `steps` steps in place.
  void run(const par::Queue& queue, const Medium<Real>& medium, const State<Real>& state,
           const EventTables& events, double* event_states, Index sample_row, Index record_row,
           int count);

  void set_strip(Index rows) { strip_ = rows; }  // for measurements
  Index strip() const { return strip_; }
  Index palette_size() const { return Index(palette_.size()) / (6 * kChunk); }

 private:
  // Updates of 16 neighbouring entries, one array of 16 per coefficient: a_x b_x a_y b_y a_z b_z.
  // Rows of the grid hold few different such patterns; each is kept once.
  std::vector<Real> palette_;
  std::vector<std::uint32_t> pattern_;  // by chunk: position in the palette, or kGather
  std::vector<std::int32_t>
      plane_groups_[2];                // first event group of each plane, one more at the end
  std::vector<std::int32_t> members_;  // by x entry: inside a layer of x
  Index strip_ = 8;
};

}  // namespace terrawave::fdtd
