// Breaching over tiles: a walker follows the carved directions from each pit and goes from tile to
// tile with what it has found so far.
#include "terrawave/solvers/terrain/tiled_breach.hpp"

#include <algorithm>

#include "terrawave/par/buffer.hpp"
#include "terrawave/solvers/terrain/tiled_flats.hpp"
#include "terrawave/solvers/terrain/tiled_mail.hpp"

namespace terrawave::terrain {
namespace {

// On its way down from a pit to the first lower cell or base cell. It goes once to find that cell
// and the channel's height, again to count where a base cell lies above the pit, again to cut.
struct Walker {
  enum Errand : std::int64_t { find, count, cut };
  std::int64_t errand = find;
  Index pit = 0, at = 0;  // linear indices of the map; begins where they are equal
  double ground = 0;      // height of the pit
  double level = 0;       // height of the channel; find: of the pit
  double highest = 0;     // on the way so far
  Index above = 0;        // cells above `level` on the way so far
};

template <class T>
class Channels {
 public:
  Channels(const par::Queue& queue, BlockReader& reader, const Rings& rings, TileStore& store,
           const BreachLimits& limits)
      : queue_(queue),
        reader_(reader),
        rings_(rings),
        store_(store),
        limits_(limits),
        mail_(rings, store, "walkers") {}

  BreachStats run() {
    deliver(rings_, mail_, [&](std::size_t m) { visit(m); });
    stats_.breached = rings_.comm().sum(stats_.breached);
    stats_.remaining = rings_.comm().sum(stats_.remaining);
    return stats_;
  }

 private:
  // One tile with the walkers inside it.
  struct Place {
    Block<T> block;
    std::vector<Direction> way;
    std::vector<T> cut;
    bool changed = false;
    std::vector<Walker> open;
  };

  void visit(std::size_t m) {
    const Index tile = rings_.tile(m);
    Place on{
        reader_.read<T>(tile), store_.get<Direction>(tile, "directions"), {}, false, mail_.take(m)};
    if (store_.has(tile, "breached")) {
      on.cut = store_.get<T>(tile, "breached");
    } else {
      on.cut = on.block.cut(on.block.z);
      on.changed = true;
      start(on);
    }
    walk_all(on);
    if (on.changed) store_.put(tile, "breached", on.cut);
  }

  // A walker at every pit of the tile.
  void start(Place& on) {
    const Block<T>& block = on.block;
    const par::Buffer<T> z(queue_, block.z);
    const par::Buffer<std::uint8_t> state(queue_, block.state);
    std::vector<Direction> downhill = block.cut(
        steepest_receivers<T>(queue_, block.grid, z.cview(), state.cview(), FlatRule::leave)
            .direction.download());
    drain_by_map_index(queue_, block, downhill);
    for (Index i = block.inside.size() - 1; i >= 0; --i) {
      const Index a = block.around_of(i);
      if (downhill[std::size_t(i)] != kRoot || is_base(block.state[std::size_t(a)])) continue;
      Walker walker;
      walker.pit = walker.at = block.global(a);
      walker.ground = walker.level = walker.highest = double(block.z[std::size_t(a)]);
      on.open.push_back(walker);
      walk_all(on);  // one after the other: few wait at any time
    }
  }

  void walk_all(Place& on) {
    while (!on.open.empty()) {
      const Walker walker = on.open.back();
      on.open.pop_back();
      walk(on, walker);
    }
  }

  void walk(Place& on, Walker walker) {
    const Block<T>& block = on.block;
    const domain::Window& in = block.inside;
    Index row = walker.at / block.tiling.cols - in.row;
    Index col = walker.at % block.tiling.cols - in.col;
    while (true) {
      const auto i = std::size_t(row * in.cols + col);
      const auto a = std::size_t(block.around_of(Index(i)));
      const double here = double(block.z[a]);
      if (walker.at != walker.pit) {
        if (here < walker.ground || is_base(block.state[a])) return arrive(on, walker, here);
        pass(on, walker, i, here);
      }
      const Direction d = on.way[i];
      if (d >= kNeighbours) {  // no base cell can be reached
        ++stats_.remaining;
        return;
      }
      row += kRowStep[d];
      col += kColStep[d];
      walker.at = block.tiling.cell(in.row + row, in.col + col);
      if (row >= 0 && row < in.rows && col >= 0 && col < in.cols) continue;
      return go_on(on, walker);
    }
  }

  void pass(Place& on, Walker& walker, std::size_t i, double here) {
    if (walker.errand == Walker::cut) {
      on.cut[i] = std::min(on.cut[i], T(walker.level));
      on.changed = true;
      return;
    }
    walker.highest = std::max(walker.highest, here);
    if (here > walker.level) ++walker.above;
  }

  // At the end of the channel, whose height is `here` or below the pit.
  void arrive(Place& on, Walker walker, double here) {
    if (walker.errand == Walker::cut) return;
    const bool pond = here > walker.ground;  // a base cell keeps its height: a pond is left
    if (walker.errand == Walker::find && pond && limits_.max_length > 0) {
      walker.errand = Walker::count;
      walker.level = here;
      walker.above = 0;
      walker.at = walker.pit;
      return go_on(on, walker);
    }
    if (pond) walker.level = here;
    const double depth = std::max(0.0, walker.highest - walker.level);
    const bool short_enough = limits_.max_length == 0 || walker.above <= limits_.max_length;
    const bool shallow = limits_.max_depth == 0 || depth <= limits_.max_depth;
    const bool accepted = short_enough && shallow;
    if (!accepted || pond)
      ++stats_.remaining;
    else
      ++stats_.breached;
    if (!accepted) return;
    walker.errand = Walker::cut;
    walker.level += 0.0;  // of the two zeros the positive one, whichever pit cuts first
    walker.at = walker.pit;
    go_on(on, walker);
  }

  void go_on(Place& on, const Walker& walker) {
    const Index tile = on.block.tiling.tile_of(walker.at);
    const domain::Window w = on.block.tiling.window(tile);
    if (w.row == on.block.inside.row && w.col == on.block.inside.col)
      on.open.push_back(walker);
    else
      mail_.send(tile, walker);
  }

  par::Queue queue_;
  BlockReader& reader_;
  const Rings& rings_;
  TileStore& store_;
  BreachLimits limits_;
  Mail<Walker> mail_;
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
BreachStats tiled_breach(comm::Comm& comm, const par::Queue& queue, BlockReader& reader,
                         TileStore& store, const BreachLimits& limits) {
  tiled_route<T>(comm, queue, reader, store);
  const Rings rings(comm, reader.tiling());
  return Channels<T>(queue, reader, rings, store, limits).run();
}

#define TERRAWAVE_FOR(T)                                                                         \
  template BreachStats tiled_breach<T>(comm::Comm&, const par::Queue&, BlockReader&, TileStore&, \
                                       const BreachLimits&);
TERRAWAVE_FOR(std::uint8_t)
TERRAWAVE_FOR(std::int16_t)
TERRAWAVE_FOR(std::uint16_t)
TERRAWAVE_FOR(std::int32_t)
TERRAWAVE_FOR(float)
TERRAWAVE_FOR(double)
#undef TERRAWAVE_FOR

}  // namespace terrawave::terrain
