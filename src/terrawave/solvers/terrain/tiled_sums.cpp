#include "terrawave/solvers/terrain/tiled_sums.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>

#include "terrawave/solvers/terrain/tiled_patches.hpp"

namespace terrawave::terrain {
namespace {

using par::Buffer;
using par::View;
using steps::SumEntry;
using steps::TileLeap;
using steps::TileSum;

// What a patch's ring and jumps have shown and been told, kept on the host.
struct Told {
  std::vector<std::uint8_t> ring;   // cells of the ring that are final here
  std::vector<std::uint8_t> leaps;  // jumps out of the patch whose letter is written
  bool begun = false;
};

bool contains(const domain::Window& w, Index map_cols, Index cell) {
  const Index row = cell / map_cols - w.row;
  const Index col = cell % map_cols - w.col;
  return row >= 0 && row < w.rows && col >= 0 && col < w.cols;
}

// Where the cells of a window lie in an array of those of `all`.
steps::WindowPlace place_in(const domain::Window& window, const domain::Window& all) {
  return {(window.row - all.row) * all.cols + window.col - all.col, all.cols, all.size()};
}

// What the device tells the host after a visit, in one piece: how far the list of ready cells is
// done, then values, then whether they are final.
template <class V>
class Report {
 public:
  struct Front {
    std::int32_t found = 0, done = 0;
  };
  Report(const par::Queue& queue, Index cells)
      : cells_(cells), on_device_(queue, kFront + cells * Index(sizeof(V) + 1)) {
    on_device_.fill_bytes(0);
    bytes_.resize(on_device_.bytes());
  }
  View<std::int32_t> front() {
    return {reinterpret_cast<std::int32_t*>(on_device_.view().data), 2};
  }
  View<V> values() { return {reinterpret_cast<V*>(on_device_.view().data + kFront), cells_}; }
  View<std::uint8_t> finals() {
    return {reinterpret_cast<std::uint8_t*>(on_device_.view().data + kFront) +
                cells_ * Index(sizeof(V)),
            cells_};
  }
  Front fetch_front() {
    on_device_.download(std::span(bytes_).first(sizeof(Front)));
    return told<Front>(0);
  }
  Front fetch() {
    on_device_.download(std::span(bytes_));
    return told<Front>(0);
  }
  // Of what was fetched.
  bool final(std::size_t i) const {
    return bytes_[std::size_t(kFront) + std::size_t(cells_) * sizeof(V) + i] != std::byte{0};
  }
  V value(std::size_t i) const { return told<V>(std::size_t(kFront) + i * sizeof(V)); }

 private:
  static constexpr Index kFront = 16;  // bytes; what follows is aligned
  template <class T>
  T told(std::size_t at) const {
    T value;
    std::memcpy(&value, bytes_.data() + at, sizeof value);
    return value;
  }
  Index cells_;
  Buffer<std::byte> on_device_;
  std::vector<std::byte> bytes_;
};

// A patch in the device's memory.
template <class V>
class SumPatch {
 public:
  SumPatch(const par::Queue& queue, const Rings& rings, const Patch& patch,
           const SumInput<V>& input)
      : queue_(queue),
        rings_(rings),
        patch_(patch),
        how_(input.how),
        several_(bool(input.shares)),
        data_(for_parts<std::uint8_t>(1)),
        shares_(for_parts<double>(several_ ? kNeighbours : 0)),
        gives_(queue, patch.around.size()),
        value_(queue, patch.around.size()),
        waiting_(queue, (patch.around.size() + 3) / 4 * 4),
        ready_(queue, several_ ? patch.inside.size() : 0) {
    value_.fill_bytes(0);
    waiting_.fill_bytes(0);  // what is put away is known to the last byte
    Buffer<std::uint8_t> all = for_parts<std::uint8_t>(1);
    Grid grid;
    grid.dx.resize(std::size_t(patch.around.rows));
    for (std::size_t m = patch.tiles.first; m < patch.tiles.end; ++m) load(m, input, all, grid);
    jumps_.sort();
    jumped_ = Buffer<V>(queue, Index(jumps_.in.size()));
    jumped_.fill_bytes(0);
    entries_ = Buffer<SumEntry<V>>(queue, Index(std::max(patch.ring.size(), jumps_.in.size())));
    watched_ = Buffer<std::int32_t>(queue, watched());
    leaps_ = Buffer<TileLeap>(queue, leaps());
    landings_ = Buffer<std::int32_t>(queue, landings());
    if (how_ == steps::TileJoin::longest) {
      distance_ = Buffer<double>(queue, step_lengths(grid));
      leap_length_ = Buffer<double>(queue, leap_lengths(input));
    }
    report_ = std::make_unique<Report<V>>(queue, watched_.size());
    par::dispatch(queue, [&](const auto& exec) {
      steps::inner_receivers(exec, place(), all.cview(), data_.cview(), gives_.view());
    });
  }

