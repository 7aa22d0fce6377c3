#include "terrawave/solvers/terrain/tiled_flats.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "terrawave/solvers/terrain/tiled_flat_search.hpp"
#include "terrawave/solvers/terrain/tiled_pool.hpp"

namespace terrawave::terrain {
namespace {

// Steps from the low edge and from higher ground; 0: none known.
struct Steps {
  std::int32_t toward = 0, away = 0;
  bool operator==(const Steps&) const = default;
};

// The flats of one tile, kept between visits. Arrays over `around`; the ring's steps are the
// neighbours'.
struct TileFlats {
  std::vector<std::uint8_t> same;  // neighbours in the same flat, a bit each; 0 in the ring
  std::vector<std::int32_t> toward, away;
};

bool stuck(Direction d, std::uint8_t state) { return d == kRoot && !is_base(state); }

// A cell of a tile: its positions in the tile and in `around`, its row and column there.
struct Place {
  Index inside, around, row, col;
};

// Calls visit(Place) for the tile's cells whose direction is kRoot, in their order; `direction`
// starts at the tile's first cell and has `stride` cells in a row.
template <class Visit>
void for_roots(const TileShape& shape, const Direction* direction, Index stride,
               const Visit& visit) {
  for (Index r = 0; r < shape.inside.rows; ++r) {
    const Direction* const row = direction + r * stride;
    const Index start = shape.row_start(r);
    const Index above = shape.inside.row - shape.around.row;
    const Index left = shape.inside.col - shape.around.col;
    for (Index c = 0; c < shape.inside.cols; ++c) {
      const void* const found = std::memchr(row + c, kRoot, std::size_t(shape.inside.cols - c));
      if (found == nullptr) break;
      c = static_cast<const Direction*>(found) - row;
      visit(Place{r * shape.inside.cols + c, start + c, above + r, left + c});
    }
  }
}
// Of directions of `around`.
template <class Visit>
void for_roots_around(const TileShape& shape, const std::vector<Direction>& direction,
                      const Visit& visit) {
  for_roots(shape, direction.data() + shape.row_start(0), shape.around.cols, visit);
}

// The first neighbour on the low edge of each cell that lies on it; kRoot elsewhere. Fills `flats`
// with the neighbours of the same flat and the first steps.
template <class T>
bool collect(const Block<T>& block, const std::vector<Direction>& direction, TileFlats& flats,
             std::vector<std::int32_t>& low, std::vector<std::int32_t>& high) {
  bool any = false;
  for_roots_around(block, direction, [&](const Place& place) {
    const Index a = place.around;
    const auto c = std::size_t(a);
    if (is_base(block.state[c])) return;
    any = true;
    unsigned same = 0;
    bool on_low_edge = false;
    bool beside_high = false;
    for (int k = 0; k < kNeighbours; ++k) {
      const Index to = block.grid.neighbour(place.row, place.col, k);
      if (to < 0 || !is_data(block.state[std::size_t(to)])) continue;
      const auto n = std::size_t(to);
      beside_high = beside_high || block.z[n] > block.z[c];
      if (block.z[n] != block.z[c]) continue;
      if (stuck(direction[n], block.state[n]))
        same |= 1u << k;
      else
        on_low_edge = true;
    }
    flats.same[c] = std::uint8_t(same);
    if (on_low_edge) low.push_back(std::int32_t(a));
    if (beside_high) high.push_back(std::int32_t(a));
  });
  return any;
}

// Spreads steps from `open` (whose steps are set) over the tile's own cells, least first.
class Spread {
 public:
  Spread(const Grid& grid, const std::vector<std::uint8_t>& same, std::vector<std::int32_t>& steps)
      : same_(same), steps_(steps) {
    for (int k = 0; k < kNeighbours; ++k)
      offset_[std::size_t(k)] = Index(kRowStep[k]) * grid.cols + kColStep[k];
  }
  void set(Index a, std::int32_t steps) {
    if (improves(a, steps)) seeds_.emplace_back(steps, std::int32_t(a));
  }
  // Breadth first: what a step reaches waits behind all that the step before has reached, so
  // steps rise along the queue, and seeds join it when their turn has come.
  void run() {
    std::sort(seeds_.begin(), seeds_.end());
    std::vector<Entry> open;
    std::size_t seed = 0;
    for (std::size_t at = 0; at < open.size() || seed < seeds_.size();) {
      const bool from_seeds =
          at == open.size() || (seed < seeds_.size() && seeds_[seed].first <= open[at].first);
      const auto [steps, a] = from_seeds ? seeds_[seed++] : open[at++];
      if (steps != steps_[std::size_t(a)]) continue;
      for (unsigned left = same_[std::size_t(a)]; left != 0; left &= left - 1) {
        const Index n = a + offset_[std::size_t(std::countr_zero(left))];
        // The ring's steps are not ours to set.
        if (same_[std::size_t(n)] != 0 && improves(n, steps + 1))
          open.emplace_back(steps + 1, std::int32_t(n));
      }
    }
    seeds_.clear();
  }

