// From a Setup to what the kernels run on: materials of edges and faces, dt, events.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <set>
#include <span>

#include <fmt/format.h>

#include "terrawave/base/error.hpp"
#include "terrawave/solvers/fdtd/fdtd_case_ids.hpp"
#include "terrawave/solvers/fdtd/fdtd_case_read.hpp"
#include "terrawave/solvers/fdtd/geometry_grid.hpp"

namespace terrawave::fdtd {

using config::Config;
using config::Diagnostics;

namespace {

std::string edge_name(const GridLines& lines, const EdgeId& e) {
  return fmt::format("E{} edge at {}", "xyz"[e.component],
                     show_point({lines[0][std::size_t(e.node[0])], lines[1][std::size_t(e.node[1])],
                                 lines[2][std::size_t(e.node[2])]}));
}

class Builder {
 public:
  Builder(const Config& root, comm::Comm& comm) : root_(root), comm_(comm) {
    built_.setup = read_setup(root);
    built_.drive = std::make_shared<int>(-1);
  }

  BuiltCase build() {
    Setup& s = built_.setup;
    built_.canvas = std::make_shared<Canvas>(s.lines, s.objects, s.materials, s.periodic());
    survey_ = built_.canvas->survey(comm_);
    built_.reports = survey_.reports;
    refuse_empty_objects();
    Model& m = built_.model;
    m.grid = domain::YeeGrid(s.lines);
    m.boundary = s.boundary;
    m.cpml = s.cpml;
    ids_ = std::make_shared<IdSource>(s.lines, built_.canvas, survey_);
    loads_.emplace(m.grid, s.periodic());
    place_sources();
    place_lumped();
    place_ports();
    all_.raise();
    for (const EdgeId& e : loads_->metal()) ids_->add_metal(e);
    make_materials();
    choose_dt();
    make_events();
    report_dispersion();
    all_.raise();
    m.fill_edges = [ids = ids_](int c, const Box& b, std::span<std::uint16_t> out) {
      ids->fill_edges(c, b, out);
    };
    m.fill_faces = [ids = ids_](int c, const Box& b, std::span<std::uint16_t> out) {
      ids->fill_faces(c, b, out);
    };
    built_.warnings = s.warnings;
    warn_before_runs(built_);
    return std::move(built_);
  }

 private:
  void refuse_empty_objects() {
    const auto tables = root_.tables("object");
    for (std::size_t o = 0; o < built_.setup.objects.size(); ++o) {
      const ObjectReport& r = built_.reports[o];
      if (r.cells_owned + r.edges_owned > 0 || built_.setup.objects[o].allow_empty) continue;
      const bool hidden = r.cells_covered > 0;
      tables[built_.setup.object_entry[o]].complain(
          all_, "name",
          fmt::format("object \"{}\" owns no cell and no edge of the grid: it is {}; make the grid "
                      "finer there, move it, or set allow_empty = true",
                      r.name,
                      hidden ? "hidden by objects that come later or have higher priority"
                             : "smaller than the cells around it"));
    }
  }

  int add_signal(const Waveform& w, double amplitude, double offset) {
    built_.setup.last_source_time = std::max(built_.setup.last_source_time, w.end());
    built_.model.signals.push_back({[w, amplitude](double t) { return amplitude * w(t); }, offset});
    return int(built_.model.signals.size()) - 1;
  }

  // Refuses gaps with metal in them; which object, if one.
  bool gap_is_open(const Config& c, const EdgeBox& gap, const std::string& what) {
    for (const EdgeId& e : gap.edges()) {
      if (!ids_->metal(e.component, e.node) && !on_electric_wall(e)) continue;
      c.complain(all_, "from",
                 fmt::format("{} is shorted: its {} is metal{}", what,
                             edge_name(built_.setup.lines, e), owner_of(e)));
      return false;
    }
    return true;
  }
  std::string owner_of(const EdgeId& e) const {
    const std::size_t owner = built_.canvas->owner_of_metal(e.component, e.node);
    if (owner == 0) return " (the grid's electric wall)";
    return fmt::format(" of object \"{}\"", built_.setup.objects[owner - 1].name);
  }
  bool on_electric_wall(const EdgeId& e) const {
    for (std::size_t a = 0; a < 3; ++a) {
      if (int(a) == e.component) continue;
      if (wall_is_metal(2 * a) && e.node[a] == 0) return true;
      if (wall_is_metal(2 * a + 1) && e.node[a] == Index(built_.setup.lines[a].size()) - 1)
        return true;
    }
    return false;
  }
  // An absorbing layer is backed by an electric wall too.
  bool wall_is_metal(std::size_t face) const {
    return built_.setup.boundary[face] == Boundary::pec ||
           built_.setup.boundary[face] == Boundary::cpml;
  }

