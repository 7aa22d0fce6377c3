#include "terrawave/solvers/fdtd/fdtd_report.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace terrawave::fdtd {

namespace {

constexpr std::array<std::uint8_t, 3> kMetalColour{90, 90, 90};

std::string mm(double metres) { return fmt::format("{:.4g}", metres * 1e3); }

double decibel(double magnitude) { return 20 * std::log10(std::max(magnitude, 1e-12)); }

// At most `most` points of a long curve, its extremes kept.
io::Curve thinned(const std::string& label, const std::vector<double>& x,
                  const std::vector<double>& y, std::size_t most = 1500) {
  io::Curve c{label, {}, {}};
  const std::size_t group = std::max<std::size_t>(1, 2 * y.size() / most);
  for (std::size_t at = 0; at < y.size(); at += group) {
    const std::size_t end = std::min(y.size(), at + group);
    const auto [low, high] =
        std::minmax_element(y.begin() + std::ptrdiff_t(at), y.begin() + std::ptrdiff_t(end));
    for (const auto it : {std::min(low, high), std::max(low, high)}) {
      c.x.push_back(x[std::size_t(it - y.begin())]);
      c.y.push_back(*it);
      if (low == high) break;
    }
  }
  return c;
}

void add_grid(io::Report& report, const BuiltCase& b) {
  const Setup& s = b.setup;
  report.heading("Grid");
  std::vector<std::vector<std::string>> rows;
  for (std::size_t a = 0; a < 3; ++a)
    rows.push_back({std::string(1, "xyz"[a]), std::to_string(s.lines[a].size() - 1),
                    mm(s.lines[a].front()) + " to " + mm(s.lines[a].back()),
                    mm(b.model.grid.smallest(int(a))), mm(b.model.grid.largest(int(a))),
                    fmt::format("{:.3g}", b.model.grid.grading(int(a)))});
  report.table({"axis", "cells", "extent [mm]", "smallest [mm]", "largest [mm]", "grading"}, rows);
  report.text(
      fmt::format("Time step {:.5g} ps, {:.4g} of the stability limit {:.5g} ps. {} "
                  "materials of edges, {} of faces.",
                  b.model.dt * 1e12, b.model.dt / b.dt_limit, b.dt_limit * 1e12,
                  b.model.edge_materials.size(), b.model.face_materials.size()));
  rows.clear();
  for (const auto& m : b.dispersion)
    rows.push_back({m.name, std::to_string(m.cells), mm(m.largest_cell),
                    fmt::format("{:.1f}", m.cells_per_wavelength),
                    fmt::format("{:.3f} %", 100 * m.phase_error)});
  report.text(fmt::format("Numerical dispersion at f_max = {:.4g} GHz:", s.f_max / 1e9));
  report.table(
      {"material", "cells", "largest cell [mm]", "cells per wavelength", "worst phase error"},
      rows);
}

// Names of ports and materials hold letters of the user's choice.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char ch : text) out += ch == '<' ? "&lt;" : ch == '&' ? "&amp;" : std::string(1, ch);
  return out;
}

// A row for each kind of thing in the pictures of the grid.
std::string legend_svg(const BuiltCase& b) {
  const Setup& s = b.setup;
  std::string rows;
  int n = 0;
  const auto row = [&](const std::string& shape, const std::string& name) {
    rows += fmt::format(
        "<g transform=\"translate(4,{})\">{}<text x=\"30\" y=\"12\" "
        "font-size=\"13\">{}</text></g>",
        4 + 20 * n++, shape, escaped(name));
  };
  const auto square = [](const std::array<std::uint8_t, 3>& c) {
    return fmt::format("<rect width=\"20\" height=\"14\" fill=\"rgb({},{},{})\" stroke=\"#999\"/>",
                       c[0], c[1], c[2]);
  };
  row(square({255, 255, 255}), s.materials[0].name + " (background)");
  for (std::size_t m = 1; m < s.materials.size(); ++m)
    if (!s.materials[m].pec &&
        std::any_of(s.objects.begin(), s.objects.end(),
                    [&](const Object& o) { return o.solid && o.material == int(m); }))
      row(square(io::color_of(io::ColorMap::categories, double(m), 0, 1)), s.materials[m].name);
  row(square(kMetalColour), "cells of metal");
  row("<line x1=\"0\" y1=\"7\" x2=\"20\" y2=\"7\" stroke=\"#000\" stroke-width=\"2\"/>",
      "edges of metal");
  return fmt::format(
      "<svg viewBox=\"0 0 300 {0}\" width=\"300\" height=\"{0}\" "
      "xmlns=\"http://www.w3.org/2000/svg\">{1}</svg>",
      8 + 20 * n, rows);
}

