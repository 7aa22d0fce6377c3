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
#include "terrawave/solvers/terrain/tiled_links.hpp"
#include "terrawave/solvers/terrain/tiled_mail.hpp"

namespace terrawave::terrain {

// What a rim cell shows to the tiles around it. A value never changes once it is known.
template <class V>
struct Known {
  V value{};
  std::uint8_t known = 0;
  bool operator==(const Known& o) const { return known == o.known; }
};

// Which neighbours each cell of `around` gives flow to (a bit each), and whether it holds data; and
// the tile's jumps.
struct FlowBits {
  TileShape shape;
  std::vector<std::uint8_t> gives, data;
  TileJumps jumps = {};
};

template <class V>
struct Donor {
  Index at = -1;  // position in `around`; of a jump -1
  int k = -1;     // it is the cell's neighbour k
  V value{};
  Index root = -1;  // of a jump: linear index of the map
};

// From a cell to its receiver: neighbour k, or a jump to a cell of the map.
struct Hop {
  int k = -1;
  Index target = -1;
};

// A final value at one end of a jump, for the other end.
template <class V>
struct JumpValue {
  TileJump jump;
  V value{};
};

template <class V>
struct SweepState {
  std::vector<V> value;               // of `around`
  std::vector<std::uint8_t> waiting;  // donors that are not final, or one of these
  std::vector<V> jumped;              // of the roots of jumps into the tile, in their order
  static constexpr std::uint8_t final = 255, nodata = 254;
};

template <class V>
class SweepStore {
 public:
  SweepStore(TileStore& store, std::string name) : store_(store), name_(std::move(name)) {}
  bool has(Index tile) const { return store_.has(tile, name_ + ".waiting"); }
  SweepState<V> get(Index tile) const {
    return {store_.get<V>(tile, name_ + ".value"),
            store_.get<std::uint8_t>(tile, name_ + ".waiting"),
            store_.has(tile, name_ + ".jumped") ? store_.get<V>(tile, name_ + ".jumped")
                                                : std::vector<V>()};
  }
  void put(Index tile, const SweepState<V>& state) {
    store_.put(tile, name_ + ".value", state.value);
    store_.put(tile, name_ + ".waiting", state.waiting);
    if (!state.jumped.empty()) store_.put(tile, name_ + ".jumped", state.jumped);
  }
  // Keeps the tile's own values under the name; returns how many cells are not final.
  Index finish(const TileShape& shape, Index tile, bool mark_left = false) {
    const SweepState<V> state = get(tile);
    store_.drop(tile, name_ + ".value");
    store_.drop(tile, name_ + ".waiting");
    store_.drop(tile, name_ + ".jumped");
    Index left = 0;
    std::vector<std::uint8_t> mark(std::size_t(mark_left ? shape.inside.size() : 0));
    for (Index i = 0; i < shape.inside.size(); ++i) {
      const bool waits = state.waiting[std::size_t(shape.around_of(i))] < SweepState<V>::nodata;
      left += waits ? 1 : 0;
      if (mark_left) mark[std::size_t(i)] = waits ? 1 : 0;
    }
    if (mark_left) store_.put(tile, name_ + ".left", mark);
    store_.put(tile, name_, shape.cut(state.value));
    return left;
  }

