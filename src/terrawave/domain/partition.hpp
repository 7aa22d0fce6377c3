// Parts of a triangle mesh: who owns which cell, and what a rank needs of it.
#pragma once

#include <vector>

#include "terrawave/domain/tri_mesh.hpp"
#include "terrawave/domain/tri_mesh_topology.hpp"

namespace terrawave::domain {

// The owner of each cell, in [0, parts): METIS k-way with a fixed seed, the same on every rank and
// in every run. Where a part would get fewer than 16 cells, runs of consecutive cells instead. With
// more parts than cells some parts stay empty. Throws LogicError for parts < 1.
std::vector<int> partition(const Topology& topology, int parts);
std::vector<int> partition(const TriMesh& mesh, int parts);

// This rank's share: the cells it owns, and a copy of each cell across one of their edges. Any
// assignment is legal. Needs no messages: every rank has the whole mesh.
//
// Inner cells and edges go by global id. Rim cells are chained so that what goes to one peer stands
// in one run where that can be (order_rim); ghosts go by owner, then by the owner's rim order, so
// that every receive list is a run.
LocalTriMesh build_local(const TriMesh& mesh, const Topology& topology,
                         const std::vector<int>& owner, int rank);
LocalTriMesh build_local(const TriMesh& mesh, const std::vector<int>& owner, int rank);

// How well a partition shares the work.
struct PartitionQuality {
  Index most = 0, least = 0;  // cells of the largest and of the smallest part
  int empty = 0;              // parts without cells
  Index cut = 0;              // edges between parts
  int most_peers = 0;         // of one part
  Index most_ghosts = 0;      // of one part
  int runs = 0, lists = 0;    // send lists that are one run, and all
};
PartitionQuality quality(const Topology& topology, const std::vector<int>& owner, int parts);

}  // namespace terrawave::domain
