// Messages from tile to tile, however far apart.
#pragma once

#include <utility>
#include <vector>

#include "terrawave/solvers/terrain/tiled_rings.hpp"

namespace terrawave::terrain {

// Letters of a plain type. Those to tiles of this rank arrive at once, those to other ranks with
// the next exchange.
template <class P>
class Mail final : public Post {
 public:
  explicit Mail(const Rings& rings)
      : rings_(rings), arrived_(rings.count()), outgoing_(std::size_t(rings.comm().size())) {}
  void send(Index tile, const P& letter) {
    const int rank = owner_of(rings_.tiling(), tile, rings_.comm().size());
    if (rank == rings_.comm().rank())
      arrived_[slot(tile)].push_back(letter);
    else
      outgoing_[std::size_t(rank)].push_back({tile, letter});
  }
  bool waits(std::size_t m) const override { return !arrived_[m].empty(); }
  std::vector<P> take(std::size_t m) { return std::exchange(arrived_[m], {}); }
  void exchange() override {
    if (rings_.comm().size() == 1) return;
    std::vector<comm::Bytes> outgoing;
    for (std::vector<Addressed>& letters : outgoing_)
      outgoing.push_back(to_bytes(std::exchange(letters, {})));
    for (const comm::Bytes& bytes : rings_.comm().exchange(outgoing))
      for (const Addressed& one : from_bytes<Addressed>(bytes))
        arrived_[slot(one.tile)].push_back(one.letter);
  }

 private:
  struct Addressed {
    Index tile = 0;
    P letter{};
  };
  // A rank's tiles are a run.
  std::size_t slot(Index tile) const { return std::size_t(tile - rings_.tile(0)); }

  const Rings& rings_;
  std::vector<std::vector<P>> arrived_;           // by tile of this rank
  std::vector<std::vector<Addressed>> outgoing_;  // by rank
};

// Visits every tile once, then those that letters wait for, until none do. All ranks together.
template <class Visit>
void deliver(const Rings& rings, Post& post, const Visit& visit) {
  bool first = true;
  while (true) {
    together(rings.comm(), [&] {
      for (bool again = true; again;) {
        again = false;
        for (std::size_t m = 0; m < rings.count(); ++m) {
          if (!first && !post.waits(m)) continue;
          visit(m);
          again = true;
        }
        first = false;
      }
    });
    post.exchange();
    std::int64_t more = 0;
    for (std::size_t m = 0; m < rings.count(); ++m) more += post.waits(m) ? 1 : 0;
    if (rings.comm().max(more) == 0) return;
  }
}

}  // namespace terrawave::terrain
