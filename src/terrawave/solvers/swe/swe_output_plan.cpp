#include "terrawave/solvers/swe/swe_output_plan.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "terrawave/run/case.hpp"
#include "terrawave/solvers/swe/swe_fields.hpp"

namespace terrawave::swe {
namespace {

// The triangle that holds (x, y), the lower id where two share it; -1 outside the mesh.
GlobalId cell_at(const domain::TriMesh& mesh, double x, double y) {
  const auto side = [&](LocalIndex a, LocalIndex b) {
    const auto i = static_cast<std::size_t>(a), j = static_cast<std::size_t>(b);
    return (mesh.x[j] - mesh.x[i]) * (y - mesh.y[i]) - (mesh.y[j] - mesh.y[i]) * (x - mesh.x[i]);
  };
  for (std::size_t c = 0; c < mesh.triangles.size(); ++c) {
    const auto& t = mesh.triangles[c];
    if (side(t[0], t[1]) >= 0 && side(t[1], t[2]) >= 0 && side(t[2], t[0]) >= 0)
      return static_cast<GlobalId>(c);
  }
  return -1;
}

// `count` of the times, evenly spread, first and last among them.
std::vector<double> spread(const std::vector<double>& times, std::int64_t count) {
  const std::size_t n = std::min(static_cast<std::size_t>(count), times.size());
  if (n == 0) return {};
  if (n == 1) return {times.back()};
  std::vector<double> chosen;
  for (std::size_t k = 0; k < n; ++k) chosen.push_back(times[k * (times.size() - 1) / (n - 1)]);
  return chosen;
}

}  // namespace

OutputPlan make_plan(const config::Config& out, double end_time, config::Diagnostics& wrong) {
  OutputPlan plan;
  const std::vector<std::string> formats = out.texts("formats");
  const auto wanted = [&](const char* f) {
    return std::find(formats.begin(), formats.end(), f) != formats.end();
  };
  plan.ugrid = wanted("ugrid");
  plan.paraview = wanted("paraview");
  plan.single = out.text("store") == "single";
  plan.fields = out.texts("fields");
  if (out.has("interval") && out.has("times"))
    out.complain(wrong, "times", "expected interval or times, found both. Leave one out.");
  if (out.has("times")) {
    for (const double t : out.numbers("times"))
      if (!(t >= 0 && t <= end_time))
        out.complain(
            wrong, "times",
            fmt::format("expected times from 0 to run.end_time ({} s), found {}", end_time, t));
    plan.times = run::output_times(out.numbers("times"), end_time);
  } else if (out.has("interval")) {
    plan.times = run::output_times(out.number("interval"), end_time);
  } else {
    plan.times = run::output_times(std::vector<double>{0, end_time}, end_time);
  }
  plan.map_times = spread(plan.times, out.integer("maps"));
  return plan;
}

Gauges make_gauges(const config::Config& out, SweSolver& solver, const domain::TriMesh& mesh,
                   comm::Comm& comm, config::Diagnostics& wrong) {
  std::vector<io::GaugePoint> points;
  std::vector<GlobalId> cells;
  for (const config::Config& g : out.tables("gauge")) {
    const io::GaugePoint p{g.text("name"), g.number("x"), g.number("y")};
    for (const io::GaugePoint& other : points)
      if (other.name == p.name)
        g.complain(wrong, "name",
                   "expected a name of its own, found \"" + p.name + "\" a second time");
    cells.push_back(cell_at(mesh, p.x, p.y));
    if (cells.back() < 0)
      g.complain(wrong, "x",
                 fmt::format("expected a point in the mesh, found ({}, {}), which lies in no cell",
                             p.x, p.y));
    points.push_back(p);
  }
  return {comm, solver, std::move(points), cells, out.number("gauge_interval")};
}

config::Table output_table() {
  using config::Key;
  config::Table t("output", "What the run writes into its folder.");
  t.key(Key::number("interval", "s")
            .more_than(0)
            .describe("Simulated time between records of the fields. The run lands on each time "
                      "exactly; its end is always a record."));
  t.key(Key::numbers("times", "s").describe("Times of the records, instead of interval."));
  std::vector<std::string> names;
  for (const io::CellVariable& v : output_fields()) names.push_back(v.name);
  t.key(Key::texts("fields")
            .one_of(names)
            .fallback_list(R"(["eta1", "eta2", "h1", "h2", "u1x", "u1y", "u2x", "u2y"])")
            .describe("Fields to write: heights of surface and interface, thicknesses, velocities, "
                      "discharges."));
  t.key(Key::texts("formats")
            .one_of({"ugrid", "paraview"})
            .fallback_list(R"(["ugrid", "paraview"])")
            .describe("ugrid: fields.nc (CF, UGRID) for QGIS and xarray; paraview: fields.pvd."));
  t.key(Key::text("store")
            .one_of({"double", "single"})
            .fallback("double")
            .describe("Precision of the numbers in the files."));
  t.key(Key::integer("maps").at_least(0).at_most(50).fallback(4).describe(
      "Number of record times, evenly spread, at which surface and interface are "
      "mapped in the "
      "report."));
  t.key(Key::number("gauge_interval", "s")
            .at_least(0)
            .fallback(0.0)
            .describe("Simulated time between samples of the gauges; 0: after every step."));
  config::Table gauge("gauge", "A point whose values are written over time.", true);
  gauge.key(Key::text("name").require().describe("Name of the gauge."));
  gauge.key(Key::number("x", "m").require().describe("Position; must lie in the mesh."));
  gauge.key(Key::number("y", "m").require().describe("Position."));
  t.table(std::move(gauge));
  return t;
}

}  // namespace terrawave::swe
