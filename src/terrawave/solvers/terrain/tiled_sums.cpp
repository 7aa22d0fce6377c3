#include "terrawave/solvers/terrain/tiled_sums.hpp"

#include <algorithm>
#include <memory>
#include <span>

#include "terrawave/par/buffer.hpp"
#include "terrawave/solvers/terrain/tile_sum_steps.hpp"

namespace terrawave::terrain {
namespace {

using par::Buffer;
using steps::TileLeap;
using steps::TileSum;

// What a tile's rims and jumps have shown and been told, kept on the host.
struct Told {
  std::vector<std::uint8_t> ring;   // cells of the ring that are final here
  std::vector<std::uint8_t> leaps;  // jumps out of the tile whose letter is written
  bool begun = false;
};

// One tile in the device's memory.
template <class V>
class SumTile {
 public:
  SumTile(const par::Queue& queue, const Rings& rings, std::size_t m, FlowBits flow,
          const std::vector<V>& value, const SumInput<V>& input, std::span<const double> shares)
      : queue_(queue),
        tile_(m),
        how_(input.how),
        shape_(flow.shape),
        jumps_(std::move(flow.jumps)),
        data_(queue, flow.data),
        gives_(queue, Index(flow.gives.size())),
        value_(queue, value),
        shares_(queue, shares),
        waiting_(queue, (Index(value.size()) + 3) / 4 * 4),
        ready_(queue, shares.empty() ? 0 : shape_.inside.size()),
        count_(queue, 1),
        jumped_(queue, Index(jumps_.in.size())),
        ring_(rings.ring_positions(m)),
        rim_(queue, watched(rings)),
        seen_(queue, rim_.size()),
        final_(queue, rim_.size()),
        leaps_(queue, leaps()),
        landings_(queue, landings()),
        distance_(queue, measured() ? step_lengths(shape_.grid) : std::vector<double>()),
        leap_length_(queue, measured() ? leap_lengths(input) : std::vector<double>()) {
    count_.fill_bytes(0);
    waiting_.fill_bytes(0);  // what is put away is known to the last byte
    jumped_.fill_bytes(0);
    const Buffer<std::uint8_t> all(queue, flow.gives);
    par::dispatch(queue, [&](const auto& exec) {
      steps::inner_receivers(exec, place_of(shape_), all.cview(), data_.cview(), gives_.view());
    });
  }
  // Positions of the ring in the block.
  const std::vector<Index>& ring() const { return ring_; }

  void begin() {
    work([&](const auto& exec, const TileSum<V>& sum) {
      steps::count_donors(exec, sum, data_.cview());
      steps::run_sources(exec, sum, taken_);
    });
  }
  // What an earlier visit left.
  void restore(const std::vector<std::uint8_t>& waiting, const std::vector<V>& jumped) {
    waiting_.upload(waiting);
    jumped_.upload(jumped);
  }
  std::vector<V> values() const { return value_.download(); }
  std::vector<std::uint8_t> waiting() const { return waiting_.download(); }
  std::vector<V> jumped() const { return jumped_.download(); }

  void enter_ring(const std::vector<std::int32_t>& cells, const std::vector<V>& values) {
    if (cells.empty()) return;
    const Buffer<std::int32_t> at(queue_, cells);
    const Buffer<V> new_values(queue_, values);
    work([&](const auto& exec, const TileSum<V>& sum) {
      steps::enter_ring(exec, sum, at.cview(), new_values.cview(), taken_);
    });
    queue_.synchronize();
  }
  void enter_jumps(const std::vector<JumpValue<V>>& letters) {
    if (letters.empty()) return;
    std::vector<std::int32_t> places;
    std::vector<V> values;
    for (const JumpValue<V>& letter : letters) {
      places.push_back(std::int32_t(jumps_.place(letter.jump)));
      values.push_back(letter.value);
    }
    const Buffer<std::int32_t> at(queue_, places);
    const Buffer<V> new_values(queue_, values);
    work([&](const auto& exec, const TileSum<V>& sum) {
      steps::enter_jumps(exec, sum, at.cview(), new_values.cview(), taken_);
    });
    queue_.synchronize();
  }
  // Final values to the rim, and letters of jumps out of the tile.
  void show(Told& told, std::vector<Known<V>>& rim, Mail<JumpValue<V>>& mail,
            const Tiling& tiling) {
    work([&](const auto& exec, const TileSum<V>& sum) {
      steps::look_at(exec, sum, rim_.cview(), seen_.view(), final_.view());
    });
    const std::vector<V> value = seen_.download();
    const std::vector<std::uint8_t> final = final_.download();
    for (std::size_t k = 0; k < rim.size(); ++k)
      if (final[k] != 0) rim[k] = {value[k], 1};
    for (std::size_t j = 0; j < letters_.size(); ++j) {
      const std::size_t k = rim.size() + j;
      if (final[k] == 0 || told.leaps[j] != 0) continue;
      told.leaps[j] = 1;
      mail.send(tiling.tile_of(letters_[j].target), {letters_[j], value[k]});
    }
  }
  std::size_t letters() const { return letters_.size(); }

