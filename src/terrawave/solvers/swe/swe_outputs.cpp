#include "terrawave/solvers/swe/swe_outputs.hpp"

#include <algorithm>
#include <cstring>
#include <memory>

#include <nlohmann/json.hpp>

#include "terrawave/io/cell_series.hpp"
#include "terrawave/io/collective.hpp"
#include "terrawave/io/windows.hpp"
#include "terrawave/run/version.hpp"
#include "terrawave/solvers/swe/swe_fields.hpp"
#include "terrawave/solvers/swe/swe_output_plan.hpp"
#include "terrawave/solvers/swe/swe_pictures.hpp"

namespace terrawave::swe {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFields = "fields";  // fields.nc, fields.pvd, fields/

// Everything the callbacks of the case share. Collective unless said otherwise.
class Outputs {
 public:
  Outputs(OutputPlan plan, Gauges gauges, SweSolver& solver, const domain::TriMesh& mesh,
          sim::Context& context, fs::path folder)
      : plan_(std::move(plan)),
        gauges_(std::move(gauges)),
        solver_(solver),
        mesh_(mesh),
        context_(context),
        folder_(std::move(folder)),
        pictures_(mesh, folder_) {}

  const OutputPlan& plan() const { return plan_; }
  Gauges& gauges() { return gauges_; }

  // `written` records are in the files already.
  void open(std::int64_t written) {
    io::SeriesInfo info;
    info.title = "two-layer shallow water";
    info.source = "terrawave " + run::version();
    info.single = plan_.single;
    for (const std::string& name : plan_.fields) info.variables.push_back(output_field(name));
    info.constants = {bottom_field()};
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
      io::on_root(context_.comm, [&] { pictures_.draw(t, output_field(name), values); });
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
        nlohmann::json{{"pictures", pictures_.to_json()}, {"last_map", last_map_}}.dump();
    return std::to_string(head.size()) + "\n" + head + gauges_.to_bytes();
  }

  void load_extra(const std::string& bytes) {
    const auto line = bytes.find('\n');
    if (line == std::string::npos) throw InputError("the checkpoint's output state is damaged");
    const std::size_t size = std::stoul(bytes.substr(0, line));
    const auto head = nlohmann::json::parse(bytes.substr(line + 1, size));
    last_map_ = head.at("last_map");
    pictures_.from_json(head.at("pictures"));
    gauges_.from_bytes(bytes.substr(line + 1 + size));
  }

  std::vector<std::string> field_files() const {
    std::vector<std::string> all;
    for (const auto& s : series_)
      for (const std::string& f : s->files()) all.push_back(f);
    return all;
  }
  std::vector<std::string> map_files() const { return pictures_.files(); }
  std::vector<std::string> gauge_files() const {
    if (gauges_.empty()) return {};
    return has_gauges_netcdf_ ? std::vector<std::string>{"gauges.csv", "gauges.nc"}
                              : std::vector<std::string>{"gauges.csv"};
  }

  // On the root.
  void report(io::Report& page) const {
    pictures_.report(page);
    if (gauges_.empty() || gauges_.series().times.empty()) return;
    page.heading("Gauges");
    for (std::size_t v = 0; v < gauges_.series().variables.size(); ++v) chart_of(page, v);
  }

 private:
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

  OutputPlan plan_;
  Gauges gauges_;
  SweSolver& solver_;
  const domain::TriMesh& mesh_;
  sim::Context& context_;
  fs::path folder_;
  std::vector<std::unique_ptr<io::CellSeries>> series_;  // on the root
  Pictures pictures_;
  nlohmann::json last_map_ = nlohmann::json::object();
  bool opened_ = false;
  bool has_gauges_netcdf_ = false;
};

}  // namespace

void add_outputs(run::TimeCase& c, const config::Config& config, SweSolver& solver,
                 const domain::TriMesh& mesh, sim::Context& context, const run::Options& options,
                 config::Diagnostics& wrong) {
  const config::Config out = config.table("output");
  OutputPlan plan = make_plan(out, c.end_time, wrong);
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
