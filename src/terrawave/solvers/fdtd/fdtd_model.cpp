#include "terrawave/solvers/fdtd/fdtd_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include <fmt/format.h>

#include "terrawave/base/error.hpp"

namespace terrawave::fdtd {
namespace {

// capacity is eps or mu, loss sigma or sigma_m.
Update update_of(double capacity, double loss, double dt) {
  const double x = loss * dt / capacity;
  // The semi-implicit form changes sign at every step where x > 2; from x = 1 on the exact decay.
  if (x > 1) return {std::exp(-x), -std::expm1(-x) / loss};
  return {(2 * capacity - loss * dt) / (2 * capacity + loss * dt),
          2 * dt / (2 * capacity + loss * dt)};
}

constexpr const char* kFaceNames[6] = {"x-", "x+", "y-", "y+", "z-", "z+"};

void check_boundaries(const Model& m, std::string& faults) {
  for (int axis = 0; axis < 3; ++axis) {
    const auto low = std::size_t(2 * axis);
    if ((m.boundary[low] == Boundary::periodic) != (m.boundary[low + 1] == Boundary::periodic))
      faults += fmt::format("boundary {} is periodic but {} is not: set both\n",
                            kFaceNames[m.boundary[low] == Boundary::periodic ? low : low + 1],
                            kFaceNames[m.boundary[low] == Boundary::periodic ? low + 1 : low]);
    Index layers = 0;
    for (const std::size_t face : {low, low + 1}) {
      if (m.boundary[face] != Boundary::cpml) continue;
      const Cpml& c = m.cpml[face];
      layers += c.layers;
      if (c.layers < 1 || c.order < 0 || c.sigma_factor < 0 || c.kappa_max < 1 ||
          c.alpha_frequency < 0 || c.eps_r <= 0)
        faults += fmt::format(
            "cpml at {}: expected layers >= 1, order >= 0, sigma_factor >= 0, "
            "kappa_max >= 1, alpha_frequency >= 0, eps_r > 0\n",
            kFaceNames[face]);
    }
    if (layers >= m.grid.cells(axis))
      faults += fmt::format(
          "the cpml of axis {} takes {} of its {} cells: none are left for the "
          "model; use fewer layers or a larger domain\n",
          "xyz"[axis], layers, m.grid.cells(axis));
  }
}

void check_materials(const Model& m, std::string& faults) {
  if (m.edge_materials.size() < 2 || !m.edge_materials[0].pec)
    faults += "edge_materials[0] must be PEC and [1] must exist\n";
  if (m.face_materials.empty()) faults += "face_materials must hold at least one entry\n";
  if (m.edge_materials.size() > 65535 || m.face_materials.size() > 65535)
    faults += "more than 65535 materials of edges or faces\n";
  for (std::size_t i = 0; i < m.edge_materials.size(); ++i) {
    const EdgeMaterial& e = m.edge_materials[i];
    if (!e.pec && !(e.eps > 0 && e.sigma >= 0 && std::isfinite(e.eps) && std::isfinite(e.sigma)))
      faults += fmt::format("edge material {}: expected eps > 0 and sigma >= 0, found {} and {}\n",
                            i, e.eps, e.sigma);
  }
  for (std::size_t i = 0; i < m.face_materials.size(); ++i) {
    const FaceMaterial& f = m.face_materials[i];
    if (!(f.mu > 0 && f.sigma_m >= 0 && std::isfinite(f.mu) && std::isfinite(f.sigma_m)))
      faults += fmt::format("face material {}: expected mu > 0 and sigma_m >= 0, found {} and {}\n",
                            i, f.mu, f.sigma_m);
  }
}

template <class Place>
bool inside(const Model& m, const Place& place) {
  for (int axis = 0; axis < 3; ++axis) {
    const Index i = place.node[std::size_t(axis)];
    if (i < 0 || i >= m.extent(axis)) return false;
  }
  return place.component >= 0 && place.component < 6;
}

void check_events(const Model& m, std::string& faults) {
  for (std::size_t i = 0; i < m.events.size(); ++i) {
    const PlacedEvent& e = m.events[i];
    const std::string name = e.name.empty() ? fmt::format("event {}", i) : e.name;
    if (!inside(m, e))
      faults += fmt::format("{} lies off the grid at node ({}, {}, {})\n", name, e.node[0],
                            e.node[1], e.node[2]);
    if (e.signal >= int(m.signals.size()))
      faults += fmt::format("{} uses signal {} of {}\n", name, e.signal, m.signals.size());
    if (int(e.coefficients.size()) < event_coefficients(e.kind))
      faults += fmt::format("{} has {} coefficients, expected {}\n", name, e.coefficients.size(),
                            event_coefficients(e.kind));
    if (e.kind == EventKind::record) faults += name + " is a record: list it as a probe\n";
  }
  for (std::size_t i = 0; i < m.probes.size(); ++i)
    if (!inside(m, m.probes[i])) faults += fmt::format("probe {} lies off the grid\n", i);
}

}  // namespace

Update edge_update(const EdgeMaterial& material, double dt) {
  if (material.pec) return {0, 0};
  return update_of(material.eps, material.sigma, dt);
}

Update face_update(const FaceMaterial& material, double dt) {
  return update_of(material.mu, material.sigma_m, dt);
}

double time_step_limit(const Model& model) {
  double eps = std::numeric_limits<double>::infinity();
  double mu = eps;
  for (const EdgeMaterial& e : model.edge_materials)
    if (!e.pec) eps = std::min(eps, e.eps);
  for (const FaceMaterial& f : model.face_materials) mu = std::min(mu, f.mu);
  return model.grid.time_step_limit(1 / std::sqrt(eps * mu));
}

void check(const Model& model) {
  std::string faults;
  check_boundaries(model, faults);
  check_materials(model, faults);
  check_events(model, faults);
  if (faults.empty()) {
    const double limit = time_step_limit(model);
    // The limit itself is neutrally stable; a last bit of rounding is not refused.
    if (!(model.dt > 0) || model.dt > limit * (1 + 1e-12))
      faults += fmt::format(
          "dt = {:.9g} s is not in (0, {:.9g} s], the stability limit of this grid "
          "and its fastest material\n",
          model.dt, limit);
  }
  if (faults.empty()) return;
  faults.pop_back();
  throw InputError(faults);
}

bool on_wall(const Model& model, int component, const std::array<Index, 3>& g) {
  for (int a = 0; a < 3; ++a) {
    const bool end = g[std::size_t(a)] == 0 || g[std::size_t(a)] == model.grid.cells(a);
    if (component < 3 && a != component && end && !model.periodic(a) &&
        model.boundary[std::size_t(2 * a + (g[std::size_t(a)] == 0 ? 0 : 1))] != Boundary::pmc)
      return true;
  }
  return false;
}

}  // namespace terrawave::fdtd
