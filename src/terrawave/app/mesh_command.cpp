#include "terrawave/app/mesh_command.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "terrawave/domain/partition.hpp"
#include "terrawave/domain/rectangle.hpp"
#include "terrawave/domain/renumber.hpp"
#include "terrawave/io/mesh_file.hpp"

namespace terrawave::app {
namespace {

using domain::CheckedMesh;
using domain::TriMesh;
using std::filesystem::path;

constexpr std::pair<const char*, io::MeshFormat> formats[] = {
    {"msh22", io::MeshFormat::msh22},
    {"msh22-binary", io::MeshFormat::msh22_binary},
    {"msh41", io::MeshFormat::msh41},
    {"msh41-binary", io::MeshFormat::msh41_binary},
    {"ugrid", io::MeshFormat::ugrid}};

struct Options {
  std::string in, out, format;
  int parts = 0;
  std::vector<double> box = {0, 0, 1, 1};
  std::string pattern = "right";
  Index cells = 0, columns = 0, rows = 0;
  double perturbation = 0;
  std::uint64_t seed = 1;
};

std::string counted(Index n, const char* one, const char* many) {
  return fmt::format("{} {}", n, n == 1 ? one : many);
}

// Everything that can be said about the output before any work is done.
io::MeshFormat output_format(const Options& o) {
  const path file = o.out, folder = file.parent_path();
  if (!folder.empty() && !std::filesystem::is_directory(folder))
    throw InputError(
        fmt::format("{}: error: the folder {} does not exist", o.out, folder.string()));
  if (std::filesystem::is_directory(file))
    throw InputError(fmt::format("{}: error: expected the name of a file, found a folder", o.out));
  for (const auto& [name, format] : formats)
    if (o.format == name) return format;
  if (!o.format.empty())
    throw InputError(fmt::format(
        "--format: error: expected msh22, msh22-binary, msh41, msh41-binary or ugrid, found \"{}\"",
        o.format));
  if (file.extension() == ".msh") return io::MeshFormat::msh41;
  if (file.extension() == ".nc") return io::MeshFormat::ugrid;
  throw InputError(fmt::format(
      "{}: error: expected a name ending in .msh (Gmsh 4.1) or .nc (UGRID), or --format", o.out));
}

void print_findings(const domain::MeshFindings& findings) {
  for (const auto& note : findings.notes) fmt::print("note: {}\n", note);
  for (const auto& warning : findings.warnings) fmt::print("warning: {}\n", warning);
}

template <class T>
T median(std::vector<T> values) {
  const auto middle = values.begin() + std::ptrdiff_t(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

void print_spread(const char* name, const std::vector<double>& values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  fmt::print("  {:<15} {:.6g} smallest, {:.6g} median, {:.6g} largest\n", name, *low,
             median(values), *high);
}

void print_boundaries(const TriMesh& mesh) {
  std::vector<Index> edges(mesh.groups.size(), 0);
  std::vector<double> length(mesh.groups.size(), 0);
  for (const auto& e : mesh.boundary) {
    const auto a = std::size_t(e.nodes[0]), b = std::size_t(e.nodes[1]);
    ++edges[std::size_t(e.group)];
    length[std::size_t(e.group)] += std::hypot(mesh.x[b] - mesh.x[a], mesh.y[b] - mesh.y[a]);
  }
  for (std::size_t g = 0; g < edges.size(); ++g)
    if (g != 0 || edges[g] > 0)
      fmt::print("  boundary        \"{}\"{}: {}, length {:.6g}\n", mesh.groups[g],
                 g == 0 ? " (without a name of its own)" : "", counted(edges[g], "edge", "edges"),
                 length[g]);
}

// The cells that make the time step short: how often the median cell's step holds theirs.
void print_worst_cells(const TriMesh& mesh) {
  const auto step = domain::step_lengths(mesh);
  const double middle = median(step);
  std::vector<std::size_t> order(step.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto shown = std::min<std::size_t>(3, order.size());
  std::partial_sort(order.begin(), order.begin() + std::ptrdiff_t(shown), order.end(),
                    [&](auto a, auto b) { return step[a] != step[b] ? step[a] < step[b] : a < b; });
  const auto below =
      std::count_if(step.begin(), step.end(), [&](double s) { return s < 0.5 * middle; });
  fmt::print("  time step       {} less than half the median cell's; the shortest:\n",
             below == 0   ? "no cell allows"
             : below == 1 ? "1 cell allows"
                          : fmt::format("{} cells allow", below));
  for (std::size_t i = 0; i < shown; ++i) {
    const std::size_t c = order[i];
    double x = 0, y = 0;
    for (const LocalIndex n : mesh.triangles[c]) {
      x += mesh.x[std::size_t(n)] / 3;
      y += mesh.y[std::size_t(n)] / 3;
    }
    fmt::print("                  triangle {} at ({:.6g}, {:.6g}): 1/{:.3g} of the median\n",
               mesh.original_id[c], x, y, middle / step[c]);
  }
}

void print_partition(const domain::Topology& topology, int parts) {
  const auto owner = domain::partition(topology, parts);
  const auto q = domain::quality(topology, owner, parts);
  const double mean = double(topology.cells()) / parts;
  fmt::print(
      "  in {} parts      {} to {} cells ({:.2f} % above the mean), {} cut, at most {} and {} a "
      "part, {} of {} send lists in one run{}\n",
      parts, q.least, q.most, 100 * (double(q.most) / mean - 1), counted(q.cut, "edge", "edges"),
      counted(q.most_peers, "neighbour", "neighbours"),
      counted(q.most_ghosts, "ghost cell", "ghost cells"), q.runs, q.lists,
      q.empty > 0 ? fmt::format(", {} without cells", counted(q.empty, "part", "parts")) : "");
}

void info(const Options& o) {
  const CheckedMesh checked = io::load_mesh(o.in);
  const TriMesh& mesh = checked.mesh;
  const domain::Topology topology = domain::connect(mesh);
  const domain::LocalTriMesh whole =
      domain::build_local(mesh, topology, std::vector<int>(mesh.triangles.size(), 0), 0);
  const auto [west, east] = std::minmax_element(mesh.x.begin(), mesh.x.end());
  const auto [south, north] = std::minmax_element(mesh.y.begin(), mesh.y.end());
  fmt::print("{}\n", o.in);
  fmt::print("  cells           {}\n  nodes           {}\n", mesh.cells(), mesh.nodes());
  fmt::print("  edges           {}, {} on the boundary\n", topology.edges(), mesh.boundary.size());
  fmt::print("  extent          x {:.6g} to {:.6g}, y {:.6g} to {:.6g}\n", *west, *east, *south,
             *north);
  fmt::print("  area            {:.6g}\n",
             std::accumulate(whole.area.begin(), whole.area.end(), 0.0));
  if (!mesh.crs.empty()) fmt::print("  CRS             {:.60}\n", mesh.crs);
  print_boundaries(mesh);
  print_spread("cell area", whole.area);
  print_spread("edge length", whole.edge_length);
  print_spread("smallest angle", domain::smallest_angles(mesh));
  print_worst_cells(mesh);
  if (o.parts > 0) print_partition(topology, o.parts);
  print_findings(checked.findings);
}

void check(const Options& o) {
  const CheckedMesh checked = io::load_mesh(o.in);
  print_findings(checked.findings);
  fmt::print("{}: a valid mesh of {} and {}\n", o.in,
             counted(checked.mesh.cells(), "cell", "cells"),
             counted(checked.mesh.nodes(), "node", "nodes"));
}

void generate(const Options& o) {
  const io::MeshFormat format = output_format(o);
  domain::Rectangle r{o.box[0], o.box[1], o.box[2], o.box[3], domain::rectangle_pattern(o.pattern)};
  r.perturbation = o.perturbation;
  r.seed = o.seed;
  const bool by_boxes = o.columns > 0 || o.rows > 0;
  if (by_boxes == (o.cells > 0) || (by_boxes && (o.columns == 0 || o.rows == 0)))
    throw InputError("mesh generate: error: expected either --cells, or --columns and --rows");
  if (by_boxes) {
    r.columns = o.columns;
    r.rows = o.rows;
  } else {
    r = domain::with_cells(r, o.cells);
  }
  TriMesh mesh = domain::make_rectangle(r);
  domain::renumber(mesh);
  io::write_mesh(o.out, mesh, format);
  fmt::print("{}: {} in {} x {}\n", o.out, counted(mesh.cells(), "cell", "cells"),
             counted(r.columns, "column", "columns"), counted(r.rows, "row", "rows"));
}

void convert(const Options& o) {
  const io::MeshFormat format = output_format(o);
  const CheckedMesh checked = io::load_mesh(o.in);
  print_findings(checked.findings);
  if (format != io::MeshFormat::ugrid && !checked.mesh.crs.empty())
    fmt::print("note: Gmsh files hold no CRS; it was left out\n");
  io::write_mesh(o.out, checked.mesh, format);
  fmt::print("{}: {} and {}\n", o.out, counted(checked.mesh.cells(), "cell", "cells"),
             counted(checked.mesh.nodes(), "node", "nodes"));
}

// The whole mesh is one rank's work.
void on_root(CLI::App* command, Action& action, const std::shared_ptr<Options>& options,
             void (*work)(const Options&)) {
  command->callback(
      [&action, options, work] { action = by_root([options, work] { work(*options); }); });
}

void add_output(CLI::App* command, Options& o) {
  command->add_option("OUT", o.out, "File to write: .msh (Gmsh) or .nc (UGRID)")->required();
  command->add_option("--format", o.format,
                      "msh22, msh22-binary, msh41, msh41-binary or ugrid; default: by OUT's name");
}

}  // namespace

void add_mesh_command(CLI::App& app, Action& action) {
  CLI::App* mesh = app.add_subcommand("mesh", "Look at, check, make and convert triangle meshes");
  mesh->require_subcommand(1);
  const auto o = std::make_shared<Options>();

  CLI::App* sub =
      mesh->add_subcommand("info", "Size, boundaries, quality, and what it costs in dt");
  sub->add_option("FILE", o->in, "Mesh: Gmsh 2.2 or 4.1 (.msh), or UGRID NetCDF (.nc)")->required();
  sub->add_option("--parts", o->parts, "Also say how well it cuts into this many parts")
      ->check(CLI::Range(1, 1'000'000));
  on_root(sub, action, o, info);

  sub = mesh->add_subcommand("check", "Say whether it can be computed with, and what was found");
  sub->add_option("FILE", o->in, "Mesh: Gmsh 2.2 or 4.1 (.msh), or UGRID NetCDF (.nc)")->required();
  on_root(sub, action, o, check);

  sub = mesh->add_subcommand("generate", "Make a rectangle of triangles");
  add_output(sub, *o);
  sub->add_option("--box", o->box, "WEST SOUTH EAST NORTH; default 0 0 1 1")->expected(4);
  sub->add_option("--pattern", o->pattern, "right (default), criss-cross or equilateral");
  sub->add_option("--cells", o->cells, "Number of cells, met within 1 % where boxes allow it");
  sub->add_option("--columns", o->columns, "Boxes along x, instead of --cells");
  sub->add_option("--rows", o->rows, "Boxes along y, instead of --cells");
  sub->add_option("--perturb", o->perturbation,
                  "Move nodes by up to this share of the shortest edge, 0 to 0.3");
  sub->add_option("--seed", o->seed, "Of the random moves; default 1");
  on_root(sub, action, o, generate);

  sub = mesh->add_subcommand("convert", "Read, check, renumber, and write in another format");
  sub->add_option("IN", o->in, "Mesh to read")->required();
  add_output(sub, *o);
  on_root(sub, action, o, convert);
}

}  // namespace terrawave::app