  // Does metal touch node n other than by the edges along `along`?
  bool node_touches_metal(const Cell& n, int along, Index gap_edge) const {
    const auto& lines = built_.setup.lines;
    for (std::size_t a = 0; a < 3; ++a) {
      const Index last = Index(lines[a].size()) - 1;
      if ((n[a] == 0 && wall_is_metal(2 * a)) || (n[a] == last && wall_is_metal(2 * a + 1)))
        return true;
      Cell before = n;
      --before[a];
      if (n[a] > 0 && !(int(a) == along && before[a] == gap_edge) && ids_->metal(int(a), before))
        return true;
      if (n[a] < last && !(int(a) == along && n[a] == gap_edge) && ids_->metal(int(a), n))
        return true;
    }
    return false;
  }

  bool ends_on_metal(const Config& c, const EdgeBox& gap, const std::string& what) {
    const auto a = std::size_t(gap.component);
    const auto [u, v] = plane_axes(gap.component);
    const auto au = std::size_t(u), av = std::size_t(v);
    const auto& lines = built_.setup.lines;
    Cell n{};
    for (n[av] = gap.low[av]; n[av] <= gap.high[av]; ++n[av])
      for (n[au] = gap.low[au]; n[au] <= gap.high[au]; ++n[au])
        for (const bool top : {false, true}) {
          n[a] = top ? gap.high[a] : gap.low[a];
          if (node_touches_metal(n, gap.component, top ? n[a] - 1 : n[a])) continue;
          c.complain(
              all_, top == (gap.sign > 0) ? "to" : "from",
              fmt::format("{} has no metal at its {} end at {}", what,
                          top == (gap.sign > 0) ? "positive" : "negative",
                          show_point({lines[0][std::size_t(n[0])], lines[1][std::size_t(n[1])],
                                      lines[2][std::size_t(n[2])]})));
          return false;
        }
    return true;
  }

  void place_sources() {
    for (const Config& c : built_.setup.source_tables) {
      const int w = find_waveform(built_.setup, c.text("waveform"), c, "waveform", all_);
      const std::string kind = c.text("kind");
      if (kind == "electric_dipole" || kind == "magnetic_dipole")
        place_dipole(c, w, kind == "magnetic_dipole");
      else
        place_gap_source(c, w, kind == "voltage");
    }
  }

  void place_dipole(const Config& c, int w, bool magnetic) {
    Setup& s = built_.setup;
    if (!needs(all_, c, c.text("kind"), {"at"}) || !inside_grid(all_, c, "at", s.lines) || w < 0)
      return;
    const int axis = axis_of(c.text("direction"));
    const double sign = sign_of(c.text("direction"));
    const bool hard = c.boolean("hard");
    const Cell n = nearest_place(s, vec3(c.numbers("at")), axis, magnetic);
    const EdgeId e{axis, n};
    if (!magnetic && (ids_->metal(axis, n) || on_electric_wall(e))) {
      c.complain(all_, "at",
                 fmt::format("source \"{}\" sits on metal{}: its {} stays zero", c.text("name"),
                             owner_of(e), edge_name(s.lines, e)));
      return;
    }
    // A soft magnetic source acts from (n - 1/2) dt to (n + 1/2) dt, a hard one sets H at its end.
    const double offset = magnetic ? (hard ? 0.5 : 0.0) : (hard ? 1.0 : 0.5);
    const int signal = add_signal(s.waveforms[std::size_t(w)], c.number("amplitude"), offset);
    dipoles_.push_back({e, magnetic, hard, sign, signal, c.text("name")});
  }

