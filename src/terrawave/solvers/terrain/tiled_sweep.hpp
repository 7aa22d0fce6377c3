// Values that follow the flow over tiles, each computed once, when all that it depends on is final:
// from donors to receivers (sums, orders) or from receivers to donors (labels, lengths). A tile is
// worked on whenever new values reach its ring, so each cell is computed from the same operands in
// the same order as in one piece.
#pragma once

#include <algorithm>
#include <bit>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "terrawave/base/error.hpp"
#include "terrawave/solvers/terrain/tiled_links.hpp"
#include "terrawave/solvers/terrain/tiled_mail.hpp"
#include "terrawave/solvers/terrain/tiled_pool.hpp"

namespace terrawave::terrain {

// What a rim cell shows to the tiles around it. A value never changes once it is known.
template <class V>
struct Known {
  V value{};
  std::uint8_t known = 0;
  bool operator==(const Known& o) const { return known == o.known; }
};

// The places in a ring whose values are known and that `entered` does not mark yet; now it does.
template <class V>
std::vector<std::size_t> newly_known(const std::vector<Known<V>>& ring,
                                     std::vector<std::uint8_t>& entered) {
  std::vector<std::size_t> fresh;
  for (std::size_t k = 0; k < ring.size(); ++k) {
    if (ring[k].known == 0 || entered[k] != 0) continue;
    entered[k] = 1;
    fresh.push_back(k);
  }
  return fresh;
}

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
  void put(Index tile, SweepState<V> state) {
    if (!state.jumped.empty()) store_.put(tile, name_ + ".jumped", std::move(state.jumped));
    store_.put(tile, name_ + ".value", std::move(state.value));
    store_.put(tile, name_ + ".waiting", std::move(state.waiting));
  }
  // Keeps the tile's own values under the name; returns how many cells are not final.
  Index finish(const TileShape& shape, Index tile, bool mark_left = false) {
    const SweepState<V> state = get(tile);
    store_.drop(tile, name_ + ".value");
    store_.drop(tile, name_ + ".waiting");
    store_.drop(tile, name_ + ".jumped");
    Index left = 0;
    std::vector<std::uint8_t> mark;
    for (Index r = 0; r < shape.inside.rows; ++r) {
      const std::uint8_t* const waiting = state.waiting.data() + shape.row_start(r);
#pragma omp simd reduction(+ : left)
      for (Index c = 0; c < shape.inside.cols; ++c)
        left += waiting[c] < SweepState<V>::nodata ? 1 : 0;
      for (Index c = 0; mark_left && c < shape.inside.cols; ++c)
        mark.push_back(waiting[c] < SweepState<V>::nodata ? 1 : 0);
    }
    if (mark_left) store_.put(tile, name_ + ".left", mark);
    store_.put(tile, name_, shape.cut(state.value));
    return left;
  }

 private:
  TileStore& store_;
  std::string name_;
};

// Adds to each of the tile's cells how many neighbours give to it.
inline void add_donors(const FlowBits& flow, std::vector<std::uint8_t>& waiting) {
  const TileShape& shape = flow.shape;
  const Index width = shape.around.cols;
  const Index left = shape.inside.col - shape.around.col;
  for (Index r = 0; r < shape.inside.rows; ++r) {
    const Index row = shape.inside.row - shape.around.row + r;
    for (int k = 0; k < kNeighbours; ++k) {
      if (row + kRowStep[k] < 0 || row + kRowStep[k] >= shape.around.rows) continue;
      const Index begin = std::max<Index>(0, -(left + kColStep[k]));
      const Index end = std::min(shape.inside.cols, width - left - kColStep[k]);
      const Index start = shape.row_start(r);
      const std::uint8_t* const gives =
          flow.gives.data() + start + kRowStep[k] * width + kColStep[k];
      std::uint8_t* const count = waiting.data() + start;
      const int bit = opposite(k);
#pragma omp simd
      for (Index c = begin; c < end; ++c) count[c] = std::uint8_t(count[c] + (gives[c] >> bit & 1));
    }
  }
}

// One tile while it is visited: its flow, its state, and the cells whose turn it is.
template <class V>
class SweepTile {
 public:
  SweepTile(const Rings& rings, std::size_t m, FlowBits flow, Mail<JumpValue<V>>& mail)
      : rings_(rings),
        m_(m),
        flow_(std::move(flow)),
        shape_(flow_.shape),
        mail_(mail),
        ring_at_(rings.ring_positions(m)),
        rim_at_(rings.rim_positions(m)) {
    for (Index& at : rim_at_) at = shape_.around_of(at);
  }
  SweepTile(const SweepTile&) = delete;
  SweepTile& operator=(const SweepTile&) = delete;