 private:
  TileStore& store_;
  std::string name_;
};

// Whether flow may run in loops: its cells are never final, and are marked as name + ".left".
enum class Cycles { none, left };

// From donors to receivers. bits(m): FlowBits of tile m; start(m): the value of each of its cells
// without donors (and at nodata); join(m) gives a functor V(Index a, V own, span of donors in the
// order of neighbours, jumps last by their roots). Results stay in the store under `name`.
// Returns the number of this rank's cells that are not final.
template <class V, class Bits, class Start, class Join>
Index sweep_down(const Rings& rings, TileStore& store, const std::string& name, const Bits& bits,
                 const Start& start, const Join& join, Cycles cycles = Cycles::none) {
  using State = SweepState<V>;
  SweepStore<V> kept(store, name);
  RimField<Known<V>> rims(rings, Known<V>{});
  Mail<JumpValue<V>> mail(rings);
  const auto visit = [&](std::size_t m) {
    const Index tile = rings.tile(m);
    const FlowBits flow = bits(m);
    const TileShape& shape = flow.shape;
    const std::vector<TileJump>& jumps_in = flow.jumps.in;
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
      s.jumped.resize(jumps_in.size());
      for (const TileJump& jump : jumps_in) ++s.waiting[std::size_t(shape.around_at(jump.target))];
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
    const auto receive = [&](const JumpValue<V>& letter) {
      s.jumped[flow.jumps.place(letter.jump)] = letter.value;
      const Index a = shape.around_at(letter.jump.target);
      if (--s.waiting[std::size_t(a)] == 0) ready.push_back(std::int32_t(a));
    };
    const auto jump_on = [&](Index a) {
      if (flow.jumps.out.empty() || flow.gives[std::size_t(a)] != 0) return;
      const TileJump* jump = flow.jumps.from(shape.global(a));
      if (jump == nullptr) return;
      const JumpValue<V> letter = {*jump, s.value[std::size_t(a)]};
      if (const Index to = rings.tiling().tile_of(jump->target); to == tile)
        receive(letter);
      else
        mail.send(to, letter);
    };
    for (const JumpValue<V>& letter : mail.take(m)) receive(letter);
    for (std::size_t k = 0; k < at.size(); ++k) {
      const auto a = std::size_t(at[k]);
      if (ring[k].known == 0 || s.waiting[a] == State::final) continue;
      s.waiting[a] = State::final;
      s.value[a] = ring[k].value;
      pass_on(at[k]);
    }
    const auto combine = join(m);
    std::vector<Donor<V>> donors;
    while (!ready.empty()) {
      const Index a = ready.back();
      ready.pop_back();
      donors.clear();
      const Index row = a / shape.around.cols;
      for (int k = 0; k < kNeighbours; ++k) {
        const Index n = neighbour8(shape, row, a - row * shape.around.cols, k);
        if (gives_to(n, k)) donors.push_back({n, k, s.value[std::size_t(n)]});
      }
      if (!jumps_in.empty())
        for (const TileJump& jump : flow.jumps.into(shape.global(a)))
          donors.push_back({-1, -1, s.jumped[std::size_t(&jump - jumps_in.data())], jump.root});
      s.value[std::size_t(a)] =
          combine(a, s.value[std::size_t(a)], std::span<const Donor<V>>(donors));
      s.waiting[std::size_t(a)] = State::final;
      pass_on(a);
      jump_on(a);
    }
    const std::vector<Index> rim = rings.rim_positions(m);
    for (std::size_t k = 0; k < rim.size(); ++k) {
      const auto a = std::size_t(shape.around_of(rim[k]));
      if (s.waiting[a] == State::final) rims.rim(m)[k] = {s.value[a], 1};
    }
    kept.put(tile, s);
  };
  settle(rings, rims, visit, &mail);
  Index left = 0;
  together(rings.comm(), [&] {
    for (std::size_t m = 0; m < rings.count(); ++m)
      left += kept.finish(bits(m).shape, rings.tile(m), cycles == Cycles::left);
    require(left == 0 || cycles == Cycles::left, "sweep_down: flow runs in a loop");
  });
  return left;
}

// From receivers to donors, one receiver for each cell. bits(m) as above; roots(m) gives a functor
// V(Index a) for cells that give to nobody, step(m) one V(Index a, Hop hop, V below) for the
// others. Nodata cells get `none`.
template <class V, class Bits, class Roots, class Step>
void sweep_up(const Rings& rings, TileStore& store, const std::string& name, const Bits& bits,
              const V& none, const Roots& roots, const Step& step) {
  using State = SweepState<V>;
  SweepStore<V> kept(store, name);
  RimField<Known<V>> rims(rings, Known<V>{});
  Mail<JumpValue<V>> mail(rings);
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
      for (const TileJump& jump : flow.jumps.out)
        s.waiting[std::size_t(shape.around_at(jump.root))] = 1;
      const auto root = roots(m);
      for (Index i = 0; i < shape.inside.size(); ++i) {
        const auto a = std::size_t(shape.around_of(i));
        if (flow.data[a] == 0) {
          s.waiting[a] = State::nodata;
        } else if (flow.gives[a] == 0 && s.waiting[a] == 0) {
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
    const auto receive = [&](const JumpValue<V>& letter) {
      const Index a = shape.around_at(letter.jump.root);
      s.value[std::size_t(a)] = above(a, Hop{-1, letter.jump.target}, letter.value);
      s.waiting[std::size_t(a)] = State::final;
      open.push_back(std::int32_t(a));
    };
    for (const JumpValue<V>& letter : mail.take(m)) receive(letter);
    while (!open.empty()) {
      const Index a = open.back();
      open.pop_back();
      const Index row = a / shape.around.cols;
      for (int k = 0; k < kNeighbours; ++k) {
        const Index n = neighbour8(shape, row, a - row * shape.around.cols, k);
        if (n < 0 || (flow.gives[std::size_t(n)] >> opposite(k) & 1) == 0) continue;
        if (!shape.is_inside(n) || s.waiting[std::size_t(n)] != 0) continue;
        s.value[std::size_t(n)] = above(n, Hop{opposite(k), -1}, s.value[std::size_t(a)]);
        s.waiting[std::size_t(n)] = State::final;
        open.push_back(std::int32_t(n));
      }
      if (flow.jumps.in.empty() || !shape.is_inside(a)) continue;
      for (const TileJump& jump : flow.jumps.into(shape.global(a))) {
        const JumpValue<V> letter = {jump, s.value[std::size_t(a)]};
        if (const Index to = rings.tiling().tile_of(jump.root); to == tile)
          receive(letter);
        else
          mail.send(to, letter);
      }
    }
    const std::vector<Index> rim = rings.rim_positions(m);
    for (std::size_t k = 0; k < rim.size(); ++k) {
      const auto a = std::size_t(shape.around_of(rim[k]));
      if (s.waiting[a] == State::final) rims.rim(m)[k] = {s.value[a], 1};
    }
    kept.put(tile, s);
  };
  settle(rings, rims, visit, &mail);
  together(rings.comm(), [&] {
    for (std::size_t m = 0; m < rings.count(); ++m)
      require(kept.finish(bits(m).shape, rings.tile(m)) == 0, "sweep_up: flow runs in a loop");
  });
}

}  // namespace terrawave::terrain