 private:
  // Cells that others want to know of: the rim, then the roots of jumps out of the tile.
  std::vector<std::int32_t> watched(const Rings& rings) {
    std::vector<std::int32_t> cells;
    for (const Index i : rings.rim_positions(tile_))
      cells.push_back(std::int32_t(shape_.around_of(i)));
    for (const TileJump& jump : jumps_.out)
      if (rings.tiling().tile_of(jump.target) != rings.tile(tile_)) {
        letters_.push_back(jump);
        cells.push_back(std::int32_t(shape_.around_at(jump.root)));
      }
    return cells;
  }
  std::vector<TileLeap> leaps() const {
    std::vector<TileLeap> inner;
    for (const TileJump& jump : jumps_.out)
      if (shape_.tiling.tile_of(jump.target) == shape_.tiling.tile_of(jump.root))
        inner.push_back({std::int32_t(shape_.around_at(jump.root)),
                         std::int32_t(shape_.around_at(jump.target)),
                         std::int32_t(jumps_.place(jump))});
    return inner;
  }
  std::vector<std::int32_t> landings() const {
    std::vector<std::int32_t> cells;
    for (const TileJump& jump : jumps_.in)
      cells.push_back(std::int32_t(shape_.around_at(jump.target)));
    return cells;
  }
  template <class Work>
  void work(const Work& run) {
    const TileSum<V> sum{
        place_of(shape_), how_,           distance_.cview(), leap_length_.cview(), gives_.cview(),
        shares_.cview(),  leaps_.cview(), landings_.cview(), jumped_.view(),       value_.view(),
        waiting_.view(),  ready_.view(),  count_.view()};
    par::dispatch(queue_, [&](const auto& exec) { run(exec, sum); });
  }

  par::Queue queue_;
  bool measured() const { return how_ == steps::TileJoin::longest; }
  std::vector<double> leap_lengths(const SumInput<V>& input) const {
    std::vector<double> lengths;
    for (const TileJump& jump : jumps_.in) lengths.push_back(input.jump_length(jump));
    return lengths;
  }

  std::size_t tile_;
  steps::TileJoin how_;
  TileShape shape_;
  TileJumps jumps_;
  std::vector<TileJump> letters_;
  Buffer<std::uint8_t> data_, gives_;
  Buffer<V> value_;
  Buffer<double> shares_;
  Buffer<std::uint8_t> waiting_;
  Buffer<std::int32_t> ready_, count_;
  Buffer<V> jumped_;
  std::vector<Index> ring_;
  Buffer<std::int32_t> rim_;
  Buffer<V> seen_;
  Buffer<std::uint8_t> final_;
  Buffer<TileLeap> leaps_;
  Buffer<std::int32_t> landings_;
  Buffer<double> distance_, leap_length_;
  Index taken_ = 0;  // of ready_
};

template <class V>
class Sums {
 public:
  Sums(const par::Queue& queue, const Rings& rings, TileStore& store, const std::string& name,
       const SumInput<V>& input)
      : queue_(queue),
        rings_(rings),
        store_(store),
        name_(name),
        input_(input),
        rims_(rings, Known<V>{}),
        mail_(rings, store, name),
        told_(rings.count()),
        pool_(tiles_at_once(queue, store, bytes_of_tile(rings.tiling(), bool(input.shares)))) {}

