// Formulas, regions and rasters that make an initial state.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include <fmt/format.h>
#include <muParser.h>

#include "terrawave/io/raster_sample.hpp"
#include "terrawave/solvers/swe/swe_schema.hpp"
#include "terrawave/solvers/swe/swe_setup.hpp"

namespace terrawave::swe {
namespace {

// A formula of x and y, as written under a key.
class Formula {
 public:
  Formula(const config::Config& table, const std::string& key) : table_(table), key_(key) {
    try {
      parser_.DefineVar("x", &x_);
      parser_.DefineVar("y", &y_);
      parser_.DefineConst("pi", std::acos(-1.0));
      parser_.SetExpr(table.text(key));
      parser_.Eval();
    } catch (const mu::Parser::exception_type& e) {
      table.fail(key, fmt::format("expected a formula of x and y in \"{}\": {}", table.text(key),
                                  e.GetMsg()));
    }
  }
  double operator()(double x, double y) {
    x_ = x;
    y_ = y;
    return parser_.Eval();
  }
  const config::Config& table() const { return table_; }
  const std::string& key() const { return key_; }

 private:
  config::Config table_;
  std::string key_;
  mu::Parser parser_;
  double x_ = 0, y_ = 0;
};

// A shape of [[swe.region]].
class Shape {
 public:
  explicit Shape(const config::Config& t) : kind_(t.text("shape")) {
    const auto need = [&](const char* key) {
      if (!t.has(key)) t.fail("", fmt::format("a {} needs the key `{}`", kind_, key));
    };
    if (kind_ == "circle") {
      need("center");
      need("radius");
      points_ = t.numbers("center");
      radius_ = t.number("radius");
    } else if (kind_ == "box") {
      need("box");
      points_ = t.numbers("box");
      if (!(points_[2] > points_[0] && points_[3] > points_[1]))
        t.fail("box", "expected west < east and south < north");
    } else {
      need("polygon");
      points_ = t.numbers("polygon");
      if (points_.size() < 6 || points_.size() % 2 != 0)
        t.fail("polygon", fmt::format("expected x and y of at least 3 corners, found {} numbers",
                                      points_.size()));
    }
  }
  bool holds(double x, double y) const {
    if (kind_ == "circle") {
      const double dx = x - points_[0], dy = y - points_[1];
      return dx * dx + dy * dy < radius_ * radius_;
    }
    if (kind_ == "box")
      return x >= points_[0] && x < points_[2] && y >= points_[1] && y < points_[3];
    bool inside = false;  // crossings of the ray to the east
    const std::size_t n = points_.size() / 2;
    for (std::size_t i = 0, j = n - 1; i < n; j = i++) {
      const double xi = points_[2 * i], yi = points_[2 * i + 1];
      const double xj = points_[2 * j], yj = points_[2 * j + 1];
      if ((yi > y) != (yj > y) && x < (xj - xi) * (y - yi) / (yj - yi) + xi) inside = !inside;
    }
    return inside;
  }

 private:
  std::string kind_;
  std::vector<double> points_;
  double radius_ = 0;
};

// Samples one [[swe.raster]] at the owned cells.
std::vector<double> from_raster(const config::Config& t, const domain::TriMesh& mesh,
                                const domain::LocalTriMesh& local, sim::Context& context) {
  const std::size_t n = std::size_t(local.part.owned());
  const std::vector<double> x(local.center_x.begin(), local.center_x.begin() + std::ptrdiff_t(n));
  const std::vector<double> y(local.center_y.begin(), local.center_y.begin() + std::ptrdiff_t(n));
  std::string name = t.text("file");
  // A path is relative to the case; "NETCDF:file:variable" holds one in the middle.
  const auto colon = name.find(':');
  if (colon == std::string::npos) {
    name = t.file_path("file").string();
  } else {
    const auto end = name.find(':', colon + 1);
    const std::string path = name.substr(colon + 1, end - colon - 1);
    name = name.substr(0, colon + 1) + (t.folder() / path).string() +
           (end == std::string::npos ? "" : name.substr(end));
  }
  io::RasterSamples s;
  try {
    s = io::sample_raster(name, int(t.integer("band")), t.has("crs") ? t.text("crs") : "", mesh.crs,
                          x, y);
  } catch (const InputError& e) {
    t.fail("file", e.what());
  }
  for (const std::string& note : s.notes) context.log.info(t.path() + ": " + note);
  const bool fill = t.text("fill") == "value";
  if (!fill)
    refuse_cells(context.comm, local, s.missing, t, "file",
                 "no value under the mesh (nodata or outside); choose fill = \"value\" or cut the "
                 "mesh");
  const double scale = t.number("scale");
  std::int64_t filled = 0, raised = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (s.missing[i]) {
      s.values[i] = t.number("fill_value");
      ++filled;
    } else {
      s.values[i] *= scale;
    }
    if (t.has("least") && s.values[i] < t.number("least")) {
      s.values[i] = t.number("least");
      ++raised;
    }
  }
  filled = context.comm.sum(filled);
  raised = context.comm.sum(raised);
  if (filled > 0)
    context.log.warning(fmt::format("{}: {} cells without a value were filled with {:g}", t.path(),
                                    filled, t.number("fill_value")));
  if (raised > 0)
    context.log.warning(
        fmt::format("{}: {} cells were raised to {:g}", t.path(), raised, t.number("least")));
  return s.values;
}

}  // namespace

