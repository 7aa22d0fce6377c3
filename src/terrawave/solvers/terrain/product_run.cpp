#include "terrawave/solvers/terrain/product_run.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "terrawave/base/error.hpp"
#include "terrawave/io/atomic_file.hpp"
#include "terrawave/io/raster.hpp"
#include "terrawave/solvers/terrain/host_copies.hpp"
#include "terrawave/solvers/terrain/local_steps.hpp"
#include "terrawave/solvers/terrain/product_lakes.hpp"
#include "terrawave/solvers/terrain/product_network.hpp"
#include "terrawave/solvers/terrain/product_sums.hpp"
#include "terrawave/solvers/terrain/product_verify.hpp"

namespace terrawave::terrain {
namespace {

using nlohmann::json;

void write_cells(const Step& step, const domain::RasterInfo& like, domain::Cells cells,
                 std::optional<double> nodata) {
  domain::Raster raster{like, std::move(cells)};
  raster.info.type = domain::type_of(raster.cells);
  raster.info.nodata = nodata;
  io::write_raster(step.out, raster);
}

// Smallest, largest and mean value of the cells that hold one.
json extent(const std::vector<double>& values) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  Index count = 0;
  for (const double v : values)
    if (!std::isnan(v)) {
      low = std::min(low, v);
      high = std::max(high, v);
      ++count;
    }
  if (count == 0) return {{"cells", 0}};
  // Zeros have no sign here: which of several is found first depends on the order.
  return {{"cells", count}, {"min", low + 0.0}, {"max", high + 0.0}};
}

Made made(json facts, std::string text) { return {facts.dump(), std::move(text)}; }

Made real_product(const Session& session, const Step& step, std::vector<double> values,
                  const std::string& what) {
  const json facts = extent(values);
  const std::string text = facts["cells"] == 0
                               ? what + ": no cell holds a value"
                               : fmt::format("{}: {} to {}", what, facts["min"].get<double>(),
                                             facts["max"].get<double>());
  write_cells(step, session.info(), std::move(values), std::numeric_limits<double>::quiet_NaN());
  return made(facts, text);
}

// Where `high` stands above `low`, and the sum of that; by the threads of the host, where both are.
struct Raised {
  steps::Rise rise;
  double sum = 0;
};
Raised raised_between(const Session& session, const domain::Raster& low,
                      const domain::Raster& high) {
  return std::visit(
      [&]<class T>(std::span<const T> from) {
        const auto to = std::get<std::span<const T>>(heights_of(high));
        const par::View<const T> below{from.data(), Index(from.size())};
        const par::View<const T> above{to.data(), Index(to.size())};
        const par::View<const std::uint8_t> state{session.states().data(),
                                                  Index(session.states().size())};
        return par::dispatch(host_of(session.queue()), [&](const auto& exec) {
          Raised raised = {steps::rise_between(exec, below, above, state)};
          const FixedSum sum = steps::rise_sum(exec, below, above, state, raised.rise.most);
          raised.sum = OrderlessSum(raised.rise.most, sum).value();
          return raised;
        });
      },
      heights_of(low));
}

Made make_fill(Session& session, const Step& step) {
  const domain::Raster& filled = session.filled();
  const Raised raised = raised_between(session, session.dem(), filled);
  io::write_raster(step.out, filled);
  return made({{"raised_cells", raised.rise.cells},
               {"raised_sum", raised.sum},
               {"raised_max", raised.rise.most}},
              fmt::format("raised {} cells by at most {}, {} in all", raised.rise.cells,
                          raised.rise.most, raised.sum));
}

Made make_breach(Session& session, const Step& step) {
  BreachStats stats;
  const BreachLimits limits = step.op == "carve" ? BreachLimits{} : step.breach;
  const domain::Raster cut = session.breached(limits, stats);
  const steps::Rise lowered = raised_between(session, cut, session.dem()).rise;
  io::write_raster(step.out, cut);
  return breach_made(stats, lowered.cells, lowered.most);
}

Made make_receivers(Session& session, const Step& step) {
  const FlowTree& tree = session.tree();
  std::vector<std::int32_t> receivers(std::size_t(tree.cells()));
  for (Index i = 0; i < tree.cells(); ++i) receivers[std::size_t(i)] = tree.receiver(i);
  write_cells(step, session.info(), std::move(receivers), -1.0);
  return made({{"pits", session.route_stats().pits}, {"jumps", session.jumps().size()}},
              fmt::format("{} pits routed, {} of them by jumps", session.route_stats().pits,
                          session.jumps().size()));
}

Made make_fractions(Session& session, const Step& step) {
  const std::vector<double> share = session.fractions();
  const auto& states = session.states();
  const auto n = states.size();
  domain::RasterInfo info = session.info();
  info.type = domain::CellType::f64;
  info.nodata = std::numeric_limits<double>::quiet_NaN();
  const auto sink = io::create_raster(step.out, info, kNeighbours);
  std::vector<std::uint8_t> gives(n, 0);
  for (std::size_t k = 0; k < kNeighbours; ++k) {
    std::vector<double> band(share.begin() + std::ptrdiff_t(k * n),
                             share.begin() + std::ptrdiff_t((k + 1) * n));
    for (std::size_t i = 0; i < n; ++i) {
      gives[i] |= band[i] > 0 ? 1 : 0;
      if (!is_data(states[i])) band[i] = std::numeric_limits<double>::quiet_NaN();
    }
    sink->write_band(int(k) + 1, info.whole(), std::move(band));
  }
  sink->finish();
  Index roots = 0;
  for (std::size_t i = 0; i < n; ++i) roots += is_data(states[i]) && gives[i] == 0 ? 1 : 0;
  return fractions_made(session.valid(), roots);
}

Made make_flow(Session& session, const Step& step) {
  if (writes_fractions(session.options())) return make_fractions(session, step);
  if (session.options().rule == FlowRule::dinf)
    return real_product(session, step, session.angles(), "angles of flow, radians from east");
  if (step.op == "jump" || step.codes == "receivers") return make_receivers(session, step);
  const std::vector<Direction>& direction = session.directions();
  Index roots = 0;
  for (const Direction d : direction) roots += d == kRoot ? 1 : 0;
  io::write_raster(step.out,
                   encode_directions(direction, session.info(), *codes_named(step.codes)));
  const RouteStats& stats = session.route_stats();
  return made(
      {{"roots", roots}, {"pits", stats.pits}, {"undrained", stats.undrained}},
      fmt::format("{} pits routed, {} undrained, {} roots", stats.pits, stats.undrained, roots));
}

Made make_accumulation(Session& session, const Step& step) {
  const bool unit = session.options().weights == "unit";
  return std::visit(
      [&](const auto& all) {
        using V = typename std::decay_t<decltype(all)>::value_type;
        V most = std::numeric_limits<V>::lowest();
        for (std::size_t i = 0; i < all.size(); ++i)
          if (is_data(session.states()[i])) most = std::max(most, all[i]);
        if constexpr (std::is_same_v<V, double>) {
          std::vector<double> out = all;
          for (std::size_t i = 0; i < out.size(); ++i)
            if (!is_data(session.states()[i])) out[i] = std::numeric_limits<double>::quiet_NaN();
          write_cells(step, session.info(), std::move(out),
                      std::numeric_limits<double>::quiet_NaN());
        } else if (unit) {  // at most the number of cells: 32 bits hold it
          write_cells(step, session.info(), std::vector<std::int32_t>(all.begin(), all.end()), 0.0);
        } else {
          std::vector<std::int64_t> out = all;
          constexpr std::int64_t hole = std::numeric_limits<std::int64_t>::min();
          for (std::size_t i = 0; i < out.size(); ++i)
            if (!is_data(session.states()[i])) out[i] = hole;
          write_cells(step, session.info(), std::move(out), double(hole));
        }
        return made({{"cells", session.valid()}, {"max", most}},
                    fmt::format("largest accumulation {}", most));
      },
      session.accumulation());
}

Made make_basins(Session& session, const Step& step) {
  std::vector<std::int32_t> labels = session.basins();
  Index basins = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) basins += labels[i] == std::int32_t(i) ? 1 : 0;
  if (io::is_vector_name(step.out))
    write_basins(step.out, session, labels);
  else
    write_cells(step, session.info(), std::move(labels), -1.0);
  return made({{"basins", basins}}, fmt::format("{} basins", basins));
}