  SweepState<V>& state() { return s_; }
  // What is final shows on the rim.
  void show(std::vector<Known<V>>& rim) const {
    for (std::size_t k = 0; k < rim_at_.size(); ++k)
      if (is_final(rim_at_[k])) rim[k] = {value(rim_at_[k]), 1};
  }

 protected:
  bool is_final(Index a) const { return s_.waiting[std::size_t(a)] == SweepState<V>::final; }
  void finish(Index a, const V& value) {
    s_.value[std::size_t(a)] = value;
    s_.waiting[std::size_t(a)] = SweepState<V>::final;
  }
  const V& value(Index a) const { return s_.value[std::size_t(a)]; }
  std::uint8_t& waiting(Index a) { return s_.waiting[std::size_t(a)]; }
  bool has_data(Index a) const { return flow_.data[std::size_t(a)] != 0; }
  unsigned gives(Index a) const { return flow_.gives[std::size_t(a)]; }
  // Of a cell in this row.
  Index neighbour(Index a, Index row, int k) const {
    return neighbour8(shape_, row, a - row * shape_.around.cols, k);
  }
  Index row(Index a) const { return row_of(a, shape_.around.cols); }
  // True where neighbour k, at n, gives to the cell.
  bool gives_to(Index n, int k) const { return n >= 0 && (gives(n) >> opposite(k) & 1) != 0; }
  // Takes over what the ring shows; tell(a) for each cell that was not final.
  template <class Tell>
  void take_ring(const std::vector<Known<V>>& ring, const Tell& tell) {
    for (std::size_t k = 0; k < ring_at_.size(); ++k) {
      if (ring[k].known == 0 || is_final(ring_at_[k])) continue;
      finish(ring_at_[k], ring[k].value);
      tell(ring_at_[k]);
    }
  }
  // A value to the other end of a jump: receive(letter) where that lies in this tile.
  template <class Receive>
  void send(Index cell, const JumpValue<V>& letter, const Receive& receive) {
    if (const Index to = rings_.tiling().tile_of(cell); to == rings_.tile(m_))
      receive(letter);
    else
      mail_.send(to, letter);
  }

  const Rings& rings_;
  std::size_t m_;
  FlowBits flow_;
  const TileShape& shape_;
  Mail<JumpValue<V>>& mail_;
  std::vector<Index> ring_at_, rim_at_;  // positions in `around`
  SweepState<V> s_;
  std::vector<std::int32_t> open_;
};

template <class V>
class DownTile : public SweepTile<V> {
 public:
  using SweepTile<V>::SweepTile;

  // Counts the donors that each cell waits for; `own`: the values before these come.
  void begin(const std::vector<V>& own) {
    this->s_.value = this->shape_.join(own, std::vector<V>(ring_size(), V{}));
    this->s_.waiting.assign(this->s_.value.size(), 0);
    this->s_.jumped.resize(this->flow_.jumps.in.size());
    for (const TileJump& jump : this->flow_.jumps.in)
      ++this->waiting(this->shape_.around_at(jump.target));
    add_donors(this->flow_, this->s_.waiting);
    const Index cols = this->shape_.inside.cols;
    for (Index r = 0; r < this->shape_.inside.rows; ++r)
      for (Index a = this->shape_.row_start(r); a < this->shape_.row_start(r) + cols; ++a) {
        if (!this->has_data(a))
          this->waiting(a) = SweepState<V>::nodata;
        else if (this->waiting(a) == 0)
          this->open_.push_back(std::int32_t(a));
      }
  }
  void take(const std::vector<Known<V>>& ring) {
    for (const JumpValue<V>& letter : this->mail_.take(this->m_)) receive(letter);
    this->take_ring(ring, [&](Index a) { pass_on(a); });
  }
  template <class Combine>
  void run(const Combine& combine) {
    std::vector<Donor<V>> donors;
    while (!this->open_.empty()) {
      const Index a = this->open_.back();
      this->open_.pop_back();
      find_donors(a, donors);
      this->finish(a, combine(a, this->value(a), std::span<const Donor<V>>(donors)));
      pass_on(a);
      jump_on(a);
    }
  }

