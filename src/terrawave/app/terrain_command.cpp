#include "terrawave/app/terrain_command.hpp"

#include <algorithm>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include "terrawave/solvers/terrain/product_tool.hpp"

namespace terrawave::app {
namespace {

using terrain::FlowRule;
using terrain::Tool;

void add_rule(CLI::App& cmd, Tool& tool) {
  const auto rule = [&tool](FlowRule r) {
    return [&tool, r](std::int64_t) { tool.flow.rule = r; };
  };
  auto* group = cmd.add_option_group("flow", "How flow leaves a cell (default --d8)");
  group->add_flag_function("--d8", rule(FlowRule::d8),
                           "steepest of eight neighbours; ties: E, SE, S, SW, W, NW, N, NE");
  group->add_flag_function("--d4", rule(FlowRule::d4), "steepest of four neighbours");
  group->add_flag_function("--dinf", rule(FlowRule::dinf),
                           "D-infinity: steepest of eight facets (Tarboton 1997)");
  group->add_option_function<double>(
      "--mfd",
      [&tool](double p) {
        tool.flow.rule = FlowRule::freeman;
        tool.flow.exponent = p;
      },
      "to all lower neighbours by slope^P (Freeman 1991: 1.1)");
  group->add_option_function<double>(
      "--quinn",
      [&tool](double p) {
        tool.flow.rule = FlowRule::quinn;
        tool.flow.exponent = p;
      },
      "the same with contour lengths (Quinn 1991: 1; Holmgren 1994: 4 to 6)");
  group->require_option(0, 1);
}

void add_outlets(CLI::App& cmd, Tool& tool) {
  cmd.add_option("--outlets", tool.flow.outlets,
                 "where flow leaves: \"edge\" (of the map and of nodata), \"none\", or a raster "
                 "whose cells that are not 0 are the outlets")
      ->capture_default_str();
  cmd.add_option("--closed", tool.flow.closed,
                 "edges that let nothing out: north, south, west, east, all")
      ->delimiter(',');
  cmd.add_option_function<std::vector<std::string>>(
         "--looped",
         [&tool](const std::vector<std::string>& axes) {
           for (const std::string& axis : axes) {
             tool.flow.loop_cols = tool.flow.loop_cols || axis == "ew";
             tool.flow.loop_rows = tool.flow.loop_rows || axis == "ns";
           }
         },
         "opposite edges that meet: ew, ns or both")
      ->delimiter(',')
      ->check(CLI::IsMember({"ew", "ns"}));
  cmd.add_flag_function(
      "--nodata-wall", [&tool](std::int64_t) { tool.flow.nodata_drains = false; },
      "nodata is a wall; without it cells beside nodata are outlets");
  cmd.add_option("--keep-sinks", tool.flow.keep_sinks,
                 "real sinks that keep their height: a raster (cells that are not 0) or "
                 "\"row,col;row,col\", counted from 0 in the north-west");
}

void add_repair(CLI::App& cmd, Tool& tool) {
  cmd.add_flag("--repair", tool.step.repair,
               "make the lowest cell of each loop of the input's directions a sink");
  cmd.add_option("--heights", tool.heights,
                 "raster of heights that says which cell of a loop is the lowest; without it the "
                 "first in row order");
}

void add_routing(CLI::App& cmd, Tool& tool) {
  cmd.add_option_function<std::string>(
         "--mode",
         [&tool](const std::string& mode) {
           tool.flow.depressions = mode != "none";
           tool.flow.mode = mode == "jump"   ? terrain::RouteMode::jump
                            : mode == "fill" ? terrain::RouteMode::fill
                                             : terrain::RouteMode::carve;
         },
         "how flow passes depressions: carve, jump, fill, or none (pits stay); default carve")
      ->check(CLI::IsMember({"carve", "jump", "fill", "none"}));
  cmd.add_flag_function(
      "--plain-flats", [&tool](std::int64_t) { tool.flow.flats = false; },
      "drain flats in the order of their cells: faster, less natural");
  cmd.add_option("--from", tool.from,
                 "the input holds directions in these codes, not heights: esri, taudem, grass, "
                 "whitebox, ldd, richdem; or dinf: angles of D-infinity in radians; or fractions: "
                 "eight bands as flow --mfd writes them");
  add_repair(cmd, tool);
}

void add_weights(CLI::App& cmd, Tool& tool) {
  cmd.add_option("--weights", tool.flow.weights,
                 "what accumulates: \"unit\" (cells), \"area\" (m^2), or a raster")
      ->capture_default_str();
}

void add_common(CLI::App& cmd, Tool& tool) {
  cmd.add_option("INPUT", tool.input,
                 "raster: what GDAL reads, NETCDF:file:variable, .npy, file.npz:array, "
                 "name.ROWSxCOLS.TYPE.raw")
      ->required();
  cmd.add_option("-o,--out", tool.step.out, "file to write; the extension names the format");
  cmd.add_option("--band", tool.band, "band of the input, from 1");
  cmd.add_option("--device", tool.device, "auto, cpu or cuda")
      ->check(CLI::IsMember({"auto", "cpu", "cuda"}))
      ->capture_default_str();
  cmd.add_option("--threads", tool.threads, "host threads; 0: all")->check(CLI::NonNegativeNumber);
  cmd.add_option("--memory", tool.memory,
                 "work in tiles that need at most this much memory, as in 500M or 8G (and what the "
                 "program needs for itself, see the how-to)");
  cmd.add_flag("--verify", tool.verify, "recompute the invariants on this raster and print them");
  cmd.add_flag("--dry-run", tool.dry_run,
               "print cells, bytes per cell and whether it fits; write nothing");
  cmd.add_option("--report", tool.report, "also write a page with maps (report.html)");
  cmd.add_flag("--json", tool.json, "print the facts as JSON");
}

void add_product(CLI::App& terrain, const terrain::ProductName& product,
                 const std::shared_ptr<Tool>& shared, Action& action) {
  Tool& tool = *shared;
  CLI::App* cmd = terrain.add_subcommand(product.name, product.does);
  const std::string& op = product.name;
  const auto is = [&](std::initializer_list<const char*> list) {
    return std::find(list.begin(), list.end(), op) != list.end();
  };
  add_common(*cmd, tool);
  add_rule(*cmd, tool);
  add_outlets(*cmd, tool);
  if (!is({"fill", "carve", "breach", "slope"})) add_routing(*cmd, tool);
  if (!is({"fill", "carve", "breach", "slope", "jump", "flow", "basins", "length", "lakes"}))
    add_weights(*cmd, tool);
  if (is({"accumulate"}))
    cmd->add_option_function<std::string>(
           "--combine",
           [&tool](const std::string& how) {
             tool.flow.combine = how == "max"   ? terrain::Combine::max
                                 : how == "min" ? terrain::Combine::min
                                                : terrain::Combine::sum;
           },
           "sum, max or min of the weights upstream; default sum")
        ->check(CLI::IsMember({"sum", "max", "min"}));
  if (is({"streams", "order", "hand"}))
    cmd->add_option("--threshold", tool.step.threshold, "accumulation where streams begin")
        ->capture_default_str();
  if (is({"order"}))
    cmd->add_option("--kind", tool.step.kind, "strahler or shreve")->capture_default_str();
  if (is({"hand"}))
    cmd->add_option("--surface", tool.step.surface,
                    "heights of the filled surface, never below the stream, or of the ground: "
                    "filled or ground")
        ->capture_default_str();
  if (is({"length"}))
    cmd->add_flag("--upstream", tool.step.upstream, "longest way from the divide");
  if (is({"flow"}))
    cmd->add_option("--codes", tool.step.codes,
                    "esri, taudem, grass, whitebox, ldd, richdem, or receivers (linear indices)")
        ->capture_default_str();
  if (is({"breach"})) {
    cmd->add_option("--max-length", tool.step.breach.max_length, "cells cut per pit; 0: no limit");
    cmd->add_option("--max-depth", tool.step.breach.max_depth, "height cut off; 0: no limit");
  }
  if (is({"watershed"})) {
    cmd->add_option("--points", tool.step.points,
                    "pour points: CSV with a header x,y or row,col (and name), or a file of points "
                    "that OGR reads");
    cmd->add_option("--layer", tool.step.layer, "layer of that file; without it the only one");
    cmd->add_option("--snap", tool.step.snap,
                    "move each point to the largest accumulation at most this many cells away");
  }
  cmd->callback([shared, &action, op] {
    action = [shared, op](comm::Comm& comm) {
      shared->step.op = op;
      shared->terminal = isatty(STDERR_FILENO) != 0;
      return terrain::run_tool(*shared, comm);
    };
  });
}

void add_codes(CLI::App& terrain, const std::shared_ptr<Tool>& shared, Action& action) {
  Tool& tool = *shared;
  CLI::App* cmd = terrain.add_subcommand(
      "codes", "convert directions from one program's codes to another's; find and break loops");
  add_common(*cmd, tool);
  cmd->add_option("--from", tool.from, "esri, taudem, grass, whitebox, ldd, richdem")->required();
  cmd->add_option("--to", tool.step.codes, "the same")->capture_default_str();
  add_repair(*cmd, tool);
  cmd->callback([shared, &action] {
    action = [shared](comm::Comm& comm) {
      shared->step.op = "codes";
      return terrain::run_tool(*shared, comm);
    };
  });
}

}  // namespace

void add_terrain_command(CLI::App& app, Action& action) {
  CLI::App* terrain = app.add_subcommand(
      "terrain", "Rasters of heights: flow, depressions, basins, streams, lakes");
  terrain->require_subcommand(1);
  const auto tool = std::make_shared<Tool>();
  for (const terrain::ProductName& product : terrain::product_names())
    add_product(*terrain, product, tool, action);
  add_codes(*terrain, tool, action);
}

}  // namespace terrawave::app
