#include "terrawave/solvers/terrain/tiled_flat_search.hpp"

#include <algorithm>
#include <memory>

#include "terrawave/par/buffer.hpp"
#include "terrawave/solvers/terrain/tile_flat_steps.hpp"
#include "terrawave/solvers/terrain/tiled_pool.hpp"

namespace terrawave::terrain {
namespace {

using par::Buffer;
using par::View;
using steps::TileFlat;

// Steps from the low edge and from higher ground; 0: none known.
struct FlatSteps {
  std::int32_t toward = 0, away = 0;
  bool operator==(const FlatSteps&) const = default;
};

// One of the two searches of a tile, in the device's memory.
class StepSearch {
 public:
  StepSearch(const par::Queue& queue, Index cells, Index stuck)
      : queue_(queue), steps_(queue, cells), list_(queue, stuck), count_(queue, 3) {
    count_.fill_bytes(0);
  }
  View<std::int32_t> steps() { return steps_.view(); }
  steps::StepList list() { return {list_.view(), count_.view()}; }
  void restore(const std::vector<std::int32_t>& steps) { steps_.upload(steps); }
  std::vector<std::int32_t> download() const { return steps_.download(); }

  void begin(const TileFlat& flat) {
    par::dispatch(queue_,
                  [&](const auto& exec) { steps::spread_first(exec, flat, steps(), list()); });
  }
  // Ring cells whose steps have changed: (steps, position), by rising steps.
  void enter(const TileFlat& flat, std::vector<std::pair<std::int32_t, std::int32_t>> changed) {
    if (changed.empty()) return;
    std::sort(changed.begin(), changed.end());
    std::vector<std::int32_t> at, values;
    for (const auto& [value, cell] : changed) {
      at.push_back(cell);
      values.push_back(value);
    }
    const Buffer<std::int32_t> cells(queue_, at), new_steps(queue_, values);
    par::dispatch(queue_, [&](const auto& exec) {
      steps::set_steps(exec, cells.cview(), new_steps.cview(), steps());
      steps::spread_ring(exec, flat, steps(), list(), {cells.cview(), values});
    });
    queue_.synchronize();
  }
  std::vector<std::int32_t> at(const Buffer<std::int32_t>& cells) const {
    Buffer<std::int32_t> values(queue_, cells.size());
    par::dispatch(queue_, [&](const auto& exec) {
      steps::look_at_steps(exec, cells.cview(), steps_.cview(), values.view());
    });
    return values.download();
  }

 private:
  par::Queue queue_;
  Buffer<std::int32_t> steps_, list_, count_;
};

// The flats of one tile in the device's memory.
class FlatTile {
 public:
  FlatTile(const par::Queue& queue, const Rings& rings, std::size_t m, const TileShape& shape,
           Index stuck)
      : queue_(queue),
        place_(place_of(shape)),
        same_(queue, place_.cells()),
        edge_(queue, place_.cells()),
        toward_(queue, place_.cells(), stuck),
        away_(queue, place_.cells(), stuck),
        rim_(queue, rim_in_block(rings, m, shape)) {}

