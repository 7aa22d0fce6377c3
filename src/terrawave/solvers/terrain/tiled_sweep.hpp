// Values that follow the flow over tiles, each computed once, when all that it depends on is final:
// from donors to receivers (sums, orders) or from receivers to donors (labels, lengths). A tile is
// worked on whenever new values reach its ring, so each cell is computed from the same operands in
// the same order as in one piece.
#pragma once

#include <bit>
#include <span>
#include <string>
#include <vector>

#include "terrawave/base/error.hpp"
#include "terrawave/solvers/terrain/tiled_input.hpp"
#include "terrawave/solvers/terrain/tiled_rings.hpp"

namespace terrawave::terrain {

// What a rim cell shows to the tiles around it. A value never changes once it is known.
template <class V>
struct Known {
  V value{};
  std::uint8_t known = 0;
  bool operator==(const Known& o) const { return known == o.known; }
};

// Which neighbours each cell of `around` gives flow to (a bit each), and whether it holds data.
struct FlowBits {
  TileShape shape;
  std::vector<std::uint8_t> gives, data;
};

template <class V>
struct Donor {
  Index at = 0;  // position in `around`
  int k = 0;     // it is the cell's neighbour k
  V value{};
};

template <class V>
struct SweepState {
  std::vector<V> value;               // of `around`
  std::vector<std::uint8_t> waiting;  // donors that are not final, or one of these
  static constexpr std::uint8_t final = 255, nodata = 254;
};

template <class V>
class SweepStore {
 public:
  SweepStore(TileStore& store, std::string name) : store_(store), name_(std::move(name)) {}
  bool has(Index tile) const { return store_.has(tile, name_ + ".waiting"); }
  SweepState<V> get(Index tile) const {
    return {store_.get<V>(tile, name_ + ".value"),
            store_.get<std::uint8_t>(tile, name_ + ".waiting")};
  }
  void put(Index tile, const SweepState<V>& state) {
    store_.put(tile, name_ + ".value", state.value);
    store_.put(tile, name_ + ".waiting", state.waiting);
  }
  // Keeps the tile's own values under the name; returns how many cells are not final.
  Index finish(const TileShape& shape, Index tile) {
    const SweepState<V> state = get(tile);
    store_.drop(tile, name_ + ".value");
    store_.drop(tile, name_ + ".waiting");
    Index left = 0;
    for (Index i = 0; i < shape.inside.size(); ++i)
      left += state.waiting[std::size_t(shape.around_of(i))] < SweepState<V>::nodata ? 1 : 0;
    store_.put(tile, name_, shape.cut(state.value));
    return left;
  }