  // Finishes what needs nothing from outside.
  void begin(const SumInput<V>& input) {
    for (std::size_t m = patch_.tiles.first; m < patch_.tiles.end; ++m) {
      const Buffer<V> own(queue_, input.own(m));
      const domain::Window w = window(m);
      copy<V>(w, 1, own.cview(), place_in(w, w), value_.view(), place_in(w, patch_.around));
    }
    work([&](const auto& exec, const TileSum<V>& sum) {
      steps::count_donors(exec, sum, data_.cview());
      steps::run_sources(exec, sum);
    });
    if (several_) empty_list();
    changed_ = true;
  }
  // What an earlier visit left.
  void restore(const std::vector<V>& value, const std::vector<std::uint8_t>& waiting,
               const std::vector<V>& jumped) {
    value_.upload(value);
    waiting_.upload(waiting);
    jumped_.upload(jumped);
  }
  std::vector<V> values() const { return value_.download(); }
  std::vector<std::uint8_t> waiting() const { return waiting_.download(); }
  std::vector<V> jumped() const { return jumped_.download(); }
  // Of the m-th tile alone.
  std::vector<V> values_of(std::size_t m) const {
    const domain::Window w = window(m);
    Buffer<V> own(queue_, w.size());
    copy<V>(w, 1, value_.cview(), place_in(w, patch_.around), own.view(), place_in(w, w));
    return own.download();
  }
  Index count_waiting() {
    Index waiting = 0;
    work([&](const auto& exec, const TileSum<V>& sum) {
      waiting = steps::count_waiting(exec, sum);
    });
    return waiting;
  }

  void enter_ring(const std::vector<SumEntry<V>>& cells) {
    enter(cells, [](const auto& exec, const TileSum<V>& sum, View<const SumEntry<V>> entries) {
      steps::enter_ring(exec, sum, entries);
    });
  }
  void enter_jumps(const std::vector<JumpValue<V>>& letters) {
    std::vector<SumEntry<V>> places;
    for (const JumpValue<V>& letter : letters)
      places.push_back({std::int32_t(jumps_.place(letter.jump)), letter.value});
    enter(places, [](const auto& exec, const TileSum<V>& sum, View<const SumEntry<V>> entries) {
      steps::enter_jumps(exec, sum, entries);
    });
  }
  // Final values to the rims, and letters of jumps out of the patch.
  void show(Told& told, RimField<Known<V>>& rims, Mail<JumpValue<V>>& mail) {
    if (!changed_) return;
    changed_ = false;
    look();
    for (std::size_t k = 0; k < patch_.rim.size(); ++k)
      if (report_->final(k))
        rims.rim(patch_.rim[k].tile)[std::size_t(patch_.rim[k].place)] = {report_->value(k), 1};
    for (std::size_t j = 0; j < letters_.size(); ++j) {
      const std::size_t k = patch_.rim.size() + j;
      if (!report_->final(k) || told.leaps[j] != 0) continue;
      told.leaps[j] = 1;
      mail.send(rings_.tiling().tile_of(letters_[j].target), {letters_[j], report_->value(k)});
    }
  }
  std::size_t letters() const { return letters_.size(); }

 private:
  bool alone() const { return patch_.tiles.end - patch_.tiles.first == 1; }
  domain::Window window(std::size_t m) const { return rings_.tiling().window(rings_.tile(m)); }
  steps::TilePlace place() const {
    const domain::Window& a = patch_.around;
    const domain::Window& i = patch_.inside;
    return {a.rows, a.cols, i.row - a.row, i.col - a.col, i.rows, i.cols};
  }
  // Position in the block of a cell of the map that lies in the patch.
  std::int32_t position(Index cell) const {
    const Index cols = rings_.tiling().cols;
    return std::int32_t((cell / cols - patch_.around.row) * patch_.around.cols + cell % cols -
                        patch_.around.col);
  }
  bool holds(Index cell) const { return contains(patch_.inside, rings_.tiling().cols, cell); }