  void place_gap_source(const Config& c, int w, bool voltage) {
    Setup& s = built_.setup;
    EdgeBox gap;
    const std::string what = fmt::format("source \"{}\"", c.text("name"));
    if (!needs(all_, c, c.text("kind"), {"from", "to"}) || !read_gap(c, s, gap, all_) ||
        !gap_is_open(c, gap, what) || w < 0)
      return;
    if (voltage && !ends_on_metal(c, gap, what)) return;
    const double ohm = c.has("resistance") ? c.number("resistance") : 0;
    const bool hard = voltage && ohm == 0;
    const int signal =
        add_signal(s.waveforms[std::size_t(w)], c.number("amplitude"), hard ? 1.0 : 0.5);
    if (voltage) {
      loads_->voltage_source(gap, ohm, signal, c.text("name"));
    } else {
      if (ohm > 0) loads_->resistor(gap, ohm);
      loads_->current_source(gap, signal, c.text("name"));
    }
  }

  void place_lumped() {
    for (const Config& c : built_.setup.lumped_tables) {
      EdgeBox gap;
      const std::string name = c.text("name");
      const std::string what = fmt::format("element \"{}\"", name);
      if (!read_gap(c, built_.setup, gap, all_) || !gap_is_open(c, gap, what) ||
          !ends_on_metal(c, gap, what))
        continue;
      const std::string kind = c.text("kind");
      const double r = c.has("R") ? c.number("R") : 0;
      const double l = c.has("L") ? c.number("L") : 0;
      const double farad = c.has("C") ? c.number("C") : 0;
      if (kind == "resistor" && needs(all_, c, kind, {"R"})) loads_->resistor(gap, r);
      if (kind == "capacitor" && needs(all_, c, kind, {"C"})) loads_->capacitor(gap, farad);
      if (kind == "inductor" && needs(all_, c, kind, {"L"})) loads_->inductor(gap, l, name);
      if (kind == "series_rlc" || kind == "parallel_rlc") {
        if (int(r > 0) + int(l > 0) + int(farad > 0) < 2) {
          c.complain(all_, "kind", fmt::format("{} needs at least two of R, L and C", kind));
          continue;
        }
        if (kind == "series_rlc") {
          loads_->series_rlc(gap, r, l, farad > 0 ? farad : std::numeric_limits<double>::infinity(),
                             name);
        } else {
          if (r > 0) loads_->resistor(gap, r);
          if (farad > 0) loads_->capacitor(gap, farad);
          if (l > 0) loads_->inductor(gap, l, name);
        }
      }
      if (kind == "diode") {
        loads_->diode(gap, c.number("saturation_current"), c.number("ideality"),
                      c.number("temperature"), name);
        if (farad > 0) loads_->capacitor(gap, farad);
      }
    }
  }

  void place_ports() {
    Setup& s = built_.setup;
    const auto tables = root_.tables("port");
    for (std::size_t p = 0; p < s.ports.size(); ++p) {
      Port& port = s.ports[p];
      const std::string what = fmt::format("port \"{}\"", port.name);
      for (const EdgeId& e : port.gap.edges())
        if (loads_->loads().count(e) > 0 && port_edges_.count(e) == 0) {
          tables[p].complain(all_, "from",
                             fmt::format("{} overlaps another source or element: a port brings its "
                                         "own source and resistor",
                                         what));
          break;
        }
      if (!gap_is_open(tables[p], port.gap, what) || !ends_on_metal(tables[p], port.gap, what))
        continue;
      if (port.plane) check_plane(tables[p], port);
      port.signal = int(built_.model.signals.size());
      const double volts = s.drive_volts;
      built_.model.signals.push_back({[drive = built_.drive, p, w = s.drive, volts](double t) {
                                        return *drive == int(p) ? volts * w(t) : 0.0;
                                      },
                                      0.5});
      loads_->voltage_source(port.gap, port.impedance, port.signal, port.name);
      for (const EdgeId& e : port.gap.edges()) port_edges_.insert(e);
    }
    if (!s.ports.empty()) s.last_source_time = std::max(s.last_source_time, s.drive.end());
  }

