#include "terrawave/domain/renumber.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "terrawave/domain/tri_mesh_topology.hpp"

namespace terrawave::domain {
namespace {

// The cells by position along the curve.
std::vector<LocalIndex> curve_order(const TriMesh& mesh) {
  const std::size_t cells = mesh.triangles.size();
  const auto [x_low, x_high] = std::minmax_element(mesh.x.begin(), mesh.x.end());
  const auto [y_low, y_high] = std::minmax_element(mesh.y.begin(), mesh.y.end());
  const double extent = std::max(*x_high - *x_low, *y_high - *y_low);
  const double scale = extent > 0 ? 4294967295.0 / extent : 0;
  std::vector<std::pair<std::uint64_t, LocalIndex>> keys(cells);
  for (std::size_t c = 0; c < cells; ++c) {
    double x = 0, y = 0;
    for (const LocalIndex n : mesh.triangles[c]) {
      x += (mesh.x[std::size_t(n)] - *x_low) / 3;
      y += (mesh.y[std::size_t(n)] - *y_low) / 3;
    }
    const auto step = [&](double v) {
      return std::uint32_t(std::clamp(v * scale, 0.0, 4294967295.0));
    };
    keys[c] = {hilbert_position(step(x), step(y)), LocalIndex(c)};
  }
  std::sort(keys.begin(), keys.end());
  std::vector<LocalIndex> order(cells);
  for (std::size_t c = 0; c < cells; ++c) order[c] = keys[c].second;
  return order;
}

void move_cells(TriMesh& mesh, const std::vector<LocalIndex>& order) {
  std::vector<std::array<LocalIndex, 3>> triangles(order.size());
  std::vector<GlobalId> original(order.size());
  for (std::size_t c = 0; c < order.size(); ++c) {
    const auto from = std::size_t(order[c]);
    triangles[c] = mesh.triangles[from];
    original[c] = mesh.original_id.empty() ? GlobalId(from) : mesh.original_id[from];
  }
  mesh.triangles = std::move(triangles);
  mesh.original_id = std::move(original);
}

void move_nodes(TriMesh& mesh) {
  std::vector<LocalIndex> now(mesh.x.size(), -1);
  std::vector<double> x, y;
  x.reserve(mesh.x.size());
  y.reserve(mesh.y.size());
  for (auto& t : mesh.triangles)
    for (LocalIndex& n : t) {
      LocalIndex& to = now[std::size_t(n)];
      if (to < 0) {
        to = LocalIndex(x.size());
        x.push_back(mesh.x[std::size_t(n)]);
        y.push_back(mesh.y[std::size_t(n)]);
      }
      n = to;
    }
  for (auto& edge : mesh.boundary)
    for (LocalIndex& n : edge.nodes) n = now[std::size_t(n)];
  mesh.x = std::move(x);
  mesh.y = std::move(y);
}

void move_boundary(TriMesh& mesh) {
  const Topology topology = connect(mesh);
  std::vector<TriMesh::BoundaryEdge> boundary;
  boundary.reserve(mesh.boundary.size());
  for (std::size_t c = 0; c < topology.across.size(); ++c)
    for (std::size_t k = 0; k < 3; ++k) {
      const LocalIndex n = topology.across[c][k];
      if (n >= 0) continue;
      const auto& t = mesh.triangles[c];
      boundary.push_back({{t[k], t[(k + 1) % 3]}, mesh.boundary[std::size_t(-1 - n)].group});
    }
  mesh.boundary = std::move(boundary);
}

}  // namespace

std::uint64_t hilbert_position(std::uint32_t x, std::uint32_t y) {
  std::uint64_t position = 0;
  for (int bit = 31; bit >= 0; --bit) {
    const std::uint32_t right = (x >> bit) & 1, top = (y >> bit) & 1;
    position = position << 2 | ((3 * right) ^ top);
    if (top != 0) continue;
    // The lower quadrants are turned: mirror in one diagonal or the other.
    if (right != 0) {
      x = ~x;
      y = ~y;
    }
    std::swap(x, y);
  }
  return position;
}

void renumber(TriMesh& mesh) {
  if (mesh.triangles.empty()) return;
  move_cells(mesh, curve_order(mesh));
  move_nodes(mesh);
  move_boundary(mesh);
}

}  // namespace terrawave::domain