void add_geometry(io::Report& report, const BuiltCase& b) {
  const Setup& s = b.setup;
  report.heading("Geometry as the grid sees it");
  std::vector<std::vector<std::string>> rows;
  for (const ObjectReport& o : b.reports)
    rows.push_back(
        {o.name + (o.flat ? " (flat)" : ""), o.kind, o.material, std::to_string(o.cells_owned),
         std::to_string(o.edges_owned),
         fmt::format("{} x {} x {}", mm(o.became.high[0] - o.became.low[0]),
                     mm(o.became.high[1] - o.became.low[1]),
                     mm(o.became.high[2] - o.became.low[2])),
         fmt::format("{}, {}, {}", mm(o.snapped[0]), mm(o.snapped[1]), mm(o.snapped[2]))});
  report.table({"object", "kind", "material", "cells owned", "edges owned", "size on the grid [mm]",
                "moved in x, y, z by [mm]"},
               rows);
  // Through the first port, else through the middle.
  Cell at{};
  for (std::size_t a = 0; a < 3; ++a) at[a] = (Index(s.lines[a].size()) - 1) / 2;
  if (!s.ports.empty()) {
    const EdgeBox& g = s.ports[0].gap;
    for (std::size_t a = 0; a < 3; ++a) at[a] = (g.low[a] + g.high[a]) / 2;
    const auto c = std::size_t(g.component);
    at[c] = g.sign > 0 ? g.high[c] : g.low[c];
  } else {
    // Where a plane holds metal, the first such object's.
    for (std::size_t o = 0; o < s.objects.size(); ++o)
      if (s.materials[std::size_t(s.objects[o].material)].pec && b.reports[o].edges_owned) {
        for (std::size_t a = 0; a < 3; ++a) {
          const auto& r = b.reports[o].became;
          const auto& l = s.lines[a];
          const double middle = 0.5 * (r.low[a] + r.high[a]);
          at[a] = std::clamp<Index>(Index(std::lower_bound(l.begin(), l.end(), middle) - l.begin()),
                                    0, Index(l.size()) - 2);
        }
        break;
      }
  }
  report.svg("What the colours below mean", legend_svg(b));
  for (const int axis : {2, 1, 0}) {
    const auto [u, v] = plane_axes(axis);
    const auto& line = s.lines[std::size_t(axis)];
    report.picture(
        fmt::format("{} = {} mm: {} to the right, {} upward, one square per cell, of the cells "
                    "that touch this plane",
                    "xyz"[axis], mm(line[std::size_t(at[std::size_t(axis)])]), "xyz"[u], "xyz"[v]),
        slice_image(b, axis, at[std::size_t(axis)]));
  }
}

void add_network(io::Report& report, const CaseSolver& run) {
  const Network& n = run.network();
  const Setup& s = run.built().setup;
  if (n.ports == 0) return;
  report.heading("S-parameters");
  io::Chart chart{"frequency [GHz]", "|S| [dB]", {}};
  for (int j = 0; j < n.ports; ++j)
    for (int i = 0; i < n.ports; ++i) {
      io::Curve c{fmt::format("S{}{}", i + 1, j + 1), {}, {}};
      for (std::size_t f = 0; f < n.frequencies.size(); ++f) {
        const double m = std::abs(n.s[f][std::size_t(i * n.ports + j)]);
        if (!std::isfinite(m)) continue;
        c.x.push_back(n.frequencies[f] / 1e9);
        c.y.push_back(decibel(m));
      }
      if (!c.x.empty()) chart.curves.push_back(c);
    }
  if (chart.curves.empty()) {
    report.text("No driven port's run has ended yet.");
    return;
  }
  report.chart("Magnitudes", chart);
  std::vector<std::string> names;
  for (const Port& p : s.ports) names.push_back(p.name);
  report.svg("Reflections on the Smith chart (dots: the lowest frequency)", smith_svg(n, names));
  if (n.complete()) {
    const Passivity p = passivity(n);
    const Reciprocity r = reciprocity(n);
    report.text(
        fmt::format("Largest power out over power in, whatever goes into the ports together: "
                    "{:.4f} at {:.4g} GHz. Largest "
                    "difference of S_ij and S_ji: {:.2g}.",
                    p.worst, p.frequency / 1e9, r.worst));
  }
}

