// The order in which a part keeps the cells that its peers need.
#pragma once

#include <array>
#include <vector>

#include "terrawave/domain/tri_mesh_topology.hpp"

namespace terrawave::domain {

// A cell with a neighbour of another owner.
struct RimCell {
  LocalIndex cell = 0;  // global
  int peers = 0;        // how many ranks get it
  std::array<int, 3> peer{};
  bool goes_to(int rank) const {
    for (int i = 0; i < peers; ++i)
      if (peer[std::size_t(i)] == rank) return true;
    return false;
  }
  // Keeps the peers sorted, each once.
  void add(int rank) {
    if (goes_to(rank)) return;
    auto i = std::size_t(peers++);
    for (; i > 0 && peer[i - 1] > rank; --i) peer[i] = peer[i - 1];
    peer[i] = rank;
  }
};

// The rim cells of every part, by part and cell.
std::vector<std::vector<RimCell>> find_rims(const Topology& topology, const std::vector<int>& owner,
                                            int parts);

// Orders one part's rim. Peers are chained, each link the cells that go to both: what goes to one
// peer is then one run, overlapping the next (the ordering of de la Asuncion et al. 2011, there for
// one cell per link). A cell that goes to two peers that are not neighbours in the chain, because
// they close a ring or branch off, stands with one of them; the other's list is then no run.
void order_rim(std::vector<RimCell>& rim);

}  // namespace terrawave::domain
