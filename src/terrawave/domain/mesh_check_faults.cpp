#include "terrawave/domain/mesh_check_faults.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "terrawave/base/error.hpp"

namespace terrawave::domain {
namespace {

std::size_t at(LocalIndex i) { return static_cast<std::size_t>(i); }

LocalIndex opposite(const std::array<LocalIndex, 3>& t, std::uint32_t side) {
  return t[(side % 3 + 2) % 3];
}

std::string joined(const std::vector<std::string>& words, const char* between) {
  std::string text;
  for (const std::string& w : words) text += (text.empty() ? "" : between) + w;
  return text;
}

}  // namespace

std::vector<double> twice_areas(const RawMesh& raw) {
  std::vector<double> twice(raw.triangles.size());
  for (std::size_t c = 0; c < twice.size(); ++c) {
    const auto& [i, j, k] = raw.triangles[c];
    const double ux = raw.x[at(j)] - raw.x[at(i)], uy = raw.y[at(j)] - raw.y[at(i)];
    const double vx = raw.x[at(k)] - raw.x[at(i)], vy = raw.y[at(k)] - raw.y[at(i)];
    const double wx = vx - ux, wy = vy - uy;
    const double longest = std::max({ux * ux + uy * uy, vx * vx + vy * vy, wx * wx + wy * wy});
    const double area = ux * vy - vx * uy;
    // Written so that an overflow counts as no area.
    twice[c] = std::abs(area) > 1e-12 * longest ? area : 0;
  }
  return twice;
}

std::string MeshFaults::node(LocalIndex n) const {
  return fmt::format("node {} at ({:.9g}, {:.9g})", raw_.node_id[at(n)], raw_.x[at(n)],
                     raw_.y[at(n)]);
}

std::string MeshFaults::cell(LocalIndex c) const {
  double x = 0, y = 0;
  for (const LocalIndex n : raw_.triangles[at(c)]) {
    x += raw_.x[at(n)] / 3;
    y += raw_.y[at(n)] / 3;
  }
  return fmt::format("triangle {} at ({:.6g}, {:.6g})", raw_.cell_id[at(c)], x, y);
}

std::string MeshFaults::line(std::size_t l) const {
  const RawMesh::Line& e = raw_.lines[l];
  return fmt::format("line {} of \"{}\" from ({:.6g}, {:.6g}) to ({:.6g}, {:.6g})", e.id,
                     raw_.groups[std::size_t(e.group)], raw_.x[at(e.nodes[0])],
                     raw_.y[at(e.nodes[0])], raw_.x[at(e.nodes[1])], raw_.y[at(e.nodes[1])]);
}

void MeshFaults::report(const Offenders& found, const std::string& one, const std::string& many,
                        const std::string& advice) {
  if (found.count == 0) return;
  std::string text = fmt::format("{}: error: ", raw_.source);
  text += found.count == 1 ? one : fmt::format("{} {}", found.count, many);
  text += ": " + joined(found.first, "; ");
  if (found.count > shown) text += fmt::format("; and {} more", found.count - shown);
  lines_.push_back(text + ". " + advice);
}

void MeshFaults::raise() const {
  if (any()) throw InputError(joined(lines_, "\n"));
}

void MeshFaults::find_empty() {
  if (raw_.triangles.empty())
    lines_.push_back(
        fmt::format("{}: error: the mesh has no triangles (nodes: {}, lines: {}). Was it "
                    "meshed in two dimensions, and are its surfaces in a physical group?",
                    raw_.source, raw_.x.size(), raw_.lines.size()));
}

void MeshFaults::find_not_finite() {
  Offenders bad;
  for (std::size_t n = 0; n < raw_.x.size(); ++n)
    if (!std::isfinite(raw_.x[n]) || !std::isfinite(raw_.y[n]))
      bad.add([&] { return node(LocalIndex(n)); });
  report(bad, "a coordinate is not a finite number", "nodes have coordinates that are not finite",
         "Every node needs finite x and y");
}

void MeshFaults::find_flat(const std::vector<double>& twice_area) {
  Offenders flat;
  for (std::size_t c = 0; c < twice_area.size(); ++c)
    if (twice_area[c] == 0)
      flat.add([&] {
        const auto& t = raw_.triangles[c];
        return fmt::format("{} (nodes {}, {}, {})", cell(LocalIndex(c)), raw_.node_id[at(t[0])],
                           raw_.node_id[at(t[1])], raw_.node_id[at(t[2])]);
      });
  report(flat, "a triangle has no area", "triangles have no area",
         "Three nodes of a triangle must not lie on one line; move one, or delete the triangle and "
         "close the gap");
}

void MeshFaults::find_bad_edges(std::vector<std::uint32_t>& boundary) {
  const auto sides = std::uint32_t(3 * raw_.triangles.size());
  Offenders duplicate, triple, overlap, inside, loose, two_names;
  const auto cell_at = [&](std::uint32_t side) { return cell(LocalIndex(side / 3)); };
  const auto edge_words = [&](LocalIndex a, LocalIndex b) {
    return fmt::format("from {} to {}", node(a), node(b));
  };
  auto table = table_of_edges(Index(raw_.x.size()), raw_.triangles, raw_.lines);
  table.for_each([&](LocalIndex low, LocalIndex high, std::span<const EdgeTable::Member> members) {
    if (low == high) return;  // of a triangle without area
    std::size_t cells = 0;
    while (cells < members.size() && members[cells].id < sides) ++cells;
    std::size_t distinct = 0;
    for (std::size_t i = 0; i < cells; ++i) {
      const LocalIndex tip = opposite(raw_.triangles[members[i].id / 3], members[i].id);
      std::size_t twin = 0;
      while (twin < i && opposite(raw_.triangles[members[twin].id / 3], members[twin].id) != tip)
        ++twin;
      distinct += twin == i ? 1 : 0;
      // Once for the three edges of the pair.
      if (twin < i && tip > high)
        duplicate.add([&] { return cell_at(members[twin].id) + " and " + cell_at(members[i].id); });
    }
    if (distinct > 2)
      triple.add([&] {
        std::string words = edge_words(low, high) + " has";
        for (std::size_t i = 0; i < std::min<std::size_t>(cells, 4); ++i)
          words += (i == 0 ? " " : ", ") + cell_at(members[i].id);
        return words;
      });
    if (distinct == 2 && cells == 2) {
      const auto first = [&](std::size_t i) {
        return raw_.triangles[members[i].id / 3][members[i].id % 3];
      };
      if (first(0) == first(1))
        overlap.add([&] { return cell_at(members[0].id) + " and " + cell_at(members[1].id); });
    }
    if (cells == 1) boundary.push_back(members[0].id);
    std::size_t named = members.size();  // the first named line here
    for (std::size_t i = cells; i < members.size(); ++i) {
      const std::size_t l = members[i].id - sides;
      const int group = raw_.lines[l].group;
      if (group == 0) continue;
      if (cells == 0)
        loose.add([&] { return line(l); });
      else if (distinct > 1)
        inside.add([&] { return line(l) + ", by " + cell_at(members[0].id); });
      else if (named == members.size())
        named = i;
      else if (raw_.lines[members[named].id - sides].group != group)
        two_names.add([&] {
          return fmt::format("{}, which is also line {} of \"{}\"", line(l),
                             raw_.lines[members[named].id - sides].id,
                             raw_.groups[std::size_t(raw_.lines[members[named].id - sides].group)]);
        });
    }
  });
  std::sort(boundary.begin(), boundary.end());
  report(duplicate, "a triangle is there twice", "triangles are there twice",
         "Delete one of each pair");
  report(triple, "an edge has more than two triangles", "edges have more than two triangles",
         "A flat mesh has at most two triangles at an edge; delete those that do not belong");
  report(overlap, "two neighbours overlap", "pairs of neighbours overlap",
         "They lie on the same side of the edge they share; correct their nodes");
  report(inside, "a named line is not on the boundary", "named lines are not on the boundary",
         "Only edges with a triangle on one side can be a boundary; take the line out of its "
         "physical group");
  report(loose, "a named line is not an edge of any triangle",
         "named lines are not edges of any triangle",
         "Take it out of its physical group, or mesh the surface beside it");
  report(two_names, "a boundary edge has two names", "boundary edges have two names",
         "Keep it in one physical group");
}

// Nodes on the boundary that stand closer than a millionth of the edges there.
void MeshFaults::find_coincident(const std::vector<std::uint32_t>& boundary) {
  std::vector<LocalIndex> nodes;
  std::vector<double> reach(raw_.x.size(), std::numeric_limits<double>::infinity());
  for (const std::uint32_t side : boundary) {
    const auto& t = raw_.triangles[side / 3];
    const LocalIndex a = t[side % 3], b = t[(side % 3 + 1) % 3];
    const double length = std::hypot(raw_.x[at(b)] - raw_.x[at(a)], raw_.y[at(b)] - raw_.y[at(a)]);
    for (const LocalIndex n : {a, b}) {
      if (std::isinf(reach[at(n)])) nodes.push_back(n);
      reach[at(n)] = std::min(reach[at(n)], 1e-6 * length);
    }
  }
  std::sort(nodes.begin(), nodes.end(), [&](LocalIndex a, LocalIndex b) {
    return raw_.x[at(a)] != raw_.x[at(b)]   ? raw_.x[at(a)] < raw_.x[at(b)]
           : raw_.y[at(a)] != raw_.y[at(b)] ? raw_.y[at(a)] < raw_.y[at(b)]
                                            : a < b;
  });
  Offenders pairs;
  // Sorted by x then y: only nodes with (nearly) the same x need to be compared; those with exactly
  // the same x are sorted by y, so a straight wall along y stays cheap.
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const double x = raw_.x[at(nodes[i])], y = raw_.y[at(nodes[i])];
    const double within = reach[at(nodes[i])];
    for (std::size_t j = i + 1; j < nodes.size() && raw_.x[at(nodes[j])] - x <= within; ++j) {
      const double near = std::min(within, reach[at(nodes[j])]);
      if (raw_.x[at(nodes[j])] == x && raw_.y[at(nodes[j])] - y > within) {
        // The rest of this x is farther still.
        const auto rest =
            std::upper_bound(nodes.begin() + std::ptrdiff_t(j), nodes.end(), x,
                             [&](double value, LocalIndex n) { return value < raw_.x[at(n)]; });
        j = std::size_t(rest - nodes.begin()) - 1;
        continue;
      }
      if (std::hypot(raw_.x[at(nodes[j])] - x, raw_.y[at(nodes[j])] - y) <= near)
        pairs.add([&] {
          return fmt::format("nodes {} and {} at ({:.9g}, {:.9g})", raw_.node_id[at(nodes[i])],
                             raw_.node_id[at(nodes[j])], x, y);
        });
    }
  }
  report(pairs, "coincident nodes split the mesh", "pairs of coincident nodes split the mesh",
         "Water cannot pass between their triangles; merge them (Gmsh: Coherence Mesh)");
}

