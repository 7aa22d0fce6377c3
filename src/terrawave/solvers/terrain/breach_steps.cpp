#include "terrawave/solvers/terrain/breach_steps.hpp"

#include "terrawave/par/algorithms.hpp"
#include "terrawave/par/launch.hpp"

namespace terrawave::terrain::steps {
namespace {

using par::Range1;
using par::View;

// What came of a walker, as a sum: pits breached, and from this bit on pits that remain.
constexpr int kRemaining = 32;

template <class T>
TW_FUNCTION bool is_pit(const ChannelGround<T>& on, View<const Direction> downhill, Index i) {
  const Index row = row_of(i, on.place.tile.width);
  return downhill[i] == kRoot &&
         !is_base(on.state[on.place.tile.cell(row, i - row * on.place.tile.width)]);
}
template <class T>
struct CountPits {
  ChannelGround<T> on;
  View<const Direction> downhill;
  TW_FUNCTION std::int64_t operator()(Index i) const { return is_pit(on, downhill, i) ? 1 : 0; }
};
template <class T>
struct FlagPits {
  ChannelGround<T> on;
  View<const Direction> downhill;
  View<std::uint8_t> flags;
  TW_FUNCTION void operator()(Index i) const { flags[i] = is_pit(on, downhill, i) ? 1 : 0; }
};

template <class T>
struct PlaceWalkers {
  ChannelGround<T> on;
  View<const std::int32_t> pits;
  View<Walker> walkers;
  TW_FUNCTION void operator()(Index i) const {
    const Index row = row_of(pits[i], on.place.tile.width);
    const Index col = pits[i] - row * on.place.tile.width;
    Walker w;
    w.pit = w.at = on.place.global(row, col);
    w.ground = w.level = w.highest = double(on.z[on.place.tile.cell(row, col)]);
    walkers[i] = w;
  }
};

// One walker inside the tile.
template <class T>
struct Walk {
  ChannelGround<T> on;
  Index max_length;
  double max_depth;
  View<const Direction> way;
  View<Walker> walkers;
  View<std::uint64_t> levels;