Made make_streams(Session& session, const Step& step) {
  std::vector<std::uint8_t> stream = stream_cells(session, step.threshold);
  const Index count = std::count(stream.begin(), stream.end(), 1);
  if (io::is_vector_name(step.out)) {
    write_network(step.out, session, stream);
  } else {
    for (std::size_t i = 0; i < stream.size(); ++i)
      if (!is_data(session.states()[i])) stream[i] = 255;
    write_cells(step, session.info(), std::move(stream), 255.0);
  }
  return made({{"stream_cells", count}}, fmt::format("{} stream cells", count));
}

Made make_order(Session& session, const Step& step) {
  const auto stream = stream_cells(session, step.threshold);
  std::vector<std::int32_t> order = step.kind == "shreve" ? shreve_order(session.tree(), stream)
                                                          : strahler_order(session.tree(), stream);
  const std::int32_t most = order.empty() ? 0 : *std::max_element(order.begin(), order.end());
  for (std::size_t i = 0; i < order.size(); ++i)
    if (!is_data(session.states()[i])) order[i] = -1;
  write_cells(step, session.info(), std::move(order), -1.0);
  return made({{"max", most}}, fmt::format("highest {} order {}", step.kind, most));
}

Made make_hand(Session& session, const Step& step) {
  const auto stream = stream_cells(session, step.threshold);
  const domain::Raster& surface = step.surface == "filled" ? session.filled() : session.dem();
  return real_product(session, step,
                      std::visit(
                          [&](auto z) {
                            return height_above_drainage(session.tree(), z,
                                                         std::span<const std::uint8_t>(stream));
                          },
                          heights_of(surface)),
                      "height above the nearest stream");
}