  // For arrays that tiles come with, in `planes`: a tile alone brings its own.
  template <class T>
  Buffer<T> for_parts(Index planes) const {
    return {queue_, alone() ? 0 : planes * patch_.around.size()};
  }
  template <class T>
  void copy(const domain::Window& window, Index planes, View<const T> from,
            const steps::WindowPlace& there, View<T> to, const steps::WindowPlace& here) const {
    par::dispatch(queue_, [&](const auto& exec) {
      steps::copy_window(exec, {window.rows, window.cols, planes, there, here}, from, to);
    });
  }
  // An array of a tile and its ring takes its place in that of the patch.
  template <class T>
  void take(std::size_t m, Index planes, Buffer<T> from, Buffer<T>& to) const {
    if (alone()) {
      to = std::move(from);
      return;
    }
    const domain::Window part = patch_.part(window(m));
    const domain::Window there = rings_.tiling().with_halo(rings_.tile(m), 1);
    copy<T>(part, planes, from.cview(), place_in(part, there), to.view(),
            place_in(part, patch_.around));
  }
  // One tile: where its flow goes, and the sizes of its cells.
  void load(std::size_t m, const SumInput<V>& input, Buffer<std::uint8_t>& all, Grid& grid) {
    const FlowBits flow = input.bits(m);
    take(m, 1, Buffer<std::uint8_t>(queue_, flow.data), data_);
    take(m, 1, Buffer<std::uint8_t>(queue_, flow.gives), all);
    if (several_) take(m, kNeighbours, input.shares(m), shares_);
    jumps_.out.insert(jumps_.out.end(), flow.jumps.out.begin(), flow.jumps.out.end());
    jumps_.in.insert(jumps_.in.end(), flow.jumps.in.begin(), flow.jumps.in.end());
    const TileShape& shape = flow.shape;
    grid.dy = shape.grid.dy;
    if (shape.grid.dx.size() == 1) {
      grid.dx = shape.grid.dx;
    } else if (!shape.grid.dx.empty()) {
      std::copy(shape.grid.dx.begin(), shape.grid.dx.end(),
                grid.dx.begin() + (shape.around.row - patch_.around.row));
    }
  }
  // Cells that others want to know of: the rim, then the roots of jumps out of the patch.
  std::vector<std::int32_t> watched() {
    std::vector<std::int32_t> cells;
    for (const Patch::RimCell& cell : patch_.rim) cells.push_back(cell.at);
    for (const TileJump& jump : jumps_.out) {
      if (holds(jump.target)) continue;
      letters_.push_back(jump);
      cells.push_back(position(jump.root));
    }
    return cells;
  }
  std::vector<TileLeap> leaps() const {
    std::vector<TileLeap> inner;
    for (const TileJump& jump : jumps_.out)
      if (holds(jump.target))
        inner.push_back(
            {position(jump.root), position(jump.target), std::int32_t(jumps_.place(jump))});
    return inner;
  }
  std::vector<std::int32_t> landings() const {
    std::vector<std::int32_t> cells;
    for (const TileJump& jump : jumps_.in) cells.push_back(position(jump.target));
    return cells;
  }
  std::vector<double> leap_lengths(const SumInput<V>& input) const {
    std::vector<double> lengths;
    for (const TileJump& jump : jumps_.in) lengths.push_back(input.jump_length(jump));
    return lengths;
  }
  template <class Work>
  void work(const Work& run) {
    const TileSum<V> sum{
        place(),         how_,           distance_.cview(), leap_length_.cview(), gives_.cview(),
        shares_.cview(), leaps_.cview(), landings_.cview(), jumped_.view(),       value_.view(),
        waiting_.view(), ready_.view(),  report_->front()};
    par::dispatch(queue_, [&](const auto& exec) { run(exec, sum); });
  }
  template <class Run>
  void enter(const std::vector<SumEntry<V>>& entries, const Run& run) {
    if (entries.empty()) return;
    changed_ = true;
    entries_.upload(entries);
    work([&](const auto& exec, const TileSum<V>& sum) {
      run(exec, sum, View<const SumEntry<V>>{entries_.cview().data, Index(entries.size())});
    });
  }
  // Takes over how far the list is done, and runs the rest of it; true where there was none.
  bool is_done(const typename Report<V>::Front& front) {
    done_ = front.done;
    if (!several_ || front.found == front.done) return true;
    work([&](const auto& exec, const TileSum<V>& sum) {
      steps::run_many(exec, sum, done_, Index(front.found));
    });
    done_ = front.found;
    return false;
  }
  void empty_list() {
    do {
      work([&](const auto& exec, const TileSum<V>& sum) { steps::run_few(exec, sum, done_); });
    } while (!is_done(report_->fetch_front()));
  }
  // Fetches the values and states of the cells that others want to know of.
  void look() {
    const auto fetched = [&] {
      work([&](const auto& exec, const TileSum<V>& sum) {
        if (several_) steps::run_few(exec, sum, done_);
        steps::look_at(exec, sum, watched_.cview(), report_->values(), report_->finals());
      });
      return report_->fetch();
    };
    while (!is_done(fetched())) empty_list();
  }

