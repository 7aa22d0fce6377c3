#include "terrawave/solvers/terrain/terrain_case.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "terrawave/io/raster.hpp"
#include "terrawave/solvers/terrain/product_pictures.hpp"
#include "terrawave/solvers/terrain/product_run.hpp"
#include "terrawave/solvers/terrain/product_states.hpp"
#include "terrawave/solvers/terrain/terrain_entry.hpp"
#include "terrawave/solvers/terrain/tiled_products.hpp"

namespace terrawave::terrain {
namespace {

using config::Config;
using config::Key;
using config::Table;

Table step_table() {
  std::vector<std::string> names;
  for (const ProductName& product : product_names()) names.push_back(product.name);
  Table step("step", "One product of the chain, made in the order of the file.", true);
  step.key(Key::text("op").require().one_of(names).describe("The product."))
      .key(Key::text("out").require().describe(
          "File to write, inside the run's folder; the extension names the format."))
      .key(Key::number("threshold")
               .fallback(1000.0)
               .more_than(0)
               .describe("Accumulation where streams begin (streams, order, hand)."))
      .key(Key::text("kind")
               .fallback("strahler")
               .one_of({"strahler", "shreve"})
               .describe("Which order of streams (order)."))
      .key(Key::boolean("upstream")
               .fallback(false)
               .describe("Longest way from the divide instead of the way to the outlet (length)."))
      .key(Key::text("codes")
               .fallback("esri")
               .one_of({"esri", "taudem", "grass", "whitebox", "ldd", "richdem", "receivers"})
               .describe("Codes of directions (flow)."))
      .key(Key::integer("max_length")
               .fallback(0)
               .at_least(0)
               .describe("Cells cut per pit at most; 0: no limit (breach)."))
      .key(Key::number("max_depth")
               .fallback(0.0)
               .at_least(0)
               .describe("Height cut off at most, in the unit of heights; 0: no limit (breach)."))
      .key(Key::text("surface")
               .fallback("filled")
               .one_of({"filled", "ground"})
               .describe("Heights above streams on the filled surface or on the ground (hand)."))
      .key(Key::text("points").describe(
          "Pour points: a CSV table, or a file of points that OGR reads (watershed)."))
      .key(Key::text("layer").fallback("").describe(
          "Layer of that file; empty: the only one (watershed)."))
      .key(Key::integer("snap").fallback(0).at_least(0).describe(
          "Cells to look around each pour point for the largest accumulation (watershed)."));
  return step;
}

Table terrain_table() {
  Table table("terrain", "Flow over a raster of heights.");
  table.required = true;
  table
      .key(Key::text("input").require().describe(
          "Raster of heights: what GDAL reads, .npy, file.npz:array, name.ROWSxCOLS.TYPE.raw."))
      .key(Key::integer("band").fallback(0).at_least(0).describe("Band; 0: the only one."))
      .key(Key::text("flow")
               .fallback("d8")
               .one_of({"d8", "d4", "dinf", "freeman", "quinn"})
               .describe("How flow leaves a cell."))
      .key(Key::number("exponent")
               .fallback(1.1)
               .more_than(0)
               .describe("Power of the slope (freeman, quinn)."))
      .key(Key::text("mode")
               .fallback("carve")
               .one_of({"carve", "jump", "fill", "none"})
               .describe("How flow passes depressions; none: pits stay."))
      .key(Key::boolean("flats").fallback(true).describe(
          "Drain flats toward their outlet and away from higher ground; false: in cell order."))
      .key(Key::text("outlets").fallback("edge").describe(
          "\"edge\" (of the map and of nodata), \"none\", or a mask raster."))
      .key(Key::texts("closed")
               .fallback_list("[]")
               .one_of({"north", "south", "west", "east", "all"})
               .describe("Edges that let nothing out."))
      .key(Key::texts("looped")
               .fallback_list("[]")
               .one_of({"ew", "ns"})
               .describe("Opposite edges that meet."))
      .key(Key::boolean("nodata_drains")
               .fallback(true)
               .describe("Cells beside nodata are outlets; false: nodata is a wall."))
      .key(Key::text("keep_sinks")
               .fallback("")
               .describe("Sinks that keep their height: a mask raster, or \"row,col;row,col\"."))
      .key(Key::text("weights").fallback("unit").describe(
          "What accumulates: \"unit\", \"area\" (m^2), or a raster."));
  Table step = step_table();
  step.required = true;
  table.table(std::move(step));
  return table;
}

// A file named by the case: relative to the case file, unless it is a word or a list.
std::string beside(const Config& terrain, const char* key,
                   std::initializer_list<const char*> words) {
  const std::string value = terrain.text(key);
  for (const char* word : words)
    if (value == word) return value;
  const bool list = value.find_first_not_of("0123456789,; ") == std::string::npos;
  return value.empty() || list ? value : terrain.file_path(key).string();
}

// "NETCDF:file:variable" and "file.npz:array" keep their colons.
std::string input_name(const Config& terrain) {
  const std::string value = terrain.text("input");
  if (value.starts_with("NETCDF:") || value.starts_with("/vsi")) return value;
  return terrain.file_path("input").string();
}

struct Chain {
  std::string input;
  int band = 0;
  FlowOptions flow;
  std::vector<Step> steps;
  std::optional<Maps> maps;
};

// Runs the steps and collects their facts; make(step) returns facts and words.
template <class Make>
void run_steps(const Chain& chain, sim::Context& context, nlohmann::json& facts, const Make& make) {
  for (const Step& step : chain.steps) {
    const auto timer = context.timers.time(step.op);
    const Made made = make(step);
    if (!context.comm.is_root()) continue;
    nlohmann::json one = nlohmann::json::parse(made.facts);
    one["file"] = std::filesystem::path(step.out).filename().string();
    facts[step.op].push_back(one);
    context.log.info(fmt::format("terrain: {}: {}", step.op, made.text));
  }
}

nlohmann::json size_facts(const domain::RasterInfo& info, Index cells) {
  return {{"rows", info.rows}, {"cols", info.cols}, {"cells", cells}};
}

std::string run_in_one_piece(Chain& chain, sim::Context& context) {
  domain::Raster dem;
  {
    const auto timer = context.timers.time("read");
    dem = io::read_raster(chain.input, chain.band);
  }
  Session session(context.queue, std::move(dem), chain.flow,
                  [&](const std::string& phase) { context.log.info("terrain: " + phase); });
  nlohmann::json facts = size_facts(session.info(), session.valid());
  run_steps(chain, context, facts, [&](const Step& step) {
    if (step.op != "jump" || chain.flow.mode == RouteMode::jump) return make_product(session, step);
    FlowOptions flow = chain.flow;
    flow.mode = RouteMode::jump;
    Session jumping(context.queue, session.dem(), flow, {});
    return make_product(jumping, step);
  });
  chain.maps = maps_of(session);
  return facts.dump();
}

// Every rank has a block of the raster.
std::string run_in_tiles(Chain& chain, sim::Context& context) {
  comm::Comm& comm = context.comm;
  std::unique_ptr<io::RasterSource> source;
  together(comm, [&] { source = io::open_raster(chain.input, chain.band); });
  const domain::RasterInfo& info = source->info();
  const auto session_of = [&](const FlowOptions& flow) {
    return TiledSession(comm, context.queue, *source, flow,
                        tiling_for_ranks(info.rows, info.cols, comm.size()), {},
                        [&](const std::string& phase) {
                          if (comm.is_root()) context.log.info("terrain: " + phase);
                        });
  };
  TiledSession session = session_of(chain.flow);
  nlohmann::json facts = size_facts(info, session.valid());
  run_steps(chain, context, facts, [&](const Step& step) {
    if (step.op != "jump" || chain.flow.mode == RouteMode::jump)
      return make_tiled_product(session, step);
    FlowOptions flow = chain.flow;
    flow.mode = RouteMode::jump;
    TiledSession jumping = session_of(flow);
    return make_tiled_product(jumping, step);
  });
  chain.maps = tiled_maps(session);
  return facts.dump();
}

std::string run_chain(Chain& chain, sim::Context& context) {
  return context.comm.size() > 1 ? run_in_tiles(chain, context) : run_in_one_piece(chain, context);
}

double estimate(const Config& config, int) {
  const Config terrain = config.table("terrain");
  const FlowOptions flow = flow_options(terrain);
  const auto source = io::open_raster(input_name(terrain), int(terrain.integer("band")));
  double most = 0;
  for (const Step& step : chain_steps(terrain, "."))
    most = std::max(most, bytes_per_cell(step.op, source->info().type, flow));
  return most * double(source->info().size());
}

std::vector<std::pair<std::string, std::string>> starter() {
  std::string dem;
  // A valley that drains south, with a hollow in its middle, as an ASCII grid.
  constexpr int rows = 40, cols = 40;
  dem += "ncols 40\nnrows 40\nxllcorner 0\nyllcorner 0\ncellsize 10\n";
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < cols; ++c) {
      const int side = c > cols / 2 ? c - cols / 2 : cols / 2 - c;
      const int hollow = r > 15 && r < 22 && side < 4 ? 30 : 0;
      dem += fmt::format("{}{}", c == 0 ? "" : " ", 100 + 2 * (rows - r) + 3 * side - hollow);
    }
    dem += "\n";
  }
  return {{"case.toml",
           "# Flow over a small valley with a hollow.\n[run]\nsolver = \"terrain\"\n\n[terrain]\n"
           "input = \"valley.asc\"\nflow = \"d8\"\n\n[[terrain.step]]\nop = \"fill\"\nout = "
           "\"filled.tif\"\n\n[[terrain.step]]\nop = \"accumulate\"\nout = \"accumulation.tif\"\n\n"
           "[[terrain.step]]\nop = \"streams\"\nout = \"streams.geojson\"\nthreshold = 50\n\n"
           "[[terrain.step]]\nop = \"lakes\"\nout = \"lakes.csv\"\n"},
          {"valley.asc", dem}};
}

}  // namespace

