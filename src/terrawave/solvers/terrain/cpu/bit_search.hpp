// Breadth-first search in bits: one word for 64 cells.
#pragma once

#include <utility>
#include <vector>

#include "terrawave/solvers/terrain/cpu/bit_tiles.hpp"

namespace terrawave::terrain::cpu {

// How many steps each cell is away, modulo 3: 1 + (steps - 1) % 3 as two bits, 0 where no seed is
// within reach. Seeds are at step 1.
class Steps {
 public:
  explicit Steps(const TileMap& map) : words_(std::size_t(map.tiles()) * kTile, 0) {}
  Word* low(Index t) { return words_.data() + t * kTile; }
  Word* high(Index t) { return low(t) + kTileSide; }
  const Word* low(Index t) const { return t < 0 ? kNone : words_.data() + t * kTile; }
  const Word* high(Index t) const { return low(t) + kTileSide; }

 private:
  static constexpr int kTile = 2 * kTileSide;
  static constexpr Word kNone[kTile] = {};
  std::vector<Word> words_;
};

// Breadth-first search inside the domain.
class Search {
 public:
  Search(const TileMap& map, const Plane& domain, bool diagonals)
      : map_(map),
        domain_(domain),
        diagonals_(diagonals),
        steps_(map),
        queued_(std::size_t(map.tiles()), 0) {}

  Word* seeds(Index t) { return steps_.low(t); }
  const Steps& steps() const { return steps_; }

  // Returns the number of steps to the furthest cell.
  Index run() {
    std::vector<Index> active, next;
    for (Index t = 0; t < map_.tiles(); ++t) queue_around(t, seeds(t), 2, active);
    Index step = 1;
    while (!active.empty()) {
      ++step;
      next.clear();
      for (const Index t : active) {
        Word fresh[kTileSide];
        if (advance(t, step, fresh)) queue_around(t, fresh, step + 1, next);
      }
      std::swap(active, next);
    }
    return step - 1;
  }

 private:
  // The cells of tile t that are reached at `step`. False when there are none. They are next to
  // cells of the step before; older cells of the same residue have no neighbours left to reach.
  bool advance(Index t, Index step, Word* fresh) {
    const Index before = (step - 2) % 3;
    const Word flip_low = before == 1 ? ~Word{0} : 0;
    const Word flip_high = before == 0 ? ~Word{0} : 0;
    Window w;
    w.load(map_, t, [&](Index n) {
      const Word* const low = std::as_const(steps_).low(n);
      return [=](int r) { return (low[r] ^ flip_low) & (low[kTileSide + r] ^ flip_high); };
    });
    const Word low_bit = before != 0 ? ~Word{0} : 0;
    const Word high_bit = before != 2 ? ~Word{0} : 0;
    const Word corners = diagonals_ ? ~Word{0} : 0;
    Word* const low = steps_.low(t);
    Word* const high = steps_.high(t);
    const Word* const domain = domain_.tile(t);
    Word any = 0;
#pragma omp simd reduction(| : any)
    for (int r = 0; r < kTileSide; ++r) {
      const Word above = w.mid[r] | (corners & (w.west[r] | w.east[r]));
      const Word below = w.mid[r + 2] | (corners & (w.west[r + 2] | w.east[r + 2]));
      const Word reached = above | below | w.west[r + 1] | w.east[r + 1];
      fresh[r] = reached & domain[r] & ~(low[r] | high[r]);
      low[r] |= fresh[r] & low_bit;
      high[r] |= fresh[r] & high_bit;
      any |= fresh[r];
    }
    return any != 0;
  }

  // Queues for `step` the tiles that `front` in tile t can reach.
  void queue_around(Index t, const Word* front, Index step, std::vector<Index>& queue) {
    Word all = 0;
    for (int r = 0; r < kTileSide; ++r) all |= front[r];
    if (all == 0) return;
    const TileMap::Around around = map_.around(t);
    const TileMap::Tile me = map_.tile(t);
    const auto put = [&](int down, int right) {
      const Index n = around.at(down, right);
      if (n < 0 || queued_[std::size_t(n)] == step) return;
      queued_[std::size_t(n)] = step;
      queue.push_back(n);
    };
    const auto sides = [&](int down, Word row) {
      if (row == 0) return;
      put(down, 0);
      if ((row & 1) != 0) put(down, -1);
      if ((row >> (me.width - 1) & 1) != 0) put(down, 1);
    };
    sides(0, all);
    sides(-1, front[0]);
    sides(1, front[me.height - 1]);
  }

  const TileMap& map_;
  const Plane& domain_;
  bool diagonals_;
  Steps steps_;
  std::vector<Index> queued_;  // the last step that a tile was queued for
};

}  // namespace terrawave::terrain::cpu
