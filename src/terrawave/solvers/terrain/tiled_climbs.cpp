#include "terrawave/solvers/terrain/tiled_climbs.hpp"

#include <algorithm>
#include <bit>
#include <memory>

#include "terrawave/par/buffer.hpp"
#include "terrawave/solvers/terrain/product_tree.hpp"
#include "terrawave/solvers/terrain/tile_climb_steps.hpp"

namespace terrawave::terrain {
namespace {

using par::Buffer;
using steps::TileClimb;

// The grid of the tile alone.
Grid grid_of_tile(const TileShape& shape) {
  Grid grid = shape.grid;
  grid.rows = shape.inside.rows;
  grid.cols = shape.inside.cols;
  grid.connectivity = Connectivity::d8;  // flow that was read need not keep to D4
  if (grid.dx.size() > 1) {
    const auto above = grid.dx.begin() + (shape.inside.row - shape.around.row);
    grid.dx = std::vector<double>(above, above + grid.rows);
  }
  return grid;
}

// Directions inside the tile; what leads out is a root.
std::vector<Direction> directions_inside(const FlowBits& flow) {
  const TileShape& shape = flow.shape;
  std::vector<Direction> direction(std::size_t(shape.inside.size()), kNoDirection);
  for (Index i = 0; i < shape.inside.size(); ++i) {
    const Index a = shape.around_of(i);
    if (flow.data[std::size_t(a)] == 0) continue;
    direction[std::size_t(i)] = kRoot;
    const unsigned gives = flow.gives[std::size_t(a)];
    if (gives == 0) continue;
    const int k = std::countr_zero(gives);
    const Index row = row_of(a, shape.around.cols);
    const Index n = neighbour8(shape, row, a - row * shape.around.cols, k);
    if (n >= 0 && shape.is_inside(n)) direction[std::size_t(i)] = Direction(k);
  }
  return direction;
}

// A cell's receiver lies outside the tile and is known.
template <class V>
struct Entry {
  std::int32_t cell = 0;
  V below{};
  double length = 0;
};

// One tile in the device's memory.
template <class V>
class ClimbTile {
 public:
  ClimbTile(const TileQueue& queue, const Rings& rings, std::size_t m, FlowBits flow,
            const ClimbInput<V>& input, const std::vector<V>& value,
            const std::vector<std::uint8_t>& fixed)
      : queue_(queue),
        tiling_(rings.tiling()),
        tile_(rings.tile(m)),
        input_(input),
        flow_(std::move(flow)),
        tree_(queue, grid_of_tile(flow_.shape), directions_inside(flow_), links()),
        fixed_(queue, fixed),
        value_(queue, value),
        known_(queue, Index(value.size())),
        ring_at_(rings.ring_positions(m)),
        watched_(queue, watched(rings, m)),
        seen_(queue, watched_.size()),
        seen_known_(queue, watched_.size()) {}

  void begin() {
    known_.fill_bytes(0);
    const Buffer<std::int32_t> leaves(queue_, leaving());
    work([&](const auto& exec, const TileClimb<V>& climb) {
      steps::open_roots(exec, climb, leaves.cview());
      steps::climb_paths(exec, climb, tree_.highest_rank());
    });
    queue_.queue().synchronize();
  }
  void restore(const std::vector<std::uint8_t>& known) { known_.upload(known); }
  std::vector<V> values() const { return value_.download(); }
  std::vector<std::uint8_t> known() const { return known_.download(); }

