// What lies around each tile: the rims of its neighbours, on this rank or another.
#pragma once

#include <functional>
#include <vector>

#include "terrawave/comm/comm.hpp"
#include "terrawave/solvers/terrain/tiled_plan.hpp"

namespace terrawave::terrain {

// For the m-th tile of this rank: its rim (cells on its edge, by rim_positions) and its ring (the
// cells around it, in the row order of with_halo(tile, 1)), and whose rim each ring cell is.
class Rings {
 public:
  Rings(comm::Comm& comm, const Tiling& tiling);

  comm::Comm& comm() const { return comm_; }
  const Tiling& tiling() const { return tiling_; }
  std::size_t count() const { return tiles_.size(); }
  Index tile(std::size_t m) const { return tiles_[m]; }
  const std::vector<Index>& tiles() const { return tiles_; }
  // Positions of the ring in with_halo(tile, 1), and of the rim in window(tile).
  std::vector<Index> ring_positions(std::size_t m) const;
  std::vector<Index> rim_positions(std::size_t m) const;
  Index rim_size(std::size_t m) const;
  // Tiles of this rank whose ring holds cells of tile m (itself where edges meet).
  const std::vector<std::size_t>& beside(std::size_t m) const { return beside_[m]; }

  struct Place {
    std::int32_t slot = -1;  // tile of this rank, or -1: received from another rank
    std::int32_t at = 0;     // position in that rim, or in what was received
  };
  const std::vector<Place>& sources(std::size_t m) const { return sources_[m]; }
  const std::vector<std::vector<Place>>& sent() const { return sent_; }     // by rank
  const std::vector<std::size_t>& wanted_by() const { return wanted_by_; }  // of each received

 private:
  comm::Comm& comm_;
  Tiling tiling_;
  std::vector<Index> tiles_;
  std::vector<std::vector<Place>> sources_;
  std::vector<std::vector<std::size_t>> beside_;
  std::vector<std::vector<Place>> sent_;
  std::vector<std::size_t> wanted_by_;
};

// Cells around a tile as linear indices of the map, in the order of its ring.
std::vector<Index> ring_cells(const Tiling& tiling, Index tile);

// A value for each rim cell. Tiles of this rank see each other's at once, those of other ranks as
// of the last exchange.
template <class V>
class RimField {
 public:
  RimField(const Rings& rings, const V& initial) : rings_(rings) {
    for (std::size_t m = 0; m < rings.count(); ++m)
      rims_.emplace_back(std::size_t(rings.rim_size(m)), initial);
    received_.assign(rings.wanted_by().size(), initial);
  }
  std::vector<V>& rim(std::size_t m) { return rims_[m]; }
  const V& at(const Rings::Place& p) const {
    return p.slot >= 0 ? rims_[std::size_t(p.slot)][std::size_t(p.at)]
                       : received_[std::size_t(p.at)];
  }
  // Takes the rim out of values of the whole tile.
  void take(std::size_t m, const std::vector<V>& values) {
    const std::vector<Index> at = rings_.rim_positions(m);
    for (std::size_t i = 0; i < at.size(); ++i) rims_[m][i] = values[std::size_t(at[i])];
  }
  std::vector<V> ring(std::size_t m) const {
    std::vector<V> values;
    values.reserve(rings_.sources(m).size());
    for (const Rings::Place& p : rings_.sources(m)) values.push_back(at(p));
    return values;
  }
  // All ranks together. Marks in `due` the tiles whose ring changed.
  void exchange(std::vector<std::uint8_t>* due = nullptr) {
    comm::Comm& comm = rings_.comm();
    if (comm.size() == 1) return;
    std::vector<comm::Bytes> outgoing(std::size_t(comm.size()));
    for (std::size_t rank = 0; rank < outgoing.size(); ++rank) {
      std::vector<V> values;
      for (const Rings::Place& p : rings_.sent()[rank])
        values.push_back(rims_[std::size_t(p.slot)][std::size_t(p.at)]);
      outgoing[rank] = to_bytes(values);
    }
    const std::vector<comm::Bytes> incoming = comm.exchange(outgoing);
    std::size_t at = 0;
    for (const comm::Bytes& bytes : incoming)
      for (const V& value : from_bytes<V>(bytes)) {
        if (due != nullptr && !(value == received_[at])) (*due)[rings_.wanted_by()[at]] = 1;
        received_[at++] = value;
      }
  }

 private:
  const Rings& rings_;
  std::vector<std::vector<V>> rims_;
  std::vector<V> received_;
};

// What tiles wait for besides their rings.
class Post {
 public:
  virtual ~Post() = default;
  virtual bool waits(std::size_t m) const = 0;  // for the m-th tile of this rank
  virtual bool full() const { return false; }   // exchange before more is sent
  virtual void exchange() = 0;                  // all ranks together
};

// Tiles [first, end) of this rank.
struct TileRun {
  std::size_t first = 0, end = 0;
};

// Visits runs of tiles until no ring changes any more and no post waits: visit(k) reads the rings
// of the tiles of runs[k] and sets their rims. Every run is visited once at least, in turn; those
// that held(k) says are in memory before others. All ranks together.
template <class V, class Visit>
void settle_runs(const Rings& rings, RimField<V>& field, const std::vector<TileRun>& runs,
                 const Visit& visit, Post* post = nullptr,
                 const std::function<bool(std::size_t)>& held = {}) {
  std::vector<std::uint8_t> due(rings.count(), 1);
  const auto is_due = [&](const TileRun& run) {
    for (std::size_t m = run.first; m < run.end; ++m)
      if (due[m] != 0 || (post != nullptr && post->waits(m))) return true;
    return false;
  };
  // The next run from `from` on, round and round; `count`: none.
  const std::size_t count = runs.size();
  const auto next = [&](std::size_t from) {
    std::size_t other = count;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t k = (from + i) % count;
      if (!is_due(runs[k])) continue;
      if (!held || held(k)) return k;
      if (other == count) other = k;
    }
    return other;
  };
  const auto visit_run = [&](std::size_t k) {
    std::vector<std::vector<V>> before;
    for (std::size_t m = runs[k].first; m < runs[k].end; ++m) {
      due[m] = 0;
      before.push_back(field.rim(m));
    }
    visit(k);
    for (std::size_t m = runs[k].first; m < runs[k].end; ++m)
      if (!(field.rim(m) == before[m - runs[k].first]))
        for (const std::size_t n : rings.beside(m)) due[n] = 1;
  };
  const auto work = [&] {
    for (std::size_t k = next(0); k < count; k = next(k + 1)) {
      if (post != nullptr && post->full()) return;
      visit_run(k);
    }
  };
  while (true) {
    together(rings.comm(), work);
    if (rings.comm().size() == 1) return;
    field.exchange(&due);
    if (post != nullptr) post->exchange();
    std::int64_t more = 0;
    for (const TileRun& run : runs) more += is_due(run) ? 1 : 0;
    if (rings.comm().max(more) == 0) return;
  }
}

// The same with a visit for each tile: visit(m) reads field.ring(m) and sets field.rim(m).
template <class V, class Visit>
void settle(const Rings& rings, RimField<V>& field, const Visit& visit, Post* post = nullptr,
            const std::function<bool(std::size_t)>& held = {}) {
  std::vector<TileRun> each;
  for (std::size_t m = 0; m < rings.count(); ++m) each.push_back({m, m + 1});
  settle_runs(rings, field, each, visit, post, held);
}

}  // namespace terrawave::terrain