Made make_slope(Session& session, const Step& step) {
  return real_product(session, step,
                      std::visit(
                          [&](auto z) {
                            return steepest_slope(session.queue(), session.grid(), z,
                                                  std::span<const std::uint8_t>(session.states()));
                          },
                          session.heights()),
                      "steepest slope");
}

Made make_length(Session& session, const Step& step) {
  return real_product(
      session, step,
      step.upstream ? length_upstream(session.tree()) : length_downstream(session.tree()),
      step.upstream ? "longest way from the divide" : "way to the outlet");
}

Made make_lakes(Session& session, const Step& step) {
  Lakes lakes = find_lakes(session);
  double volume = 0;
  double deepest = 0;
  for (const Lake& lake : lakes.lakes) {
    volume += lake.volume;
    deepest = std::max(deepest, lake.depth);
  }
  const std::size_t count = lakes.lakes.size();
  if (step.out.ends_with(".csv")) {
    io::write_text(step.out, lake_table_csv(lakes, session.info()));
  } else {
    for (std::size_t i = 0; i < lakes.id.size(); ++i)
      if (!is_data(session.states()[i])) lakes.id[i] = -1;
    write_cells(step, session.info(), std::move(lakes.id), -1.0);
  }
  return made({{"lakes", count}, {"volume", volume}, {"max_depth", deepest}},
              fmt::format("{} lakes, deepest {}", count, deepest));
}

