// What the kernels run on: grid, boundaries, material ids of edges and faces, events and probes.
// A case (fdtd_case) builds a Model; make_solver() (fdtd_solver.hpp) runs it.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "terrawave/base/index.hpp"
#include "terrawave/domain/yee_grid.hpp"
#include "terrawave/solvers/fdtd/fdtd_events.hpp"

namespace terrawave::fdtd {

inline constexpr double kLightSpeed = 299792458.0;                       // m/s
inline constexpr double kMu0 = 1.25663706212e-6;                         // H/m
inline constexpr double kEps0 = 1 / (kMu0 * kLightSpeed * kLightSpeed);  // F/m

enum class Boundary : std::uint8_t { pec, pmc, periodic, cpml };
enum Face : int { x_low, x_high, y_low, y_high, z_low, z_high };

// Convolutional perfectly matched layer (Roden and Gedney 2000), inside the grid, backed by PEC.
// With rho = depth / thickness: sigma = sigma_factor sigma_opt rho^order, kappa = 1 + (kappa_max -
// 1) rho^order, alpha = alpha_max (1 - rho), sigma_opt = (order + 1) / (150 pi sqrt(eps_r) d).
struct Cpml {
  int layers = 10;
  double order = 3;
  double sigma_factor = 1;
  double kappa_max = 1;
  double alpha_frequency = 0;  // Hz: alpha_max = 2 pi eps0 alpha_frequency
  double eps_r = 1;            // of the medium that touches the layer
};

// What one edge sees after averaging over its four cells. Everything that acts like a conductivity
// or a permittivity of the edge belongs here: a resistor R adds l / (R A) to sigma, a capacitor C
// adds C l / A to eps (l length of the edge, A area of its dual face).
struct EdgeMaterial {
  double eps = kEps0;  // F/m
  double sigma = 0;    // S/m
  bool pec = false;
};
// What one face sees: harmonic mean of its two cells.
struct FaceMaterial {
  double mu = kMu0;    // H/m
  double sigma_m = 0;  // ohm/m
};

// new = a old + b (curl - current density). Semi-implicit; exponential where sigma dt > eps.
struct Update {
  double a = 1;
  double b = 0;
};
Update edge_update(const EdgeMaterial& material, double dt);
Update face_update(const FaceMaterial& material, double dt);

// A box of nodes, low <= node < high.
struct Box {
  std::array<Index, 3> low{};
  std::array<Index, 3> high{};
  Index size(int axis) const { return high[std::size_t(axis)] - low[std::size_t(axis)]; }
  Index count() const { return size(0) * size(1) * size(2); }
};

// Writes the material id of every edge (face) of a component (0, 1, 2) that starts at a node of
// `box`, x fastest, then y, then z. Called for boxes inside the grid, plane by plane or in slabs,
// so that no rank ever needs the whole grid. Edges and faces that do not exist (Ex at the last node
// of x) may be given any id. Outer walls are made by the solver.
using FillIds = std::function<void(int component, const Box& box, std::span<std::uint16_t> ids)>;

// A function of time that events use; the sample of the step from n dt to (n + 1) dt is
// value((n + offset) dt): offset 1/2 for currents at E edges, 1 for hard E sources, 0 for H.
struct Signal {
  std::function<double(double t)> value;
  double offset = 0.5;
};

// An event at a global position. component 0..2: the E edges that start at the node; 3..5: the H
// faces at the node. It is applied after the update of that component, on every step.
struct PlacedEvent {
  std::array<Index, 3> node{};
  int component = 0;
  EventKind kind = EventKind::add;
  int signal = -1;                   // index in Model::signals; -1: sample 0
  std::vector<double> coefficients;  // as the kind asks
  std::string name;                  // for messages: "port 1", "D1"
};

// Keeps the value of one edge or face after every step.
struct Probe {
  std::array<Index, 3> node{};
  int component = 0;
};

struct Model {
  domain::YeeGrid grid;
  double dt = 0;                       // seconds
  std::array<Boundary, 6> boundary{};  // by Face; periodic must be set on both faces of an axis
  std::array<Cpml, 6> cpml{};          // used where the boundary is cpml
  std::vector<EdgeMaterial> edge_materials{{kEps0, 0, true}, {}};  // [0] must be PEC
  std::vector<FaceMaterial> face_materials{{}};  // [0] is what all faces are without fill_faces
  FillIds fill_edges;                            // empty: every edge has id 1
  FillIds fill_faces;                            // empty: every face has id 0
  std::vector<Signal> signals;
  std::vector<PlacedEvent> events;
  std::vector<Probe> probes;

  bool periodic(int axis) const { return boundary[std::size_t(2 * axis)] == Boundary::periodic; }
  // Entries of an axis: nodes, without the last where the axis is periodic.
  Index extent(int axis) const { return grid.cells(axis) + (periodic(axis) ? 0 : 1); }
};

// Largest stable dt of the model, seconds: of the grid with its fastest material.
double time_step_limit(const Model& model);

// Throws InputError (one message with every fault) where the model cannot be run: a layer thicker
// than the domain, dt above the limit, eps below zero, an event off the grid, ...
void check(const Model& model);

// Whether the entry is a component of E that lies in a wall of the grid: zero at all times.
bool on_wall(const Model& model, int component, const std::array<Index, 3>& entry);

}  // namespace terrawave::fdtd
