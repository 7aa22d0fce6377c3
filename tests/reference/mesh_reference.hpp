// Slow, obvious versions of what the mesh code does: every edge in one ordered map.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "terrawave/domain/tri_mesh.hpp"

namespace terrawave::reference {

using domain::TriMesh;
using NodePair = std::pair<LocalIndex, LocalIndex>;

inline NodePair node_pair(LocalIndex a, LocalIndex b) { return {std::min(a, b), std::max(a, b)}; }

// The cells at each edge.
inline std::map<NodePair, std::vector<LocalIndex>> cells_at_edges(const TriMesh& mesh) {
  std::map<NodePair, std::vector<LocalIndex>> at;
  for (std::size_t c = 0; c < mesh.triangles.size(); ++c)
    for (std::size_t k = 0; k < 3; ++k)
      at[node_pair(mesh.triangles[c][k], mesh.triangles[c][(k + 1) % 3])].push_back(LocalIndex(c));
  return at;
}

// The global id of each edge: its place among all pairs (lower cell, higher cell), where a boundary
// edge counts as the pair (cell, cells + its place in the boundary).
inline std::map<NodePair, GlobalId> edge_ids(const TriMesh& mesh) {
  std::map<NodePair, LocalIndex> boundary;
  for (std::size_t b = 0; b < mesh.boundary.size(); ++b)
    boundary[node_pair(mesh.boundary[b].nodes[0], mesh.boundary[b].nodes[1])] = LocalIndex(b);
  std::map<std::pair<Index, Index>, NodePair> ordered;
  for (const auto& [nodes, cells] : cells_at_edges(mesh)) {
    const Index low = *std::min_element(cells.begin(), cells.end());
    const Index high = cells.size() == 2 ? *std::max_element(cells.begin(), cells.end())
                                         : mesh.cells() + boundary.at(nodes);
    ordered[{low, high}] = nodes;
  }
  std::map<NodePair, GlobalId> ids;
  for (const auto& [pair, nodes] : ordered) ids.emplace(nodes, GlobalId(ids.size()));
  return ids;
}

// The cells across the three sides of cell `c`, as a set.
inline std::set<LocalIndex> neighbours(const std::map<NodePair, std::vector<LocalIndex>>& at,
                                       const TriMesh& mesh, LocalIndex c) {
  std::set<LocalIndex> found;
  const auto& t = mesh.triangles[std::size_t(c)];
  for (std::size_t k = 0; k < 3; ++k)
    for (const LocalIndex n : at.at(node_pair(t[k], t[(k + 1) % 3])))
      if (n != c) found.insert(n);
  return found;
}

}  // namespace terrawave::reference
