// Which cell lies across which side of a triangle, and the numbering of edges that follows.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "terrawave/domain/tri_mesh.hpp"

namespace terrawave::domain {

// Side k of a triangle joins its nodes k and k + 1 (mod 3).
struct Topology {
  // Per cell and side: the cell across, or -1 - b where the side is TriMesh::boundary[b].
  std::vector<std::array<LocalIndex, 3>> across;
  // Edge ids in [first_edge[c], first_edge[c + 1]) are the edges whose lower cell is c, ordered by
  // the higher cell, then boundary edges by their position. Has cells() + 1 entries.
  std::vector<GlobalId> first_edge;

  Index cells() const { return Index(across.size()); }
  GlobalId edges() const { return first_edge.back(); }
  // The global id of side k of cell c.
  GlobalId edge_id(LocalIndex c, int k) const;
};

// Throws LogicError where an edge has three cells, or a side is neither shared nor in `boundary`:
// the mesh was not validated.
Topology connect(const TriMesh& mesh);

// Lists every side that has no cell across and is not in `boundary` yet, in group 0.
void add_unnamed_boundary(TriMesh& mesh);

// The sides of triangles and the listed edges, brought together by their two nodes.
class EdgeTable {
 public:
  struct Member {
    LocalIndex high;  // the edge's node of higher number
    std::uint32_t id;
  };
  // Adding all edges twice, in the same order: first count(), then place().
  explicit EdgeTable(Index nodes) : first_(std::size_t(nodes) + 1, 0) {}
  void count(LocalIndex a, LocalIndex b) { ++first_[std::size_t(std::min(a, b)) + 1]; }
  void close_counts();
  void place(LocalIndex a, LocalIndex b, std::uint32_t id) {
    members_[next_[std::size_t(std::min(a, b))]++] = {std::max(a, b), id};
  }
  // Calls f(low node, high node, members) for each edge, by increasing (low, high); members by id.
  template <class F>
  void for_each(const F& f) {
    next_ = {};
    for (std::size_t low = 0; low + 1 < first_.size(); ++low) {
      const auto begin = members_.begin() + first_[low], end = members_.begin() + first_[low + 1];
      std::sort(begin, end, [](const Member& p, const Member& q) {
        return p.high != q.high ? p.high < q.high : p.id < q.id;
      });
      for (auto i = begin; i != end;) {
        auto j = i + 1;
        while (j != end && j->high == i->high) ++j;
        f(LocalIndex(low), i->high, std::span<const Member>(i, j));
        i = j;
      }
    }
  }

 private:
  std::vector<std::uint32_t> first_, next_;
  std::vector<Member> members_;
};

// All sides (id 3 c + k), then the listed edges (id 3 cells + position).
template <class Edge>
EdgeTable table_of_edges(Index nodes, const std::vector<std::array<LocalIndex, 3>>& triangles,
                         const std::vector<Edge>& listed) {
  EdgeTable table(nodes);
  for (const auto& t : triangles)
    for (std::size_t k = 0; k < 3; ++k) table.count(t[k], t[(k + 1) % 3]);
  for (const auto& e : listed) table.count(e.nodes[0], e.nodes[1]);
  table.close_counts();
  std::uint32_t id = 0;
  for (const auto& t : triangles)
    for (std::size_t k = 0; k < 3; ++k) table.place(t[k], t[(k + 1) % 3], id++);
  for (const auto& e : listed) table.place(e.nodes[0], e.nodes[1], id++);
  return table;
}

}  // namespace terrawave::domain