  // The conductor at the measuring plane must be as wide as the gap.
  void check_plane(const Config& c, const Port& port) {
    const auto line = std::size_t(port.plane->axis);
    const auto along = std::size_t(port.gap.component);
    const auto across = 3 - line - along;
    Cell n{};
    n[line] = port.plane->node;
    n[along] = port.gap.sign > 0 ? port.gap.high[along] : port.gap.low[along];
    for (n[across] = port.gap.low[across]; n[across] <= port.gap.high[across]; ++n[across]) {
      if (node_touches_metal(n, port.gap.component, -1)) continue;
      c.complain(all_, "distance",
                 fmt::format("port \"{}\" has no signal conductor at its measuring plane {} = {:g} "
                             "m, at {} = {:g} m",
                             port.name, "xyz"[line], built_.setup.lines[line][std::size_t(n[line])],
                             "xyz"[across], built_.setup.lines[across][std::size_t(n[across])]));
      return;
    }
    for (const bool high : {false, true}) {
      Cell e = n;
      e[across] = high ? port.gap.high[across] : port.gap.low[across] - 1;
      if (e[across] < 0 || e[across] >= Index(built_.setup.lines[across].size()) - 1) continue;
      if (ids_->metal(int(across), e)) {
        c.complain(all_, "distance",
                   fmt::format("the conductor at port \"{}\"'s measuring plane is wider than its "
                               "gap along {}; make the gap as wide as the line",
                               port.name, "xyz"[across]));
        return;
      }
    }
  }

  void make_materials() {
    Model& m = built_.model;
    m.edge_materials = {{kEps0, 0, true}};
    for (const Filling& f : survey_.edges) m.edge_materials.push_back({f.storage, f.loss, false});
    m.face_materials.clear();
    m.face_materials.push_back({});  // entry 0: faces that do not exist
    for (const Filling& f : survey_.faces) m.face_materials.push_back({f.storage, f.loss});
    for (const auto& [edge, load] : loads_->loads()) {
      const Filling base = ids_->edge(edge.component, edge.node);
      own_first_ = own_first_ == 0 ? m.edge_materials.size() : own_first_;
      m.edge_materials.push_back({base.storage + load.eps, base.loss + load.sigma, false});
      stiffness_ = std::max(stiffness_, load.stiffness / (base.storage + load.eps));
    }
    if (m.edge_materials.size() > 65535 || m.face_materials.size() > 65535)
      throw InputError(
          fmt::format("the case has {} distinct edge materials, more than 65535: use "
                      "equal spacings where materials meet",
                      std::max(m.edge_materials.size(), m.face_materials.size())));
  }

  void choose_dt() {
    Model& m = built_.model;
    Setup& s = built_.setup;
    const double grid = time_step_limit(m);
    // Inductors raise the highest frequency: w^2 = (2/dt)^2 + l/(L A eps).
    built_.dt_limit = 2 / std::sqrt(4 / (grid * grid) + stiffness_);
    m.dt = s.dt ? *s.dt : s.courant * built_.dt_limit;
    if (m.dt > built_.dt_limit * (1 + 1e-12))
      root_.table("fdtd").complain(
          all_, "dt",
          fmt::format("expected at most {:.6g} s, the stability limit of this grid, found {:.6g} s",
                      built_.dt_limit, m.dt));
  }

