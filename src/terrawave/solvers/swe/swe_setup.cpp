#include "terrawave/solvers/swe/swe_setup.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "terrawave/domain/renumber.hpp"
#include "terrawave/io/mesh_file.hpp"
#include "terrawave/io/raster_sample.hpp"

namespace terrawave::swe {
namespace {

domain::Rectangle rectangle_of(const config::Config& t) {
  domain::Rectangle r;
  r.west = t.number("west");
  r.south = t.number("south");
  r.east = t.number("east");
  r.north = t.number("north");
  if (!(r.east > r.west)) t.fail("east", "expected a side east of `west`");
  if (!(r.north > r.south)) t.fail("north", "expected a side north of `south`");
  r.pattern = domain::rectangle_pattern(t.text("pattern"));
  r.perturbation = t.number("perturbation");
  r.seed = std::uint64_t(t.integer("seed"));
  const bool boxes = t.has("columns") && t.has("rows");
  if (t.has("cells") == (t.has("columns") || t.has("rows")) || (!t.has("cells") && !boxes))
    t.fail("", "expected either `cells`, or both `columns` and `rows`");
  if (t.has("cells")) return domain::with_cells(r, t.integer("cells"));
  r.columns = t.integer("columns");
  r.rows = t.integer("rows");
  return r;
}

std::string list_of(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& n : names) text += (text.empty() ? "\"" : ", \"") + n + "\"";
  return text;
}

config::Config domain_of(const config::Config& config) {
  config::Config t = config.table("domain");
  if (t.has("mesh") == t.has_table("rectangle"))
    t.fail("", "expected either the key `mesh` or the table [domain.rectangle]");
  return t;
}

// Outputs and rasters will need it.
void refuse_unreadable_crs(const std::string& crs, const config::Config& t) {
  try {
    io::is_geographic(crs);
  } catch (const InputError& e) {
    t.fail(t.has("crs") ? "crs" : "mesh", e.what());
  }
}

}  // namespace

domain::MeshSize mesh_size(const config::Config& config) {
  const config::Config t = domain_of(config);
  if (!t.has("mesh")) return domain::size_of(rectangle_of(t.table("rectangle")));
  const domain::TriMesh mesh = io::load_mesh(t.file_path("mesh")).mesh;
  const Index boundary = Index(mesh.boundary.size());
  return {mesh.cells(), mesh.nodes(), (3 * mesh.cells() + boundary) / 2, boundary};
}

domain::TriMesh make_mesh(const config::Config& config, const sim::Log& log) {
  const config::Config t = domain_of(config);
  domain::TriMesh mesh;
  if (t.has("mesh")) {
    domain::CheckedMesh checked = io::load_mesh(t.file_path("mesh"));
    for (const std::string& n : checked.findings.notes) log.info("mesh: " + n);
    for (const std::string& w : checked.findings.warnings) log.warning("mesh: " + w);
    mesh = std::move(checked.mesh);
  } else {
    mesh = domain::make_rectangle(rectangle_of(t.table("rectangle")));
    domain::renumber(mesh);
  }
  if (t.has("crs")) mesh.crs = t.text("crs");
  if (!mesh.crs.empty()) refuse_unreadable_crs(mesh.crs, t);
  log.info(fmt::format("mesh: {} cells, {} nodes", mesh.cells(), mesh.nodes()));
  return mesh;
}

std::vector<BoundaryKind> boundary_kinds(const config::Config& config, const domain::TriMesh& mesh,
                                         const sim::Log& log) {
  std::vector<BoundaryKind> kinds(mesh.groups.size(), BoundaryKind::wall);
  std::vector<std::uint8_t> used(mesh.groups.size(), 0), named(mesh.groups.size(), 0);
  for (const auto& edge : mesh.boundary) used[std::size_t(edge.group)] = 1;
  std::vector<std::string> known;
  for (std::size_t g = 0; g < used.size(); ++g)
    if (used[g]) known.push_back(mesh.groups[g]);
  config::Diagnostics complaints;
  for (const config::Config& b : config.tables("boundary")) {
    const std::string name = b.text("name");
    std::size_t g = 0;
    while (g < mesh.groups.size() && (mesh.groups[g] != name || !used[g])) ++g;
    if (g == mesh.groups.size()) {
      b.complain(complaints, "name",
                 fmt::format("the mesh has no boundary \"{}\"; it has {}", name, list_of(known)));
      continue;
    }
    if (named[g])
      b.complain(complaints, "name", fmt::format("the boundary \"{}\" is named twice", name));
    named[g] = 1;
    kinds[g] = b.text("kind") == "outflow" ? BoundaryKind::outflow : BoundaryKind::wall;
  }
  complaints.raise();
  std::vector<std::string> walls;
  for (std::size_t g = 0; g < used.size(); ++g)
    if (used[g] && !named[g]) walls.push_back(mesh.groups[g]);
  if (!walls.empty()) log.info("boundaries not mentioned are walls: " + list_of(walls));
  return kinds;
}

void refuse_cells(comm::Comm& comm, const domain::LocalTriMesh& local,
                  const std::vector<std::uint8_t>& bad, const config::Config& table,
                  std::string_view key, const std::string& message) {
  const std::int64_t count =
      comm.sum(std::int64_t(std::count(bad.begin(), bad.end(), std::uint8_t{1})));
  if (count == 0) return;
  std::int64_t first = INT64_MAX;
  std::size_t at = 0;
  for (std::size_t i = 0; i < bad.size(); ++i)
    if (bad[i] && local.part.global[i] < first) {
      first = local.part.global[i];
      at = i;
    }
  const std::int64_t least = comm.min(first);
  double position[2] = {0, 0};
  if (least == first) {
    position[0] = local.center_x[at];
    position[1] = local.center_y[at];
  }
  // All but the owner add 0.
  double low[2] = {position[0], position[1]};
  comm.min(std::span<double>(low));
  comm.max(std::span<double>(position));
  const double x = low[0] < 0 ? low[0] : position[0], y = low[1] < 0 ? low[1] : position[1];
  table.fail(key, fmt::format("{}: {} cell{}, the first at ({:.10g}, {:.10g})", message, count,
                              count == 1 ? "" : "s", x, y));
}

}  // namespace terrawave::swe
