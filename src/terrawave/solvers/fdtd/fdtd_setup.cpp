#include "terrawave/solvers/fdtd/fdtd_setup.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <tuple>
#include <unordered_map>

#include <fmt/format.h>

#include "terrawave/base/error.hpp"

namespace terrawave::fdtd {
namespace {

std::size_t z(Index i) { return static_cast<std::size_t>(i); }

Index round_up(Index n, Index multiple) { return (n + multiple - 1) / multiple * multiple; }

// Primary and dual spacings of an axis; equal to the mean where the lines are equally spaced up to
// rounding, so that equal lines written out give the same bits as a uniform axis.
struct Spacings {
  std::vector<double> primary, dual;
};
Spacings spacings(const Model& model, int axis) {
  const domain::YeeGrid& grid = model.grid;
  const Index n = grid.cells(axis);
  Spacings s;
  const double mean = (grid.line(axis, n) - grid.line(axis, 0)) / double(n);
  const bool uniform = grid.largest(axis) - grid.smallest(axis) < 1e-9 * mean;
  for (Index i = 0; i < n; ++i) s.primary.push_back(uniform ? mean : grid.primary(axis, i));
  for (Index i = 0; i <= n; ++i) {
    const bool wall = !model.periodic(axis) && (i == 0 || i == n);
    s.dual.push_back(uniform ? (wall ? 0.5 * mean : mean)
                             : grid.dual(axis, i, model.periodic(axis)));
  }
  return s;
}

// The layer's kappa, and a / spacing and b of the recursive convolution, at one depth.
struct LayerPoint {
  double kappa, a, b;
};
LayerPoint layer_point(const Cpml& c, double thickness, double rho, double dt) {
  rho = std::clamp(rho, 0.0, 1.0);
  const double spacing = thickness / c.layers;
  const double optimal = (c.order + 1) / (150 * std::numbers::pi * std::sqrt(c.eps_r) * spacing);
  const double graded = std::pow(rho, c.order);
  const double sigma = c.sigma_factor * optimal * graded;
  const double kappa = 1 + (c.kappa_max - 1) * graded;
  const double alpha = 2 * std::numbers::pi * kEps0 * c.alpha_frequency * (1 - rho);
  const double exponent = -(sigma / kappa + alpha) * dt / kEps0;
  const double a =
      sigma > 0 ? sigma * std::expm1(exponent) / (sigma * kappa + kappa * kappa * alpha) : 0;
  return {kappa, a, std::exp(exponent)};
}

// Layers of an axis at global entries: sides with 0 layers have none.
struct Layers {
  Index low = 0, high = 0;  // members: [0, low) and [n - high, n)
  double low_thickness = 0, high_thickness = 0;
};
Layers layers_of(const Model& model, int axis) {
  Layers l;
  const Index n = model.grid.cells(axis);
  const auto low = z(2 * axis), high = z(2 * axis + 1);
  if (model.boundary[low] == Boundary::cpml) {
    l.low = model.cpml[low].layers;
    l.low_thickness = model.grid.line(axis, l.low) - model.grid.line(axis, 0);
  }
  if (model.boundary[high] == Boundary::cpml) {
    l.high = model.cpml[high].layers;
    l.high_thickness = model.grid.line(axis, n) - model.grid.line(axis, n - l.high);
  }
  return l;
}

Slab make_slab(const Model& model, const Layout& layout, int axis) {
  const Layers layers = layers_of(model, axis);
  const Index n = model.grid.cells(axis);
  const auto clip = [&](Index global) {
    return std::clamp<Index>(global - layout.origin[axis], layout.update_low[axis],
                             layout.update_high[axis]);
  };
  Slab s{};
  if (layers.low > 0) {
    s.low0 = clip(0);
    s.low1 = clip(layers.low);
  }
  if (layers.high > 0) {
    s.high0 = clip(n - layers.high);
    s.high1 = clip(n);
  }
  Index a0 = s.low0, a1 = s.low1, b0 = s.high0, b1 = s.high1;
  if (axis == 0) {
    a0 = a0 / kChunk * kChunk;
    a1 = a1 > s.low0 ? round_up(a1, kChunk) : a0;
    b0 = b0 / kChunk * kChunk;
    b1 = b1 > s.high0 ? round_up(b1, kChunk) : b0;
  }
  const bool has_low = s.low1 > s.low0, has_high = s.high1 > s.high0;
  if (has_low && has_high && b0 <= a1) {  // the chunks meet: one range
    a1 = std::max(a1, b1);
    s.low_begin = a0;
    s.low_width = a1 - a0;
  } else {
    s.low_begin = has_low ? a0 : 0;
    s.low_width = has_low ? a1 - a0 : 0;
    s.high_begin = has_high ? b0 : 0;
    s.high_width = has_high ? b1 - b0 : 0;
  }
  return s;
}

}  // namespace

HostAxis make_axis(const Model& model, const Layout& layout, int axis) {
  const Spacings spacing = spacings(model, axis);
  const Layers layers = layers_of(model, axis);
  const Index n = model.grid.cells(axis);
  const domain::YeeGrid& grid = model.grid;
  HostAxis h;
  h.slab = make_slab(model, layout, axis);
  for (auto* v : {&h.se, &h.ae, &h.be, &h.sh, &h.ah, &h.bh}) v->assign(z(layout.size[axis]), 0.0);
  const auto point = [&](double x, Index g) -> LayerPoint {
    const auto side = z(2 * axis + (g < layers.low ? 0 : 1));
    const double rho = g < layers.low
                           ? (grid.line(axis, layers.low) - x) / layers.low_thickness
                           : (x - grid.line(axis, n - layers.high)) / layers.high_thickness;
    return layer_point(model.cpml[side],
                       g < layers.low ? layers.low_thickness : layers.high_thickness, rho,
                       model.dt);
  };
  for (Index i = 0; i < layout.size[axis]; ++i) {
    if (i < layout.update_low[axis] || i >= layout.update_high[axis]) continue;
    const Index g = global_entry(model, layout, axis, i);
    if (g < 0) continue;
    const bool in_layer = h.slab.holds(i);
    const LayerPoint e = in_layer ? point(grid.line(axis, g), g) : LayerPoint{1, 0, 0};
    h.se[z(i)] = 1 / (e.kappa * spacing.dual[z(g)]);
    h.ae[z(i)] = e.a / spacing.dual[z(g)];
    h.be[z(i)] = e.b;
    if (g >= n) continue;  // the last node of a walled axis: no cell behind it
    const LayerPoint m = in_layer ? point(0.5 * (grid.line(axis, g) + grid.line(axis, g + 1)), g)
                                  : LayerPoint{1, 0, 0};
    h.sh[z(i)] = 1 / (m.kappa * spacing.primary[z(g)]);
    h.ah[z(i)] = m.a / spacing.primary[z(g)];
    h.bh[z(i)] = m.b;
  }
  return h;
}

namespace {

using Triple = std::array<std::uint16_t, 3>;

// Numbers triples of ids in the order in which they are met, (0, 0, 0) first.
class Classes {
 public:
  explicit Classes(HostClasses& out) : out_(out) { number({0, 0, 0}); }
  std::uint16_t number(const Triple& t) {
    const std::uint64_t key = t[0] | std::uint64_t{t[1]} << 16 | std::uint64_t{t[2]} << 32;
    if (key == last_key_ && !out_.ids.empty()) return last_;
    const auto [it, fresh] = known_.try_emplace(key, std::uint16_t(out_.ids.size()));
    if (fresh) {
      if (out_.ids.size() >= 65535)
        throw InputError(
            "more than 65535 different triples of materials meet at nodes: "
            "use fewer materials or turn averaging off");
      out_.ids.push_back(t);
    }
    last_key_ = key;
    return last_ = it->second;
  }