  template <class T>
  void find(const Block<T>& block, View<const Direction> direction,
            View<const std::uint8_t> state) {
    const Buffer<T> z(queue_, block.z);
    par::dispatch(queue_, [&](const auto& exec) {
      steps::find_flats(exec, flat(), block.grid.connectivity == Connectivity::d8, z.cview(), state,
                        direction, toward_.steps(), away_.steps(), toward_.list(), away_.list());
    });
    toward_.begin(flat());
    away_.begin(flat());
  }
  void enter(const std::vector<Index>& at, const std::vector<FlatSteps>& before,
             const std::vector<FlatSteps>& now) {
    std::vector<std::pair<std::int32_t, std::int32_t>> toward, away;
    for (std::size_t k = 0; k < at.size(); ++k) {
      const auto cell = std::int32_t(at[k]);
      if (now[k].toward != before[k].toward) toward.emplace_back(now[k].toward, cell);
      if (now[k].away != before[k].away) away.emplace_back(now[k].away, cell);
    }
    toward_.enter(flat(), std::move(toward));
    away_.enter(flat(), std::move(away));
  }
  void show(std::vector<FlatSteps>& rim) const {
    const std::vector<std::int32_t> toward = toward_.at(rim_), away = away_.at(rim_);
    for (std::size_t k = 0; k < rim.size(); ++k) rim[k] = {toward[k], away[k]};
  }
  void drain(std::vector<Direction>& own) {
    Buffer<Direction> direction(queue_, own);
    par::dispatch(queue_, [&](const auto& exec) {
      steps::choose_steps(exec, flat(), toward_.steps(), away_.steps(), direction.view());
    });
    direction.download(own);
  }
  void put(TileStore& store, Index tile) const {
    store.put(tile, "flat.same", same_.download());
    store.put(tile, "flat.edge", edge_.download());
    store.put(tile, "flat.toward", toward_.download());
    store.put(tile, "flat.away", away_.download());
  }
  void restore(const TileStore& store, Index tile) {
    same_.upload(store.get<std::uint8_t>(tile, "flat.same"));
    edge_.upload(store.get<std::uint8_t>(tile, "flat.edge"));
    toward_.restore(store.get<std::int32_t>(tile, "flat.toward"));
    away_.restore(store.get<std::int32_t>(tile, "flat.away"));
  }
  static void drop(TileStore& store, Index tile) {
    for (const char* what : {"flat.same", "flat.edge", "flat.toward", "flat.away"})
      store.drop(tile, what);
  }

 private:
  static std::vector<std::int32_t> rim_in_block(const Rings& rings, std::size_t m,
                                                const TileShape& shape) {
    std::vector<std::int32_t> cells;
    for (const Index i : rings.rim_positions(m)) cells.push_back(std::int32_t(shape.around_of(i)));
    return cells;
  }
  TileFlat flat() { return {place_, same_.view(), edge_.view()}; }

  par::Queue queue_;
  steps::TilePlace place_;
  Buffer<std::uint8_t> same_, edge_;
  StepSearch toward_, away_;
  Buffer<std::int32_t> rim_;
};

template <class T>
class FlatTiles {
 public:
  FlatTiles(const par::Queue& queue, const Rings& rings, TileStore& store)
      : queue_(queue),
        rings_(rings),
        store_(store),
        rims_(rings, FlatSteps{}),
        stuck_(rings.count(), 0),
        ring_(rings.count()),
        pool_(tiles_at_once(queue, store, bytes_of_tile(rings.tiling()))) {}

  // The flats of a tile alone.
  void begin(std::size_t m, const Block<T>& block, const std::vector<Direction>& direction) {
    const Buffer<Direction> directions(queue_, direction);
    const Buffer<std::uint8_t> state(queue_, block.state);
    stuck_[m] = par::dispatch(queue_, [&](const auto& exec) {
      return steps::count_stuck(exec, place_of(block), directions.cview(), state.cview());
    });
    if (stuck_[m] == 0) return;
    const auto made = [&](std::size_t) {
      return std::make_unique<FlatTile>(queue_, rings_, m, block, stuck_[m]);
    };
    FlatTile& tile = pool_.get(m, made, put_away());
    tile.find(block, directions.cview(), state.cview());
    ring_[m].assign(rings_.sources(m).size(), FlatSteps{});
    tile.show(rims_.rim(m));
  }
  // Lets what the rings show in until none changes.
  void settle_rings() {
    rims_.exchange();
    const auto visit = [&](std::size_t m) {
      if (stuck_[m] == 0) return;
      std::vector<FlatSteps> now = rims_.ring(m);
      if (now == ring_[m]) return;
      FlatTile& tile = hold(m);
      tile.enter(rings_.ring_positions(m), ring_[m], now);
      ring_[m] = std::move(now);
      tile.show(rims_.rim(m));
    };
    settle(rings_, rims_, visit, nullptr, [&](std::size_t m) { return pool_.holds(m); });
  }
  void drain() {
    together(rings_.comm(), [&] {
      for (std::size_t m = 0; m < rings_.count(); ++m) {
        if (stuck_[m] == 0) continue;
        const Index tile = rings_.tile(m);
        auto own = store_.get<Direction>(tile, "downhill");
        hold(m).drain(own);
        store_.put(tile, "downhill", own);
      }
      pool_.clear([](std::size_t, const FlatTile&) {});
      for (const Index tile : rings_.tiles()) FlatTile::drop(store_, tile);
    });
  }

