#include "terrawave/solvers/terrain/product_tool.hpp"

#include <cmath>
#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

#include "terrawave/io/raster.hpp"
#include "terrawave/solvers/terrain/product_pictures.hpp"
#include "terrawave/solvers/terrain/product_run.hpp"
#include "terrawave/solvers/terrain/product_verify.hpp"
#include "terrawave/solvers/terrain/tiled_tool.hpp"

namespace terrawave::terrain {
namespace {

par::Queue queue_of(const Tool& tool) {
  if (tool.device == "cuda" || (tool.device == "auto" && par::Queue::cuda_device_count() > 0))
    return par::Queue::cuda();
  return par::Queue::host(tool.threads);
}

double host_memory() { return double(sysconf(_SC_PHYS_PAGES)) * double(sysconf(_SC_PAGE_SIZE)); }

ExitCode dry_run(const Tool& tool) {
  const auto source = io::open_raster(tool.input, tool.band);
  const domain::RasterInfo& info = source->info();
  const double each = bytes_per_cell(tool.step.op, info.type, tool.flow);
  const double bytes = each * double(info.size());
  const double memory = host_memory();
  const bool fits = bytes < memory && info.size() < (Index(1) << 31);
  fmt::print("{} x {} = {} cells of {}\n{:.0f} bytes per cell, {:.3g} GB of {:.3g} GB: {}\n",
             info.rows, info.cols, info.size(), domain::name_of(info.type), each, bytes * 1e-9,
             memory * 1e-9,
             fits ? "fits" : "does not fit in one piece; work in tiles with --memory");
  if (!tool.memory.empty()) {
    const par::Queue queue = queue_of(tool);
    const bool host = queue.backend() == par::Backend::host;
    const TilePlan plan = plan_for_memory(tool, info, host ? queue.threads() : 1);
    fmt::print("with --memory {}: {} tiles of at most {} x {} cells, {} at a time\n", tool.memory,
               plan.tiling.tiles(), plan.tiling.tile_rows, plan.tiling.tile_cols, plan.threads);
  }
  return ExitCode::done;
}

void print_made(const Tool& tool, const Made& made) {
  if (tool.json)
    fmt::print("{}\n", made.facts);
  else if (!made.text.empty())
    fmt::print("{}\n", made.text);
}

ExitCode convert_codes(const Tool& tool, const par::Queue& queue) {
  const DirectionInput input =
      read_directions(queue, tool.input, tool.band, source_of(tool), tool.flow);
  io::write_raster(tool.step.out,
                   encode_directions(input.direction, input.info, *codes_named(tool.step.codes)));
  print_made(tool, converted(input.led_out, input.repaired));
  return ExitCode::done;
}

bool reads_shares(const Tool& tool) { return tool.from == kAngles || tool.from == kFractions; }

Session open_session(const Tool& tool, const par::Queue& queue) {
  Session::Progress progress;
  if (tool.terminal)
    progress = [](const std::string& phase) { fmt::print(stderr, "{} ...\n", phase); };
  if (reads_shares(tool)) {
    ShareInput input = read_shares(queue, tool.input, tool.band, source_of(tool), tool.flow);
    return Session(queue, input.info, std::move(input.fractions), std::move(input.states),
                   tool.flow, progress);
  }
  if (!tool.from.empty()) {
    DirectionInput input =
        read_directions(queue, tool.input, tool.band, source_of(tool), tool.flow);
    return Session(queue, input.info, std::move(input.direction), tool.flow, progress);
  }
  return Session(queue, io::read_raster(tool.input, tool.band), tool.flow, progress);
}

// What was read is the rule of flow.
void take_rule_of_input(Tool& tool) {
  FlowOptions& flow = tool.flow;
  if (tool.from == kAngles) {
    if (flow.rule != FlowRule::d8 && flow.rule != FlowRule::dinf)
      throw InputError("--from dinf: the angles are the rule of flow; leave --d4 and --mfd out");
    flow.rule = FlowRule::dinf;
  } else if (tool.from == kFractions) {
    if (flow.rule != FlowRule::d8)
      throw InputError(
          "--from fractions: they are the rule of flow; leave --d4, --dinf and --mfd out");
    if (tool.band != 0)
      throw InputError("--from fractions: all eight bands are read; leave --band out");
    flow.rule = FlowRule::freeman;
    tool.band = 1;  // says how many cells there are
  }
}

void check_conversion(const Tool& tool) {
  if (source_of(tool).shares())
    throw InputError(
        "terrain codes: angles and fractions have no codes of one direction; expected --from esri, "
        "taudem, grass, whitebox, ldd or richdem");
  if (!codes_named(tool.step.codes))
    throw InputError("--to: unknown kind \"" + tool.step.codes +
                     "\"; expected esri, taudem, grass, whitebox, ldd or richdem");
  if (tool.step.out.empty())
    throw InputError("terrain codes: expected an output file; give it with -o");
  io::check_raster_target(tool.step.out);
}

// Everything once more in another way.
void check_again(const Tool& tool, Session& session) {
  std::vector<Check> checks;
  if (tool.from.empty()) {
    checks = verify_again(session);
  } else {
    const auto source = io::open_raster(tool.input, tool.band);
    checks = verify_again(session, *source, source_of(tool));
  }
  print_made(tool, verify_made(checks, [](const std::string&) {}));
}

ExitCode run_checked(const Tool& tool, comm::Comm& comm) {
  const bool tiled = comm.size() > 1 || !tool.memory.empty();
  if (tool.step.op == "codes") {
    check_conversion(tool);
    return tiled ? run_tiled_tool(tool, comm) : convert_codes(tool, queue_of(tool));
  }
  Tool checked = tool;
  take_rule_of_input(checked);
  if (tool.dry_run) {
    if (checked.step.out.empty()) checked.step.out = "out.npy";
    return comm.is_root() ? dry_run(checked) : ExitCode::done;
  }
  if (checked.step.op == "jump") checked.flow.mode = RouteMode::jump;
  check_step(checked.step, checked.flow);
  if (!checked.from.empty() && !reads_shares(checked) && !checked.flow.single_receiver())
    throw InputError("--from: directions have one receiver per cell; leave --dinf and --mfd out");
  if (!checked.from.empty() && !checked.report.empty())
    throw InputError(
        "--report: a report shows the relief, which directions do not tell; leave it out");
  if (tiled) return run_tiled_tool(checked, comm);
  Session session = open_session(checked, queue_of(checked));
  print_made(checked, make_product(session, checked.step));
  if (checked.verify && checked.step.op != "verify") {
    Step check;
    check.op = "verify";
    print_made(checked, make_product(session, check));
  }
  if (checked.verify || checked.step.op == "verify") check_again(checked, session);
  if (!checked.report.empty()) write_terrain_report(checked.report, maps_of(session));
  return ExitCode::done;
}

}  // namespace

DirectionSource source_of(const Tool& tool) {
  return direction_source(tool.from, tool.step.repair, tool.heights);
}

Made converted(Index led_out, Index repaired) {
  return {
      fmt::format("{{\"led_out\":{},\"repaired_loops\":{}}}", led_out, repaired),
      fmt::format("{} cells led off the map or into nodata, {} loops repaired", led_out, repaired)};
}

ExitCode run_tool(const Tool& tool, comm::Comm& comm) {
  try {
    return run_checked(tool, comm);
  } catch (const InputError& e) {
    // Complaints about files say so themselves; those about options do not.
    const std::string text = e.what();
    throw InputError(text.find("error: ") == std::string::npos ? "error: " + text : text);
  }
}

}  // namespace terrawave::terrain