  par::Queue queue_;
  const Rings& rings_;
  const Patch& patch_;
  steps::TileJoin how_;
  bool several_;  // receivers of a cell
  TileJumps jumps_;
  std::vector<TileJump> letters_;
  Buffer<std::uint8_t> data_;
  Buffer<double> shares_;
  Buffer<std::uint8_t> gives_;
  Buffer<V> value_;
  Buffer<std::uint8_t> waiting_;
  Buffer<std::int32_t> ready_;
  Buffer<V> jumped_;
  Buffer<SumEntry<V>> entries_;
  Buffer<std::int32_t> watched_;
  Buffer<TileLeap> leaps_;
  Buffer<std::int32_t> landings_;
  Buffer<double> distance_, leap_length_;
  std::unique_ptr<Report<V>> report_;
  Index done_ = 0;  // of ready_
  bool changed_ = false;
};

template <class V>
class Sums {
 public:
  Sums(const par::Queue& queue, const Rings& rings, TileStore& store, const std::string& name,
       const SumInput<V>& input, Index most_together, Cycles cycles)
      : queue_(queue),
        rings_(rings),
        store_(store),
        name_(name),
        input_(input),
        cycles_(cycles),
        rims_(rings, Known<V>{}),
        mail_(rings, store, name),
        room_(tiles_at_once(queue, store, bytes_of_tile(rings.tiling(), bool(input.shares)))),
        patches_(patches_of(rings, room_ >= rings.count() ? most_together : 0)),
        told_(patches_.size()),
        pool_(room_) {}

  Index run() {
    std::vector<TileRun> runs;
    for (const Patch& patch : patches_) runs.push_back(patch.tiles);
    settle_runs(
        rings_, rims_, runs, [&](std::size_t k) { visit(k); }, &mail_,
        [&](std::size_t k) { return pool_.holds(k); });
    Index waiting = 0;
    together(rings_.comm(), [&] {
      pool_.clear([&](std::size_t k, SumPatch<V>& held) { waiting += finish(k, held); });
      for (const Index tile : rings_.tiles())
        if (store_.has(tile, of("value"))) waiting += finish_put_away(tile);
      require(waiting == 0 || cycles_ == Cycles::left, "tiled_sums: flow runs in a loop");
    });
    return waiting;
  }

