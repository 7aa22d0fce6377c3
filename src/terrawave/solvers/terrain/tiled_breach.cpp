// Breaching over tiles: a walker follows the carved directions from each pit and goes from tile to
// tile with what it has found so far.
#include "terrawave/solvers/terrain/tiled_breach.hpp"

#include <algorithm>
#include <memory>

#include "terrawave/par/buffer.hpp"
#include "terrawave/solvers/terrain/breach_steps.hpp"
#include "terrawave/solvers/terrain/host_copies.hpp"
#include "terrawave/solvers/terrain/tiled_flats.hpp"
#include "terrawave/solvers/terrain/tiled_mail.hpp"
#include "terrawave/solvers/terrain/tiled_pool.hpp"

namespace terrawave::terrain {
namespace {

using steps::Walker;

template <class T>
steps::ChannelPlace place_in_map(const Block<T>& block) {
  const Tiling& map = block.tiling;
  return {place_of(block), block.inside.row, block.inside.col, map.rows,
          map.cols,        map.loop_rows,    map.loop_cols};
}

template <class T>
class Channels {
 public:
  Channels(const TileQueue& queue, BlockReader& reader, const Rings& rings, TileStore& store,
           const BreachLimits& limits)
      : queue_(queue),
        reader_(reader),
        rings_(rings),
        store_(store),
        limits_(limits),
        mail_(rings, store, "walkers"),
        pool_(tiles_at_once(queue, store, bytes_of_tile(rings.tiling()))) {}

  BreachStats run() {
    deliver(rings_, mail_, [&](std::size_t m) { visit(m); });
    together(rings_.comm(),
             [&] { pool_.clear([&](std::size_t m, const Place& on) { put_away(m, on); }); });
    stats_.breached = rings_.comm().sum(stats_.breached);
    stats_.remaining = rings_.comm().sum(stats_.remaining);
    return stats_;
  }

 private:
  // One tile in the memory of the queue's device.
  struct Place {
    Place(const par::Queue& queue, const Block<T>& block, const std::vector<Direction>& directions)
        : z(queue, block.z),
          state(queue, block.state),
          way(queue, directions),
          levels(queue, block.inside.size()),
          ground{place_in_map(block), z.cview(), state.cview()} {
      levels.fill_bytes(0xff);
    }
    par::Buffer<T> z;
    par::Buffer<std::uint8_t> state;
    par::Buffer<Direction> way;
    par::Buffer<std::uint64_t> levels;
    steps::ChannelGround<T> ground;
  };

  static double bytes_of_tile(const Tiling& t) {
    const double cell = sizeof(T) + 2 + sizeof(std::uint64_t);
    return cell * double(t.tile_rows + 2) * double(t.tile_cols + 2);
  }
  // Brings a tile into the device's memory; for the first time its pits send walkers.
  std::unique_ptr<Place> make(std::size_t m) {
    const Index tile = rings_.tile(m);
    const Block<T> block = reader_.read<T>(tile);
    auto on = std::make_unique<Place>(queue_, block, store_.get<Direction>(tile, "directions"));
    if (!store_.has(tile, "breached")) {
      store_.put(tile, "breached", block.cut(block.z));
      start(block, *on);
    }
    return on;
  }
  void put_away(std::size_t m, const Place& on) {
    const Index tile = rings_.tile(m);
    par::dispatch(queue_, [&](const auto& exec) {
      if (steps::count_cut(exec, on.levels.cview()) == 0) return;
      par::Buffer<T> cut(queue_, store_.get<T>(tile, "breached"));
      steps::cut_channels(exec, on.levels.cview(), cut.cview(), cut.view());
      store_.put(tile, "breached", cut.download());
    });
  }
  void visit(std::size_t m) {
    Place& on = pool_.get(
        m, [&](std::size_t i) { return make(i); },
        [&](std::size_t i, const Place& one) { put_away(i, one); });
    for (std::vector<Walker> some = mail_.take(m); !some.empty(); some = mail_.take(m)) {
      par::Buffer<Walker> walkers(queue_, some);
      walk(on, walkers.view());
      send(walkers.download());
    }
  }

  // Walkers from every pit of the tile.
  void start(const Block<T>& block, Place& on) {
    std::vector<Direction> steepest = block.cut(
        steepest_receivers<T>(queue_, block.grid, on.z.cview(), on.state.cview(), FlatRule::leave)
            .direction.download());
    drain_by_map_index(queue_, block, steepest);
    const par::Buffer<Direction> downhill(queue_, steepest);
    par::dispatch(queue_, [&](const auto& exec) {
      par::Buffer<std::int32_t> pits(queue_, steps::count_pits(exec, on.ground, downhill.cview()));
      steps::find_pits(exec, on.ground, downhill.cview(), pits.view());
      par::Buffer<Walker> walkers(queue_, std::min(pits.size(), steps::kWalkersAtOnce));
      for (Index begin = 0; begin < pits.size(); begin += walkers.size()) {
        const Index count = std::min(walkers.size(), pits.size() - begin);
        const par::View<Walker> some{walkers.view().data, count};
        steps::place_walkers(exec, on.ground, {pits.cview().data + begin, count}, some);
        walk(on, some);
        send(to_host(queue_, some));
      }
    });
  }

  void walk(Place& on, par::View<Walker> walkers) {
    stats_ += par::dispatch(queue_, [&](const auto& exec) {
      return steps::walk_channels(exec, on.ground, limits_, on.way.cview(), walkers,
                                  on.levels.view());
    });
  }

  // To the tiles that they have entered.
  void send(const std::vector<Walker>& walkers) {
    for (const Walker& w : walkers)
      if (w.at >= 0) mail_.send(reader_.tiling().tile_of(w.at), w);
  }

  TileQueue queue_;
  BlockReader& reader_;
  const Rings& rings_;
  TileStore& store_;
  BreachLimits limits_;
  Mail<Walker> mail_;
  TilePool<Place> pool_;
  BreachStats stats_;
};

}  // namespace

FlowOptions breach_options(FlowOptions options) {
  options.mode = RouteMode::carve;
  options.depressions = true;
  options.flats = false;
  return options;
}

template <class T>
BreachStats tiled_breach(comm::Comm& comm, const TileQueue& queue, BlockReader& reader,
                         TileStore& store, const BreachLimits& limits) {
  tiled_route<T>(comm, queue, reader, store);
  const Rings rings(comm, reader.tiling());
  return Channels<T>(queue, reader, rings, store, limits).run();
}

#define TERRAWAVE_FOR(T)                                                                        \
  template BreachStats tiled_breach<T>(comm::Comm&, const TileQueue&, BlockReader&, TileStore&, \
                                       const BreachLimits&);
TERRAWAVE_FOR(std::uint8_t)
TERRAWAVE_FOR(std::int16_t)
TERRAWAVE_FOR(std::uint16_t)
TERRAWAVE_FOR(std::int32_t)
TERRAWAVE_FOR(float)
TERRAWAVE_FOR(double)
#undef TERRAWAVE_FOR

}  // namespace terrawave::terrain
