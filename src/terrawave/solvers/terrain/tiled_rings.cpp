#include "terrawave/solvers/terrain/tiled_rings.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace terrawave::terrain {
namespace {

template <class Visit>
void for_ring(const Tiling& tiling, Index tile, const Visit& visit) {
  const domain::Window in = tiling.window(tile);
  const domain::Window around = tiling.with_halo(tile, 1);
  for (Index r = 0; r < around.rows; ++r)
    for (Index c = 0; c < around.cols; ++c) {
      const Index row = around.row + r - in.row;
      const Index col = around.col + c - in.col;
      if (row >= 0 && row < in.rows && col >= 0 && col < in.cols) {
        c += in.cols - 1 - col;  // the tile itself
        continue;
      }
      visit(r * around.cols + c, tiling.cell(around.row + r, around.col + c));
    }
}

Index rim_of(const Tiling& tiling, Index tile, Index cell) {
  const domain::Window w = tiling.window(tile);
  return rim_index(w, cell / tiling.cols - w.row, cell % tiling.cols - w.col);
}

}  // namespace

std::vector<Index> ring_cells(const Tiling& tiling, Index tile) {
  std::vector<Index> cells;
  for_ring(tiling, tile, [&](Index, Index cell) { cells.push_back(cell); });
  return cells;
}

Rings::Rings(comm::Comm& comm, const Tiling& tiling)
    : comm_(comm), tiling_(tiling), tiles_(tiles_of_rank(tiling, comm)) {
  std::map<Index, std::int32_t> slot;
  for (std::size_t m = 0; m < tiles_.size(); ++m) slot[tiles_[m]] = std::int32_t(m);
  sources_.resize(tiles_.size());
  beside_.resize(tiles_.size());
  sent_.resize(std::size_t(comm.size()));
  std::vector<std::set<Index>> served(std::size_t(comm.size()));  // others' tiles beside mine
  std::vector<std::vector<std::pair<std::size_t, std::size_t>>> wanted(std::size_t(comm.size()));
  for (std::size_t m = 0; m < tiles_.size(); ++m) {
    std::set<std::size_t> beside;
    for_ring(tiling_, tiles_[m], [&](Index, Index cell) {
      const Index tile = tiling_.tile_of(cell);
      const int rank = owner_of(tiling_, tile, comm.size());
      if (rank == comm.rank()) {
        sources_[m].push_back({slot.at(tile), std::int32_t(rim_of(tiling_, tile, cell))});
        beside.insert(std::size_t(slot.at(tile)));
        return;
      }
      served[std::size_t(rank)].insert(tile);
      wanted[std::size_t(rank)].emplace_back(m, sources_[m].size());
      sources_[m].push_back({-1, 0});
    });
    beside_[m].assign(beside.begin(), beside.end());
  }
  for (std::size_t rank = 0; rank < sent_.size(); ++rank) {
    // Both sides list the cells in the order of the receiver's tiles and rings.
    for (const auto& [m, at] : wanted[rank]) {
      sources_[m][at].at = std::int32_t(wanted_by_.size());
      wanted_by_.push_back(m);
    }
    for (const Index theirs : served[rank])
      for_ring(tiling_, theirs, [&](Index, Index cell) {
        const Index tile = tiling_.tile_of(cell);
        if (const auto mine = slot.find(tile); mine != slot.end())
          sent_[rank].push_back({mine->second, std::int32_t(rim_of(tiling_, tile, cell))});
      });
  }
}

std::vector<Index> Rings::ring_positions(std::size_t m) const {
  std::vector<Index> positions;
  for_ring(tiling_, tiles_[m], [&](Index at, Index) { positions.push_back(at); });
  return positions;
}

std::vector<Index> Rings::rim_positions(std::size_t m) const {
  return terrain::rim_positions(tiling_.window(tiles_[m]));
}

Index Rings::rim_size(std::size_t m) const {
  const domain::Window w = tiling_.window(tiles_[m]);
  return rim_index(w, w.rows - 1, w.cols - 1) + 1;
}

}  // namespace terrawave::terrain