config::Schema terrain_schema() {
  config::Schema schema("", "Terrain: flow and depression routing on rasters.");
  schema.table(terrain_table());
  return schema;
}

FlowOptions flow_options(const Config& terrain) {
  FlowOptions flow;
  const std::string rule = terrain.text("flow");
  flow.rule = rule == "d4"        ? FlowRule::d4
              : rule == "dinf"    ? FlowRule::dinf
              : rule == "freeman" ? FlowRule::freeman
              : rule == "quinn"   ? FlowRule::quinn
                                  : FlowRule::d8;
  flow.exponent = terrain.number("exponent");
  const std::string mode = terrain.text("mode");
  flow.depressions = mode != "none";
  flow.mode = mode == "jump"   ? RouteMode::jump
              : mode == "fill" ? RouteMode::fill
                               : RouteMode::carve;
  flow.flats = terrain.boolean("flats");
  flow.outlets = beside(terrain, "outlets", {"edge", "none"});
  flow.closed = terrain.texts("closed");
  const auto looped = terrain.texts("looped");
  flow.loop_cols = std::find(looped.begin(), looped.end(), "ew") != looped.end();
  flow.loop_rows = std::find(looped.begin(), looped.end(), "ns") != looped.end();
  flow.nodata_drains = terrain.boolean("nodata_drains");
  flow.keep_sinks = beside(terrain, "keep_sinks", {});
  flow.weights = beside(terrain, "weights", {"unit", "area"});
  return flow;
}