 private:
  TileStore& store_;
  std::string name_;
};

// From donors to receivers. bits(m): FlowBits of tile m; start(m): the value of each of its cells
// without donors (and at nodata); join(m) gives a functor V(Index a, V own, span of donors in the
// order of neighbours). Results stay in the store under `name`.
template <class V, class Bits, class Start, class Join>
void sweep_down(const Rings& rings, TileStore& store, const std::string& name, const Bits& bits,
                const Start& start, const Join& join) {
  using State = SweepState<V>;
  SweepStore<V> kept(store, name);
  RimField<Known<V>> rims(rings, Known<V>{});
  const auto visit = [&](std::size_t m) {
    const Index tile = rings.tile(m);
    const FlowBits flow = bits(m);
    const TileShape& shape = flow.shape;
    const bool fresh = !kept.has(tile);
    const std::vector<Index> at = rings.ring_positions(m);
    const std::vector<Known<V>> ring = rims.ring(m);
    State s = fresh ? State{} : kept.get(tile);
    std::vector<std::int32_t> ready;
    const auto gives_to = [&](Index n, int k) {  // neighbour k, at n, gives to the cell
      return n >= 0 && (flow.gives[std::size_t(n)] >> opposite(k) & 1) != 0;
    };
    if (fresh) {
      s.value = shape.join(start(m), std::vector<V>(at.size(), V{}));
      s.waiting.assign(s.value.size(), 0);
      for (Index i = 0; i < shape.inside.size(); ++i) {
        const Index a = shape.around_of(i);
        std::uint8_t& waiting = s.waiting[std::size_t(a)];
        if (flow.data[std::size_t(a)] == 0) {
          waiting = State::nodata;
          continue;
        }
        const Index row = a / shape.around.cols;
        for (int k = 0; k < kNeighbours; ++k)
          if (gives_to(neighbour8(shape, row, a - row * shape.around.cols, k), k)) ++waiting;
        if (waiting == 0) ready.push_back(std::int32_t(a));
      }
    }
    const auto pass_on = [&](Index a) {
      for (unsigned left = flow.gives[std::size_t(a)]; left != 0; left &= left - 1) {
        const Index row = a / shape.around.cols;
        const Index n = neighbour8(shape, row, a - row * shape.around.cols, std::countr_zero(left));
        if (n < 0 || !shape.is_inside(n) || s.waiting[std::size_t(n)] >= State::nodata) continue;
        if (--s.waiting[std::size_t(n)] == 0) ready.push_back(std::int32_t(n));
      }
    };
    for (std::size_t k = 0; k < at.size(); ++k) {
      const auto a = std::size_t(at[k]);
      if (ring[k].known == 0 || s.waiting[a] == State::final) continue;
      s.waiting[a] = State::final;
      s.value[a] = ring[k].value;
      pass_on(at[k]);
    }
    const auto combine = join(m);
    while (!ready.empty()) {
      const Index a = ready.back();
      ready.pop_back();
      Donor<V> donors[kNeighbours];
      std::size_t count = 0;
      const Index row = a / shape.around.cols;
      for (int k = 0; k < kNeighbours; ++k) {
        const Index n = neighbour8(shape, row, a - row * shape.around.cols, k);
        if (gives_to(n, k)) donors[count++] = {n, k, s.value[std::size_t(n)]};
      }
      s.value[std::size_t(a)] =
          combine(a, s.value[std::size_t(a)], std::span<const Donor<V>>(donors, count));
      s.waiting[std::size_t(a)] = State::final;
      pass_on(a);
    }
    const std::vector<Index> rim = rings.rim_positions(m);
    for (std::size_t k = 0; k < rim.size(); ++k) {
      const auto a = std::size_t(shape.around_of(rim[k]));
      if (s.waiting[a] == State::final) rims.rim(m)[k] = {s.value[a], 1};
    }
    kept.put(tile, s);
  };
  settle(rings, rims, visit);
  together(rings.comm(), [&] {
    for (std::size_t m = 0; m < rings.count(); ++m)
      require(kept.finish(bits(m).shape, rings.tile(m)) == 0, "sweep_down: flow runs in a loop");
  });
}

// From receivers to donors, one receiver for each cell. bits(m) as above; roots(m) gives a functor
// V(Index a) for cells that give to nobody, step(m) one V(Index a, int k, V below) for the others,
// whose receiver is neighbour k. Nodata cells get `none`.
template <class V, class Bits, class Roots, class Step>
void sweep_up(const Rings& rings, TileStore& store, const std::string& name, const Bits& bits,
              const V& none, const Roots& roots, const Step& step) {
  using State = SweepState<V>;
  SweepStore<V> kept(store, name);
  RimField<Known<V>> rims(rings, Known<V>{});
  const auto visit = [&](std::size_t m) {
    const Index tile = rings.tile(m);
    const FlowBits flow = bits(m);
    const TileShape& shape = flow.shape;
    const bool fresh = !kept.has(tile);
    const std::vector<Index> at = rings.ring_positions(m);
    const std::vector<Known<V>> ring = rims.ring(m);
    State s = fresh ? State{} : kept.get(tile);
    std::vector<std::int32_t> open;
    if (fresh) {
      s.value.assign(std::size_t(shape.around.size()), none);
      s.waiting.assign(s.value.size(), 0);
      const auto root = roots(m);
      for (Index i = 0; i < shape.inside.size(); ++i) {
        const auto a = std::size_t(shape.around_of(i));
        if (flow.data[a] == 0) {
          s.waiting[a] = State::nodata;
        } else if (flow.gives[a] == 0) {
          s.value[a] = root(Index(a));
          s.waiting[a] = State::final;
          open.push_back(std::int32_t(a));
        }
      }
    }
    for (std::size_t k = 0; k < at.size(); ++k) {
      const auto a = std::size_t(at[k]);
      if (ring[k].known == 0 || s.waiting[a] == State::final) continue;
      s.waiting[a] = State::final;
      s.value[a] = ring[k].value;
      open.push_back(std::int32_t(at[k]));
    }
    const auto above = step(m);
    while (!open.empty()) {
      const Index a = open.back();
      open.pop_back();
      const Index row = a / shape.around.cols;
      for (int k = 0; k < kNeighbours; ++k) {
        const Index n = neighbour8(shape, row, a - row * shape.around.cols, k);
        if (n < 0 || (flow.gives[std::size_t(n)] >> opposite(k) & 1) == 0) continue;
        if (!shape.is_inside(n) || s.waiting[std::size_t(n)] != 0) continue;
        s.value[std::size_t(n)] = above(n, opposite(k), s.value[std::size_t(a)]);
        s.waiting[std::size_t(n)] = State::final;
        open.push_back(std::int32_t(n));
      }
    }
    const std::vector<Index> rim = rings.rim_positions(m);
    for (std::size_t k = 0; k < rim.size(); ++k) {
      const auto a = std::size_t(shape.around_of(rim[k]));
      if (s.waiting[a] == State::final) rims.rim(m)[k] = {s.value[a], 1};
    }
    kept.put(tile, s);
  };
  settle(rings, rims, visit);
  together(rings.comm(), [&] {
    for (std::size_t m = 0; m < rings.count(); ++m)
      require(kept.finish(bits(m).shape, rings.tile(m)) == 0, "sweep_up: flow runs in a loop");
  });
}

}  // namespace terrawave::terrain