  void run() {
    settle(
        rings_, rims_, [&](std::size_t m) { visit(m); }, &mail_,
        [&](std::size_t m) { return pool_.holds(m); });
    together(rings_.comm(), [&] {
      pool_.clear([&](std::size_t m, SumTile<V>& tile) { put_away(m, tile); });
      for (std::size_t m = 0; m < rings_.count(); ++m) {
        const Index tile = rings_.tile(m);
        const auto waiting = store_.get<std::uint8_t>(tile, of("waiting"));
        require(std::none_of(waiting.begin(), waiting.end(), TileSum<V>::waits),
                "tiled_sums: flow runs in a loop");
        store_.put(tile, name_,
                   windows_of(rings_.tiling(), tile).cut(store_.get<V>(tile, of("value"))));
        for (const char* what : {"value", "waiting", "jumped"}) store_.drop(tile, of(what));
      }
    });
  }

 private:
  std::string of(const char* what) const { return name_ + "." + what; }
  static double bytes_of_tile(const Tiling& t, bool shares) {
    const double cell = double(sizeof(V)) + 3 + (shares ? 4 + 8 * kNeighbours : 0);
    return cell * double(t.tile_rows + 2) * double(t.tile_cols + 2);
  }
  // Brings a tile into the device's memory.
  std::unique_ptr<SumTile<V>> make(std::size_t m) {
    const Index tile = rings_.tile(m);
    FlowBits flow = input_.bits(m);
    const bool again = told_[m].begun;
    const std::vector<V> value =
        again ? store_.get<V>(tile, of("value"))
              : flow.shape.join(input_.own(m), std::vector<V>(rings_.sources(m).size(), V{}));
    const Looked<double> shares = input_.shares ? input_.shares(m) : Looked<double>();
    auto made = std::make_unique<SumTile<V>>(queue_, rings_, m, std::move(flow), value, input_,
                                             shares.values);
    if (again) {
      made->restore(store_.get<std::uint8_t>(tile, of("waiting")),
                    store_.get<V>(tile, of("jumped")));
      return made;
    }
    told_[m] = {std::vector<std::uint8_t>(rings_.sources(m).size(), 0),
                std::vector<std::uint8_t>(made->letters(), 0), true};
    made->begin();
    return made;
  }
  void put_away(std::size_t m, const SumTile<V>& held) {
    const Index tile = rings_.tile(m);
    store_.put(tile, of("value"), held.values());
    store_.put(tile, of("waiting"), held.waiting());
    store_.put(tile, of("jumped"), held.jumped());
  }
  void visit(std::size_t m) {
    SumTile<V>& tile = pool_.get(
        m, [&](std::size_t k) { return make(k); },
        [&](std::size_t k, const SumTile<V>& held) { put_away(k, held); });
    tile.enter_jumps(mail_.take(m));
    const std::vector<Index>& at = tile.ring();
    const std::vector<Known<V>> ring = rims_.ring(m);
    std::vector<std::int32_t> cells;
    std::vector<V> values;
    for (const std::size_t k : newly_known(ring, told_[m].ring)) {
      cells.push_back(std::int32_t(at[k]));
      values.push_back(ring[k].value);
    }
    tile.enter_ring(cells, values);
    tile.show(told_[m], rims_.rim(m), mail_, rings_.tiling());
  }

  par::Queue queue_;
  const Rings& rings_;
  TileStore& store_;
  std::string name_;
  const SumInput<V>& input_;
  RimField<Known<V>> rims_;
  Mail<JumpValue<V>> mail_;
  std::vector<Told> told_;
  TilePool<SumTile<V>> pool_;
};

}  // namespace

template <class V>
void tiled_sums(const par::Queue& queue, const Rings& rings, TileStore& store,
                const std::string& name, const SumInput<V>& input) {
  Sums<V>(queue, rings, store, name, input).run();
}

template void tiled_sums(const par::Queue&, const Rings&, TileStore&, const std::string&,
                         const SumInput<std::int32_t>&);
template void tiled_sums(const par::Queue&, const Rings&, TileStore&, const std::string&,
                         const SumInput<std::int64_t>&);
template void tiled_sums(const par::Queue&, const Rings&, TileStore&, const std::string&,
                         const SumInput<double>&);

}  // namespace terrawave::terrain
