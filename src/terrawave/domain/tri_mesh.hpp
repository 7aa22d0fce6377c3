// Triangle meshes: the whole mesh as read, and one rank's share of it as solvers use it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "terrawave/domain/part.hpp"

namespace terrawave::domain {

// A whole mesh, the same on every rank. Triangles are counter-clockwise after validation.
struct TriMesh {
  std::vector<double> x, y;                          // node coordinates, m (or the CRS's unit)
  std::vector<std::array<LocalIndex, 3>> triangles;  // nodes of each cell
  struct BoundaryEdge {
    std::array<LocalIndex, 2> nodes;
    int group = 0;  // index into `groups`
  };
  std::vector<BoundaryEdge> boundary;  // edges of one triangle only; all of them after validation
  std::vector<std::string> groups;     // names of boundaries; group 0 is "boundary" (unnamed edges)
  std::vector<GlobalId> original_id;   // the file's element number of each cell, for messages
  std::string crs;                     // WKT or "EPSG:n"; "" where unknown
  Index cells() const { return Index(triangles.size()); }
  Index nodes() const { return Index(x.size()); }
};

// What one rank computes with. Global cell ids are positions in TriMesh::triangles after
// renumbering; global edge ids are ranks of the pair (lower cell id, higher cell id or boundary
// position), so they do not depend on the partition.
struct LocalTriMesh {
  Part part;
  // Per local cell (ghosts included).
  std::vector<double> area;                // m^2
  std::vector<double> center_x, center_y;  // centroid
  // Per owned cell: its three edges, by increasing global edge id whatever the partition, and the
  // side it is on: +1 where the edge's normal points out of the cell, -1 where it points in.
  std::vector<std::array<LocalIndex, 3>> cell_edges;
  std::vector<std::array<std::int8_t, 3>> cell_sides;
  // Per local edge; edges without a ghost side come first: [0, inner_edges) need no exchange.
  LocalIndex inner_edges = 0;
  std::vector<GlobalId> edge_global;
  std::vector<LocalIndex> edge_left;     // the cell of lower global id; the normal points out of it
  std::vector<LocalIndex> edge_right;    // the other cell; -1 on a boundary
  std::vector<std::int32_t> edge_group;  // boundary group; -1 inside
  std::vector<double> edge_length;       // m
  std::vector<double> edge_nx, edge_ny;  // unit normal, from left to right
  LocalIndex edges() const { return LocalIndex(edge_left.size()); }
};

}  // namespace terrawave::domain