std::vector<Step> chain_steps(const Config& terrain, const std::filesystem::path& out) {
  std::vector<Step> steps;
  for (const Config& table : terrain.tables("step")) {
    Step step;
    step.op = table.text("op");
    const std::string name = table.text("out");
    if (std::filesystem::path(name).filename() != name)
      table.fail("out",
                 "expected a plain file name inside the run's folder, found \"" + name + "\"");
    step.out = (out / name).string();
    step.threshold = table.number("threshold");
    step.kind = table.text("kind");
    step.surface = table.text("surface");
    step.layer = table.text("layer");
    step.upstream = table.boolean("upstream");
    step.codes = table.text("codes");
    step.breach.max_length = table.integer("max_length");
    step.breach.max_depth = table.number("max_depth");
    if (table.has("points")) step.points = table.file_path("points").string();
    step.snap = table.integer("snap");
    for (const Step& other : steps)
      if (other.out == step.out)
        table.fail("out", "another step writes \"" + name + "\" already; give it another name");
    steps.push_back(std::move(step));
  }
  return steps;
}

run::Case make_terrain_case(const Config& config, sim::Context& context,
                            const run::Options& options) {
  const Config terrain = config.table("terrain");
  const auto chain = std::make_shared<Chain>();
  chain->input = input_name(terrain);
  chain->band = int(terrain.integer("band"));
  chain->flow = flow_options(terrain);
  chain->steps = chain_steps(terrain, options.out);
  const auto tables = terrain.tables("step");
  for (std::size_t k = 0; k < chain->steps.size(); ++k) {
    // The run's folder appears later: check everything else about the file now.
    Step named = chain->steps[k];
    named.out = std::filesystem::path(named.out).filename().string();
    try {
      check_step(named, chain->flow);
    } catch (const InputError& e) {
      tables[k].fail("op", e.what());
    }
  }
  try {  // bad input is found before anything is written
    io::open_raster(chain->input, chain->band);
  } catch (const InputError& e) {
    terrain.fail("input", e.what());
  }
  run::OneShotCase one;
  one.work = [chain, &context] { return run_chain(*chain, context); };
  one.report = [chain](io::Report& report) {
    if (chain->maps) add_maps(report, *chain->maps);
  };
  return one;
}

run::SolverEntry terrain_entry() {
  run::SolverEntry entry;
  entry.name = "terrain";
  entry.summary = "flow and depression routing on rasters";
  entry.schema = terrain_schema;
  entry.make = make_terrain_case;
  entry.estimate_bytes = estimate;
  entry.starter = starter;
  return entry;
}

}  // namespace terrawave::terrain
