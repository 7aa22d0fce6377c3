// `terrawave bench [SOLVER]`
#include <algorithm>
#include <cmath>
#include <ctime>
#include <iostream>
#include <memory>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "terrawave/app/command.hpp"
#include "terrawave/app/device.hpp"
#include "terrawave/io/atomic_file.hpp"
#include "terrawave/run/bandwidth.hpp"
#include "terrawave/run/version.hpp"
#include "terrawave/solvers/fdtd/fdtd_bench.hpp"
#include "terrawave/solvers/swe/swe_bench.hpp"
#include "terrawave/solvers/terrain/terrain_bench.hpp"

namespace terrawave::app {
namespace {

struct BenchCommand {
  std::string solver;
  std::string json;
  std::string device = "auto";
  int threads = 0;
  bool quick = false;
  Index cells = 0;  // 0: all sizes
};

using Print = std::function<void(const std::string&)>;

// One benchmark of the program: prints a table on the root, returns its figures as JSON there.
struct Benchmark {
  std::string name;
  std::string (*run)(sim::Context& context, const BenchCommand& o, const Print& print);
};

// Keeps the sizes that come nearest to `wanted` cells.
template <class T, class Cells>
void keep_nearest(std::vector<T>& sizes, Index wanted, const Cells& cells) {
  if (wanted == 0) return;
  const auto miss = [&](const T& size) { return std::abs(std::log(cells(size) / double(wanted))); };
  double least = miss(sizes.front());
  for (const T& size : sizes) least = std::min(least, miss(size));
  std::erase_if(sizes, [&](const T& size) { return miss(size) > least; });
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

std::string bench_swe(sim::Context& context, const BenchCommand& o, const Print& print) {
  swe::BenchOptions options;
  if (o.quick) options.cells = {4016};
  if (o.quick) options.seconds = 0.05;
  keep_nearest(options.cells, o.cells, [](Index cells) { return double(cells); });
  return swe::bench(context, options, print);
}

std::string bench_terrain(sim::Context& context, const BenchCommand& o, const Print& print) {
  terrain::BenchOptions options;
  if (o.quick) options = {{256}, 1, true};
  if (!o.quick && context.queue.backend() == par::Backend::cuda)
    options.sides = {1024, 2048, 4096, 8192, 16384};
  keep_nearest(options.sides, o.cells, [](Index side) { return double(side) * double(side); });
  // One rank measures its own device; the others have nothing to add.
  if (!context.comm.is_root()) return {};
  const terrain::BenchResult result = terrain::bench(context.queue, options, print);
  return terrain::to_json(result, utc_now(), run::git_commit());
}

std::string bench_fdtd(sim::Context& context, const BenchCommand& o, const Print& print) {
  context.single_precision = true;
  const double bandwidth = run::measure_bandwidth(context.queue, context.comm).value_or(0);
  std::vector<fdtd::BenchResult> results;
  std::vector<fdtd::BenchCase> cases =
      fdtd::bench_cases(context.queue.backend() == par::Backend::cuda);
  keep_nearest(cases, o.cells, [](const fdtd::BenchCase& c) {
    return double(c.cells[0]) * double(c.cells[1]) * double(c.cells[2]);
  });
  for (fdtd::BenchCase what : cases) {
    if (o.quick) what.cells = {32, 32, 32};
    results.push_back(fdtd::run_bench(what, context, o.quick ? 0.02 : 1.0, bandwidth));
    print(fdtd::bench_row(results.back()));
  }
  return fdtd::bench_json(results);
}

const std::vector<Benchmark>& benchmarks() {
  static const std::vector<Benchmark> all = {
      {"swe", bench_swe}, {"terrain", bench_terrain}, {"fdtd", bench_fdtd}};
  return all;
}

ExitCode run_benchmarks(const BenchCommand& o, comm::Comm& comm) {
  const bool root = comm.is_root();
  const Print print = [root](const std::string& line) {
    if (root) std::cout << line << std::endl;
  };
  sim::Log log([&](sim::Log::Level, const std::string& text) { print(text); });
  sim::Timers timers;
  sim::Context context{comm, choose_queue(o.device, o.threads, comm, log), log, timers};
  nlohmann::ordered_json all = {{"program", "terrawave " + run::version()},
                                {"commit", run::git_commit()},
                                {"date", utc_now()},
                                {"device", context.queue.info().name},
                                {"ranks", comm.size()},
                                {"threads", context.queue.threads()},
                                {"quick", o.quick}};
  for (const Benchmark& benchmark : benchmarks()) {
    if (!o.solver.empty() && o.solver != benchmark.name) continue;
    print("\n== " + benchmark.name);
    const std::string figures = benchmark.run(context, o, print);
    if (root) all["benchmarks"][benchmark.name] = nlohmann::ordered_json::parse(figures);
  }
  if (root && !o.json.empty()) {
    io::write_text(o.json, all.dump(1) + "\n");
    print("\nwrote " + o.json);
  }
  return ExitCode::done;
}

}  // namespace

void add_bench_command(CLI::App& app, Action& action) {
  const auto o = std::make_shared<BenchCommand>();
  std::vector<std::string> names;
  for (const Benchmark& benchmark : benchmarks()) names.push_back(benchmark.name);
  CLI::App* sub = app.add_subcommand("bench", "Measure the solvers' speed on this machine");
  sub->add_option("SOLVER", o->solver, "Only this one")->check(CLI::IsMember(names));
  sub->add_option("--json", o->json, "Also write the figures to this file");
  sub->add_option("--device", o->device, "Where to compute: auto, cpu or cuda")
      ->check(CLI::IsMember({"auto", "cpu", "cuda"}));
  sub->add_option("--threads", o->threads, "CPU threads of each rank")->check(CLI::Range(1, 4096));
  sub->add_option("--cells", o->cells, "Of the sizes, only the one nearest to this many cells")
      ->check(CLI::PositiveNumber);
  sub->add_flag("--quick", o->quick, "The smallest size only, to see that it works");
  sub->callback(
      [o, &action] { action = [o](comm::Comm& comm) { return run_benchmarks(*o, comm); }; });
}

}  // namespace terrawave::app