 private:
  HostClasses& out_;
  std::unordered_map<std::uint64_t, std::uint16_t> known_;
  std::uint64_t last_key_ = 0;
  std::uint16_t last_ = 0;
};

// Global range of an axis that the rank's entries need from the model, and where entry i lies in
// it.
struct Needed {
  Index low = 0, high = 0;
};
Needed needed(const Model& model, const Layout& layout, int axis) {
  if (model.periodic(axis)) return {0, model.extent(axis)};
  return {std::max<Index>(0, layout.origin[axis] + layout.update_low[axis]),
          std::min(model.extent(axis), layout.origin[axis] + layout.update_high[axis])};
}

HostClasses classify(const Model& model, const Layout& layout, const FillIds& fill,
                     std::uint16_t ordinary, bool electric) {
  HostClasses out;
  out.index.assign(z(layout.count), 0);
  Classes classes(out);
  const Needed nx = needed(model, layout, 0), ny = needed(model, layout, 1);
  const Index width = nx.high - nx.low;
  std::array<std::vector<std::uint16_t>, 3> plane;
  for (auto& p : plane) p.assign(z(width * (ny.high - ny.low)), ordinary);
  for (Index k = layout.update_low[2]; k < layout.update_high[2]; ++k) {
    const Index gk = global_entry(model, layout, 2, k);
    if (gk < 0) continue;
    if (fill)
      for (int c = 0; c < 3; ++c)
        fill(c, Box{{nx.low, ny.low, gk}, {nx.high, ny.high, gk + 1}}, plane[z(c)]);
    for (Index j = layout.update_low[1]; j < layout.update_high[1]; ++j) {
      const Index gj = global_entry(model, layout, 1, j);
      if (gj < 0) continue;
      for (Index i = layout.update_low[0]; i < layout.update_high[0]; ++i) {
        const Index gi = global_entry(model, layout, 0, i);
        if (gi < 0) continue;
        const std::array<Index, 3> g{gi, gj, gk};
        Triple t{};
        for (std::size_t c = 0; c < 3; ++c) {
          bool exists = true, wall = false;
          for (std::size_t a = 0; a < 3; ++a) {
            if (model.periodic(int(a))) continue;
            const Index n = model.grid.cells(int(a));
            const bool along = electric ? a == c : a != c;
            if (along) exists = exists && g[a] < n;
            if (electric && a != c && (g[a] == 0 || g[a] == n))
              wall = wall || model.boundary[2 * a + (g[a] == 0 ? 0 : 1)] != Boundary::pmc;
          }
          if (exists && !wall) t[c] = plane[c][z(gi - nx.low + width * (gj - ny.low))];
        }
        out.index[z(layout.at(i, j, k))] = classes.number(t);
      }
    }
  }
  return out;
}

}  // namespace

HostClasses edge_classes(const Model& model, const Layout& layout) {
  return classify(model, layout, model.fill_edges, 1, true);
}

HostClasses face_classes(const Model& model, const Layout& layout) {
  if (!model.fill_faces && model.face_materials[0].sigma_m == 0) return {{}, {{0, 0, 0}}};
  HostClasses out = classify(model, layout, model.fill_faces, 0, false);
  if (out.ids.size() == 1 && model.face_materials[0].sigma_m == 0) out.index.clear();
  return out;
}

HostEvents locate_events(const Model& model, const Layout& layout) {
  struct Located {
    Event event;
    std::int32_t id;
  };
  std::vector<Located> found[2];
  HostEvents out;
  std::vector<std::int32_t> first_coefficient;
  for (const PlacedEvent& e : model.events) {
    first_coefficient.push_back(std::int32_t(out.coefficients.size()));
    out.coefficients.insert(out.coefficients.end(), e.coefficients.begin(), e.coefficients.end());
  }
  // Every entry of this rank that stands for a node: more than one where ghosts are images.
  const auto place = [&](const std::array<Index, 3>& node, Event event, std::int32_t id,
                         int states) {
    std::vector<Index> at[3];
    for (int a = 0; a < 3; ++a)
      for (Index i = layout.update_low[a]; i < layout.update_high[a]; ++i)
        if (global_entry(model, layout, a, i) == node[z(a)]) at[a].push_back(i);
    for (const Index k : at[2])
      for (const Index j : at[1])
        for (const Index i : at[0]) {
          event.x = std::int32_t(i);
          event.y = std::int32_t(j);
          event.z = std::int32_t(k);
          event.owned = i >= layout.owned_low[0] && i < layout.owned_high[0] &&
                        j >= layout.owned_low[1] && j < layout.owned_high[1] &&
                        k >= layout.owned_low[2] && k < layout.owned_high[2];
          event.state = out.states;
          out.states += states;
          found[event.component < 3 ? 0 : 1].push_back({event, id});
        }
  };
  for (std::size_t n = 0; n < model.events.size(); ++n) {
    const PlacedEvent& e = model.events[n];
    Event event;
    event.kind = e.kind;
    event.component = std::uint8_t(e.component);
    event.signal = e.signal;
    event.coefficients = first_coefficient[n];
    place(e.node, event, std::int32_t(n), event_states(e.kind));
  }
  for (std::size_t n = 0; n < model.probes.size(); ++n) {
    Event event;
    event.kind = EventKind::record;
    event.component = std::uint8_t(model.probes[n].component);
    event.signal = std::int32_t(n);
    place(model.probes[n].node, event, -1, 0);
  }
  for (std::size_t pass = 0; pass < 2; ++pass) {
    const auto key = [](const Located& l) {
      return std::tuple(l.event.z, l.event.y, l.event.x, l.event.component);
    };
    std::stable_sort(found[pass].begin(), found[pass].end(),
                     [&](const Located& a, const Located& b) { return key(a) < key(b); });
    for (std::size_t n = 0; n < found[pass].size(); ++n) {
      if (n == 0 || key(found[pass][n]) != key(found[pass][n - 1]))
        out.groups[pass].push_back(std::int32_t(n));
      out.events[pass].push_back(found[pass][n].event);
      out.model_id[pass].push_back(found[pass][n].id);
    }
    out.groups[pass].push_back(std::int32_t(found[pass].size()));
  }
  return out;
}

namespace {

template <class Real>
std::vector<Real> cast(const std::vector<double>& v) {
  std::vector<Real> out;
  out.reserve(v.size());
  for (const double x : v) out.push_back(static_cast<Real>(x));
  return out;
}

template <class Real, class UpdateOf>
std::vector<Real> table_of(const HostClasses& classes, const UpdateOf& update_of) {
  std::vector<Real> table;
  for (const auto& ids : classes.ids)
    for (const std::uint16_t id : ids) {
      const Update u = update_of(id);
      table.push_back(static_cast<Real>(u.a));
      table.push_back(static_cast<Real>(u.b));
    }
  return table;
}

void check_ids(const HostClasses& classes, std::size_t materials, const char* what) {
  for (const auto& ids : classes.ids)
    for (const std::uint16_t id : ids) require(id < materials, what);
}

}  // namespace

template <class Real>
MediumData<Real>::MediumData(const par::Queue& queue, const Model& model, const Layout& layout,
                             const std::array<HostAxis, 3>& axes, const HostClasses& edges,
                             const HostClasses& faces) {
  check_ids(edges, model.edge_materials.size(), "fill_edges gave an id without a material");
  check_ids(faces, model.face_materials.size(), "fill_faces gave an id without a material");
  view.layout = layout;
  for (std::size_t a = 0; a < 3; ++a) {
    const HostAxis& h = axes[a];
    const std::vector<double>* from[6] = {&h.se, &h.ae, &h.be, &h.sh, &h.ah, &h.bh};
    const Real** to[6] = {&view.axis[a].se, &view.axis[a].ae, &view.axis[a].be,
                          &view.axis[a].sh, &view.axis[a].ah, &view.axis[a].bh};
    for (std::size_t q = 0; q < 6; ++q) {
      weights[a][q] = par::Buffer<Real>(queue, cast<Real>(*from[q]));
      *to[q] = weights[a][q].view().data;
    }
    view.axis[a].slab = h.slab;
    view.layers = view.layers || h.slab.width() > 0;
  }
  const HostClasses* classes[2] = {&edges, &faces};
  ClassIndex* index[2] = {&view.edges, &view.faces};
  table[0] = par::Buffer<Real>(queue, table_of<Real>(edges, [&](std::uint16_t id) {
                                 return edge_update(model.edge_materials[id], model.dt);
                               }));
  table[1] = par::Buffer<Real>(queue, table_of<Real>(faces, [&](std::uint16_t id) {
                                 return face_update(model.face_materials[id], model.dt);
                               }));
  for (std::size_t c = 0; c < 2; ++c) {
    if (classes[c]->index.empty()) continue;
    if (classes[c]->ids.size() <= 256) {
      const std::vector<std::uint8_t> bytes(classes[c]->index.begin(), classes[c]->index.end());
      narrow[c] = par::Buffer<std::uint8_t>(queue, bytes);
      index[c]->narrow = narrow[c].view().data;
    } else {
      wide[c] = par::Buffer<std::uint16_t>(queue, classes[c]->index);
      index[c]->wide = wide[c].view().data;
    }
  }
  view.edge_table = table[0].view().data;
  view.edge_classes = std::int32_t(edges.ids.size());
  view.face_table = table[1].view().data;
  view.face_b = static_cast<Real>(face_update(model.face_materials[0], model.dt).b);
}

template <class Real>
StateData<Real>::StateData(const par::Queue& queue, const Layout& layout,
                           const std::array<HostAxis, 3>& axes) {
  for (std::size_t c = 0; c < 6; ++c) {
    f[c] = par::Buffer<Real>(queue, layout.count);
    f[c].fill_bytes(0);
    view.f[c] = f[c].view().data;
  }
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t q = 0; q < 4; ++q) {
      psi[a][q] = par::Buffer<Real>(queue, psi_count(layout, axes[a].slab, int(a)));
      psi[a][q].fill_bytes(0);
      view.psi[a][q] = psi[a][q].view().data;
    }
}

template struct MediumData<float>;
template struct MediumData<double>;
template struct StateData<float>;
template struct StateData<double>;

}  // namespace terrawave::fdtd