// Nodes of the boundary inside a boundary edge: the mesh is finer on one side than on the other.
void MeshFaults::find_hanging(const std::vector<std::uint32_t>& boundary) {
  std::vector<LocalIndex> by_x;
  for (const std::uint32_t side : boundary) by_x.push_back(raw_.triangles[side / 3][side % 3]);
  std::sort(by_x.begin(), by_x.end());
  by_x.erase(std::unique(by_x.begin(), by_x.end()), by_x.end());
  std::vector<LocalIndex> by_y = by_x;
  const auto sort_along = [](std::vector<LocalIndex>& nodes, const std::vector<double>& v) {
    std::sort(nodes.begin(), nodes.end(), [&](LocalIndex a, LocalIndex b) {
      return v[at(a)] != v[at(b)] ? v[at(a)] < v[at(b)] : a < b;
    });
  };
  sort_along(by_x, raw_.x);
  sort_along(by_y, raw_.y);
  const auto between = [](const std::vector<LocalIndex>& nodes, const std::vector<double>& v,
                          double low, double high) {
    const auto less = [&](LocalIndex n, double value) { return v[at(n)] < value; };
    const auto begin = std::lower_bound(nodes.begin(), nodes.end(), low, less);
    const auto end = std::lower_bound(begin, nodes.end(), std::nextafter(high, INFINITY), less);
    return std::span<const LocalIndex>(begin, end);
  };
  Offenders hanging;
  for (const std::uint32_t side : boundary) {
    const auto& t = raw_.triangles[side / 3];
    const LocalIndex a = t[side % 3], b = t[(side % 3 + 1) % 3];
    const double ax = raw_.x[at(a)], ay = raw_.y[at(a)];
    const double dx = raw_.x[at(b)] - ax, dy = raw_.y[at(b)] - ay, square = dx * dx + dy * dy;
    const double off = 1e-6 * std::sqrt(square);
    const auto in_x =
        between(by_x, raw_.x, std::min(ax, ax + dx) - off, std::max(ax, ax + dx) + off);
    const auto in_y =
        between(by_y, raw_.y, std::min(ay, ay + dy) - off, std::max(ay, ay + dy) + off);
    for (const LocalIndex n : in_x.size() < in_y.size() ? in_x : in_y) {
      if (n == a || n == b) continue;
      const double px = raw_.x[at(n)] - ax, py = raw_.y[at(n)] - ay;
      const double along = px * dx + py * dy, across = std::abs(px * dy - py * dx);
      if (across <= 1e-6 * square && along > 1e-6 * square && along < (1 - 1e-6) * square)
        hanging.add([&] { return node(n) + " on a side of " + cell(LocalIndex(side / 3)); });
    }
  }
  report(hanging, "a node hangs on the side of a triangle", "nodes hang on sides of triangles",
         "Water cannot pass there; cut the triangle at the node");
}

}  // namespace terrawave::domain