void add_signals(io::Report& report, const CaseSolver& run) {
  report.heading("Signals");
  const double dt = run.built().model.dt;
  const std::size_t ports = run.built().setup.ports.size();
  for (const RunResult& r : run.results()) {
    report.text(
        fmt::format("Run \"{}\": {}.", r.name, r.ended.empty() ? "not at its end" : r.ended));
    std::vector<double> time;
    if (!r.series.empty())
      for (std::size_t n = 0; n < r.series[0].size(); ++n) time.push_back(double(n + 1) * dt * 1e9);
    const auto chart_of = [&](const std::string& caption, const std::string& unit,
                              std::size_t first, std::size_t last, std::size_t step) {
      io::Chart chart{"time [ns]", unit, {}};
      for (std::size_t w = first; w < last; w += step)
        chart.curves.push_back(thinned(run.watched_names()[w], time, r.series[w]));
      if (!chart.curves.empty() && !time.empty()) report.chart(caption, chart);
    };
    chart_of("Voltages at the ports", "V", 0, 2 * ports, 2);
    chart_of("Currents into the ports", "A", 1, 2 * ports, 2);
    for (std::size_t w = 2 * ports; w < run.watched().size(); ++w)
      chart_of("Probe " + run.watched_names()[w], run.watched_names()[w], w, w + 1, 1);
    io::Chart chart{"time [ns]", "dB below its peak", {}};
    io::Curve c{"field energy", {}, {}};
    double peak = 0;
    for (const double e : r.energies) peak = std::max(peak, e);
    for (std::size_t i = 0; i < r.energies.size(); ++i)
      if (r.energies[i] > 0) {
        c.x.push_back(r.energy_times[i] * 1e9);
        c.y.push_back(10 * std::log10(r.energies[i] / peak));
      }
    chart.curves.push_back(c);
    if (!c.x.empty())
      report.chart(fmt::format("Energy in the grid; its peak is {:.3g} J", peak), chart);
  }
}

void add_maps(io::Report& report, const CaseSolver& run) {
  if (run.maps().empty()) return;
  report.heading("Field maps");
  for (const auto& m : run.maps()) {
    // The middle plane across the shortest side.
    int normal = 2;
    for (int a = 0; a < 3; ++a)
      if (m.box.size(a) < m.box.size(normal)) normal = a;
    const auto [u, v] = plane_axes(normal);
    if (m.box.size(u) < 2 || m.box.size(v) < 2) continue;
    const double top = *std::max_element(m.magnitude.begin(), m.magnitude.end());
    if (!(top > 0)) continue;
    const int zoom = int(std::max<Index>(1, 500 / std::max(m.box.size(u), m.box.size(v))));
    io::Image image(int(m.box.size(u)) * zoom, int(m.box.size(v)) * zoom);
    Cell n{};
    n[std::size_t(normal)] = m.box.size(normal) / 2;
    for (int y = 0; y < image.height; ++y)
      for (int x = 0; x < image.width; ++x) {
        n[std::size_t(u)] = x / zoom;
        n[std::size_t(v)] = (image.height - 1 - y) / zoom;
        const double value =
            m.magnitude[std::size_t(n[0] + m.box.size(0) * (n[1] + m.box.size(1) * n[2]))];
        image.set(x, y, io::color_of(io::ColorMap::sequential, decibel(value / top), -50, 0));
      }
    const auto& line = run.built().setup.lines[std::size_t(normal)];
    const Index plane = std::min<Index>(m.box.low[std::size_t(normal)] + n[std::size_t(normal)],
                                        Index(line.size()) - 1);
    report.picture(
        fmt::format("{}{}: |{}| at {:.4g} GHz on {} = {} mm, {} to the right, {} upward, "
                    "relative to its largest value",
                    m.monitor, run.built().setup.driven.empty() ? "" : ", " + m.run + " driven",
                    m.electric ? "E" : "H", m.frequency / 1e9, "xyz"[normal],
                    mm(line[std::size_t(plane)]), "xyz"[u], "xyz"[v]),
        image, {io::ColorMap::sequential, -50, 0, "dB"});
  }
}

}  // namespace

