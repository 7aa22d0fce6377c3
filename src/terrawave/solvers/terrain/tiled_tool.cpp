#include "terrawave/solvers/terrain/tiled_tool.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <unistd.h>

#include "terrawave/comm/threads.hpp"
#include "terrawave/io/raster.hpp"
#include "terrawave/solvers/terrain/tiled_makers.hpp"

namespace terrawave::terrain {
namespace {

par::Queue queue_of_rank(const Tool& tool, const comm::Comm& comm) {
  const int devices = par::Queue::cuda_device_count();
  if (tool.device == "cuda" || (tool.device == "auto" && devices > 0))
    return par::Queue::cuda(devices > 0 ? comm.local_rank() % devices : 0);
  return par::Queue::host(tool.threads);
}

void print_made(const Tool& tool, const comm::Comm& comm, const Made& made) {
  if (!comm.is_root()) return;
  if (tool.json)
    fmt::print("{}\n", made.facts);
  else if (!made.text.empty())
    fmt::print("{}\n", made.text);
}

// Bytes for each cell of a tile (the arrays of the hungriest pass), and for each cell of the
// perimeters (the root's graphs of them). Measured; the property test of budgets holds them.
struct Costs {
  double cell = 0;
  double rim = 0;
};
Costs costs_of(const std::string& op, const FlowOptions& flow) {
  if (!flow.single_receiver()) return {330, 220};
  if (op == "fill" || op == "slope") return {80, 220};
  if (flow.mode == RouteMode::jump) return {130, 220};
  return {110, 220};
}

}  // namespace

double memory_bytes(const std::string& text) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  const std::string unit = end;
  double factor = unit.empty() ? 1 : 0;
  if (unit == "K") factor = 1e3;
  if (unit == "M") factor = 1e6;
  if (unit == "G") factor = 1e9;
  if (unit == "T") factor = 1e12;
  if (!(number > 0) || factor == 0 || !std::isfinite(number))
    throw InputError("--memory: expected an amount such as 500M or 8G, found \"" + text + "\"");
  return number * factor;
}

Tiling tiling_for_memory(Index rows, Index cols, double bytes, const std::string& op,
                         const FlowOptions& flow, int at_once) {
  const Costs costs = costs_of(op, flow);
  // Larger tiles need more, but leave less perimeter to the root: the largest side that fits.
  const auto need = [&](double side) {
    const double tile = std::min(side, double(rows)) * std::min(side, double(cols));
    const double lines = double(rows) * std::ceil(double(cols) / side) +
                         double(cols) * std::ceil(double(rows) / side);
    const bool one = side >= double(std::max(rows, cols));
    return at_once * costs.cell * tile + (one ? 0 : 2 * costs.rim * lines);
  };
  double side = double(std::max(rows, cols));
  double least = need(side);
  while (side > 2 && need(side) > bytes) {
    side = std::max(2.0, std::floor(side * 0.97));
    least = std::min(least, need(side));
  }
  if (need(side) > bytes)
    throw InputError(
        fmt::format("--memory: a raster of {} x {} cells needs at least about {:.3g} MB in tiles",
                    rows, cols, least * 1.05e-6));
  // Whole blocks of the files that this program writes, where tiles are large.
  const auto whole = Index(side);
  const Index even = whole >= 512 && whole < std::max(rows, cols) ? whole / 256 * 256 : whole;
  const Index chosen = need(double(even)) <= bytes ? even : whole;
  return {rows, cols, std::min(rows, chosen), std::min(cols, chosen)};
}