 private:
  static double bytes_of_tile(const Tiling& t) {
    constexpr double kCell = 2 + 4 * 4;  // neighbours and edges, steps and lists of both searches
    return kCell * double(t.tile_rows + 2) * double(t.tile_cols + 2);
  }
  auto put_away() {
    return [this](std::size_t m, const FlatTile& tile) { tile.put(store_, rings_.tile(m)); };
  }
  FlatTile& hold(std::size_t m) {
    const auto restored = [&](std::size_t) {
      auto made = std::make_unique<FlatTile>(
          queue_, rings_, m, windows_of(rings_.tiling(), rings_.tile(m)), stuck_[m]);
      made->restore(store_, rings_.tile(m));
      return made;
    };
    return pool_.get(m, restored, put_away());
  }

  par::Queue queue_;
  const Rings& rings_;
  TileStore& store_;
  RimField<FlatSteps> rims_;
  std::vector<Index> stuck_;                  // cells of each tile
  std::vector<std::vector<FlatSteps>> ring_;  // what each tile has let in
  TilePool<FlatTile> pool_;
};

}  // namespace

template <class T>
void search_flats(const par::Queue& queue, const Rings& rings, TileStore& store,
                  const std::vector<std::uint8_t>& level, const ReadBlock<T>& read,
                  const RimField<Direction>& edges) {
  FlatTiles<T> tiles(queue, rings, store);
  together(rings.comm(), [&] {
    for (std::size_t m = 0; m < rings.count(); ++m) {
      if (level[m] == 0) continue;
      const Block<T> block = read(m);
      tiles.begin(m, block,
                  block.join(store.get<Direction>(rings.tile(m), "downhill"), edges.ring(m)));
    }
  });
  tiles.settle_rings();
  tiles.drain();
}

template <class T>
void drain_by_kernels(const par::Queue& queue, const Block<T>& block,
                      std::vector<Direction>& direction) {
  const Buffer<T> z(queue, block.z);
  const Buffer<std::uint8_t> state(queue, block.state);
  Buffer<Direction> drained(queue, direction);
  par::dispatch(queue, [&](const auto& exec) {
    steps::drain_in_order(
        exec, place_of(block),
        {block.around.row, block.around.col, block.tiling.rows, block.tiling.cols},
        block.grid.connectivity == Connectivity::d8, z.cview(), state.cview(), drained.view());
  });
  drained.download(direction);
}

#define TERRAWAVE_FOR(T)                                                               \
  template void search_flats<T>(const par::Queue&, const Rings&, TileStore&,           \
                                const std::vector<std::uint8_t>&, const ReadBlock<T>&, \
                                const RimField<Direction>&);                           \
  template void drain_by_kernels<T>(const par::Queue&, const Block<T>&, std::vector<Direction>&);
TERRAWAVE_FOR(std::uint8_t)
TERRAWAVE_FOR(std::int16_t)
TERRAWAVE_FOR(std::uint16_t)
TERRAWAVE_FOR(std::int32_t)
TERRAWAVE_FOR(float)
TERRAWAVE_FOR(double)
#undef TERRAWAVE_FOR

}  // namespace terrawave::terrain