  // What ring cells that `fresh` names have shown, and letters of jumps out of the tile.
  void enter(const std::vector<Known<V>>& ring, const std::vector<std::size_t>& fresh,
             const std::vector<JumpValue<V>>& letters) {
    std::vector<Entry<V>> entries;
    for (const std::size_t r : fresh) add_donors_of(ring_at_[r], ring[r].value, entries);
    for (const JumpValue<V>& letter : letters)
      entries.push_back({inside_at(letter.jump.root), letter.value, length_of(letter.jump)});
    if (entries.empty()) return;
    std::vector<std::int32_t> cells;
    std::vector<V> below;
    std::vector<double> length;
    for (const Entry<V>& e : entries) {
      cells.push_back(e.cell);
      below.push_back(e.below);
      length.push_back(e.length);
    }
    const Buffer<std::int32_t> at(queue_, cells);
    const Buffer<V> values(queue_, below);
    const Buffer<double> lengths(queue_, length);
    work([&](const auto& exec, const TileClimb<V>& climb) {
      steps::enter_from_below<std::decay_t<decltype(exec)>, V>(
          exec, climb, {at.cview(), values.cview(), lengths.cview()});
      steps::climb_paths(exec, climb, tree_.highest_rank());
    });
    queue_.queue().synchronize();
  }
  // Known values to the rim, and letters to the roots of jumps into the tile.
  void show(std::vector<std::uint8_t>& told, std::vector<Known<V>>& rim, Mail<JumpValue<V>>& mail) {
    work([&](const auto& exec, const TileClimb<V>& climb) {
      steps::look_at_climb(exec, climb, watched_.cview(), seen_.view(), seen_known_.view());
    });
    const std::vector<V> value = seen_.download();
    const std::vector<std::uint8_t> known = seen_known_.download();
    for (std::size_t k = 0; k < rim.size(); ++k)
      if (known[k] != 0) rim[k] = {value[k], 1};
    told.resize(letters_.size(), 0);
    for (std::size_t j = 0; j < letters_.size(); ++j) {
      const std::size_t k = rim.size() + j;
      if (known[k] == 0 || told[j] != 0) continue;
      told[j] = 1;
      mail.send(tiling_.tile_of(letters_[j].root), {letters_[j], value[k]});
    }
  }

 private:
  std::int32_t inside_at(Index cell) const {
    return std::int32_t(flow_.shape.inside_of(flow_.shape.around_at(cell)));
  }
  double length_of(const TileJump& jump) const {
    return input_.jump_length ? input_.jump_length(jump) : 0.0;
  }
  std::vector<Link> links() const {
    std::vector<Link> inner;
    for (const TileJump& jump : flow_.jumps.out)
      if (tiling_.tile_of(jump.target) == tile_)
        inner.push_back({inside_at(jump.root), inside_at(jump.target)});
    return inner;
  }
  // Cells that others want to know of: the rim, then the targets of jumps from other tiles.
  std::vector<std::int32_t> watched(const Rings& rings, std::size_t m) {
    std::vector<std::int32_t> cells;
    for (const Index i : rings.rim_positions(m)) cells.push_back(std::int32_t(i));
    for (const TileJump& jump : flow_.jumps.in)
      if (tiling_.tile_of(jump.root) != tile_) {
        letters_.push_back(jump);
        cells.push_back(inside_at(jump.target));
      }
    return cells;
  }
  // Roots of the tile alone whose flow goes on elsewhere.
  std::vector<std::int32_t> leaving() const {
    std::vector<std::int32_t> cells;
    for (const Index a : ring_at_)
      for_donors_of(a,
                    [&](Index n, int) { cells.push_back(std::int32_t(flow_.shape.inside_of(n))); });
    for (const TileJump& jump : flow_.jumps.out)
      if (tiling_.tile_of(jump.target) != tile_) cells.push_back(inside_at(jump.root));
    std::sort(cells.begin(), cells.end());
    return cells;
  }
  // Calls visit(position, neighbour of it that the ring cell is).
  template <class Visit>
  void for_donors_of(Index ring_cell, const Visit& visit) const {
    const TileShape& shape = flow_.shape;
    const Index row = row_of(ring_cell, shape.around.cols);
    for (int k = 0; k < kNeighbours; ++k) {
      const Index n = neighbour8(shape, row, ring_cell - row * shape.around.cols, k);
      if (n >= 0 && shape.is_inside(n) && (flow_.gives[std::size_t(n)] >> opposite(k) & 1) != 0)
        visit(n, opposite(k));
    }
  }
  void add_donors_of(Index ring_cell, const V& below, std::vector<Entry<V>>& entries) const {
    for_donors_of(ring_cell, [&](Index n, int k) {
      const Index row = row_of(n, flow_.shape.around.cols);
      entries.push_back(
          {std::int32_t(flow_.shape.inside_of(n)), below, flow_.shape.grid.distance(row, k)});
    });
  }
  template <class Work>
  void work(const Work& run) {
    const TileClimb<V> climb{tree_.view(), fixed_.cview(), value_.view(), known_.view()};
    par::dispatch(queue_, [&](const auto& exec) { run(exec, climb); });
  }

