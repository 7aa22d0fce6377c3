// This rank's share of a domain: the numbering contract that all unstructured domains keep.
#pragma once

#include <vector>

#include "terrawave/base/index.hpp"
#include "terrawave/comm/halo.hpp"

namespace terrawave::domain {

// Local cells are numbered [inner | rim | ghost]: inner cells need no ghost, rim cells do, ghosts
// are copies of cells owned by peers. A rank may own nothing.
struct Part {
  LocalIndex inner = 0;           // number of inner cells
  LocalIndex rim = 0;             // number of rim cells
  LocalIndex ghost = 0;           // number of ghost cells
  std::vector<GlobalId> global;   // global id of each local cell, ghosts included
  std::vector<comm::Peer> peers;  // send and receive lists, sorted by rank
  LocalIndex owned() const { return inner + rim; }
  LocalIndex total() const { return inner + rim + ghost; }
};

}  // namespace terrawave::domain