  TW_FUNCTION std::int64_t operator()(Index i) const {
    Walker w = walkers[i];
    const std::int64_t tally = walk(w);
    walkers[i] = w;
    return tally;
  }
  TW_FUNCTION std::int64_t walk(Walker& w) const {
    std::int64_t tally = 0;
    Index row = 0, col = 0;
    while (enter(w, row, col)) {
      if (!follow(w, row, col, tally)) continue;
      // Over an edge of the tile; where the map is looped perhaps into the tile again.
      Index r = on.place.row + row;
      Index c = on.place.col + col;
      if (on.place.loop_rows) r = r < 0 ? r + on.place.rows : (r >= on.place.rows ? 0 : r);
      if (on.place.loop_cols) c = c < 0 ? c + on.place.cols : (c >= on.place.cols ? 0 : c);
      w.at = r * on.place.cols + c;
    }
    return tally;
  }
  // The place of a walker in the tile; false where it has left.
  TW_FUNCTION bool enter(const Walker& w, Index& row, Index& col) const {
    if (w.at < 0) return false;
    const Index r = row_of(w.at, on.place.cols);
    row = r - on.place.row;
    col = w.at - r * on.place.cols - on.place.col;
    return row >= 0 && row < on.place.tile.height && col >= 0 && col < on.place.tile.width;
  }
  // Follows the way inside the tile. True when (row, col) lies outside, false when an errand ended:
  // the walker is done or at its pit.
  TW_FUNCTION bool follow(Walker& w, Index& row, Index& col, std::int64_t& tally) const {
    const TilePlace& tile = on.place.tile;
    bool at_pit = w.at == w.pit;
    do {
      const Index a = tile.cell(row, col);
      const Index i = row * tile.width + col;
      const double here = double(on.z[a]);
      if (!at_pit) {
        if (here < w.ground || is_base(on.state[a])) {
          arrive(w, here, tally);
          return false;
        }
        pass(w, i, here);
      }
      at_pit = false;
      const Direction d = way[i];
      if (d >= kNeighbours) {  // no base cell can be reached
        tally += std::int64_t{1} << kRemaining;
        w.at = -1;
        return false;
      }
      row += row_step(d);
      col += col_step(d);
    } while (row >= 0 && row < tile.height && col >= 0 && col < tile.width);
    return true;
  }
  TW_FUNCTION void pass(Walker& w, Index i, double here) const {
    if (w.errand == Walker::cut) {
      if (here > w.level) atomics::minimum(&levels[i], ordered(w.level));
      return;
    }
    w.highest = w.highest < here ? here : w.highest;
    if (here > w.level) ++w.above;
  }
  // At the end of the channel, whose height is `here` or below the pit.
  TW_FUNCTION void arrive(Walker& w, double here, std::int64_t& tally) const {
    if (w.errand == Walker::cut) {
      w.at = -1;
      return;
    }
    w.at = w.pit;
    const bool pond = here > w.ground;  // a base cell keeps its height: a pond is left
    if (w.errand == Walker::find && pond && max_length > 0) {
      w.errand = Walker::count;
      w.level = here;
      w.above = 0;
      return;
    }
    if (pond) w.level = here;
    const double depth = w.highest > w.level ? w.highest - w.level : 0;
    const bool accepted =
        (max_length == 0 || w.above <= max_length) && (max_depth == 0 || depth <= max_depth);
    tally += accepted && !pond ? 1 : std::int64_t{1} << kRemaining;
    w.errand = Walker::cut;
    if (!accepted) w.at = -1;
  }
};

// The height of an ordered one (device_cells.hpp).
TW_FUNCTION double height_of(std::uint64_t key) {
  const std::uint64_t bits = (key >> 63) != 0 ? key ^ (std::uint64_t{1} << 63) : ~key;
  double z = 0;
  memcpy(&z, &bits, sizeof z);
  return z;
}
constexpr std::uint64_t kUncut = ~std::uint64_t{0};
struct IsCut {
  View<const std::uint64_t> levels;
  TW_FUNCTION std::int64_t operator()(Index i) const { return levels[i] != kUncut ? 1 : 0; }
};
template <class T>
struct Cut {
  View<const std::uint64_t> levels;
  View<const T> z;
  View<T> cut;
  TW_FUNCTION void operator()(Index i) const {
    const T own = z[i];
    cut[i] = own;
    if (levels[i] == kUncut) return;
    const T level = T(height_of(levels[i]));
    if (level < own) cut[i] = level;
  }
};

}  // namespace

template <class Exec, class T>
Index count_pits(const Exec& exec, const ChannelGround<T>& on, View<const Direction> downhill) {
  return par::reduce_sum(exec, downhill.size, CountPits<T>{on, downhill});
}

template <class Exec, class T>
void find_pits(const Exec& exec, const ChannelGround<T>& on, View<const Direction> downhill,
               View<std::int32_t> pits) {
  par::Buffer<std::uint8_t> flags(exec.queue, downhill.size);
  par::for_each(exec, Range1{0, downhill.size}, FlagPits<T>{on, downhill, flags.view()});
  par::select_flagged(exec, flags.cview(), pits);
}

template <class Exec, class T>
void place_walkers(const Exec& exec, const ChannelGround<T>& on, View<const std::int32_t> pits,
                   View<Walker> walkers) {
  par::for_each(exec, Range1{0, pits.size}, PlaceWalkers<T>{on, pits, walkers});
}

template <class Exec, class T>
BreachStats walk_channels(const Exec& exec, const ChannelGround<T>& on, const BreachLimits& limits,
                          View<const Direction> way, View<Walker> walkers,
                          View<std::uint64_t> levels) {
  const std::int64_t tally = par::reduce_sum(
      exec, walkers.size, Walk<T>{on, limits.max_length, limits.max_depth, way, walkers, levels});
  return {tally & ((std::int64_t{1} << kRemaining) - 1), tally >> kRemaining};
}

template <class Exec>
Index count_cut(const Exec& exec, View<const std::uint64_t> levels) {
  return par::reduce_sum(exec, levels.size, IsCut{levels});
}

template <class Exec, class T>
void cut_channels(const Exec& exec, View<const std::uint64_t> levels, View<const T> z,
                  View<T> cut) {
  par::for_each(exec, Range1{0, cut.size}, Cut<T>{levels, z, cut});
}

template Index count_cut(const par::Exec&, View<const std::uint64_t>);
#define TERRAWAVE_FOR(T)                                                                           \
  template Index count_pits(const par::Exec&, const ChannelGround<T>&, View<const Direction>);     \
  template void find_pits(const par::Exec&, const ChannelGround<T>&, View<const Direction>,        \
                          View<std::int32_t>);                                                     \
  template void place_walkers(const par::Exec&, const ChannelGround<T>&, View<const std::int32_t>, \
                              View<Walker>);                                                       \
  template BreachStats walk_channels(const par::Exec&, const ChannelGround<T>&,                    \
                                     const BreachLimits&, View<const Direction>, View<Walker>,     \
                                     View<std::uint64_t>);                                         \
  template void cut_channels(const par::Exec&, View<const std::uint64_t>, View<const T>, View<T>);
TERRAWAVE_FOR(std::uint8_t)
TERRAWAVE_FOR(std::int16_t)
TERRAWAVE_FOR(std::uint16_t)
TERRAWAVE_FOR(std::int32_t)
TERRAWAVE_FOR(float)
TERRAWAVE_FOR(double)
#undef TERRAWAVE_FOR

}  // namespace terrawave::terrain::steps
