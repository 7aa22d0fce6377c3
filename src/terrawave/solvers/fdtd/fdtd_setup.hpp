// Turns a model into what the kernels read: the layout of a rank's brick, the weights of the axes
// with their convolution layers, classes of edges and faces, and located events.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "terrawave/par/buffer.hpp"
#include "terrawave/solvers/fdtd/fdtd_cells.hpp"
#include "terrawave/solvers/fdtd/fdtd_model.hpp"

namespace terrawave::fdtd {

// A rank's share: owned nodes and the sides on which ghosts are copies of somebody's entries (of
// its own where one rank spans a periodic axis).
struct Brick {
  Box owned;
  std::array<bool, 3> ghost_low{};
  std::array<bool, 3> ghost_high{};
};

// Ranks per axis whose product is `ranks`, for the least surface; a given entry > 0 is kept.
// Throws InputError where some brick would be thinner than the ghosts of `depth` steps.
std::array<int, 3> split_ranks(const Model& model, int ranks, std::array<int, 3> given, int depth);
// The largest number of steps per pass up to `wanted` that split_ranks() accepts; 0: none.
int most_steps_per_pass(const Model& model, int ranks, const std::array<int, 3>& given, int wanted);
// Brick of `rank` (x fastest).
Brick brick_of(const Model& model, const std::array<int, 3>& ranks, int rank);
// Entries around a brick: `depth` steps can be taken between two exchanges of ghosts.
Layout make_layout(const Model& model, const Brick& brick, int depth);
// Global entry of local entry i of an axis (periodic axes wrap), or -1 outside the grid.
Index global_entry(const Model& model, const Layout& layout, int axis, Index i);

// Weights of one axis by local entry, in double.
struct HostAxis {
  std::vector<double> se, ae, be, sh, ah, bh;
  Slab slab{};
};
HostAxis make_axis(const Model& model, const Layout& layout, int axis);

// Classes of the entries and their updates (a, b per component).
struct HostClasses {
  std::vector<std::uint16_t> index;               // by entry; empty: all of class 0
  std::vector<std::array<std::uint16_t, 3>> ids;  // material ids per class; class 0 is (0, 0, 0)
};
HostClasses edge_classes(const Model& model, const Layout& layout);
HostClasses face_classes(const Model& model, const Layout& layout);

// Events of the model on this rank's entries.
struct HostEvents {
  std::vector<Event> events[2];           // 0: E, 1: H; sorted by (z, y, x, component)
  std::vector<std::int32_t> groups[2];    // group offsets, one more than groups
  std::vector<std::int32_t> model_id[2];  // index in model.events, or -1 for probes
  std::vector<double> coefficients;
  std::int32_t states = 0;
};
HostEvents locate_events(const Model& model, const Layout& layout);

// Device copies.
template <class Real>
struct MediumData {
  par::Buffer<Real> weights[3][6];
  par::Buffer<std::uint8_t> narrow[2];
  par::Buffer<std::uint16_t> wide[2];
  par::Buffer<Real> table[2];
  Medium<Real> view;

  MediumData() = default;
  MediumData(const par::Queue& queue, const Model& model, const Layout& layout,
             const std::array<HostAxis, 3>& axes, const HostClasses& edges,
             const HostClasses& faces);
};

template <class Real>
struct StateData {
  par::Buffer<Real> f[6];
  par::Buffer<Real> psi[3][4];
  State<Real> view;

  StateData() = default;
  StateData(const par::Queue& queue, const Layout& layout, const std::array<HostAxis, 3>& axes);
};

}  // namespace terrawave::fdtd