io::Image slice_image(const BuiltCase& b, int axis, Index node) {
  const Setup& s = b.setup;
  const auto [u, v] = plane_axes(axis);
  const auto au = std::size_t(u), av = std::size_t(v), an = std::size_t(axis);
  const Index nu = Index(s.lines[au].size()) - 1, nv = Index(s.lines[av].size()) - 1;
  const int zoom = int(std::clamp<Index>(600 / std::max(nu, nv), 2, 8));
  io::Image image(int(nu) * zoom + 1, int(nv) * zoom + 1);
  Cell c{}, corner{};
  for (std::size_t a = 0; a < 3; ++a) corner[a] = Index(s.lines[a].size()) - 1;
  c[an] = corner[an] = node;
  const Raster& raster = b.canvas->around(c, corner).raster;
  const auto owner = [&](const Cell& cell) {
    return raster.cell_owner[std::size_t(raster.cell_at(cell[0], cell[1], cell[2]))];
  };
  const Index layers = Index(s.lines[an].size()) - 1;
  for (c[av] = 0; c[av] < nv; ++c[av])
    for (c[au] = 0; c[au] < nu; ++c[au]) {
      // Below the plane; where nothing is there, above it.
      c[an] = std::max<Index>(node - 1, 0);
      auto order = owner(c);
      if (order == 0 && node < layers) {
        c[an] = node;
        order = owner(c);
      }
      const int material = order == 0 ? 0 : s.objects[raster.order[order - 1u]].material;
      std::array<std::uint8_t, 3> colour{255, 255, 255};
      if (s.materials[std::size_t(material)].pec)
        colour = kMetalColour;
      else if (material > 0)
        colour = io::color_of(io::ColorMap::categories, material, 0, 1);
      for (int y = 0; y < zoom; ++y)
        for (int x = 0; x < zoom; ++x)
          image.set(int(c[au]) * zoom + x, image.height - 1 - (int(c[av]) * zoom + y), colour);
    }
  Cell n{};
  n[an] = node;
  for (n[av] = 0; n[av] <= nv; ++n[av])
    for (n[au] = 0; n[au] <= nu; ++n[au]) {
      const auto at = std::size_t(raster.node_at(n[0], n[1], n[2]));
      const int x = int(n[au]) * zoom, y = image.height - 1 - int(n[av]) * zoom;
      if (raster.metal[au][at] != 0)
        for (int p = 0; p <= zoom; ++p) image.set(x + p, y, {0, 0, 0});
      if (raster.metal[av][at] != 0)
        for (int p = 0; p <= zoom; ++p) image.set(x, y - p, {0, 0, 0});
    }
  return image;
}

std::string smith_svg(const Network& n, const std::vector<std::string>& names) {
  const double r = 200, c = 220;
  std::string svg = fmt::format(
      "<svg viewBox=\"0 0 {} {}\" width=\"440\" height=\"{}\" xmlns=\"http://www.w3.org/2000/svg\">"
      "<g fill=\"none\" stroke=\"#bbb\"><clipPath id=\"smith\"><circle cx=\"{}\" cy=\"{}\" "
      "r=\"{}\"/></clipPath><circle cx=\"{}\" cy=\"{}\" r=\"{}\" stroke=\"#555\"/>",
      2 * c, 2 * c + 20 * n.ports, 2 * c + 20 * n.ports, c, c, r, c, c, r);
  for (const double x : {0.2, 0.5, 1.0, 2.0, 5.0}) {
    // Constant resistance: centre x/(1+x), radius 1/(1+x); reactance: centre (1, 1/x), radius 1/x.
    svg += fmt::format("<circle cx=\"{:.2f}\" cy=\"{}\" r=\"{:.2f}\"/>", c + r * x / (1 + x), c,
                       r / (1 + x));
    for (const int sign : {1, -1})
      svg += fmt::format("<circle clip-path=\"url(#smith)\" cx=\"{}\" cy=\"{:.2f}\" r=\"{:.2f}\"/>",
                         c + r, c - sign * r / x, r / x);
  }
  svg += fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/></g>", c - r, c, c + r, c);
  const char* colours[] = {"#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#17becf"};
  for (int p = 0; p < n.ports; ++p) {
    const char* colour = colours[p % 6];
    std::string points, dot;
    for (std::size_t f = 0; f < n.frequencies.size(); ++f) {
      const Complex s = n.s[f][std::size_t(p * n.ports + p)];
      if (!std::isfinite(s.real())) continue;
      const double x = c + r * s.real(), y = c - r * s.imag();
      if (points.empty())
        dot =
            fmt::format("<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"4\" fill=\"{}\"/>", x, y, colour);
      points += fmt::format("{:.2f},{:.2f} ", x, y);
    }
    if (points.empty()) continue;
    svg +=
        fmt::format("<polyline fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\" points=\"{}\"/>{}",
                    colour, points, dot);
    svg += fmt::format("<text x=\"20\" y=\"{}\" fill=\"{}\" font-size=\"14\">S{}{} ({})</text>",
                       2 * c + 20 * p, colour, p + 1, p + 1, escaped(names[std::size_t(p)]));
  }
  return svg + "</svg>";
}