  TileQueue queue_;
  Tiling tiling_;
  Index tile_;
  const ClimbInput<V>& input_;
  FlowBits flow_;
  FlowTree tree_;
  std::vector<TileJump> letters_;
  Buffer<std::uint8_t> fixed_;
  Buffer<V> value_;
  Buffer<std::uint8_t> known_;
  std::vector<Index> ring_at_;
  Buffer<std::int32_t> watched_;
  Buffer<V> seen_;
  Buffer<std::uint8_t> seen_known_;
};

template <class V>
class Climbs {
 public:
  Climbs(const TileQueue& queue, const Rings& rings, TileStore& store, const std::string& name,
         const ClimbInput<V>& input)
      : queue_(queue),
        rings_(rings),
        store_(store),
        name_(name),
        input_(input),
        rims_(rings, Known<V>{}),
        mail_(rings, store, name),
        entered_(rings.count()),
        told_(rings.count()),
        pool_(tiles_at_once(queue, store, bytes_of_tile(rings.tiling()))) {}

  void run() {
    const auto make = [&](std::size_t m) { return this->make(m); };
    const auto put_away = [&](std::size_t m, const ClimbTile<V>& tile) {
      store_.put(rings_.tile(m), name_ + ".value", tile.values());
      store_.put(rings_.tile(m), name_ + ".known", tile.known());
    };
    settle(
        rings_, rims_, [&](std::size_t m) { visit(m, pool_.get(m, make, put_away)); }, &mail_,
        [&](std::size_t m) { return pool_.holds(m); });
    together(rings_.comm(), [&] {
      pool_.clear(put_away);
      for (std::size_t m = 0; m < rings_.count(); ++m) finish(m);
    });
  }

 private:
  static double bytes_of_tile(const Tiling& t) {
    return double(sizeof(V) + 6) * double(t.tile_rows) * double(t.tile_cols);
  }
  std::unique_ptr<ClimbTile<V>> make(std::size_t m) {
    const Index tile = rings_.tile(m);
    const bool again = store_.has(tile, name_ + ".value");
    auto made = std::make_unique<ClimbTile<V>>(
        queue_, rings_, m, input_.bits(m), input_,
        again ? store_.get<V>(tile, name_ + ".value") : input_.own(m),
        input_.fixed ? input_.fixed(m) : std::vector<std::uint8_t>());
    if (again) {
      made->restore(store_.get<std::uint8_t>(tile, name_ + ".known"));
    } else {
      made->begin();
      entered_[m].assign(rings_.sources(m).size(), 0);
    }
    return made;
  }
  void visit(std::size_t m, ClimbTile<V>& tile) {
    const std::vector<Known<V>> ring = rims_.ring(m);
    const std::vector<std::size_t> fresh = newly_known(ring, entered_[m]);
    tile.enter(ring, fresh, mail_.take(m));
    tile.show(told_[m], rims_.rim(m), mail_);
  }
  void finish(std::size_t m) {
    const Index tile = rings_.tile(m);
    const auto known = store_.get<std::uint8_t>(tile, name_ + ".known");
    const TileShape shape = windows_of(rings_.tiling(), tile);
    const auto data = shape.cut(input_.bits(m).data);
    for (std::size_t i = 0; i < known.size(); ++i)
      require(data[i] == 0 || known[i] != 0, "tiled_climbs: flow runs in a loop");
    store_.put(tile, name_, store_.get<V>(tile, name_ + ".value"));
    store_.drop(tile, name_ + ".value");
    store_.drop(tile, name_ + ".known");
  }

  TileQueue queue_;
  const Rings& rings_;
  TileStore& store_;
  std::string name_;
  const ClimbInput<V>& input_;
  RimField<Known<V>> rims_;
  Mail<JumpValue<V>> mail_;
  std::vector<std::vector<std::uint8_t>> entered_;  // ring cells whose values were let in
  std::vector<std::vector<std::uint8_t>> told_;     // letters that are written
  TilePool<ClimbTile<V>> pool_;
};

}  // namespace

template <class V>
void tiled_climbs(const TileQueue& queue, const Rings& rings, TileStore& store,
                  const std::string& name, const ClimbInput<V>& input) {
  Climbs<V>(queue, rings, store, name, input).run();
}

template void tiled_climbs(const TileQueue&, const Rings&, TileStore&, const std::string&,
                           const ClimbInput<Index>&);
template void tiled_climbs(const TileQueue&, const Rings&, TileStore&, const std::string&,
                           const ClimbInput<double>&);

}  // namespace terrawave::terrain
