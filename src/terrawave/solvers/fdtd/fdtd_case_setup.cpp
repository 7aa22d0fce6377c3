// Reads the tables of a case into a Setup: grid, boundaries, materials, waveforms, what watches.
// Objects are read in fdtd_case_objects.cpp.
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "terrawave/base/error.hpp"
#include "terrawave/solvers/fdtd/fdtd_case.hpp"
#include "terrawave/solvers/fdtd/fdtd_case_read.hpp"
#include "terrawave/solvers/fdtd/geometry_grid.hpp"

namespace terrawave::fdtd {

using config::Config;
using config::Diagnostics;

int axis_of(const std::string& direction) { return direction[0] - 'x'; }
int sign_of(const std::string& direction) { return direction[1] == '-' ? -1 : 1; }
Vec3 vec3(const std::vector<double>& v) { return {v[0], v[1], v[2]}; }

CellBox Setup::all_cells() const {
  CellBox b;
  for (std::size_t a = 0; a < 3; ++a) b.high[a] = Index(lines[a].size()) - 1;
  return b;
}

std::string show_point(const Vec3& p) {
  return fmt::format("({:g}, {:g}, {:g}) m", p[0], p[1], p[2]);
}

bool needs(Diagnostics& all, const Config& table, const std::string& kind,
           std::initializer_list<const char*> keys) {
  bool complete = true;
  for (const char* key : keys)
    if (!table.has(key)) {
      table.complain(all, "kind", fmt::format("{} needs the key \"{}\"", kind, key));
      complete = false;
    }
  return complete;
}

bool inside_grid(Diagnostics& all, const Config& table, const char* key, const GridLines& lines) {
  const Vec3 p = vec3(table.numbers(key));
  for (std::size_t a = 0; a < 3; ++a) {
    const double low = lines[a].front(), high = lines[a].back();
    const double slack = 1e-6 * (high - low);
    if (p[a] < low - slack || p[a] > high + slack) {
      table.complain(all, key,
                     fmt::format("expected a point inside the grid, found {} = {:g} m outside "
                                 "[{:g}, {:g}] m",
                                 "xyz"[a], p[a], low, high));
      return false;
    }
  }
  return true;
}

void check_name(Diagnostics& all, const Config& table) {
  const std::string name = table.text("name");
  const bool control =
      std::any_of(name.begin(), name.end(), [](unsigned char c) { return c < 32 || c == 127; });
  if (name.empty() || name.front() == '.' || control ||
      name.find_first_of("/\\,;\"") != std::string::npos)
    table.complain(all, "name",
                   fmt::format("expected a name without slashes, commas, semicolons, quotes and a "
                               "dot in front, as files and columns are called after it; found "
                               "\"{}\"",
                               name));
}

Cell nearest_node(const GridLines& lines, const Vec3& p) {
  return {nearest_line(lines[0], p[0]), nearest_line(lines[1], p[1]), nearest_line(lines[2], p[2])};
}

void sort_corners(Cell& low, Cell& high) {
  for (std::size_t a = 0; a < 3; ++a)
    if (low[a] > high[a]) std::swap(low[a], high[a]);
}

namespace {

GridLines read_grid(const Config& c, Diagnostics& all) {
  GridLines lines;
  const double ratio = c.number("max_ratio");
  const bool uniform = c.has("cell") || c.has("cells");
  if (uniform && !(c.has("cell") && c.has("cells")))
    c.complain(all, c.has("cell") ? "cell" : "cells",
               fmt::format("expected \"{}\" beside it", c.has("cell") ? "cells" : "cell"));
  for (std::size_t a = 0; a < 3; ++a) {
    const std::string axis(1, "xyz"[a]);
    const std::string key = "lines_" + axis;
    std::vector<GridRegion> regions;
    const Config* first = nullptr;
    std::vector<Config> tables = c.tables("region");
    for (const Config& r : tables)
      if (r.text("axis") == axis) {
        regions.push_back({r.number("from"), r.number("to"), r.number("cell")});
        if (!first) first = &r;
      }
    const int ways = int(uniform) + int(c.has(key)) + int(!regions.empty());
    if (ways != 1) {
      c.complain(all, c.has(key) ? key : "",
                 fmt::format("the {} axis needs exactly one of cell and cells, {}, or regions; "
                             "found {}",
                             axis, key, ways == 0 ? "none" : "several"));
      continue;
    }
    if (uniform) {
      if (!c.has("cell") || !c.has("cells")) continue;
      const double d = c.numbers("cell")[a], n = c.numbers("cells")[a];
      if (!(d > 0))
        c.complain(all, "cell", fmt::format("expected spacings above 0 m, found {:g} m", d));
      else if (!(n >= 1 && n == std::floor(n) && n < 1 << 20))
        c.complain(
            all, "cells",
            fmt::format("expected whole numbers from 1 to {}, found {:g}", (1 << 20) - 1, n));
      else
        lines[a] = uniform_lines(c.numbers("origin")[a], d, Index(n));
    } else if (c.has(key)) {
      auto given = c.numbers(key);
      bool good = given.size() >= 2;
      if (!good)
        c.complain(all, key, fmt::format("expected at least two lines, found {}", given.size()));
      for (std::size_t i = 1; good && i < given.size(); ++i)
        if (!(given[i] > given[i - 1])) {
          c.complain(all, key,
                     fmt::format("expected increasing lines, found {:g} m after {:g} m", given[i],
                                 given[i - 1]));
          good = false;
        }
      if (!good) continue;
      const GridRatio worst = worst_ratio(given);
      if (worst.ratio > ratio * (1 + 1e-9)) {
        c.complain(
            all, key,
            fmt::format("expected neighbouring cells within a factor {:g} (max_ratio), found "
                        "{:.4g} at {:g} m",
                        ratio, worst.ratio, given[std::size_t(worst.line)]));
        continue;
      }
      lines[a] = std::move(given);
    } else {
      try {
        lines[a] = graded_lines(regions, ratio);
      } catch (const InputError& e) {
        first->complain(all, "",
                        fmt::format("the regions of {} cannot be used: {}", axis, e.what()));
      }
    }
  }
  return lines;
}

// Low enough to absorb whatever crosses the layers from f_max/100 on (ten layers reflect less than
// -75 dB), high enough for the near fields of boards beside them: docs/decisions/0033.
double default_alpha_frequency(double f_max) { return f_max / 50; }

void read_boundaries(const Config& root, Setup& s, Diagnostics& all) {
  std::array<bool, 6> set{};
  const std::vector<std::string> names = {"x-", "x+", "y-", "y+", "z-", "z+"};
  std::array<std::optional<Config>, 6> from;
  for (const Config& b : root.tables("boundary")) {
    Cpml layer;
    layer.layers = int(b.integer("layers"));
    layer.order = b.number("order");
    layer.sigma_factor = b.number("sigma_factor");
    layer.kappa_max = b.number("kappa_max");
    layer.alpha_frequency =
        b.has("alpha_frequency") ? b.number("alpha_frequency") : default_alpha_frequency(s.f_max);
    layer.eps_r = b.number("eps_r");
    const std::string kind = b.text("kind");
    for (const std::string& face : b.texts("faces"))
      for (std::size_t f = 0; f < 6; ++f)
        if (face == "all" || face == names[f]) {
          s.boundary[f] = kind == "pec"    ? Boundary::pec
                          : kind == "pmc"  ? Boundary::pmc
                          : kind == "cpml" ? Boundary::cpml
                                           : Boundary::periodic;
          s.cpml[f] = layer;
          set[f] = true;
          from[f] = b;
        }
  }
  const std::vector<Config> given = root.tables("boundary");
  for (std::size_t f = 0; f < 6 && !given.empty(); ++f)
    if (!set[f])
      given.back().complain(all, "faces",
                            fmt::format("no [[boundary]] covers face {}; add one", names[f]));
  for (std::size_t a = 0; a < 3; ++a) {
    const bool low = s.boundary[2 * a] == Boundary::periodic;
    const bool high = s.boundary[2 * a + 1] == Boundary::periodic;
    if (low != high)
      from[2 * a + (low ? 0 : 1)]->complain(
          all, "kind",
          fmt::format("periodic on face {} needs periodic on face {} too",
                      names[2 * a + (low ? 0 : 1)], names[2 * a + (low ? 1 : 0)]));
    if (s.lines[a].empty()) continue;
    Index layers = 0;
    for (std::size_t f = 2 * a; f < 2 * a + 2; ++f)
      if (set[f] && s.boundary[f] == Boundary::cpml) layers += s.cpml[f].layers;
    const Index cells = Index(s.lines[a].size()) - 1;
    if (layers >= cells) {
      const std::size_t f = set[2 * a] && s.boundary[2 * a] == Boundary::cpml ? 2 * a : 2 * a + 1;
      from[f]->complain(all, "layers",
                        fmt::format("the absorbing layers along {} take {} cells and the grid has "
                                    "{}; they lie inside the grid, so enlarge it or take fewer",
                                    "xyz"[a], layers, cells));
    }
  }
}

void read_materials(const Config& root, Setup& s, Diagnostics& all) {
  s.materials = {{}, {"vacuum"}, {"pec", 1, 0, 1, 0, true}};
  std::set<std::string> names = {"vacuum", "pec"};
  for (const Config& m : root.tables("material")) {
    Material x;
    x.name = m.text("name");
    x.eps_r = m.number("eps_r");
    x.sigma = m.number("sigma");
    x.mu_r = m.number("mu_r");
    x.sigma_m = m.number("sigma_m");
    x.pec = m.boolean("pec");
    if (!names.insert(x.name).second)
      m.complain(all, "name", fmt::format("material \"{}\" exists already", x.name));
    s.materials.push_back(x);
  }
  const Config fdtd = root.table("fdtd");
  const int background = find_material(s, fdtd.text("background"), fdtd, "background", all);
  if (background >= 0) {
    s.materials[0] = s.materials[std::size_t(background)];
    if (s.materials[0].pec)
      fdtd.complain(all, "background", "the background cannot be a perfect conductor");
  }
}

Waveform default_drive(double f_max) {
  Waveform w;
  w.name = "gaussian up to fdtd.f_max";
  w.width = gaussian_width(f_max);
  w.delay = default_delay(w.width);
  return w;
}

void read_waveforms(const Config& root, Setup& s, Diagnostics& all) {
  std::set<std::string> names;
  for (const Config& c : root.tables("waveform")) {
    Waveform w = default_drive(s.f_max);
    const std::string kind = c.text("kind");
    if (kind == "samples") {
      if (!needs(all, c, kind, {"file"})) continue;
      try {
        w = read_samples(c.file_path("file").string());
      } catch (const InputError& e) {
        c.complain(all, "file", e.what());
        continue;
      }
    }
    w.name = c.text("name");
    if (!names.insert(w.name).second)
      c.complain(all, "name", fmt::format("waveform \"{}\" exists already", w.name));
    if (kind == "differentiated") w.kind = Waveform::Kind::differentiated;
    if (kind == "modulated") w.kind = Waveform::Kind::modulated;
    if (kind == "ricker") w.kind = Waveform::Kind::ricker;
    if (kind == "sine") w.kind = Waveform::Kind::sine;
    if (c.has("width")) w.width = c.number("width");
    w.delay = c.has("delay") ? c.number("delay") : default_delay(w.width);
    w.phase = c.number("phase") * M_PI / 180;
    if (kind == "modulated" || kind == "sine" || kind == "ricker") {
      if (!needs(all, c, kind, {"frequency"})) continue;
      w.frequency = c.number("frequency");
    }
    if (kind == "ricker" && !c.has("delay")) w.delay = 1.5 / w.frequency;
    if (kind == "sine") {
      w.width = c.number("ramp");
      w.delay = 0;
    }
    s.waveforms.push_back(w);
  }
}

void read_stop(const Config& root, Setup& s, Diagnostics& all) {
  const Config c = root.table("fdtd").table("stop");
  if (c.has("steps")) s.stop.steps = c.integer("steps");
  if (c.has("time")) s.stop.time = c.number("time");
  if (c.has("decay_db")) s.stop.decay_db = c.number("decay_db");
  s.stop.min_time = c.number("min_time");
  if (s.stop.steps == 0 && s.stop.time == 0)
    c.complain(all, "", "expected at least one of \"steps\" and \"time\" (a run may never decay)");
}

void read_spectrum(const Config& root, Setup& s, Diagnostics& all) {
  const Config c = root.table("spectrum");
  const auto n = std::size_t(c.integer("points"));
  const double high = c.has("f_max") ? c.number("f_max") : s.f_max;
  const double low = c.has("f_min") ? c.number("f_min") : high / double(n);
  if (high > s.f_max * (1 + 1e-9))
    c.complain(all, "f_max",
               fmt::format("expected at most fdtd.f_max = {:g} Hz, found {:g} Hz", s.f_max, high));
  if (low > high || (n > 1 && low == high))
    c.complain(all, "f_min",
               fmt::format("expected less than f_max = {:g} Hz, found {:g} Hz", high, low));
  for (std::size_t i = 0; i < n; ++i)
    s.frequencies.push_back(n == 1 ? low : low + (high - low) * double(i) / double(n - 1));
}

// The nodes of two corners; false where one lies outside.
bool read_corners(const Config& c, const GridLines& lines, Cell& low, Cell& high,
                  Diagnostics& all) {
  const bool good = inside_grid(all, c, "from", lines) & inside_grid(all, c, "to", lines);
  if (!good) return false;
  low = nearest_node(lines, vec3(c.numbers("from")));
  high = nearest_node(lines, vec3(c.numbers("to")));
  sort_corners(low, high);
  return true;
}

void read_probes(const Config& root, Setup& s, Diagnostics& all) {
  std::set<std::string> names;
  for (const Config& c : root.tables("probe")) {
    ProbeCase p;
    p.name = c.text("name");
    check_name(all, c);
    if (!names.insert(p.name).second)
      c.complain(all, "name", fmt::format("probe \"{}\" exists already", p.name));
    const std::string kind = c.text("kind");
    const std::string direction = c.text("direction");
    p.component = axis_of(direction);
    p.sign = sign_of(direction);
    const auto axis = std::size_t(p.component);
    if (kind == "E" || kind == "H") {
      if (!needs(all, c, kind, {"at"}) || !inside_grid(all, c, "at", s.lines)) continue;
      p.low = nearest_place(s, vec3(c.numbers("at")), p.component, kind == "H");
      if (kind == "H") p.component += 3;
    } else {
      if (!needs(all, c, kind, {"from", "to"}) || !read_corners(c, s.lines, p.low, p.high, all))
        continue;
      p.kind = kind == "voltage" ? ProbeCase::Kind::voltage : ProbeCase::Kind::current;
      const auto [u, v] = plane_axes(p.component);
      if (kind == "voltage") {
        if (p.low[axis] == p.high[axis])
          c.complain(all, "to", fmt::format("the line has no length along {}", "xyz"[axis]));
        if (p.low[std::size_t(u)] != p.high[std::size_t(u)] ||
            p.low[std::size_t(v)] != p.high[std::size_t(v)])
          c.complain(all, "to", fmt::format("expected a line along {} only", "xyz"[axis]));
      } else if (p.low[axis] != p.high[axis]) {
        c.complain(all, "to", fmt::format("expected a rectangle across {}", "xyz"[axis]));
      }
    }
    s.probes.push_back(p);
  }
}

bool holds(const std::vector<std::string>& list, const char* word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

void read_monitors(const Config& root, Setup& s, Diagnostics& all) {
  std::set<std::string> names;
  const auto unique = [&](const Config& c) {
    if (!names.insert(c.text("name")).second)
      c.complain(all, "name", fmt::format("\"{}\" exists already", c.text("name")));
    check_name(all, c);
  };
  for (const Config& c : root.tables("dft")) {
    DftCase d;
    d.name = c.text("name");
    unique(c);
    if (!read_corners(c, s.lines, d.low, d.high, all)) continue;
    d.frequencies = c.numbers("frequencies");
    if (d.frequencies.empty()) c.complain(all, "frequencies", "expected at least one frequency");
    for (const double f : d.frequencies)
      if (!(f >= 0 && f <= s.f_max * (1 + 1e-9)))
        c.complain(all, "frequencies",
                   fmt::format("expected frequencies in [0, fdtd.f_max = {:g}] Hz, found {:g} Hz",
                               s.f_max, f));
    d.electric = holds(c.texts("fields"), "E");
    d.magnetic = holds(c.texts("fields"), "H");
    if (c.has("every")) d.every = c.integer("every");
    s.dfts.push_back(d);
  }
  for (const Config& c : root.tables("snapshot")) {
    SnapshotCase d;
    d.name = c.text("name");
    unique(c);
    if (!read_corners(c, s.lines, d.low, d.high, all)) continue;
    d.electric = holds(c.texts("fields"), "E");
    d.magnetic = holds(c.texts("fields"), "H");
    d.hdf5 = c.text("format") == "hdf5";
    d.every = c.number("every");
    d.start = c.number("start");
    d.stop = c.has("stop") ? c.number("stop") : std::numeric_limits<double>::infinity();
    if (d.stop < d.start)
      c.complain(all, "stop", fmt::format("expected at least start = {:g} s", d.start));
    d.stride = Index(c.integer("stride"));
    s.snapshots.push_back(d);
  }
}

}  // namespace

int find_material(const Setup& s, const std::string& name, const Config& where, const char* key,
                  Diagnostics& all) {
  for (std::size_t m = 1; m < s.materials.size(); ++m)
    if (s.materials[m].name == name) return int(m);
  std::string known;
  for (std::size_t m = 1; m < s.materials.size(); ++m)
    known += (m > 1 ? ", " : "") + s.materials[m].name;
  where.complain(all, key,
                 fmt::format("no material \"{}\"; there are: {}. Add a [[material]] of that name",
                             name, known));
  return -1;
}

Cell nearest_place(const Setup& s, const Vec3& p, int axis, bool face) {
  Cell n{};
  for (std::size_t a = 0; a < 3; ++a) {
    const bool middle = (int(a) == axis) != face;  // along the edge, or across the face
    const auto& l = s.lines[a];
    if (!middle) {
      n[a] = nearest_line(l, p[a]);
      if (s.periodic()[a]) n[a] %= Index(l.size()) - 1;
      continue;
    }
    const auto above = std::upper_bound(l.begin(), l.end(), p[a]);
    n[a] = std::clamp<Index>(Index(above - l.begin()) - 1, 0, Index(l.size()) - 2);
  }
  return n;
}

Setup read_setup(const Config& root) {
  Diagnostics all;
  Setup s;
  const Config fdtd = root.table("fdtd");
  s.f_max = fdtd.number("f_max");
  s.courant = fdtd.number("courant");
  if (fdtd.has("dt")) s.dt = fdtd.number("dt");
  s.min_cells_per_wavelength = fdtd.number("min_cells_per_wavelength");
  s.kernels = fdtd.text("kernels");
  s.steps_per_pass = int(fdtd.integer("steps_per_pass"));
  s.lines = read_grid(root.table("domain"), all);
  read_boundaries(root, s, all);
  read_materials(root, s, all);
  read_waveforms(root, s, all);
  read_stop(root, s, all);
  read_spectrum(root, s, all);
  s.write_geometry = root.table("output").boolean("geometry");
  // The rest needs the grid.
  all.raise();
  read_objects(root, s, all);
  read_ports(root, s, all);
  read_probes(root, s, all);
  read_monitors(root, s, all);
  s.source_tables = root.tables("source");
  s.lumped_tables = root.tables("lumped");
  all.raise();
  return s;
}

}  // namespace terrawave::fdtd
