#include "terrawave/solvers/swe/swe_outputs.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "terrawave/io/atomic_file.hpp"
#include "terrawave/io/cell_series.hpp"
#include "terrawave/io/collective.hpp"
#include "terrawave/io/draw.hpp"
#include "terrawave/io/windows.hpp"
#include "terrawave/run/version.hpp"
#include "terrawave/solvers/swe/swe_gauges.hpp"

namespace terrawave::swe {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFields = "fields";      // fields.nc, fields.pvd, fields/
constexpr const char* kPictures = "pictures";  // the report's maps as PNG

const std::vector<io::CellVariable>& known_fields() {
  static const std::vector<io::CellVariable> all{
      {"eta1", "sea_surface_height_above_geoid", "height of the free surface", "m"},
      {"eta2", "", "height of the interface", "m"},
      {"h1", "", "thickness of the upper layer", "m"},
      {"h2", "", "thickness of the lower layer", "m"},
      {"u1x", "sea_water_x_velocity", "velocity of the upper layer in x", "m s-1"},
      {"u1y", "sea_water_y_velocity", "velocity of the upper layer in y", "m s-1"},
      {"u2x", "sea_water_x_velocity", "velocity of the lower layer in x", "m s-1"},
      {"u2y", "sea_water_y_velocity", "velocity of the lower layer in y", "m s-1"},
      {"q1x", "", "discharge of the upper layer in x", "m2 s-1"},
      {"q1y", "", "discharge of the upper layer in y", "m2 s-1"},
      {"q2x", "", "discharge of the lower layer in x", "m2 s-1"},
      {"q2y", "", "discharge of the lower layer in y", "m2 s-1"}};
  return all;
}

const io::CellVariable kBottom{"bottom", "sea_floor_depth_below_geoid",
                               "depth of the bottom below the datum", "m"};

// A map in the report: the PNG lies in the run's folder, so that a restart finds it again.
struct Picture {
  std::string caption, file;
  int width = 0, height = 0;
  io::ColorBar bar;
};

struct Plan {
  bool ugrid = true, paraview = true, single = false;
  std::vector<std::string> fields;
  std::vector<double> times;
  std::vector<double> map_times;
};

// Everything the callbacks of the case share. Collective unless said otherwise.
class Outputs {
 public:
  Outputs(Plan plan, Gauges gauges, SweSolver& solver, const domain::TriMesh& mesh,
          sim::Context& context, fs::path folder)
      : plan_(std::move(plan)),
        gauges_(std::move(gauges)),
        solver_(solver),
        mesh_(mesh),
        context_(context),
        folder_(std::move(folder)) {}

  const Plan& plan() const { return plan_; }
  Gauges& gauges() { return gauges_; }

  // `written` records are in the files already.
  void open(std::int64_t written) {
    io::SeriesInfo info;
    info.title = "two-layer shallow water";
    info.source = "terrawave " + run::version();
    info.single = plan_.single;
    for (const std::string& name : plan_.fields) info.variables.push_back(find(name));
    info.constants = {kBottom};
    info.constant_values = {gather("bottom")};
    io::on_root(context_.comm, [&] {
      if (plan_.ugrid) add_series(io::make_ugrid_series(folder_, kFields, mesh_, info, written));
      if (plan_.paraview) add_series(io::make_vtu_series(folder_, kFields, mesh_, info, written));
    });
    if (plan_.ugrid && context_.comm.is_root() && series_.size() < 1 + std::size_t(plan_.paraview))
      context_.log.warning("this build has no NetCDF: fields.nc is left out");
    opened_ = true;
  }

  void write_fields(double t) {
    if (!opened_) open(0);
    std::vector<std::vector<double>> values;
    for (const std::string& name : plan_.fields) values.push_back(gather(name));
    const std::vector<double> surface = gather("eta1"), interface = gather("eta2");
    io::on_root(context_.comm, [&] {
      const std::vector<std::span<const double>> views(values.begin(), values.end());
      for (const auto& s : series_) s->add(t, views);
      const auto [s0, s1] = std::minmax_element(surface.begin(), surface.end());
      const auto [i0, i1] = std::minmax_element(interface.begin(), interface.end());
      last_map_ = {{"time", t},
                   {"surface_lowest", *s0},
                   {"surface_highest", *s1},
                   {"interface_lowest", *i0},
                   {"interface_highest", *i1}};
    });
  }

  // On the root: what run.json says of the result.
  std::string facts() const {
    nlohmann::ordered_json facts;
    facts["cells"] = mesh_.cells();
    facts["nodes"] = mesh_.nodes();
    if (!last_map_.empty()) facts["last_map"] = last_map_;
    const io::GaugeSeries& s = gauges_.series();
    for (std::size_t p = 0; p < s.points.size() && !s.values.empty(); ++p)
      for (std::size_t v = 0; v < s.variables.size(); ++v)
        facts["gauges"][s.points[p].name][s.variables[v].name] =
            s.values.back()[p * s.variables.size() + v];
    return facts.dump();
  }

