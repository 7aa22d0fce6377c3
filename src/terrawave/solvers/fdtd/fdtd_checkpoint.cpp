// Saving and loading of the Yee solver's state in global order, and what identifies its model.
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "terrawave/solvers/fdtd/fdtd_hash.hpp"
#include "terrawave/solvers/fdtd/fdtd_yee.hpp"

namespace terrawave::fdtd {
namespace {

std::size_t z(Index i) { return static_cast<std::size_t>(i); }

}  // namespace

template <class Real>
Index YeeSolver<Real>::psi_layers(int axis) const {
  Index n = 0;
  for (const std::size_t face : {z(2 * axis), z(2 * axis + 1)})
    if (model_.boundary[face] == Boundary::cpml) n += model_.cpml[face].layers;
  return n;
}

template <class Real>
std::vector<sim::FieldInfo> YeeSolver<Real>::fields() const {
  std::vector<sim::FieldInfo> list;
  sim::FieldInfo info;
  info.type =
      std::is_same_v<Real, float> ? sim::FieldInfo::Type::float32 : sim::FieldInfo::Type::float64;
  for (std::size_t c = 0; c < 6; ++c) {
    info.name = kFieldNames[c];
    info.unit = c < 3 ? "V/m" : "A/m";
    info.long_name =
        fmt::format("{} field along {}", c < 3 ? "electric" : "magnetic", "xyz"[c % 3]);
    info.place = c < 3 ? sim::FieldInfo::Place::edge : sim::FieldInfo::Place::face;
    info.global_size = model_.extent(0) * model_.extent(1) * model_.extent(2);
    list.push_back(info);
  }
  info.place = sim::FieldInfo::Place::global;
  info.unit = "1";
  for (int a = 0; a < 3; ++a)
    for (int q = 0; q < 4 && psi_layers(a) > 0; ++q) {
      info.name = fmt::format("psi_{}{}", "xyz"[a], q);
      info.long_name = "memory of the absorbing layers";
      info.global_size = psi_layers(a) * model_.extent((a + 1) % 3) * model_.extent((a + 2) % 3);
      list.push_back(info);
    }
  if (!model_.events.empty()) {
    info.name = "event_states";
    info.long_name = "states of lumped elements";
    info.type = sim::FieldInfo::Type::float64;
    info.global_size = Index(model_.events.size());
    info.components = kMaxEventStates;
    list.push_back(info);
  }
  sim::FieldInfo step;
  step.name = "fdtd_step";
  step.unit = "1";
  step.long_name = "steps done";
  step.place = sim::FieldInfo::Place::global;
  step.type = sim::FieldInfo::Type::int64;
  step.global_size = 1;
  list.push_back(step);
  return list;
}

template <class Real>
typename YeeSolver<Real>::Entries YeeSolver<Real>::entries(std::string_view field) const {
  Entries e;
  const bool psi = field.starts_with("psi_");
  const int axis = psi ? field[4] - 'x' : -1;
  Index extent[3] = {model_.extent(0), model_.extent(1), model_.extent(2)};
  if (psi) extent[axis] = psi_layers(axis);
  const Index low_layers =
      psi && model_.boundary[z(2 * axis)] == Boundary::cpml ? model_.cpml[z(2 * axis)].layers : 0;
  for (Index k = layout_.owned_low[2]; k < layout_.owned_high[2]; ++k)
    for (Index j = layout_.owned_low[1]; j < layout_.owned_high[1]; ++j)
      for (Index i = layout_.owned_low[0]; i < layout_.owned_high[0]; ++i) {
        const Index at[3] = {i, j, k};
        Index g[3] = {i + layout_.origin[0], j + layout_.origin[1], k + layout_.origin[2]};
        if (psi) {
          const Slab& slab = axes_[z(axis)].slab;
          if (!slab.holds(at[axis])) continue;
          if (g[axis] >= low_layers) g[axis] -= model_.grid.cells(axis) - psi_layers(axis);
          e.at.push_back(psi_at(layout_, slab, axis, i, j, k));
        } else {
          e.at.push_back(layout_.at(i, j, k));
        }
        e.ids.push_back(g[0] + extent[0] * (g[1] + extent[1] * g[2]));
      }
  return e;
}

template <class Real>
par::Buffer<Real>* YeeSolver<Real>::array(std::string_view field) {
  for (std::size_t c = 0; c < 6; ++c)
    if (field == kFieldNames[c]) return &state_.f[c];
  if (field.starts_with("psi_") && field.size() == 6)
    return &state_.psi[z(field[4] - 'x')][z(field[5] - '0')];
  return nullptr;
}

template <class Real>
sim::FieldBlock YeeSolver<Real>::save(std::string_view field) {
  sim::FieldBlock block;
  if (field == "fdtd_step") {
    if (!context_.comm.is_root()) return block;
    block.ids = {0};
    block.values.resize(sizeof(std::int64_t));
    std::memcpy(block.values.data(), &step_, sizeof step_);
    return block;
  }
  if (field == "event_states") return events_.save();
  par::Buffer<Real>* from = array(field);
  require(from != nullptr, "fdtd: save of an unknown field");
  const std::vector<Real> all = from->download();
  Entries e = entries(field);
  block.values.resize(e.at.size() * sizeof(Real));
  for (std::size_t n = 0; n < e.at.size(); ++n)
    std::memcpy(block.values.data() + n * sizeof(Real), &all[z(e.at[n])], sizeof(Real));
  block.ids = std::move(e.ids);
  return block;
}

template <class Real>
void YeeSolver<Real>::load(std::string_view field, const Read& read) {
  if (field == "fdtd_step") {
    const GlobalId id = 0;
    const auto bytes = read({&id, 1});
    require(bytes.size() == sizeof step_, "fdtd: bad size of fdtd_step");
    std::memcpy(&step_, bytes.data(), sizeof step_);
    events_.restart(step_);
    return;
  }
  if (field == "event_states") return events_.load(read);
  par::Buffer<Real>* to = array(field);
  require(to != nullptr, "fdtd: load of an unknown field");
  const Entries e = entries(field);
  const auto bytes = read(e.ids);
  require(bytes.size() == e.ids.size() * sizeof(Real), "fdtd: bad size of a loaded field");
  std::vector<Real> all = to->download();
  for (std::size_t n = 0; n < e.at.size(); ++n)
    std::memcpy(&all[z(e.at[n])], bytes.data() + n * sizeof(Real), sizeof(Real));
  to->upload(all);
  quiet_wall_ = false;
  stale_ = ghosts_.any();
}

template <class Real>
std::string YeeSolver<Real>::fingerprint() const {
  NumberHash hash;
  const auto mix = [&](double v) { hash.mix(v); };
  for (int a = 0; a < 3; ++a)
    for (const double l : model_.grid.lines(a)) mix(l);
  for (const Cpml& c : model_.cpml)
    for (const double v :
         {double(c.layers), c.order, c.sigma_factor, c.kappa_max, c.alpha_frequency, c.eps_r})
      mix(v);
  for (const EdgeMaterial& e : model_.edge_materials)
    for (const double v : {e.eps, e.sigma, double(e.pec)}) mix(v);
  for (const FaceMaterial& f : model_.face_materials)
    for (const double v : {f.mu, f.sigma_m}) mix(v);
  for (const PlacedEvent& e : model_.events) {
    for (const Index i : e.node) mix(double(i));
    for (const double c : e.coefficients) mix(c);
    mix(double(e.component) + 10 * double(int(e.kind)) + 1000.0 * e.signal);
  }
  std::string boundaries;
  for (const Boundary b : model_.boundary)
    boundaries += b == Boundary::pec        ? "pec "
                  : b == Boundary::pmc      ? "pmc "
                  : b == Boundary::periodic ? "periodic "
                                            : "cpml ";
  return fmt::format(
      "cells = {} x {} x {}\ndt = {:.17g}\nboundaries = {}\nprecision = {}\n"
      "grid, materials and elements = {:016x}\n",
      model_.grid.cells(0), model_.grid.cells(1), model_.grid.cells(2), model_.dt, boundaries,
      std::is_same_v<Real, float> ? "single" : "double", hash.value());
}

// What this file defines of the class, for both precisions.
template std::vector<sim::FieldInfo> YeeSolver<float>::fields() const;
template sim::FieldBlock YeeSolver<float>::save(std::string_view);
template Index YeeSolver<float>::psi_layers(int) const;
template void YeeSolver<float>::load(std::string_view, const Read&);
template std::string YeeSolver<float>::fingerprint() const;
template std::vector<sim::FieldInfo> YeeSolver<double>::fields() const;
template sim::FieldBlock YeeSolver<double>::save(std::string_view);
template Index YeeSolver<double>::psi_layers(int) const;
template void YeeSolver<double>::load(std::string_view, const Read&);
template std::string YeeSolver<double>::fingerprint() const;

}  // namespace terrawave::fdtd