 private:
  using Entry = std::pair<std::int32_t, std::int32_t>;  // steps, position
  bool improves(Index a, std::int32_t steps) {
    std::int32_t& here = steps_[std::size_t(a)];
    if (here != 0 && here <= steps) return false;
    here = steps;
    return true;
  }
  const std::vector<std::uint8_t>& same_;
  std::vector<std::int32_t>& steps_;
  std::array<Index, kNeighbours> offset_{};
  std::vector<Entry> seeds_;
};

// Lets the steps of a changed ring cell into the tile.
void enter(const Grid& grid, const TileFlats& flats, Index ring_cell, std::int32_t steps,
           Spread& spread) {
  if (steps == 0) return;
  for (int k = 0; k < kNeighbours; ++k) {
    const Index n = grid.neighbour(ring_cell, k);
    if (n >= 0 && (flats.same[std::size_t(n)] >> opposite(k) & 1) != 0) spread.set(n, steps + 1);
  }
}

class FlatStore {
 public:
  explicit FlatStore(TileStore& store) : store_(store) {}
  void put(Index tile, const TileFlats& flats) {
    store_.put(tile, "flat.same", flats.same);
    put_steps(tile, flats);
  }
  void put_steps(Index tile, const TileFlats& flats) {
    store_.put(tile, "flat.toward", flats.toward);
    store_.put(tile, "flat.away", flats.away);
  }
  bool has(Index tile) const { return store_.has(tile, "flat.same"); }
  TileFlats get(Index tile) const {
    return {store_.get<std::uint8_t>(tile, "flat.same"),
            store_.get<std::int32_t>(tile, "flat.toward"),
            store_.get<std::int32_t>(tile, "flat.away")};
  }
  void drop(Index tile) {
    for (const char* what : {"flat.same", "flat.toward", "flat.away"}) store_.drop(tile, what);
  }