  void write_maps(double t) {
    for (const char* name : {"eta1", "eta2"}) {
      const std::vector<double> values = gather(name);
      io::on_root(context_.comm, [&] { draw(t, find(name), values); });
    }
  }

  void flush_fields() {
    io::on_root(context_.comm, [&] {
      for (const auto& s : series_) s->flush();
    });
  }

  void flush_gauges() {
    gauges_.collect();
    if (gauges_.empty()) return;
    io::on_root(context_.comm, [&] {
      io::write_gauges_csv(folder_ / "gauges.csv", gauges_.series());
      has_gauges_netcdf_ = io::write_gauges_netcdf(folder_ / "gauges.nc", gauges_.series(),
                                                   "gauges of a two-layer shallow water run",
                                                   "terrawave " + run::version());
    });
  }

  std::string save_extra() {
    gauges_.collect();
    const std::string head =
        nlohmann::json{{"pictures", pictures_json()}, {"last_map", last_map_}}.dump();
    return std::to_string(head.size()) + "\n" + head + gauges_.to_bytes();
  }

  void load_extra(const std::string& bytes) {
    const auto line = bytes.find('\n');
    if (line == std::string::npos) throw InputError("the checkpoint's output state is damaged");
    const std::size_t size = std::stoul(bytes.substr(0, line));
    const auto head = nlohmann::json::parse(bytes.substr(line + 1, size));
    last_map_ = head.at("last_map");
    for (const auto& p : head.at("pictures"))
      pictures_.push_back({p.at("caption"),
                           p.at("file"),
                           p.at("width"),
                           p.at("height"),
                           {static_cast<io::ColorMap>(p.at("map").get<int>()), p.at("low"),
                            p.at("high"), p.at("label")}});
    gauges_.from_bytes(bytes.substr(line + 1 + size));
  }

  std::vector<std::string> field_files() const {
    std::vector<std::string> all;
    for (const auto& s : series_)
      for (const std::string& f : s->files()) all.push_back(f);
    return all;
  }
  std::vector<std::string> map_files() const {
    std::vector<std::string> all;
    for (const Picture& p : pictures_) all.push_back(p.file);
    return all;
  }
  std::vector<std::string> gauge_files() const {
    if (gauges_.empty()) return {};
    return has_gauges_netcdf_ ? std::vector<std::string>{"gauges.csv", "gauges.nc"}
                              : std::vector<std::string>{"gauges.csv"};
  }

  // On the root.
  void report(io::Report& page) const {
    if (!pictures_.empty()) page.heading("Maps");
    for (const Picture& p : pictures_)
      page.picture_png(p.caption, read(p.file), p.width, p.height, p.bar);
    if (gauges_.empty() || gauges_.series().times.empty()) return;
    page.heading("Gauges");
    for (std::size_t v = 0; v < gauges_.series().variables.size(); ++v) chart_of(page, v);
  }

 private:
  static const io::CellVariable& find(const std::string& name) {
    for (const io::CellVariable& v : known_fields())
      if (v.name == name) return v;
    throw LogicError("unknown output field");
  }

  void add_series(std::unique_ptr<io::CellSeries> s) {
    if (s != nullptr) series_.push_back(std::move(s));
  }

  // A field in global order, on the root; empty elsewhere.
  std::vector<double> gather(const std::string& field) {
    const std::vector<double> mine = solver_.values(field);
    sim::FieldBlock block{solver_.ids(), std::vector<std::byte>(mine.size() * sizeof(double))};
    if (!mine.empty()) std::memcpy(block.values.data(), mine.data(), block.values.size());
    std::vector<double> all(context_.comm.is_root() ? std::size_t(mesh_.cells()) : 0);
    io::collect_windows(context_.comm, block, mesh_.cells(), sizeof(double),
                        [&](Index first, std::span<const std::byte> bytes) {
                          std::memcpy(all.data() + first, bytes.data(), bytes.size());
                        });
    return all;
  }

  void draw(double t, const io::CellVariable& about, const std::vector<double>& values) {
    io::ColorBar bar;
    std::tie(bar.low, bar.high) = io::finite_range(values);
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    if (*least == *most) {  // a level lake: the middle colour
      bar = {io::ColorMap::diverging, *least - 1, *least + 1, {}};
    } else if (bar.low < 0 && bar.high > 0) {  // on both sides of the datum: white at the datum
      bar.map = io::ColorMap::diverging;
      std::tie(bar.low, bar.high) = io::finite_range(values, true);
    }
    bar.label = "height above the datum [" + about.unit + "]";
    const io::Image image = io::draw_cells(mesh_, values, bar);
    const std::string file =
        fmt::format("{}/{}_{:02d}.png", kPictures, about.name, pictures_.size() / 2);
    const std::vector<std::uint8_t> png = io::encode_png(image);
    fs::create_directories(folder_ / kPictures);
    io::write_text(folder_ / file, {reinterpret_cast<const char*>(png.data()), png.size()});
    pictures_.push_back(
        {fmt::format("{} at t = {:.6g} s", about.name == "eta1" ? "Free surface" : "Interface", t),
         file, image.width, image.height, bar});
  }