io::Segments metal_edges(const BuiltCase& b) {
  const GridLines& lines = b.setup.lines;
  io::Segments s;
  s.label_name = "object";
  std::map<Cell, std::int64_t> points;
  const auto point = [&](const Cell& n) {
    const auto [at, fresh] = points.try_emplace(n, std::int64_t(s.points.size()));
    if (fresh)
      s.points.push_back(
          {lines[0][std::size_t(n[0])], lines[1][std::size_t(n[1])], lines[2][std::size_t(n[2])]});
    return at->second;
  };
  const CellBox all = b.setup.all_cells();
  for (Index k = 0; k <= all.high[2]; ++k) {
    const Raster& r = b.canvas->around({0, 0, k}, {all.high[0], all.high[1], k}, true).raster;
    for (std::size_t c = 0; c < 3; ++c)
      for (Index j = 0; j <= all.high[1]; ++j)
        for (Index i = 0; i <= all.high[0]; ++i) {
          const auto order = r.metal[c][std::size_t(r.node_at(i, j, k))];
          if (order == 0) continue;
          Cell n{i, j, k};
          const auto from = point(n);
          ++n[c];
          s.ends.push_back({from, point(n)});
          s.labels.push_back(std::int32_t(r.order[order - 1u]) + 1);
        }
  }
  return s;
}

std::string geometry_text(const BuiltCase& b) {
  std::string text;
  for (const ObjectReport& o : b.reports)
    text += fmt::format("{} ({}, {}): {} cells, {} edges; moved by ({:.3g}, {:.3g}, {:.3g}) m{}\n",
                        o.name, o.kind, o.material, o.cells_owned, o.edges_owned, o.snapped[0],
                        o.snapped[1], o.snapped[2], o.flat ? "; flat on the grid" : "");
  return text;
}

void add_report(io::Report& report, const CaseSolver& run) {
  for (const std::string& w : run.warnings()) report.text("Warning: " + w);
  add_network(report, run);
  add_maps(report, run);
  add_signals(report, run);
  add_geometry(report, run.built());
  add_grid(report, run.built());
}

std::string facts_json(const CaseSolver& run) {
  using nlohmann::json;
  const BuiltCase& b = run.built();
  json j;
  j["cells"] = {b.setup.lines[0].size() - 1, b.setup.lines[1].size() - 1,
                b.setup.lines[2].size() - 1};
  j["dt"] = b.model.dt;
  j["dt_limit"] = b.dt_limit;
  for (const ObjectReport& o : b.reports)
    j["objects"][o.name] = {
        {"cells", o.cells_owned}, {"edges", o.edges_owned}, {"snapped", o.snapped}};
  for (const auto& m : b.dispersion)
    j["dispersion"][m.name] = {{"cells_per_wavelength", m.cells_per_wavelength},
                               {"phase_error", m.phase_error}};
  for (const RunResult& r : run.results()) {
    j["runs"][r.name]["ended"] = r.ended;
    for (std::size_t w = 0; w < run.watched().size(); ++w) {
      if (r.series[w].empty()) continue;
      const auto [low, high] = std::minmax_element(r.series[w].begin(), r.series[w].end());
      j["runs"][r.name]["watched"][run.watched_names()[w]] = {
          {"min", *low}, {"max", *high}, {"last", r.series[w].back()}};
    }
  }
  const Network& n = run.network();
  if (n.ports > 0 && n.complete()) {
    j["passivity"] = passivity(n).worst;
    j["reciprocity"] = reciprocity(n).worst;
  }
  j["warnings"] = run.warnings();
  return j.dump();
}

}  // namespace terrawave::fdtd
