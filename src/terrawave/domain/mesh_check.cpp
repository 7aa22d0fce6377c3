#include "terrawave/domain/mesh_check.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "terrawave/domain/mesh_check_faults.hpp"

namespace terrawave::domain {
namespace {

std::size_t at(LocalIndex i) { return static_cast<std::size_t>(i); }

std::string counted(Index n, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", n, n == 1 ? one : many);
}

// The lengths of the three sides of cell t, increasing.
std::array<double, 3> side_lengths(const TriMesh& m, const std::array<LocalIndex, 3>& t) {
  std::array<double, 3> l{};
  for (std::size_t k = 0; k < 3; ++k)
    l[k] = std::hypot(m.x[at(t[(k + 1) % 3])] - m.x[at(t[k])],
                      m.y[at(t[(k + 1) % 3])] - m.y[at(t[k])]);
  if (l[0] > l[1]) std::swap(l[0], l[1]);
  if (l[1] > l[2]) std::swap(l[1], l[2]);
  if (l[0] > l[1]) std::swap(l[0], l[1]);
  return l;
}

double twice_area(const TriMesh& m, const std::array<LocalIndex, 3>& t) {
  const double ux = m.x[at(t[1])] - m.x[at(t[0])], uy = m.y[at(t[1])] - m.y[at(t[0])];
  const double vx = m.x[at(t[2])] - m.x[at(t[0])], vy = m.y[at(t[2])] - m.y[at(t[0])];
  return ux * vy - vx * uy;
}

// Everything but the nodes that no triangle has.
void keep_used_nodes(RawMesh& raw, TriMesh& mesh) {
  std::vector<LocalIndex> now(raw.x.size(), -1);
  for (const auto& t : raw.triangles)
    for (const LocalIndex n : t) now[at(n)] = 0;
  LocalIndex next = 0;
  for (std::size_t n = 0; n < now.size(); ++n) {
    if (now[n] < 0) continue;
    now[n] = next++;
    raw.x[at(now[n])] = raw.x[n];
    raw.y[at(now[n])] = raw.y[n];
  }
  raw.x.resize(at(next));
  raw.y.resize(at(next));
  for (auto& t : raw.triangles)
    for (LocalIndex& n : t) n = now[at(n)];
  for (auto& e : mesh.boundary)
    for (LocalIndex& n : e.nodes) n = now[at(n)];
  mesh.x = std::move(raw.x);
  mesh.y = std::move(raw.y);
  mesh.triangles = std::move(raw.triangles);
}

std::vector<TriMesh::BoundaryEdge> name_boundary(const RawMesh& raw,
                                                 const std::vector<std::uint32_t>& sides) {
  std::vector<std::pair<std::array<LocalIndex, 2>, int>> names;
  for (const RawMesh::Line& e : raw.lines)
    if (e.group != 0)
      names.push_back(
          {{std::min(e.nodes[0], e.nodes[1]), std::max(e.nodes[0], e.nodes[1])}, e.group});
  std::sort(names.begin(), names.end());
  std::vector<TriMesh::BoundaryEdge> boundary;
  boundary.reserve(sides.size());
  for (const std::uint32_t side : sides) {
    const auto& t = raw.triangles[side / 3];
    const LocalIndex a = t[side % 3], b = t[(side % 3 + 1) % 3];
    const std::array<LocalIndex, 2> key = {std::min(a, b), std::max(a, b)};
    const auto found = std::lower_bound(names.begin(), names.end(), std::pair(key, 0));
    const bool named = found != names.end() && found->first == key;
    boundary.push_back({{a, b}, named ? found->second : 0});
  }
  return boundary;
}

// Pieces of the mesh that share no edge, by flood fill.
void warn_of_parts(const TriMesh& mesh, MeshFindings& findings) {
  const Topology topology = connect(mesh);
  std::vector<std::uint8_t> seen(mesh.triangles.size(), 0);
  std::vector<std::pair<Index, LocalIndex>> parts;  // size, first cell
  std::vector<LocalIndex> stack;
  for (std::size_t c = 0; c < seen.size(); ++c) {
    if (seen[c] != 0) continue;
    Index size = 0;
    seen[c] = 1;
    stack.push_back(LocalIndex(c));
    while (!stack.empty()) {
      const LocalIndex here = stack.back();
      stack.pop_back();
      ++size;
      for (const LocalIndex n : topology.across[at(here)])
        if (n >= 0 && seen[at(n)] == 0) {
          seen[at(n)] = 1;
          stack.push_back(n);
        }
    }
    parts.push_back({size, LocalIndex(c)});
  }
  findings.parts = Index(parts.size());
  if (parts.size() == 1) return;
  std::stable_sort(parts.begin(), parts.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string list;
  for (std::size_t i = 0; i < std::min<std::size_t>(parts.size(), 4); ++i) {
    const auto n = at(mesh.triangles[at(parts[i].second)][0]);
    list += fmt::format("{}{} at ({:.6g}, {:.6g})", i == 0 ? "" : "; ",
                        counted(parts[i].first, "cell", "cells"), mesh.x[n], mesh.y[n]);
  }
  findings.warnings.push_back(
      fmt::format("the mesh falls into {} parts that share no edge: {}{}", parts.size(), list,
                  parts.size() > 4 ? fmt::format("; and {} more", parts.size() - 4) : ""));
}

void warn_of_slivers(const TriMesh& mesh, MeshFindings& findings) {
  const auto angle = smallest_angles(mesh);
  std::vector<std::size_t> slivers;
  for (std::size_t c = 0; c < angle.size(); ++c)
    if (angle[c] < sliver_degrees) slivers.push_back(c);
  findings.slivers = Index(slivers.size());
  if (slivers.empty()) return;
  const auto step = step_lengths(mesh);
  auto ordered = step;
  const auto middle = ordered.begin() + std::ptrdiff_t(ordered.size() / 2);
  std::nth_element(ordered.begin(), middle, ordered.end());
  const std::size_t worst =
      *std::min_element(slivers.begin(), slivers.end(),
                        [&](std::size_t a, std::size_t b) { return step[a] < step[b]; });
  findings.sliver_factor = *middle / step[worst];
  const auto n = at(mesh.triangles[worst][0]);
  findings.warnings.push_back(fmt::format(
      "{} an angle below {} degrees; the worst, triangle {} at ({:.6g}, {:.6g}) with {:.2g} "
      "degrees, makes the time step {:.3g} times shorter than the median cell would",
      slivers.size() == 1 ? "1 sliver has" : fmt::format("{} slivers have", slivers.size()),
      sliver_degrees, mesh.original_id[worst], mesh.x[n], mesh.y[n], angle[worst],
      findings.sliver_factor));
}

void warn_of_empty_groups(const TriMesh& mesh, MeshFindings& findings) {
  std::vector<Index> edges(mesh.groups.size(), 0);
  for (const auto& e : mesh.boundary) ++edges[std::size_t(e.group)];
  for (std::size_t g = 1; g < edges.size(); ++g)
    if (edges[g] == 0)
      findings.warnings.push_back(fmt::format("boundary \"{}\" has no edges", mesh.groups[g]));
}

}  // namespace

std::vector<double> step_lengths(const TriMesh& mesh) {
  std::vector<double> step(mesh.triangles.size());
  for (std::size_t c = 0; c < step.size(); ++c) {
    const auto l = side_lengths(mesh, mesh.triangles[c]);
    step[c] = twice_area(mesh, mesh.triangles[c]) / (l[0] + l[1] + l[2]);
  }
  return step;
}

std::vector<double> smallest_angles(const TriMesh& mesh) {
  std::vector<double> angle(mesh.triangles.size());
  for (std::size_t c = 0; c < angle.size(); ++c) {
    const auto l = side_lengths(mesh, mesh.triangles[c]);
    // Opposite the shortest side, so never above 60 degrees: the arc sine is well conditioned.
    const double sine = std::min(1.0, twice_area(mesh, mesh.triangles[c]) / (l[1] * l[2]));
    angle[c] = std::asin(sine) * 180 / std::numbers::pi;
  }
  return angle;
}

CheckedMesh check_mesh(RawMesh raw) {
  MeshFaults faults(raw);
  faults.find_empty();
  faults.find_not_finite();
  faults.raise();

  CheckedMesh out;
  MeshFindings& findings = out.findings;
  const auto areas = twice_areas(raw);
  for (std::size_t c = 0; c < areas.size(); ++c)
    if (areas[c] < 0) {
      std::swap(raw.triangles[c][1], raw.triangles[c][2]);
      ++findings.flipped;
    }
  std::vector<std::uint32_t> boundary;
  faults.find_flat(areas);
  faults.find_bad_edges(boundary);
  faults.find_coincident(boundary);
  faults.find_hanging(boundary);
  faults.raise();

  TriMesh& mesh = out.mesh;
  mesh.boundary = name_boundary(raw, boundary);
  mesh.groups = raw.groups;
  mesh.original_id = std::move(raw.cell_id);
  mesh.crs = raw.crs;
  const Index nodes = Index(raw.x.size());
  keep_used_nodes(raw, mesh);
  findings.orphans = nodes - mesh.nodes();

  findings.notes = raw.notes;
  if (findings.flipped > 0)
    findings.notes.push_back(
        counted(findings.flipped, "clockwise triangle was", "clockwise triangles were") +
        " turned");
  if (findings.orphans > 0)
    findings.notes.push_back(counted(findings.orphans, "node has", "nodes have") +
                             " no triangle and " + (findings.orphans == 1 ? "was" : "were") +
                             " dropped");
  warn_of_empty_groups(mesh, findings);
  warn_of_parts(mesh, findings);
  warn_of_slivers(mesh, findings);
  return out;
}

}  // namespace terrawave::domain