  void make_events() {
    Model& m = built_.model;
    std::size_t id = own_first_;
    for (const auto& [edge, load] : loads_->loads()) {
      EdgeMaterial& material = m.edge_materials[id];
      for (const auto& sigma : load.sigma_of_dt) material.sigma += sigma(m.dt);
      ids_->set_own(edge, std::uint16_t(id++));
      const double b = edge_update(material, m.dt).b;
      for (const auto& e : load.events)
        m.events.push_back(
            {edge.node, edge.component, e.kind, e.signal, e.coefficients(b, m.dt), e.name});
    }
    for (const Dipole& d : dipoles_) {
      const double b = d.magnetic ? face_update(face_material(d.edge), m.dt).b
                                  : edge_update(edge_material(d.edge), m.dt).b;
      const double c = d.hard ? d.sign : -b * d.sign / dual_area(d);
      m.events.push_back({d.edge.node,
                          d.edge.component + (d.magnetic ? 3 : 0),
                          d.hard ? EventKind::set : EventKind::add,
                          d.signal,
                          {c},
                          d.name});
    }
    for (const PlacedEvent& e : m.events)
      if (!std::all_of(e.coefficients.begin(), e.coefficients.end(),
                       [](double c) { return std::isfinite(c); }))
        throw InputError(
            fmt::format("\"{}\": its values are too large or too small to be "
                        "computed with at this time step, {:.4g} s",
                        e.name, m.dt));
  }

  EdgeMaterial edge_material(const EdgeId& e) const {
    std::uint16_t id = 0;
    Box box{e.node, {e.node[0] + 1, e.node[1] + 1, e.node[2] + 1}};
    ids_->fill_edges(e.component, box, std::span(&id, 1));
    return built_.model.edge_materials[id];
  }
  FaceMaterial face_material(const EdgeId& e) const {
    std::uint16_t id = 0;
    Box box{e.node, {e.node[0] + 1, e.node[1] + 1, e.node[2] + 1}};
    ids_->fill_faces(e.component, box, std::span(&id, 1));
    return built_.model.face_materials[id];
  }

  void report_dispersion() {
    const Setup& s = built_.setup;
    for (std::size_t mat = 0; mat < s.materials.size(); ++mat) {
      const Material& x = s.materials[mat];
      BuiltCase::MaterialLine line;
      line.cells = survey_.cells[mat];
      line.largest_cell = survey_.largest_cell[mat];
      if (line.cells == 0 || x.pec) continue;
      line.name = mat == 0 ? x.name + " (background)" : x.name;
      const Resolution q =
          resolution(std::sqrt(x.eps_r * x.mu_r), line.largest_cell, s.f_max, built_.model.dt);
      line.cells_per_wavelength = q.cells_per_wavelength;
      line.phase_error = q.phase_error;
      built_.dispersion.push_back(line);
      if (q.cells_per_wavelength < s.min_cells_per_wavelength * (1 - 1e-9)) {
        const double f = kLightSpeed / std::sqrt(x.eps_r * x.mu_r) /
                         (s.min_cells_per_wavelength * line.largest_cell);
        root_.table("fdtd").complain(
            all_, "f_max",
            fmt::format(
                "the grid resolves material \"{}\" up to {:.4g} Hz with {:g} cells per "
                "wavelength (largest cell {:.4g} m), found {:.4g} Hz; lower f_max, make the "
                "grid finer, or lower min_cells_per_wavelength",
                x.name, f, s.min_cells_per_wavelength, line.largest_cell, s.f_max));
      }
    }
  }

  struct Dipole {
    EdgeId edge;
    bool magnetic, hard;
    double sign;
    int signal;
    std::string name;
  };
  // What a dipole's current is spread over, m^2: the dual face of an edge, the face itself.
  double dual_area(const Dipole& d) const {
    if (!d.magnetic) return loads_->area(d.edge);
    const auto [u, v] = plane_axes(d.edge.component);
    const auto& g = built_.model.grid;
    return g.primary(u, d.edge.node[std::size_t(u)]) * g.primary(v, d.edge.node[std::size_t(v)]);
  }

  const Config root_;
  comm::Comm& comm_;
  BuiltCase built_;
  Survey survey_;
  Diagnostics all_;
  std::shared_ptr<IdSource> ids_;
  std::optional<LumpedLoads> loads_;
  std::vector<Dipole> dipoles_;
  std::set<EdgeId> port_edges_;
  std::size_t own_first_ = 0;
  double stiffness_ = 0;
};

}  // namespace

BuiltCase build_case(const Config& config, comm::Comm& comm) {
  return Builder(config, comm).build();
}

}  // namespace terrawave::fdtd
