#include "terrawave/solvers/swe/swe_bench.hpp"

#include <chrono>
#include <cmath>
#include <limits>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "terrawave/domain/partition.hpp"
#include "terrawave/domain/rectangle.hpp"
#include "terrawave/domain/renumber.hpp"
#include "terrawave/run/bandwidth.hpp"
#include "terrawave/solvers/swe/swe_solver.hpp"

namespace terrawave::swe {
namespace {

using Clock = std::chrono::steady_clock;

struct Share {
  domain::LocalTriMesh local;
  CellFields initial;
  Index cells = 0;
  std::size_t groups = 0;
};

// [-5, 5]^2 with walls, 5 m deep; the interface 4 m below the surface outside a circle of radius
// 1.5 m, 0.5 m inside.
Share make_share(comm::Comm& comm, Index cells) {
  domain::Rectangle r;
  r.west = r.south = -5;
  r.east = r.north = 5;
  r.pattern = domain::RectanglePattern::equilateral;
  domain::TriMesh mesh = domain::make_rectangle(domain::with_cells(r, cells));
  domain::renumber(mesh);
  Share s{domain::build_local(mesh, domain::partition(mesh, comm.size()), comm.rank()),
          CellFields(), mesh.cells(), mesh.groups.size()};
  const std::size_t n = std::size_t(s.local.part.owned());
  s.initial = CellFields(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double x = s.local.center_x[i], y = s.local.center_y[i];
    s.initial.h1[i] = x * x + y * y < 2.25 ? 0.5 : 4;
    s.initial.h2[i] = 5 - s.initial.h1[i];
    s.initial.bottom[i] = 5;
  }
  return s;
}

struct Timing {
  double rate = 0;  // cell updates per second over all ranks
  double step = 0;  // seconds
  sim::Work work;
};

// One solver for each of `overlaps` (messages hidden behind work, or not). They run in turn and the
// best of three counts: others may use the machine, and what one meets the next one meets, too.
std::vector<Timing> time_in_turn(sim::Context& base, const Share& share, bool single, Method method,
                                 double seconds, const std::vector<bool>& overlaps) {
  Parameters p;
  p.density_ratio = 0.998;
  p.method = method;
  const std::vector<BoundaryKind> walls(share.groups, BoundaryKind::wall);
  std::vector<std::unique_ptr<sim::Context>> contexts;
  std::vector<std::unique_ptr<SweSolver>> solvers;
  for (const bool overlap : overlaps) {
    contexts.push_back(std::make_unique<sim::Context>(
        sim::Context{base.comm, base.queue, base.log, base.timers, single, overlap}));
    solvers.push_back(
        make_solver(*contexts.back(), share.local, share.cells, walls, p, share.initial));
  }
  const auto run = [&](SweSolver& solver, std::int64_t steps) {
    base.queue.synchronize();
    base.comm.barrier();
    const auto begin = Clock::now();
    solver.advance(steps);
    base.queue.synchronize();
    return base.comm.max(std::chrono::duration<double>(Clock::now() - begin).count());
  };
  for (auto& solver : solvers) run(*solver, 2);
  const double guess = run(*solvers.front(), 3) / 3;
  const auto steps = std::int64_t(std::max(3.0, std::min(seconds / guess, 2000.0)));
  std::vector<double> best(solvers.size(), std::numeric_limits<double>::infinity());
  for (int round = 0; round < 3; ++round)
    for (std::size_t k = 0; k < solvers.size(); ++k)
      best[k] = std::min(best[k], run(*solvers[k], steps));
  std::vector<Timing> timings;
  for (std::size_t k = 0; k < solvers.size(); ++k)
    timings.push_back({double(share.cells) * double(steps) / best[k], best[k] / double(steps),
                       solvers[k]->work()});
  return timings;
}

const char* name_of(Method m) { return m == Method::edges ? "edges" : "cells"; }

}  // namespace

std::string bench(sim::Context& context, const BenchOptions& options,
                  const std::function<void(const std::string&)>& print) {
  comm::Comm& comm = context.comm;
  const bool root = comm.is_root();
  const auto say = [&](const std::string& line) {
    if (root) print(line);
  };
  const std::optional<double> bandwidth = run::measure_bandwidth(context.queue, comm);
  nlohmann::json out;
  out["device"] = context.queue.info().name;
  out["ranks"] = comm.size();
  out["bandwidth_bytes_per_second"] = bandwidth.value_or(0);
  say(fmt::format("two-layer IR-Roe, {} rank(s), {}, measured bandwidth {:.1f} GB/s", comm.size(),
                  context.queue.info().name, bandwidth.value_or(0) * 1e-9));
  say("   volumes  precision  method  Mcell-updates/s   ms/step  bytes/update  flops/update  "
      "bandwidth share  overlap gain");
  std::vector<Method> methods{Method::automatic};
  if (options.methods) methods = {Method::edges, Method::cells};
  for (const Index cells : options.cells) {
    const Share share = make_share(comm, cells);
    for (const bool single : {true, false}) {
      if (!options.both && single != options.single) continue;
      for (const Method m : methods) {
        const std::vector<bool> overlaps =
            comm.size() > 1 ? std::vector<bool>{true, false} : std::vector<bool>{true};
        const auto timings = time_in_turn(context, share, single, m, options.seconds, overlaps);
        const Timing& t = timings.front();
        nlohmann::json row{{"volumes", share.cells},
                           {"precision", single ? "single" : "double"},
                           {"method", m == Method::automatic ? "automatic" : name_of(m)},
                           {"cell_updates_per_second", t.rate},
                           {"seconds_per_step", t.step},
                           {"bytes_per_update", t.work.bytes_per_cell},
                           {"flops_per_update", t.work.flops_per_cell}};
        std::string gain = "-";
        if (comm.size() > 1) {
          const double factor = timings.back().step / t.step;
          row["overlap_gain"] = factor;
          gain = fmt::format("{:.3f}", factor);
        }
        const double used = bandwidth ? t.rate * t.work.bytes_per_cell / *bandwidth : std::nan("");
        row["bandwidth_share"] = used;
        out["rows"].push_back(row);
        say(fmt::format("{:10d}  {:9}  {:6}  {:15.2f}  {:8.3f}  {:12.0f}  {:12.0f}  {:14.1f} %  {}",
                        share.cells, single ? "single" : "double",
                        m == Method::automatic ? "auto" : name_of(m), t.rate * 1e-6, t.step * 1e3,
                        t.work.bytes_per_cell, t.work.flops_per_cell, used * 100, gain));
      }
    }
  }
  return root ? out.dump(1) : std::string();
}

}  // namespace terrawave::swe