CellFields initial_state(const config::Config& config, const domain::TriMesh& mesh,
                         const domain::LocalTriMesh& local, sim::Context& context) {
  const config::Config swe = config.table("swe"), base = swe.table("initial");
  const std::size_t n = std::size_t(local.part.owned());
  std::map<std::string, config::Config> rasters;
  for (const config::Config& t : swe.tables("raster"))
    if (!rasters.emplace(t.text("field"), t).second)
      t.fail("field", fmt::format("the field \"{}\" has two rasters", t.text("field")));
  std::vector<Shape> shapes;
  const std::vector<config::Config> regions = swe.tables("region");
  for (const config::Config& t : regions) shapes.emplace_back(t);
  // The region of each cell, or -1.
  std::vector<int> region(n, -1);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < shapes.size() && region[i] < 0; ++k)
      if (shapes[k].holds(local.center_x[i], local.center_y[i])) region[i] = int(k);

  std::map<std::string, std::vector<double>> fields;
  for (const std::string name : kInitialFields) {
    std::vector<double> v;
    if (const auto raster = rasters.find(name); raster != rasters.end()) {
      v = from_raster(raster->second, mesh, local, context);
    } else {
      if (!base.has(name))
        base.fail("", fmt::format("expected the key `{}` (or a [[swe.raster]] for it)", name));
      Formula formula(base, name);
      v.resize(n);
      for (std::size_t i = 0; i < n; ++i) v[i] = formula(local.center_x[i], local.center_y[i]);
    }
    for (std::size_t k = 0; k < regions.size(); ++k) {
      if (!regions[k].has(name)) continue;
      Formula formula(regions[k], name);
      for (std::size_t i = 0; i < n; ++i)
        if (region[i] == int(k)) v[i] = formula(local.center_x[i], local.center_y[i]);
    }
    std::vector<std::uint8_t> bad(n);
    for (std::size_t i = 0; i < n; ++i) bad[i] = !std::isfinite(v[i]);
    refuse_cells(context.comm, local, bad, base, base.has(name) ? name : "",
                 fmt::format("the initial {} is not a finite number", name));
    fields[name] = std::move(v);
  }

  const auto& surface = fields["surface"];
  const auto& interface = fields["interface"];
  const auto& bottom = fields["bottom"];
  double largest = 0;
  for (std::size_t i = 0; i < n; ++i)
    largest = std::max({largest, std::abs(bottom[i]), std::abs(surface[i]), std::abs(interface[i]),
                        surface[i] + bottom[i]});
  CellFields f(n);
  set_levels(f, surface, interface, bottom, context.comm.max(largest), context.single_precision);
  std::vector<std::uint8_t> bad1(n), bad2(n);
  for (std::size_t i = 0; i < n; ++i) {
    bad1[i] = !(f.h1[i] > 0);
    bad2[i] = !(f.h2[i] > 0);
    f.q1x[i] = f.h1[i] * fields["u1x"][i];
    f.q1y[i] = f.h1[i] * fields["u1y"][i];
    f.q2x[i] = f.h2[i] * fields["u2x"][i];
    f.q2y[i] = f.h2[i] * fields["u2y"][i];
  }
  refuse_cells(context.comm, local, bad1, base, base.has("interface") ? "interface" : "",
               "the upper layer has no water (this solver needs both layers wet): the interface "
               "must lie below the surface");
  refuse_cells(context.comm, local, bad2, base, base.has("interface") ? "interface" : "",
               "the lower layer has no water (this solver needs both layers wet): the interface "
               "must lie above the bottom");
  return f;
}

}  // namespace terrawave::swe