  nlohmann::json pictures_json() const {
    nlohmann::json all = nlohmann::json::array();
    for (const Picture& p : pictures_)
      all.push_back({{"caption", p.caption},
                     {"file", p.file},
                     {"width", p.width},
                     {"height", p.height},
                     {"map", static_cast<int>(p.bar.map)},
                     {"low", p.bar.low},
                     {"high", p.bar.high},
                     {"label", p.bar.label}});
    return all;
  }

  std::vector<std::uint8_t> read(const std::string& file) const {
    std::ifstream in(folder_ / file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  void chart_of(io::Report& page, std::size_t v) const {
    const io::GaugeSeries& s = gauges_.series();
    const io::CellVariable& about = s.variables[v];
    io::Chart chart{"time [s]", about.long_name + " [" + about.unit + "]", {}};
    // A browser draws some thousand points a curve; files hold them all.
    const std::size_t stride = std::max<std::size_t>(1, s.times.size() / 2000);
    for (std::size_t p = 0; p < s.points.size(); ++p) {
      io::Curve curve{s.points[p].name, {}, {}};
      for (std::size_t k = 0; k < s.times.size(); k += stride) {
        curve.x.push_back(s.times[k]);
        curve.y.push_back(s.values[k][p * s.variables.size() + v]);
      }
      chart.curves.push_back(std::move(curve));
    }
    page.chart(about.long_name, chart);
  }

  Plan plan_;
  Gauges gauges_;
  SweSolver& solver_;
  const domain::TriMesh& mesh_;
  sim::Context& context_;
  fs::path folder_;
  std::vector<std::unique_ptr<io::CellSeries>> series_;  // on the root
  std::vector<Picture> pictures_;
  nlohmann::json last_map_ = nlohmann::json::object();
  bool opened_ = false;
  bool has_gauges_netcdf_ = false;
};

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

Plan make_plan(const config::Config& out, double end_time, config::Diagnostics& wrong) {
  Plan plan;
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

}  // namespace

config::Table output_table() {
  using config::Key;
  config::Table t("output", "What the run writes into its folder.");
  t.key(Key::number("interval", "s")
            .more_than(0)
            .describe("Simulated time between records of the fields. The run lands on each time "
                      "exactly; its end is always a record."));
  t.key(Key::numbers("times", "s").describe("Times of the records, instead of interval."));
  std::vector<std::string> names;
  for (const io::CellVariable& v : known_fields()) names.push_back(v.name);
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

void add_outputs(run::TimeCase& c, const config::Config& config, SweSolver& solver,
                 const domain::TriMesh& mesh, sim::Context& context, const run::Options& options,
                 config::Diagnostics& wrong) {
  const config::Config out = config.table("output");
  Plan plan = make_plan(out, c.end_time, wrong);
  Gauges gauges = make_gauges(out, solver, mesh, context.comm, wrong);
  const auto all = std::make_shared<Outputs>(std::move(plan), std::move(gauges), solver, mesh,
                                             context, options.out);
  if (all->plan().ugrid || all->plan().paraview) {
    run::Output fields;
    fields.name = kFields;
    fields.times = all->plan().times;
    fields.write = [all](double t, std::int64_t) { all->write_fields(t); };
    fields.resume = [all](std::int64_t written) { all->open(written); };
    fields.flush = [all] { all->flush_fields(); };
    fields.list_files = [all] { return all->field_files(); };
    c.outputs.push_back(std::move(fields));
  }
  if (!all->plan().map_times.empty()) {
    run::Output maps;
    maps.name = "pictures";
    maps.times = all->plan().map_times;
    maps.write = [all](double t, std::int64_t) { all->write_maps(t); };
    maps.list_files = [all] { return all->map_files(); };
    c.outputs.push_back(std::move(maps));
  }
  if (!all->gauges().empty()) {
    run::Output start;
    start.name = "gauges";
    start.times = {0.0};
    start.write = [all](double t, std::int64_t) { all->gauges().sample(t); };
    start.flush = [all] { all->flush_gauges(); };
    start.list_files = [all] { return all->gauge_files(); };
    c.outputs.push_back(std::move(start));
    c.after_step = [all](double t, std::int64_t) { all->gauges().sample(t); };
  }
  c.save_extra = [all] { return all->save_extra(); };
  c.load_extra = [all](const std::string& bytes) { all->load_extra(bytes); };
  c.facts_json = [all] { return all->facts(); };
  c.report = [all, earlier = c.report](io::Report& page) {
    all->report(page);
    if (earlier) earlier(page);
  };
}

}  // namespace terrawave::swe
