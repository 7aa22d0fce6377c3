// A two-layer case from a checked configuration.
#include <algorithm>

#include <fmt/format.h>

#include "terrawave/domain/partition.hpp"
#include "terrawave/run/run_table.hpp"
#include "terrawave/solvers/swe/swe_entry.hpp"
#include "terrawave/solvers/swe/swe_outputs.hpp"
#include "terrawave/solvers/swe/swe_schema.hpp"
#include "terrawave/solvers/swe/swe_setup.hpp"

namespace terrawave::swe {
namespace {

// What the case's functions refer to.
struct Holder {
  domain::TriMesh mesh;
  domain::LocalTriMesh local;
};

run::Case make(const config::Config& config, sim::Context& context, const run::Options& options) {
  auto holder = std::make_shared<Holder>();
  holder->mesh = make_mesh(config, context.log);
  const std::vector<BoundaryKind> kinds = boundary_kinds(config, holder->mesh, context.log);
  const domain::Topology topology = domain::connect(holder->mesh);
  const std::vector<int> owner = domain::partition(topology, context.comm.size());
  holder->local = domain::build_local(holder->mesh, topology, owner, context.comm.rank());
  if (context.comm.size() > 1) {
    const auto q = domain::quality(topology, owner, context.comm.size());
    context.log.info(fmt::format(
        "partition: {} to {} cells a rank, {} empty, {} cut edges, {} of {} send lists contiguous",
        q.least, q.most, q.empty, q.cut, q.runs, q.lists));
  }
  const config::Config swe = config.table("swe");
  Parameters p;
  p.g = swe.number("g");
  p.density_ratio = swe.number("density_ratio");
  p.cfl = swe.number("cfl");
  const std::string method = swe.text("method");
  p.method = method == "edges"   ? Method::edges
             : method == "cells" ? Method::cells
                                 : Method::automatic;
  run::TimeCase c;
  c.end_time = run::require_end_time(config);
  c.max_steps = run::read_settings(config).max_steps;
  auto solver = make_solver(context, holder->local, holder->mesh.cells(), kinds, p,
                            initial_state(config, holder->mesh, holder->local, context));
  SweSolver& two_layers = *solver;
  two_layers.keep(holder);
  c.solver = std::move(solver);
  config::Diagnostics wrong;
  add_outputs(c, config, two_layers, holder->mesh, context, options, wrong);
  wrong.raise();
  return c;
}

// State, rates and geometry of the cells, and the edges with what they pass on.
double estimate_bytes(const config::Config& config, int ranks) {
  const domain::MeshSize size = mesh_size(config);
  const double real = run::read_settings(config).single_precision ? 4 : 8;
  return (double(size.cells) * (real * (7 + 2 + 1) + 12 + 16) +
          double(size.edges) * (real * (3 + 11) + 13)) /
         ranks;
}

// Every rank holds the whole mesh, and its topology while it is cut; the root gathers the fields
// and holds a file of ParaView's as text. Within a tenth of what a run of 400 000 cells takes.
double estimate_host_bytes(const config::Config& config, int ranks) {
  const domain::MeshSize size = mesh_size(config);
  const auto cells = double(size.cells), nodes = double(size.nodes);
  const double mesh = 20 * cells + 16 * nodes, topology = 48 * cells + 8 * nodes;
  const double share = 103 * cells + 44 * double(size.edges);
  const config::Config output = config.table("output");
  const std::vector<std::string> formats = output.texts("formats");
  const auto fields = formats.empty() ? 0.0 : double(output.texts("fields").size());
  const double gathered = 8 * (fields + 2) * cells;
  double text = 0;
  if (std::find(formats.begin(), formats.end(), "paraview") != formats.end())
    text = 4.0 / 3 * (2 * (24 * nodes + 33 * cells) + 8 * (fields + 2) * cells);
  return mesh + topology + share / ranks + gathered + text;
}

std::vector<std::pair<std::string, std::string>> starter() {
  return {{"case.toml", R"(# An internal circular dam break between two layers of water.
[run]
solver = "swe"
end_time = "5 s"

[domain.rectangle]
west = -5
south = -5
east = 5
north = 5
cells = 20000

[swe]
density_ratio = 0.98

[swe.initial]
bottom = "5"        # m below the datum
surface = "0"       # m above the datum
interface = "-4"

[[swe.region]]
shape = "circle"
center = [0, 0]
radius = 1.5
interface = "-0.5"

[output]
interval = "1 s"

[[output.gauge]]
name = "east"
x = 3
y = 0
)"}};
}

}  // namespace

run::SolverEntry swe_entry() {
  run::SolverEntry e;
  e.name = "swe";
  e.summary = "two-layer shallow water on triangular meshes (improved Roe scheme)";
  e.schema = schema;
  e.make = make;
  e.estimate_bytes = estimate_bytes;
  e.estimate_host_bytes = estimate_host_bytes;
  e.starter = starter;
  return e;
}

}  // namespace terrawave::swe