 private:
  std::size_t ring_size() const {
    return std::size_t(this->shape_.around.size() - this->shape_.inside.size());
  }
  // One of a cell's donors is final.
  void arrive(Index a) {
    if (--this->waiting(a) == 0) this->open_.push_back(std::int32_t(a));
  }
  void find_donors(Index a, std::vector<Donor<V>>& donors) const {
    donors.clear();
    const Index row = this->row(a);
    for (int k = 0; k < kNeighbours; ++k) {
      const Index n = this->neighbour(a, row, k);
      if (this->gives_to(n, k)) donors.push_back({n, k, this->value(n)});
    }
    const TileJumps& jumps = this->flow_.jumps;
    if (jumps.in.empty()) return;
    for (const TileJump& jump : jumps.into(this->shape_.global(a)))
      donors.push_back({-1, -1, this->s_.jumped[std::size_t(&jump - jumps.in.data())], jump.root});
  }
  void pass_on(Index a) {
    const Index row = this->row(a);
    for (unsigned left = this->gives(a); left != 0; left &= left - 1) {
      const Index n = this->neighbour(a, row, std::countr_zero(left));
      if (n >= 0 && this->shape_.is_inside(n) && this->waiting(n) < SweepState<V>::nodata)
        arrive(n);
    }
  }
  void receive(const JumpValue<V>& letter) {
    this->s_.jumped[this->flow_.jumps.place(letter.jump)] = letter.value;
    arrive(this->shape_.around_at(letter.jump.target));
  }
  void jump_on(Index a) {
    if (this->flow_.jumps.out.empty() || this->gives(a) != 0) return;
    if (const TileJump* jump = this->flow_.jumps.from(this->shape_.global(a)))
      this->send(jump->target, {*jump, this->value(a)},
                 [&](const JumpValue<V>& letter) { receive(letter); });
  }
};

// Whether flow may run in loops: its cells are never final, and are marked as name + ".left".
enum class Cycles { none, left };

// One tile in memory with the functor that makes its values.
template <class Tile, class Make>
struct SweptTile {
  Tile tile;
  Make make;
};

// How many tiles a sweep keeps in memory; `extra`: bytes for each cell that its functors hold.
template <class V>
std::size_t swept_at_once(const Rings& rings, const TileStore& store, double extra) {
  const Tiling& t = rings.tiling();
  return store.at_once((sizeof(V) + 3 + extra) * double(t.tile_rows * t.tile_cols));
}

// From donors to receivers. bits(m): FlowBits of tile m; start(m): the value of each of its cells
// without donors (and at nodata); join(m) gives a functor V(Index a, V own, span of donors in the
// order of neighbours, jumps last by their roots), which holds `extra` bytes for each cell. Results
// stay in the store under `name`. Returns the number of this rank's cells that are not final.
template <class V, class Bits, class Start, class Join>
Index sweep_down(const Rings& rings, TileStore& store, const std::string& name, const Bits& bits,
                 const Start& start, const Join& join, double extra = 0,
                 Cycles cycles = Cycles::none) {
  using Swept = SweptTile<DownTile<V>, std::invoke_result_t<const Join&, std::size_t>>;
  SweepStore<V> kept(store, name);
  RimField<Known<V>> rims(rings, Known<V>{});
  Mail<JumpValue<V>> mail(rings, store, name);
  TilePool<Swept> pool(swept_at_once<V>(rings, store, extra));
  const auto make = [&](std::size_t m) {
    std::unique_ptr<Swept> swept(new Swept{{rings, m, bits(m), mail}, join(m)});
    if (kept.has(rings.tile(m)))
      swept->tile.state() = kept.get(rings.tile(m));
    else
      swept->tile.begin(start(m));
    return swept;
  };
  const auto put_away = [&](std::size_t m, Swept& swept) {
    kept.put(rings.tile(m), std::move(swept.tile.state()));
  };
  const auto visit = [&](std::size_t m) {
    Swept& swept = pool.get(m, make, put_away);
    swept.tile.take(rims.ring(m));
    swept.tile.run(swept.make);
    swept.tile.show(rims.rim(m));
  };
  settle(rings, rims, visit, &mail, [&](std::size_t m) { return pool.holds(m); });
  Index left = 0;
  together(rings.comm(), [&] {
    pool.clear(put_away);
    for (std::size_t m = 0; m < rings.count(); ++m)
      left += kept.finish(windows_of(rings.tiling(), rings.tile(m)), rings.tile(m),
                          cycles == Cycles::left);
    require(left == 0 || cycles == Cycles::left, "sweep_down: flow runs in a loop");
  });
  return left;
}

