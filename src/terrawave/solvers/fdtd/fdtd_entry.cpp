#include "terrawave/solvers/fdtd/fdtd_entry.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <set>

#include <fmt/format.h>

#include "terrawave/run/run_table.hpp"
#include "terrawave/solvers/fdtd/fdtd_case.hpp"
#include "terrawave/solvers/fdtd/fdtd_case_solver.hpp"
#include "terrawave/solvers/fdtd/fdtd_report.hpp"

namespace terrawave::fdtd {

namespace {

run::Case make_case(const config::Config& config, sim::Context& context,
                    const run::Options& options) {
  BuiltCase built = build_case(config, context.comm);
  for (const auto& m : built.dispersion)
    context.log.info(fmt::format("{}: {:.1f} cells per wavelength at f_max, phase error {:.3f} %",
                                 m.name, m.cells_per_wavelength, 100 * m.phase_error));
  context.log.info("objects on the grid:\n" + geometry_text(built));
  // Each warning is said once: before the runs what is known then, the rest when it shows.
  const auto warn = [&context, said = std::make_shared<std::set<std::string>>()](
                        const std::vector<std::string>& warnings) {
    for (const std::string& w : warnings)
      if (said->insert(w).second) context.log.warning(w);
  };
  warn(built.warnings);
  run::TimeCase c;
  auto solver = std::make_unique<CaseSolver>(std::move(built), context, options.out);
  CaseSolver* run = solver.get();
  // [run] may cut all runs together short; [fdtd.stop] ends each.
  const run::Settings settings = run::read_settings(config);
  c.end_time = settings.end_time.value_or(std::numeric_limits<double>::infinity());
  c.max_steps = std::min(run->most_steps(), settings.max_steps.value_or(run->most_steps()));
  // The loop then asks finished() after every call of steps().
  c.after_step = [](double, std::int64_t) {};
  c.save_extra = [run] { return run->save_extra(); };
  c.load_extra = [run](const std::string& bytes) { run->load_extra(bytes); };
  const bool root = context.comm.is_root();
  run::Output results;
  results.name = "results";
  results.flush = [run, root, out = options.out] {
    run->write_results();
    if (root && run->built().setup.write_geometry)
      io::write_vtp(out / "geometry.vtp", metal_edges(run->built()));
  };
  results.list_files = [run] {
    auto files = run->files();
    if (run->built().setup.write_geometry) files.push_back("geometry.vtp");
    return files;
  };
  c.outputs.push_back(std::move(results));
  c.report = [run](io::Report& report) { add_report(report, *run); };
  c.facts_json = [run, warn] {
    warn(run->warnings());
    return facts_json(*run);
  };
  c.solver = std::move(solver);
  return c;
}

// Of one monitor, where one rank owns all of its box.
double sums_bytes(const DftCase& d) {
  double entries = 1;
  for (std::size_t a = 0; a < 3; ++a) entries *= double(d.high[a] - d.low[a] + 1);
  const double components = 3.0 * (int(d.electric) + int(d.magnetic));
  return entries * components * double(d.frequencies.size()) * 2 * sizeof(double);
}

double estimate(const config::Config& config, int ranks) {
  const Setup s = read_setup(config);
  const CellBox all = s.all_cells();
  const config::Config run = config.table("run");
  const bool single = run.text("precision") == "single";
  const bool cuda = run.text("device") != "cpu";
  double bytes = estimate_bytes(all.high, s.boundary, s.cpml, single, cuda, ranks);
  for (const DftCase& d : s.dfts) bytes += sums_bytes(d);
  return bytes;
}

// Besides: a painted piece of the grid (owners of cells and metal edges, two bytes each), and on
// the root the gathered Fourier sums.
double estimate_host(const config::Config& config, int) {
  const Setup s = read_setup(config);
  const CellBox all = s.all_cells();
  const double planes = 3.0 * double(all.high[0] + 1) * double(all.high[1] + 1);
  double bytes = 8 * std::max(planes, 4.2e6);
  for (const DftCase& d : s.dfts) bytes += 2 * sums_bytes(d);
  return bytes;
}

std::vector<std::pair<std::string, std::string>> starter() {
  return {{"case.toml",
           R"toml(# A 50-ohm microstrip line, 20 mm long, on 0.8 mm of a board with eps_r 2.2.
[run]
solver = "fdtd"

[fdtd]
f_max = "10 GHz"

[fdtd.stop]
steps = 6000
decay_db = 40

[domain]
origin = ["-10 mm", "0 mm", "-3 mm"]
cell = ["0.4 mm", "0.5 mm", "0.2 mm"]
cells = [50, 60, 40]

[[boundary]]
faces = ["all"]
kind = "cpml"
layers = 8

[[material]]
name = "board"
eps_r = 2.2

[[object]]
name = "board"
kind = "box"
material = "board"
from = ["-6.4 mm", "5 mm", "0 mm"]
to = ["6.4 mm", "25 mm", "0.8 mm"]

[[object]]
name = "ground"
kind = "plate"
material = "pec"
from = ["-6.4 mm", "5 mm", "0 mm"]
to = ["6.4 mm", "25 mm", "0 mm"]

[[object]]
name = "strip"
kind = "plate"
material = "pec"
from = ["-1.2 mm", "5 mm", "0.8 mm"]
to = ["1.2 mm", "25 mm", "0.8 mm"]

[[port]]
name = "near"
from = ["-1.2 mm", "5 mm", "0 mm"]
to = ["1.2 mm", "5 mm", "0.8 mm"]
direction = "z+"
line = "y+"
distance = "5 mm"

[[port]]
name = "far"
from = ["-1.2 mm", "25 mm", "0 mm"]
to = ["1.2 mm", "25 mm", "0.8 mm"]
direction = "z+"
line = "y-"
distance = "5 mm"

[drive]
ports = ["near", "far"]

[spectrum]
f_min = "0.1 GHz"
points = 100
)toml"}};
}

}  // namespace

run::SolverEntry fdtd_entry() {
  run::SolverEntry e;
  e.name = "fdtd";
  e.summary = "electromagnetic fields in the time domain: antennas, circuits, S-parameters";
  e.schema = fdtd_schema;
  e.make = make_case;
  e.estimate_bytes = estimate;
  e.estimate_host_bytes = estimate_host;
  e.starter = starter;
  return e;
}

}  // namespace terrawave::fdtd