Made make_watershed(Session& session, const Step& step) {
  std::vector<PourPoint> points = read_pour_points(step.points, session.info(), step.layer);
  snap_pour_points(session, step.snap, points);
  std::vector<std::int32_t> labels = watersheds(session.tree(), points);
  std::vector<std::int64_t> cells(points.size(), 0);
  for (const std::int32_t label : labels)
    if (label > 0) ++cells[std::size_t(label - 1)];
  json facts = json::array();
  std::string text;
  for (std::size_t k = 0; k < points.size(); ++k) {
    const Index row = points[k].cell / session.info().cols;
    const Index col = points[k].cell % session.info().cols;
    facts.push_back(
        {{"id", k + 1}, {"name", points[k].name}, {"row", row}, {"col", col}, {"cells", cells[k]}});
    text += fmt::format("{}{} ({}): row {}, column {}, {} cells", k == 0 ? "" : "\n", k + 1,
                        points[k].name, row, col, cells[k]);
  }
  if (io::is_vector_name(step.out))
    write_watersheds(step.out, session, points, labels);
  else
    write_cells(step, session.info(), std::move(labels), 0.0);
  return made({{"watersheds", facts}}, text);
}

Made make_verify(Session& session, const Step& step) {
  return verify_made(verify(session), [&](const std::string& text) {
    if (!step.out.empty()) io::write_text(step.out, text);
  });
}

struct Maker {
  const char* op;
  const char* does;
  Made (*make)(Session&, const Step&);
};

const std::vector<Maker>& makers() {
  static const std::vector<Maker> all = {
      {"fill", "raise depressions to their spill height (priority-flood surface)", make_fill},
      {"carve", "lower the ground along the lowest way out of each depression", make_breach},
      {"breach", "carve where the cut stays short and shallow enough", make_breach},
      {"jump", "receivers with pits linked across their passes (linear cell indices)", make_flow},
      {"flow", "directions of flow in the codes of several programs; angles; fractions", make_flow},
      {"accumulate", "upstream cells, area or weights of each cell", make_accumulation},
      {"basins", "the outlet that each cell drains to (raster or polygons)", make_basins},
      {"streams", "cells of streams (raster) or the stream network (lines)", make_streams},
      {"hand", "height above the nearest stream along the flow", make_hand},
      {"lakes", "lakes that fill the depressions (table or raster)", make_lakes},
      {"slope", "steepest descent", make_slope},
      {"order", "Strahler or Shreve order of streams", make_order},
      {"length", "distance along the flow to the outlet or from the divide", make_length},
      {"watershed", "cells upstream of pour points (raster or polygons)", make_watershed},
      {"verify", "recompute the invariants of every product on this raster", make_verify},
  };
  return all;
}

bool one_of(const std::string& op, std::initializer_list<const char*> list) {
  return std::find(list.begin(), list.end(), op) != list.end();
}

}  // namespace

const std::vector<ProductName>& product_names() {
  static const std::vector<ProductName> names = [] {
    std::vector<ProductName> all;
    for (const Maker& maker : makers()) all.push_back({maker.op, maker.does});
    return all;
  }();
  return names;
}

Made breach_made(const BreachStats& stats, Index lowered, double most) {
  return made({{"breached_pits", stats.breached},
               {"remaining_pits", stats.remaining},
               {"lowered_cells", lowered},
               {"lowered_max", most}},
              fmt::format("breached {} pits, {} remain; lowered {} cells by at most {}",
                          stats.breached, stats.remaining, lowered, most));
}

Made fractions_made(Index cells, Index roots) {
  return made({{"cells", cells}, {"roots", roots}},
              fmt::format("fractions of flow to eight neighbours, {} roots", roots));
}

