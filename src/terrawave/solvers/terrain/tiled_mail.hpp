// Messages from tile to tile, however far apart.
#pragma once

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "terrawave/solvers/terrain/tiled_rings.hpp"

namespace terrawave::terrain {

// Letters of a plain type. Those to tiles of this rank arrive at once, those to other ranks with
// the next exchange. No order is kept.
template <class P>
class Mail final : public Post {
 public:
  // Letters wait in memory, however many there are.
  explicit Mail(const Rings& rings)
      : rings_(rings), arrived_(rings.count()), outgoing_(std::size_t(rings.comm().size())) {}
  // Where the store keeps its tiles in files, about one letter for 16 cells of a tile waits in
  // memory; the others wait in the store, under `name`.
  Mail(const Rings& rings, TileStore& store, const std::string& name) : Mail(rings) {
    if (!store.in_files()) return;
    const Tiling& t = rings.tiling();
    most_ = std::max(std::size_t{16}, std::size_t(t.tile_rows * t.tile_cols) / 16);
    store_ = &store;
    name_ = name + ".letters.";
    bunches_.resize(rings.count());
  }
  void send(Index tile, const P& letter) {
    const int rank = owner_of(rings_.tiling(), tile, rings_.comm().size());
    if (rank == rings_.comm().rank()) {
      arrive(slot(tile), letter);
    } else {
      outgoing_[std::size_t(rank)].push_back({tile, letter});
      ++leaving_;
    }
  }
  bool waits(std::size_t m) const override {
    return !arrived_[m].empty() || (store_ != nullptr && bunches_[m] > 0);
  }
  bool full() const override { return leaving_ > most_; }
  // Letters to a tile: all of them, or a bunch while others wait for the next visit.
  std::vector<P> take(std::size_t m) {
    if (arrived_[m].empty() && store_ != nullptr && bunches_[m] > 0) {
      const std::string file = name_ + std::to_string(--bunches_[m]);
      const auto letters = store_->get<P>(rings_.tile(m), file);
      store_->drop(rings_.tile(m), file);
      return letters;
    }
    waiting_ -= arrived_[m].size();
    return std::exchange(arrived_[m], {});
  }
  void exchange() override {
    if (rings_.comm().size() == 1) return;
    std::vector<comm::Bytes> outgoing;
    for (std::vector<Addressed>& letters : outgoing_)
      outgoing.push_back(to_bytes(std::exchange(letters, {})));
    leaving_ = 0;
    for (const comm::Bytes& bytes : rings_.comm().exchange(outgoing))
      for (const Addressed& one : from_bytes<Addressed>(bytes)) arrive(slot(one.tile), one.letter);
  }

 private:
  struct Addressed {
    Index tile = 0;
    P letter{};
  };
  // A rank's tiles are a run.
  std::size_t slot(Index tile) const { return std::size_t(tile - rings_.tile(0)); }
  void arrive(std::size_t m, const P& letter) {
    arrived_[m].push_back(letter);
    if (++waiting_ > most_) put_away();
  }
  // The letters to the tile with the most of them.
  void put_away() {
    const auto most = std::max_element(
        arrived_.begin(), arrived_.end(),
        [](const std::vector<P>& a, const std::vector<P>& b) { return a.size() < b.size(); });
    const auto m = std::size_t(most - arrived_.begin());
    store_->put(rings_.tile(m), name_ + std::to_string(bunches_[m]++), *most);
    waiting_ -= most->size();
    std::vector<P>().swap(*most);
  }

  const Rings& rings_;
  std::vector<std::vector<P>> arrived_;           // by tile of this rank
  std::vector<std::vector<Addressed>> outgoing_;  // by rank
  std::size_t waiting_ = 0, leaving_ = 0;         // letters of both
  std::size_t most_ = std::numeric_limits<std::size_t>::max();
  TileStore* store_ = nullptr;  // of letters that do not wait in memory
  std::string name_;
  std::vector<Index> bunches_;  // in the store, by tile of this rank
};

// Visits every tile once, then those that letters wait for, until none do. All ranks together.
template <class Visit>
void deliver(const Rings& rings, Post& post, const Visit& visit) {
  std::vector<std::uint8_t> due(rings.count(), 1);
  while (true) {
    together(rings.comm(), [&] {
      for (bool again = true; again;) {
        again = false;
        for (std::size_t m = 0; m < rings.count() && !post.full(); ++m) {
          if (due[m] == 0 && !post.waits(m)) continue;
          due[m] = 0;
          visit(m);
          again = true;
        }
      }
    });
    post.exchange();
    std::int64_t more = 0;
    for (std::size_t m = 0; m < rings.count(); ++m) more += due[m] + (post.waits(m) ? 1 : 0);
    if (rings.comm().max(more) == 0) return;
  }
}

}  // namespace terrawave::terrain