 private:
  std::string of(const char* what) const { return name_ + "." + what; }
  static double bytes_of_tile(const Tiling& t, bool shares) {
    const double cell = double(sizeof(V)) + 3 + (shares ? 4 + 8 * kNeighbours : 0);
    return cell * double(t.tile_rows + 2) * double(t.tile_cols + 2);
  }
  // Brings a patch into the device's memory.
  std::unique_ptr<SumPatch<V>> make(std::size_t k) {
    const Patch& patch = patches_[k];
    auto made = std::make_unique<SumPatch<V>>(queue_, rings_, patch, input_);
    if (!told_[k].begun) {
      told_[k] = {std::vector<std::uint8_t>(patch.ring.size(), 0),
                  std::vector<std::uint8_t>(made->letters(), 0), true};
      made->begin(input_);
      return made;
    }
    const Index tile = rings_.tile(patch.tiles.first);
    made->restore(store_.get<V>(tile, of("value")), store_.get<std::uint8_t>(tile, of("waiting")),
                  store_.get<V>(tile, of("jumped")));
    drop(tile);
    return made;
  }
  void put_away(std::size_t k, const SumPatch<V>& held) {
    require(patches_[k].tiles.end - patches_[k].tiles.first == 1, "tiled_sums: no room");
    const Index tile = rings_.tile(patches_[k].tiles.first);
    store_.put(tile, of("value"), held.values());
    store_.put(tile, of("waiting"), held.waiting());
    store_.put(tile, of("jumped"), held.jumped());
  }
  void drop(Index tile) {
    for (const char* what : {"value", "waiting", "jumped"}) store_.drop(tile, of(what));
  }
  // Keeps the results; returns how many cells wait.
  Index finish(std::size_t k, SumPatch<V>& held) {
    const Patch& patch = patches_[k];
    for (std::size_t m = patch.tiles.first; m < patch.tiles.end; ++m)
      store_.put(rings_.tile(m), name_, held.values_of(m));
    if (cycles_ == Cycles::left) {
      const std::vector<std::uint8_t> waiting = held.waiting();
      for (std::size_t m = patch.tiles.first; m < patch.tiles.end; ++m)
        mark_left(rings_.tile(m), patch.around, waiting);
    }
    return held.count_waiting();
  }
  // Of a tile that lies in `all`.
  void mark_left(Index tile, const domain::Window& all, const std::vector<std::uint8_t>& waiting) {
    const domain::Window w = rings_.tiling().window(tile);
    std::vector<std::uint8_t> left;
    for (Index r = 0; r < w.rows; ++r)
      for (Index c = 0; c < w.cols; ++c) {
        const Index at = (w.row - all.row + r) * all.cols + w.col - all.col + c;
        left.push_back(TileSum<V>::waits(waiting[std::size_t(at)]) ? 1 : 0);
      }
    store_.put(tile, of("left"), left);
  }
  Index finish_put_away(Index tile) {
    const auto waiting = store_.get<std::uint8_t>(tile, of("waiting"));
    const TileShape shape = windows_of(rings_.tiling(), tile);
    store_.put(tile, name_, shape.cut(store_.get<V>(tile, of("value"))));
    if (cycles_ == Cycles::left) mark_left(tile, shape.around, waiting);
    drop(tile);
    return Index(std::count_if(waiting.begin(), waiting.end(), TileSum<V>::waits));
  }
  void visit(std::size_t k) {
    SumPatch<V>& held = pool_.get(
        k, [&](std::size_t i) { return make(i); },
        [&](std::size_t i, const SumPatch<V>& one) { put_away(i, one); });
    const Patch& patch = patches_[k];
    for (std::size_t m = patch.tiles.first; m < patch.tiles.end; ++m)
      held.enter_jumps(mail_.take(m));
    std::vector<SumEntry<V>> fresh;
    for (std::size_t r = 0; r < patch.ring.size(); ++r) {
      const Known<V>& shown = rims_.at(patch.ring[r].from);
      if (shown.known == 0 || told_[k].ring[r] != 0) continue;
      told_[k].ring[r] = 1;
      fresh.push_back({patch.ring[r].at, shown.value});
    }
    held.enter_ring(fresh);
    held.show(told_[k], rims_, mail_);
  }

  par::Queue queue_;
  const Rings& rings_;
  TileStore& store_;
  std::string name_;
  const SumInput<V>& input_;
  Cycles cycles_;
  RimField<Known<V>> rims_;
  Mail<JumpValue<V>> mail_;
  std::size_t room_;  // for so many tiles
  std::vector<Patch> patches_;
  std::vector<Told> told_;
  TilePool<SumPatch<V>> pool_;
};

}  // namespace

template <class V>
Index tiled_sums(const par::Queue& queue, const Rings& rings, TileStore& store,
                 const std::string& name, const SumInput<V>& input, Index most_together,
                 Cycles cycles) {
  return Sums<V>(queue, rings, store, name, input, most_together, cycles).run();
}

template Index tiled_sums(const par::Queue&, const Rings&, TileStore&, const std::string&,
                          const SumInput<std::int32_t>&, Index, Cycles);
template Index tiled_sums(const par::Queue&, const Rings&, TileStore&, const std::string&,
                          const SumInput<std::int64_t>&, Index, Cycles);
template Index tiled_sums(const par::Queue&, const Rings&, TileStore&, const std::string&,
                          const SumInput<double>&, Index, Cycles);

}  // namespace terrawave::terrain
