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

Codes codes_of(const std::string& name) {
  if (const auto codes = codes_named(name)) return *codes;
  throw InputError("--from: unknown kind \"" + name +
                   "\"; expected esri, taudem, grass, whitebox, ldd or richdem");
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
    const Tiling tiling =
        tiling_for_memory(info.rows, info.cols, memory_bytes(tool.memory), tool.step.op, tool.flow);
    fmt::print("with --memory {}: {} tiles of at most {} x {} cells\n", tool.memory, tiling.tiles(),
               tiling.tile_rows, tiling.tile_cols);
  }
  return ExitCode::done;
}

template <class T>
void repair(const par::Queue& queue, const Grid& grid, const std::vector<T>& heights,
            std::vector<Direction>& direction, Index& repaired) {
  const par::Buffer<T> z(queue, heights);
  Receivers receivers{par::Buffer<Direction>(queue, direction), {}};
  repaired = repair_loops<T>(queue, grid, z.cview(), receivers);
  direction = receivers.direction.download();
}

// Loops of the directions are named, or broken at the lowest cell.
Index settle_loops(const Tool& tool, const par::Queue& queue, const domain::RasterInfo& info,
                   std::vector<Direction>& direction) {
  const Grid grid = grid_of(info, tool.flow);
  const Receivers receivers{par::Buffer<Direction>(queue, direction), {}};
  const std::vector<Index> loop = find_loop(queue, grid, receivers);
  if (loop.empty()) return 0;
  if (!tool.step.repair) {
    std::string list;
    for (std::size_t k = 0; k < std::min<std::size_t>(loop.size(), 8); ++k)
      list += fmt::format(" (row {}, column {})", loop[k] / info.cols, loop[k] % info.cols);
    throw InputError(fmt::format(
        "{}: error: the directions run in a loop of {} cells:{}{}; break loops with terrawave "
        "terrain codes --repair",
        info.name, loop.size(), list, loop.size() > 8 ? " ..." : ""));
  }
  Index repaired = 0;
  if (tool.heights.empty()) {
    repair(queue, grid, std::vector<std::uint8_t>(direction.size(), 0), direction, repaired);
  } else {
    const domain::Raster z = read_alike(tool.heights, info, "raster of heights");
    std::visit(
        [&](auto span) {
          using T = std::remove_const_t<typename decltype(span)::element_type>;
          repair(queue, grid, std::vector<T>(span.begin(), span.end()), direction, repaired);
        },
        heights_of(z));
  }
  return repaired;
}

struct DirectionInput {
  domain::RasterInfo info;
  Decoded decoded;
  Index repaired = 0;
};

DirectionInput read_directions(const Tool& tool, const par::Queue& queue) {
  const domain::Raster raster = io::read_raster(tool.input, tool.band);
  DirectionInput input{raster.info, decode_directions(raster, codes_of(tool.from)), 0};
  input.repaired = settle_loops(tool, queue, input.info, input.decoded.direction);
  return input;
}

void print_made(const Tool& tool, const Made& made) {
  if (tool.json)
    fmt::print("{}\n", made.facts);
  else if (!made.text.empty())
    fmt::print("{}\n", made.text);
}

ExitCode convert_codes(const Tool& tool, const par::Queue& queue) {
  if (!codes_named(tool.step.codes))
    throw InputError("--to: unknown kind \"" + tool.step.codes +
                     "\"; expected esri, taudem, grass, whitebox, ldd or richdem");
  if (tool.step.out.empty())
    throw InputError("terrain codes: expected an output file; give it with -o");
  io::check_raster_target(tool.step.out);
  const DirectionInput input = read_directions(tool, queue);
  io::write_raster(tool.step.out, encode_directions(input.decoded.direction, input.info,
                                                    *codes_named(tool.step.codes)));
  print_made(tool, {fmt::format("{{\"led_out\":{},\"repaired_loops\":{}}}", input.decoded.led_out,
                                input.repaired),
                    fmt::format("{} cells led off the map or into nodata, {} loops repaired",
                                input.decoded.led_out, input.repaired)});
  return ExitCode::done;
}

Session open_session(const Tool& tool, const par::Queue& queue) {
  Session::Progress progress;
  if (tool.terminal)
    progress = [](const std::string& phase) { fmt::print(stderr, "{} ...\n", phase); };
  if (!tool.from.empty()) {
    DirectionInput input = read_directions(tool, queue);
    return Session(queue, input.info, std::move(input.decoded.direction), tool.flow, progress);
  }
  return Session(queue, io::read_raster(tool.input, tool.band), tool.flow, progress);
}

}  // namespace

namespace {

ExitCode run_checked(const Tool& tool, comm::Comm& comm) {
  if (tool.step.op == "codes")
    return comm.is_root() ? convert_codes(tool, queue_of(tool)) : ExitCode::done;
  Tool checked = tool;
  if (tool.dry_run) {
    if (checked.step.out.empty()) checked.step.out = "out.npy";
    return comm.is_root() ? dry_run(checked) : ExitCode::done;
  }
  if (checked.step.op == "jump") checked.flow.mode = RouteMode::jump;
  check_step(checked.step, checked.flow);
  if (!checked.from.empty() && !checked.flow.single_receiver())
    throw InputError("--from: directions have one receiver per cell; leave --dinf and --mfd out");
  if (comm.size() > 1 || !checked.memory.empty()) return run_tiled_tool(checked, comm);
  Session session = open_session(checked, queue_of(checked));
  print_made(checked, make_product(session, checked.step));
  if (checked.verify && checked.step.op != "verify") {
    Step check;
    check.op = "verify";
    print_made(checked, make_product(session, check));
  }
  if (checked.verify || checked.step.op == "verify")
    print_made(checked, verify_made(verify_again(session), [](const std::string&) {}));
  if (!checked.report.empty()) write_terrain_report(checked.report, maps_of(session));
  return ExitCode::done;
}

}  // namespace

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
