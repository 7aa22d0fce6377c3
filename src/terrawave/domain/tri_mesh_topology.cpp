#include "terrawave/domain/tri_mesh_topology.hpp"

#include "terrawave/base/error.hpp"

namespace terrawave::domain {
namespace {

// What orders the edges of their lower cell `c`; -1 for an edge that another cell numbers.
GlobalId edge_key(const Topology& topology, LocalIndex c, std::size_t k) {
  const LocalIndex n = topology.across[std::size_t(c)][k];
  if (n < 0) return topology.cells() - 1 - n;
  return n > c ? n : -1;
}

}  // namespace

void EdgeTable::close_counts() {
  for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
  next_ = first_;
  members_.resize(first_.back());
}

GlobalId Topology::edge_id(LocalIndex c, int k) const {
  const LocalIndex n = across[std::size_t(c)][std::size_t(k)];
  const LocalIndex low = n >= 0 && n < c ? n : c;
  const GlobalId key = n < 0 ? cells() - 1 - n : GlobalId(std::max(n, c));
  GlobalId id = first_edge[std::size_t(low)];
  for (std::size_t j = 0; j < 3; ++j) {
    const GlobalId other = edge_key(*this, low, j);
    if (other >= 0 && other < key) ++id;
  }
  return id;
}

Topology connect(const TriMesh& mesh) {
  const std::size_t cells = mesh.triangles.size();
  require(cells * 3 + mesh.boundary.size() < 0xffffffffULL, "mesh too large for edge ids");
  Topology topology;
  topology.across.resize(cells);
  auto table = table_of_edges(mesh.nodes(), mesh.triangles, mesh.boundary);
  const auto sides = std::uint32_t(3 * cells);
  table.for_each([&](LocalIndex, LocalIndex, std::span<const EdgeTable::Member> members) {
    require(members.size() == 2 && members[0].id < sides,
            "every edge needs two cells, or one cell and a place in the boundary");
    const std::uint32_t a = members[0].id, b = members[1].id;
    topology.across[a / 3][a % 3] = b < sides ? LocalIndex(b / 3) : -1 - LocalIndex(b - sides);
    if (b < sides) topology.across[b / 3][b % 3] = LocalIndex(a / 3);
  });
  topology.first_edge.resize(cells + 1);
  GlobalId next = 0;
  for (std::size_t c = 0; c < cells; ++c) {
    topology.first_edge[c] = next;
    for (std::size_t k = 0; k < 3; ++k) next += edge_key(topology, LocalIndex(c), k) >= 0 ? 1 : 0;
  }
  topology.first_edge[cells] = next;
  return topology;
}

void add_unnamed_boundary(TriMesh& mesh) {
  auto table = table_of_edges(mesh.nodes(), mesh.triangles, mesh.boundary);
  std::vector<std::uint32_t> missing;
  const auto sides = std::uint32_t(3 * mesh.triangles.size());
  table.for_each([&](LocalIndex, LocalIndex, std::span<const EdgeTable::Member> members) {
    if (members.size() == 1 && members[0].id < sides) missing.push_back(members[0].id);
  });
  std::sort(missing.begin(), missing.end());
  for (const std::uint32_t side : missing) {
    const auto& t = mesh.triangles[side / 3];
    mesh.boundary.push_back({{t[side % 3], t[(side % 3 + 1) % 3]}, 0});
  }
}

}  // namespace terrawave::domain