 private:
  TileStore& store_;
};

// The neighbour of least key 2 * toward - away in the same flat.
Direction nearest(const Grid& grid, const TileFlats& flats, Index a) {
  const auto key = [&](Index n) {
    return 2 * std::int64_t(flats.toward[std::size_t(n)]) - flats.away[std::size_t(n)];
  };
  std::int64_t best = key(a);
  Direction direction = kRoot;
  for (unsigned left = flats.same[std::size_t(a)]; left != 0; left &= left - 1) {
    const int k = std::countr_zero(left);
    const Index n = a + Index(kRowStep[k]) * grid.cols + kColStep[k];
    if (key(n) >= best) continue;
    best = key(n);
    direction = Direction(k);
  }
  return direction;
}

// The first neighbour of equal height that is not stuck, or kRoot.
template <class T>
Direction low_edge(const Block<T>& block, const std::vector<Direction>& direction, Index a) {
  for (int k = 0; k < kNeighbours; ++k) {
    const Index n = block.grid.neighbour(a, k);
    if (n < 0 || !is_data(block.state[std::size_t(n)])) continue;
    if (block.z[std::size_t(n)] == block.z[std::size_t(a)] &&
        !stuck(direction[std::size_t(n)], block.state[std::size_t(n)]))
      return Direction(k);
  }
  return kRoot;
}

}  // namespace

template <class T>
bool has_flats(const Block<T>& block, const std::vector<Direction>& direction) {
  bool found = false;
  for_roots_around(block, direction, [&](const Place& place) {
    const auto a = std::size_t(place.around);
    if (found || is_base(block.state[a])) return;
    for (int k = 0; k < kNeighbours && !found; ++k) {
      const Index n = block.grid.neighbour(place.row, place.col, k);
      found =
          n >= 0 && is_data(block.state[std::size_t(n)]) && block.z[std::size_t(n)] == block.z[a];
    }
  });
  return found;
}

template <class T>
void tiled_resolve_flats(const TileQueue& queue, const Rings& rings, TileStore& store,
                         const std::vector<std::uint8_t>& level, const ReadBlock<T>& read) {
  RimField<Direction> edges(rings, kNoDirection);
  FlatStore kept(store);
  const auto directions = [&](std::size_t m, const Block<T>& block) {
    return block.join(store.get<Direction>(rings.tile(m), "downhill"), edges.ring(m));
  };
  together(rings.comm(), [&] {
    for (std::size_t m = 0; m < rings.count(); ++m)
      edges.take(m, store.get<Direction>(rings.tile(m), "downhill"));
  });
  edges.exchange();
  if (queue.kernels()) return search_flats(queue, rings, store, level, read, edges);

  RimField<Steps> steps(rings, Steps{});
  const auto show = [&](std::size_t m, const TileShape& block, const TileFlats& flats) {
    const std::vector<Index> rim = rings.rim_positions(m);
    for (std::size_t k = 0; k < rim.size(); ++k) {
      const auto a = std::size_t(block.around_of(rim[k]));
      steps.rim(m)[k] = {flats.toward[a], flats.away[a]};
    }
  };
  together(rings.comm(), [&] {
    for (std::size_t m = 0; m < rings.count(); ++m) {
      if (level[m] == 0) continue;
      const Block<T> block = read(m);
      const std::vector<Direction> direction = directions(m, block);
      TileFlats flats;
      flats.same.assign(direction.size(), 0);
      std::vector<std::int32_t> low, high;
      if (!collect(block, direction, flats, low, high)) continue;
      flats.toward.assign(direction.size(), 0);
      flats.away.assign(direction.size(), 0);
      for (auto [seeds, values] : {std::pair(&low, &flats.toward), std::pair(&high, &flats.away)}) {
        Spread spread(block.grid, flats.same, *values);
        for (const std::int32_t a : *seeds) spread.set(a, 1);
        spread.run();
      }
      show(m, block, flats);
      kept.put(rings.tile(m), flats);
    }
  });
  steps.exchange();

  const Tiling& tiling = rings.tiling();
  constexpr double kCell = 1 + 2 * 4;
  TilePool<TileFlats> pool(
      store.at_once(kCell * double(tiling.tile_rows) * double(tiling.tile_cols)));
  const auto get = [&](std::size_t m) {
    return std::make_unique<TileFlats>(kept.get(rings.tile(m)));
  };
  const auto put_away = [&](std::size_t m, const TileFlats& flats) {
    kept.put_steps(rings.tile(m), flats);
  };
  const auto visit = [&](std::size_t m) {
    if (!kept.has(rings.tile(m))) return;
    TileFlats& flats = pool.get(m, get, put_away);
    TileShape block;
    block.inside = rings.tiling().window(rings.tile(m));
    block.around = rings.tiling().with_halo(rings.tile(m), 1);
    block.grid.rows = block.around.rows;
    block.grid.cols = block.around.cols;
    const std::vector<Index> at = rings.ring_positions(m);
    const std::vector<Steps> ring = steps.ring(m);
    Spread toward(block.grid, flats.same, flats.toward);
    Spread away(block.grid, flats.same, flats.away);
    bool changed = false;
    for (std::size_t k = 0; k < at.size(); ++k) {
      const auto a = std::size_t(at[k]);
      if (flats.toward[a] == ring[k].toward && flats.away[a] == ring[k].away) continue;
      changed = true;
      flats.toward[a] = ring[k].toward;
      flats.away[a] = ring[k].away;
      enter(block.grid, flats, at[k], ring[k].toward, toward);
      enter(block.grid, flats, at[k], ring[k].away, away);
    }
    if (!changed) return;
    toward.run();
    away.run();
    show(m, block, flats);
  };
  settle(rings, steps, visit, nullptr, [&](std::size_t m) { return pool.holds(m); });

  together(rings.comm(), [&] {
    pool.clear(put_away);
    for (std::size_t m = 0; m < rings.count(); ++m) {
      const Index tile = rings.tile(m);
      if (!kept.has(tile)) continue;
      const TileFlats flats = kept.get(tile);
      kept.drop(tile);
      const Block<T> block = read(m);
      const std::vector<Direction> old = directions(m, block);
      std::vector<Direction> drained = block.cut(old);
      for_roots_around(block, old, [&](const Place& place) {
        const std::int32_t toward = flats.toward[std::size_t(place.around)];
        if (toward == 0) return;
        // The first step is the low edge.
        drained[std::size_t(place.inside)] = toward == 1 ? low_edge(block, old, place.around)
                                                         : nearest(block.grid, flats, place.around);
      });
      store.put(tile, "downhill", drained);
    }
  });
}

template <class T>
void drain_by_map_index(const TileQueue& queue, const Block<T>& block,
                        std::vector<Direction>& direction) {
  if (queue.kernels()) return drain_by_kernels(queue, block, direction);
  for_roots(block, direction.data(), block.inside.cols, [&](const Place& place) {
    const Index a = place.around;
    if (is_base(block.state[std::size_t(a)])) return;
    for (int k = 0; k < kNeighbours; ++k) {
      const Index to = block.grid.neighbour(place.row, place.col, k);
      if (to < 0) continue;
      const auto n = std::size_t(to);
      if (!is_data(block.state[n]) || block.z[n] != block.z[std::size_t(a)]) continue;
      if (!is_base(block.state[n]) && block.global(to) >= block.global(a)) continue;
      direction[std::size_t(place.inside)] = Direction(k);
      break;
    }
  });
}

#define TERRAWAVE_FOR(T)                                                                       \
  template bool has_flats<T>(const Block<T>&, const std::vector<Direction>&);                  \
  template void tiled_resolve_flats<T>(const TileQueue&, const Rings&, TileStore&,             \
                                       const std::vector<std::uint8_t>&, const ReadBlock<T>&); \
  template void drain_by_map_index<T>(const TileQueue&, const Block<T>&, std::vector<Direction>&);
TERRAWAVE_FOR(std::uint8_t)
TERRAWAVE_FOR(std::int16_t)
TERRAWAVE_FOR(std::uint16_t)
TERRAWAVE_FOR(std::int32_t)
TERRAWAVE_FOR(float)
TERRAWAVE_FOR(double)
#undef TERRAWAVE_FOR

}  // namespace terrawave::terrain