void check_step(const Step& step, const FlowOptions& options) {
  const auto& all = makers();
  if (std::none_of(all.begin(), all.end(), [&](const Maker& m) { return step.op == m.op; })) {
    std::string list;
    for (const Maker& maker : all) list += fmt::format(" {}", maker.op);
    throw InputError("expected a product out of" + list + ", found \"" + step.op + "\"");
  }
  if (step.out.empty() && step.op != "verify")
    throw InputError("terrain " + step.op + ": expected an output file; give it with -o");
  if (!options.single_receiver() &&
      one_of(step.op, {"basins", "order", "length", "hand", "watershed", "lakes", "jump"}))
    throw InputError("terrain " + step.op +
                     ": expected one receiver per cell, found --dinf or --mfd; use --d8 or --d4");
  if (step.op == "flow" && writes_fractions(options) && !io::holds_bands(step.out))
    throw InputError(step.out +
                     ": error: fractions of multiple flow are eight bands; give a name such as "
                     "out.tif or out.npy");
  if (step.op == "flow" && options.mode == RouteMode::jump && step.codes != "receivers")
    throw InputError(
        "terrain flow: a jump leads to no neighbour and has no direction code; write "
        "--codes receivers");
  if (step.codes != "receivers" && !codes_named(step.codes))
    throw InputError("--codes: unknown kind \"" + step.codes +
                     "\"; expected esri, taudem, grass, whitebox, ldd, richdem or receivers");
  if (!one_of(step.surface, {"filled", "ground"}))
    throw InputError("--surface: expected filled or ground, found \"" + step.surface + "\"");
  if (step.op == "lakes" && (options.mode != RouteMode::carve || !options.depressions))
    throw InputError("terrain lakes: lakes spill where they are carved; leave --mode out");
  if (!one_of(step.kind, {"strahler", "shreve"}))
    throw InputError("--kind: expected strahler or shreve, found \"" + step.kind + "\"");
  if (!(step.threshold > 0) || !std::isfinite(step.threshold))
    throw InputError("--threshold: expected a positive number, found " +
                     fmt::format("{}", step.threshold));
  if (step.snap < 0) throw InputError("--snap: expected a number of cells of 0 or more");
  if (step.op == "watershed" && step.points.empty())
    throw InputError(
        "terrain watershed: expected pour points; give a CSV table or a file of points with "
        "--points");
  if (io::is_vector_name(step.out)) {
    if (!one_of(step.op, {"basins", "streams", "watershed"}))
      throw InputError(step.out + ": error: terrain " + step.op +
                       " writes a raster; give a name such as out.tif");
    if (step.op == "streams" && !options.single_receiver())
      throw InputError("terrain streams: lines need one receiver per cell; use --d8 or --d4");
    io::check_vector_target(step.out);
  } else if (!step.out.empty() && !(step.op == "lakes" && step.out.ends_with(".csv")) &&
             step.op != "verify") {
    io::check_raster_target(step.out);
  }
}

Made verify_made(const std::vector<Check>& checks,
                 const std::function<void(const std::string& text)>& write) {
  json facts = json::object();
  std::string text;
  bool good = true;
  for (const Check& check : checks) {
    facts[check.name] = check.ok;
    good = good && check.ok;
    text += fmt::format("{} {}: {}\n", check.ok ? "holds " : "FAILS ", check.name, check.detail);
  }
  if (!text.empty()) text.pop_back();
  write(text + "\n");
  if (!good) throw RunError("an invariant does not hold; this is a fault of the program:\n" + text);
  return made({{"checks", facts}}, text);
}

Made make_product(Session& session, const Step& step) {
  for (const Maker& maker : makers())
    if (step.op == maker.op) return maker.make(session, step);
  throw LogicError("no such product");
}

double bytes_per_cell(const std::string& op, domain::CellType type, const FlowOptions& options) {
  const double z = double(domain::bytes_of(type));
  const double base = 2 * z + 2;  // heights on host and device, states
  if (op == "slope") return base + 8;
  if (op == "fill") return base + 2 * z + 8;
  const double route = base + 1 + 24;  // directions, labels and passes while routing
  if (one_of(op, {"carve", "breach"})) return route + 2 * z;
  if (one_of(op, {"flow", "jump"}))
    return writes_fractions(options)        ? base + 16 * kNeighbours + 16
           : options.rule == FlowRule::dinf ? route + z + 16
                                            : route + 2;
  if (!options.single_receiver()) return base + 16 * kNeighbours + 16;
  const double tree = 2 + 6;  // directions, twice; labels that tell where they end, or paths
  if (one_of(op, {"accumulate", "basins", "streams"})) return std::max(route, base + 34);
  return std::max(route, base + 16 + tree + 22);  // accumulation; marks, labels and the product
}

}  // namespace terrawave::terrain