template <class V>
class UpTile : public SweepTile<V> {
 public:
  using SweepTile<V>::SweepTile;

  // Cells that give to nobody are final at once.
  template <class Root>
  void begin(const V& none, const Root& root) {
    this->s_.value.assign(std::size_t(this->shape_.around.size()), none);
    this->s_.waiting.assign(this->s_.value.size(), 0);
    for (const TileJump& jump : this->flow_.jumps.out)
      this->waiting(this->shape_.around_at(jump.root)) = 1;
    for (Index i = 0; i < this->shape_.inside.size(); ++i) {
      const Index a = this->shape_.around_of(i);
      if (!this->has_data(a))
        this->waiting(a) = SweepState<V>::nodata;
      else if (this->gives(a) == 0 && this->waiting(a) == 0)
        settle_cell(a, root(a));
    }
  }
  // step(a, hop, below): the value of a cell from that of its receiver.
  template <class Step>
  void run(const std::vector<Known<V>>& ring, const Step& step) {
    this->take_ring(ring, [&](Index a) { this->open_.push_back(std::int32_t(a)); });
    const auto receive = [&](const JumpValue<V>& letter) {
      const Index a = this->shape_.around_at(letter.jump.root);
      settle_cell(a, step(a, Hop{-1, letter.jump.target}, letter.value));
    };
    for (const JumpValue<V>& letter : this->mail_.take(this->m_)) receive(letter);
    while (!this->open_.empty()) {
      const Index a = this->open_.back();
      this->open_.pop_back();
      const Index row = this->row(a);
      for (int k = 0; k < kNeighbours; ++k) {
        const Index n = this->neighbour(a, row, k);
        if (this->gives_to(n, k) && this->shape_.is_inside(n) && this->waiting(n) == 0)
          settle_cell(n, step(n, Hop{opposite(k), -1}, this->value(a)));
      }
      if (this->flow_.jumps.in.empty() || !this->shape_.is_inside(a)) continue;
      for (const TileJump& jump : this->flow_.jumps.into(this->shape_.global(a)))
        this->send(jump.root, {jump, this->value(a)}, receive);
    }
  }

 private:
  void settle_cell(Index a, const V& value) {
    this->finish(a, value);
    this->open_.push_back(std::int32_t(a));
  }
};

// From receivers to donors, one receiver for each cell. bits(m) as above; roots(m) gives a functor
// V(Index a) for cells that give to nobody, step(m) one V(Index a, Hop hop, V below) for the
// others, which holds `extra` bytes for each cell. Nodata cells get `none`.
template <class V, class Bits, class Roots, class Step>
void sweep_up(const Rings& rings, TileStore& store, const std::string& name, const Bits& bits,
              const V& none, const Roots& roots, const Step& step, double extra = 0) {
  using Swept = SweptTile<UpTile<V>, std::invoke_result_t<const Step&, std::size_t>>;
  SweepStore<V> kept(store, name);
  RimField<Known<V>> rims(rings, Known<V>{});
  Mail<JumpValue<V>> mail(rings, store, name);
  TilePool<Swept> pool(swept_at_once<V>(rings, store, extra));
  const auto make = [&](std::size_t m) {
    std::unique_ptr<Swept> swept(new Swept{{rings, m, bits(m), mail}, step(m)});
    if (kept.has(rings.tile(m)))
      swept->tile.state() = kept.get(rings.tile(m));
    else
      swept->tile.begin(none, roots(m));
    return swept;
  };
  const auto put_away = [&](std::size_t m, Swept& swept) {
    kept.put(rings.tile(m), std::move(swept.tile.state()));
  };
  const auto visit = [&](std::size_t m) {
    Swept& swept = pool.get(m, make, put_away);
    swept.tile.run(rims.ring(m), swept.make);
    swept.tile.show(rims.rim(m));
  };
  settle(rings, rims, visit, &mail, [&](std::size_t m) { return pool.holds(m); });
  together(rings.comm(), [&] {
    pool.clear(put_away);
    for (std::size_t m = 0; m < rings.count(); ++m)
      require(kept.finish(windows_of(rings.tiling(), rings.tile(m)), rings.tile(m)) == 0,
              "sweep_up: flow runs in a loop");
  });
}

}  // namespace terrawave::terrain