TilePlan plan_for_memory(const Tool& tool, const domain::RasterInfo& info, int threads) {
  constexpr Index kLeast = 256;  // side of tiles that more threads are worth
  const std::string op = tool.verify ? "verify" : tool.step.op;
  const double bytes = memory_bytes(tool.memory);
  for (; threads > 1; threads = (threads + 1) / 2) {
    const Tiling even = tiling_for_ranks(info.rows, info.cols, threads);
    if (std::min(even.tile_rows, even.tile_cols) < kLeast) continue;
    try {
      const Tiling fits = tiling_for_memory(info.rows, info.cols, bytes, op, tool.flow, threads);
      if (std::min(fits.tile_rows, fits.tile_cols) < kLeast) continue;
      return {{info.rows, info.cols, std::min(even.tile_rows, fits.tile_rows),
               std::min(even.tile_cols, fits.tile_cols)},
              threads};
    } catch (const InputError&) {  // perhaps with fewer
    }
  }
  return {tiling_for_memory(info.rows, info.cols, bytes, op, tool.flow), 1};
}

namespace {

// Where a rank keeps its tiles; empty: in memory.
std::filesystem::path scratch_of(const Tool& tool, const comm::Comm& comm) {
  if (tool.memory.empty()) return {};
  const std::filesystem::path out = tool.step.out;
  const auto folder = out.empty() ? std::filesystem::path(".") : out.parent_path();
  return folder / fmt::format(".tiles-{}-{}-{}", getpid(), comm.rank(), out.filename().string());
}

ExitCode run_rank(const Tool& tool, comm::Comm& comm, const par::Queue& queue,
                  const Tiling& tiling) {
  std::unique_ptr<io::RasterSource> source;
  together(comm, [&] { source = io::open_raster(tool.input, tool.band); });
  if (tool.from.empty())
    together(comm, [&] { BlockReader(*source, tool.flow, tiling); });  // opens every file there is
  TiledSession::Progress progress;
  if (tool.terminal && comm.is_root())
    progress = [](const std::string& phase) { fmt::print(stderr, "{} ...\n", phase); };
  const std::filesystem::path scratch = scratch_of(tool, comm);
  TiledSession session =
      tool.from.empty() ? TiledSession(comm, queue, *source, tool.flow, tiling, scratch, progress)
                        : TiledSession(comm, queue, *source, source_of(tool), tool.flow, tiling,
                                       scratch, progress);
  if (tool.step.op == "codes") {
    write_codes(session, tool.step);
    print_made(tool, comm, converted(session.from_stats().led_out, session.from_stats().repaired));
    return ExitCode::done;
  }
  print_made(tool, comm, make_tiled_product(session, tool.step));
  if (tool.verify && tool.step.op != "verify") {
    Step check;
    check.op = "verify";
    print_made(tool, comm, make_tiled_product(session, check));
  }
  if (tool.verify || tool.step.op == "verify") {
    const std::vector<Check> checks = tool.from.empty()
                                          ? verify_tiled_again(session)
                                          : verify_tiled_again(session, source_of(tool));
    print_made(tool, comm, verify_made(checks, [](const std::string&) {}));
  }
  if (!tool.report.empty()) {
    const Maps maps = tiled_maps(session);
    together(comm, [&] {
      if (comm.is_root()) write_terrain_report(tool.report, maps);
    });
  }
  return ExitCode::done;
}

}  // namespace

ExitCode run_tiled_tool(const Tool& tool, comm::Comm& comm) {
  if (!tool.memory.empty()) io::limit_cache(memory_bytes(tool.memory) / 8);
  const par::Queue queue = queue_of_rank(tool, comm);
  domain::RasterInfo info;
  together(comm, [&] { info = io::open_raster(tool.input, tool.band)->info(); });
  if (tool.memory.empty())
    return run_rank(tool, comm, queue, tiling_for_ranks(info.rows, info.cols, comm.size()));
  const bool alone = comm.size() == 1 && queue.backend() == par::Backend::host;
  const TilePlan plan = plan_for_memory(tool, info, alone ? queue.threads() : 1);
  if (plan.threads == 1) return run_rank(tool, comm, queue, plan.tiling);
  comm::run_on_threads(plan.threads, [&](comm::Comm& team) {
    run_rank(tool, team, par::Queue::host(1), plan.tiling);
  });
  return ExitCode::done;
}

}  // namespace terrawave::terrain
