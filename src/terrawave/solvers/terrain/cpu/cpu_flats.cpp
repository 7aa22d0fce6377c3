// Both distances by breadth-first search in bits, one word for 64 cells. Neighbours without a lower
// neighbour are of equal height, so they lie in one flat, and their distances differ by 1 at most:
// distances are kept modulo 3, and a key is compared by its difference to the cell's own,
// 2 (toward' - toward) - (away' - away). max_away is the same for both and cancels.
#include "terrawave/solvers/terrain/cpu/cpu_flats.hpp"

#include <algorithm>
#include <bit>

#include "terrawave/solvers/terrain/cpu/bit_search.hpp"
#include "terrawave/solvers/terrain/cpu/flow_walk.hpp"
#include "terrawave/solvers/terrain/portable_routing.hpp"

namespace terrawave::terrain::cpu {
namespace {

// Two bits, 0 to 3, of a cell's steps, seen from the cell and from a neighbour.
struct Residue {
  Word low, high;
  Word equals(const Residue& o) const { return ~(low ^ o.low) & ~(high ^ o.high); }
  // Where this one is o's plus 1, in the circle 1, 2, 3.
  Word follows(const Residue& o) const {
    return (o.low & ~o.high & ~low & high) | (~o.low & o.high & low & high) |
           (o.low & o.high & low & ~high);
  }
};
struct Residues {
  Window low, high;
  void load(const TileMap& map, const Steps& steps, Index t) {
    const auto rows = [](const Word* words) { return [=](int r) { return words[r]; }; };
    low.load(map, t, [&](Index n) { return rows(steps.low(n)); });
    high.load(map, t, [&](Index n) { return rows(steps.high(n)); });
  }
};

// A tile of heights and kinds of cells with a frame of one cell.
enum Kind : std::uint8_t { kOutside = 0, kStuck = 1, kDrains = 2 };
template <class T>
struct Frame {
  static constexpr int kWidth = kTileSide + 2;
  T z[kWidth * kWidth];
  std::uint8_t kind[kWidth * kWidth];
};

struct Seed {
  std::int32_t cell;
  Direction direction;  // the first neighbour of equal height that drains
};

template <class T>
class Flats {
 public:
  Flats(const par::Queue& queue, const Grid& grid, const T* z, const std::uint8_t* state,
        Direction* direction)
      : threads_(queue.threads()),
        grid_(grid),
        z_(z),
        state_(state),
        direction_(direction),
        map_(grid),
        stuck_(map_),
        edge_(map_),
        toward_(map_, stuck_, grid.connectivity == Connectivity::d8),
        away_(map_, stuck_, grid.connectivity == Connectivity::d8) {}

  // False when neighbours without a lower neighbour differ in height: then nothing is changed.
  // That takes a drop that vanishes when divided by the distance.
  bool collect() {
    bool level = true;
    seeds_.resize(std::size_t(threads_));
#pragma omp parallel for schedule(static, 1) num_threads(threads_) reduction(&& : level)
    for (int thread = 0; thread < threads_; ++thread) {
      Frame<T> frame{};
      const Index end = map_.tiles() * (thread + 1) / threads_;
      for (Index t = map_.tiles() * thread / threads_; t < end; ++t)
        if (load(t, frame)) level = collect_tile(t, frame, seeds_[std::size_t(thread)]) && level;
    }
    return level;
  }

  Index resolve() {
    if (std::all_of(seeds_.begin(), seeds_.end(), [](const auto& s) { return s.empty(); }))
      return 0;
      // Both searches read the same and write their own: two threads at most.
#pragma omp parallel sections num_threads(std::min(2, threads_))
    {
#pragma omp section
      toward_.run();
#pragma omp section
      away_.run();
    }
    Index drained = 0;
#pragma omp parallel for schedule(static) num_threads(threads_) reduction(+ : drained)
    for (Index t = 0; t < map_.tiles(); ++t) drained += choose(t);
    for (const auto& seeds : seeds_)
      for (const Seed& s : seeds) direction_[s.cell] = s.direction;
    return drained;
  }

 private:
  // False when the tile holds no stuck cell.
  bool load(Index t, Frame<T>& f) {
    const TileMap::Tile me = map_.tile(t);
    bool any = false;
    for (int r = 0; r < me.height; ++r) {
      const Index first = (me.row0 + r) * grid_.cols + me.col0;
      std::uint8_t flags[kTileSide] = {};
      std::uint8_t* const kind = f.kind + (r + 1) * f.kWidth + 1;
      const std::uint8_t* const state = state_ + first;
      const Direction* const direction = direction_ + first;
#pragma omp simd
      for (int c = 0; c < me.width; ++c) {
        const auto is_stuck = std::uint8_t((direction[c] == kRoot) & !is_base(state[c]));
        flags[c] = is_stuck;
        kind[c] = is_data(state[c]) ? std::uint8_t(kDrains - is_stuck) : std::uint8_t(kOutside);
      }
      const Word bits = pack(flags);
      stuck_.tile(t)[r] = bits;
      any = any || bits != 0;
    }
    if (!any) return false;
    for (int r = 0; r < me.height; ++r)
      std::copy_n(z_ + (me.row0 + r) * grid_.cols + me.col0, me.width,
                  f.z + (r + 1) * f.kWidth + 1);
    for (int r = -1; r <= me.height; ++r) {
      const bool whole = r < 0 || r == me.height;
      for (int c = -1; c <= me.width; c += whole || c == me.width ? 1 : me.width + 1) {
        const int at = (r + 1) * f.kWidth + c + 1;
        const Index n = outside(me.row0 + r, me.col0 + c);
        f.kind[at] = n < 0 || !is_data(state_[n]) ? kOutside : (stuck(n) ? kStuck : kDrains);
        if (n >= 0) f.z[at] = z_[n];
      }
    }
    return true;
  }
  bool stuck(Index c) const { return direction_[c] == kRoot && !is_base(state_[c]); }
  // Cell of a row and a column that may lie one beyond the raster; -1 where nothing is.
  Index outside(Index row, Index col) const {
    if (grid_.loop_rows) row = row < 0 ? grid_.rows - 1 : (row >= grid_.rows ? 0 : row);
    if (grid_.loop_cols) col = col < 0 ? grid_.cols - 1 : (col >= grid_.cols ? 0 : col);
    const bool in = row >= 0 && row < grid_.rows && col >= 0 && col < grid_.cols;
    return in ? row * grid_.cols + col : -1;
  }

  bool collect_tile(Index t, const Frame<T>& f, std::vector<Seed>& seeds) {
    const TileMap::Tile me = map_.tile(t);
    bool level = true;
    for (int r = 0; r < me.height; ++r) {
      const Word stuck = stuck_.tile(t)[r];
      if (stuck == 0) continue;
      std::uint8_t edge[kTileSide], high[kTileSide], uneven[kTileSide];
      if (grid_.connectivity == Connectivity::d8)
        look_around<1>(f, r, edge, high, uneven);
      else
        look_around<2>(f, r, edge, high, uneven);
      level = level && (pack(uneven) & stuck) == 0;
      away_.seeds(t)[r] = pack(high) & stuck;
      std::uint8_t low[kTileSide];
      for (int c = 0; c < kTileSide; ++c) low[c] = edge[c] != kRoot;
      const Word lows = pack(low) & stuck;
      toward_.seeds(t)[r] = lows;
      edge_.tile(t)[r] = lows;
      for (Word left = lows; left != 0; left &= left - 1) {
        const int c = std::countr_zero(left);
        seeds.push_back({std::int32_t((me.row0 + r) * grid_.cols + me.col0 + c), edge[c]});
      }
    }
    return level;
  }
  // For each cell of a row: the first neighbour of equal height that drains, or kRoot; whether a
  // neighbour is higher; whether one that is stuck is not level with it.
  template <int Step>
  static void look_around(const Frame<T>& f, int row, std::uint8_t* edge, std::uint8_t* high,
                          std::uint8_t* uneven) {
    const T* const z = f.z + (row + 1) * f.kWidth + 1;
    const std::uint8_t* const kind = f.kind + (row + 1) * f.kWidth + 1;
    std::fill_n(edge, kTileSide, kRoot);
    std::fill_n(high, kTileSide, std::uint8_t{0});
    std::fill_n(uneven, kTileSide, std::uint8_t{0});
    for (int k = kNeighbours - Step; k >= 0; k -= Step) {
      const int shift = kRowStep[k] * f.kWidth + kColStep[k];
#pragma omp simd
      for (int c = 0; c < kTileSide; ++c) {
        const std::uint8_t what = kind[c + shift];
        const bool equal = z[c + shift] == z[c];
        const bool above = z[c + shift] > z[c];
        edge[c] = equal & (what == kDrains) ? std::uint8_t(k) : edge[c];
        high[c] = std::uint8_t(high[c] | (above & (what != kOutside)));
        uneven[c] = std::uint8_t(uneven[c] | (!equal & (what == kStuck)));
      }
    }
  }

  // Directions of the cells of tile t that the low edge reaches: to the neighbour of least key, the
  // first of them. Returns their number.
  Index choose(Index t) {
    const Word* const edge = edge_.tile(t);
    const Word* const low = toward_.steps().low(t);
    const Word* const high = toward_.steps().high(t);
    Word any = 0;
    Index drained = 0;
    for (int r = 0; r < kTileSide; ++r) {
      any |= (low[r] | high[r]) & ~edge[r];
      drained += std::popcount(low[r] | high[r]);
    }
    if (any == 0) return drained;
    Residues toward, away;
    toward.load(map_, toward_.steps(), t);
    away.load(map_, away_.steps(), t);
    Word bits[3][kTileSide] = {};
    least_key(toward, away, bits);
    const TileMap::Tile me = map_.tile(t);
    for (int r = 0; r < me.height; ++r) {
      const Word here = (low[r] | high[r]) & ~edge[r];
      if (here == 0) continue;
      Direction* const out = direction_ + (me.row0 + r) * grid_.cols + me.col0;
      const Word b0 = bits[0][r], b1 = bits[1][r], b2 = bits[2][r];
#pragma omp simd
      for (int c = 0; c < me.width; ++c) {
        const auto k = Direction((b0 >> c & 1) | (b1 >> c & 1) << 1 | (b2 >> c & 1) << 2);
        out[c] = (here >> c & 1) != 0 ? k : out[c];
      }
    }
    return drained;
  }
  // A cell that is not on the low edge has a neighbour one step closer to it, so the least
  // difference of keys is -3, -2 or -1. Neighbours are taken from the last to the first.
  void least_key(const Residues& toward, const Residues& away, Word (&bits)[3][kTileSide]) const {
    Word is3[kTileSide] = {};
    Word is2[kTileSide] = {};
    for (int k = kNeighbours - grid_.step(); k >= 0; k -= grid_.step()) {
      const int down = kRowStep[k] + 1;
      const Word* const t0 = toward.low.shifted(kColStep[k]) + down;
      const Word* const t1 = toward.high.shifted(kColStep[k]) + down;
      const Word* const a0 = away.low.shifted(kColStep[k]) + down;
      const Word* const a1 = away.high.shifted(kColStep[k]) + down;
      const Word k0 = (k & 1) != 0 ? ~Word{0} : 0;
      const Word k1 = (k & 2) != 0 ? ~Word{0} : 0;
      const Word k2 = (k & 4) != 0 ? ~Word{0} : 0;
#pragma omp simd
      for (int r = 0; r < kTileSide; ++r) {
        const Residue my_toward{toward.low.mid[r + 1], toward.high.mid[r + 1]};
        const Residue my_away{away.low.mid[r + 1], away.high.mid[r + 1]};
        const Residue its_toward{t0[r], t1[r]};
        const Residue its_away{a0[r], a1[r]};
        const Word closer = my_toward.follows(its_toward);
        const Word deeper = its_away.follows(my_away);
        const Word diff3 = closer & deeper;
        const Word diff2 = closer & its_away.equals(my_away);
        const Word diff1 =
            (closer & my_away.follows(its_away)) | (its_toward.equals(my_toward) & deeper);
        const Word take = diff3 | (diff2 & ~is3[r]) | (diff1 & ~is2[r]);
        is3[r] |= diff3;
        is2[r] |= diff2 | diff3;
        bits[0][r] = (bits[0][r] & ~take) | (take & k0);
        bits[1][r] = (bits[1][r] & ~take) | (take & k1);
        bits[2][r] = (bits[2][r] & ~take) | (take & k2);
      }
    }
  }

  int threads_;
  const Grid& grid_;
  const T* z_;
  const std::uint8_t* state_;
  Direction* direction_;
  TileMap map_;
  Plane stuck_, edge_;  // cells without a lower neighbour; those of them on a low edge
  Search toward_, away_;
  std::vector<std::vector<Seed>> seeds_;
};

}  // namespace

template <class T>
Index resolve_flats(const par::Queue& queue, const Grid& grid, par::View<const T> z,
                    par::View<const std::uint8_t> state, par::View<Direction> direction) {
  const par::LaunchScope open(queue);
  Flats<T> flats(queue, grid, z.data, state.data, direction.data);
  if (flats.collect()) return flats.resolve();
  return portable::resolve_flats(queue, grid, z, state, direction);
}

template <class T>
void drain_by_index(const par::Queue& queue, const Grid& grid, par::View<const T> z,
                    par::View<const std::uint8_t> state, par::View<Direction> direction) {
  const par::LaunchScope open(queue);
  constexpr Index kBlock = 256;
#pragma omp parallel for schedule(static) num_threads(queue.threads())
  for (Index first = 0; first < grid.cells(); first += kBlock) {
    const Index end = std::min(first + kBlock, grid.cells());
    int any = 0;
#pragma omp simd reduction(| : any)
    for (Index c = first; c < end; ++c) any |= (direction[c] == kRoot) & !is_base(state[c]);
    if (any == 0) continue;
    for (Index c = first; c < end; ++c)
      if (direction[c] == kRoot && !is_base(state[c])) {
        const Index row = row_of(c, grid.cols);
        direction[c] = by_index(grid, z.data, state.data, row, c - row * grid.cols);
      }
  }
}

template Index resolve_flats(const par::Queue&, const Grid&, par::View<const std::uint8_t>,
                             par::View<const std::uint8_t>, par::View<Direction>);
template Index resolve_flats(const par::Queue&, const Grid&, par::View<const std::int16_t>,
                             par::View<const std::uint8_t>, par::View<Direction>);
template Index resolve_flats(const par::Queue&, const Grid&, par::View<const std::uint16_t>,
                             par::View<const std::uint8_t>, par::View<Direction>);
template Index resolve_flats(const par::Queue&, const Grid&, par::View<const std::int32_t>,
                             par::View<const std::uint8_t>, par::View<Direction>);
template Index resolve_flats(const par::Queue&, const Grid&, par::View<const float>,
                             par::View<const std::uint8_t>, par::View<Direction>);
template Index resolve_flats(const par::Queue&, const Grid&, par::View<const double>,
                             par::View<const std::uint8_t>, par::View<Direction>);
template void drain_by_index(const par::Queue&, const Grid&, par::View<const std::uint8_t>,
                             par::View<const std::uint8_t>, par::View<Direction>);
template void drain_by_index(const par::Queue&, const Grid&, par::View<const std::int16_t>,
                             par::View<const std::uint8_t>, par::View<Direction>);
template void drain_by_index(const par::Queue&, const Grid&, par::View<const std::uint16_t>,
                             par::View<const std::uint8_t>, par::View<Direction>);
template void drain_by_index(const par::Queue&, const Grid&, par::View<const std::int32_t>,
                             par::View<const std::uint8_t>, par::View<Direction>);
template void drain_by_index(const par::Queue&, const Grid&, par::View<const float>,
                             par::View<const std::uint8_t>, par::View<Direction>);
template void drain_by_index(const par::Queue&, const Grid&, par::View<const double>,
                             par::View<const std::uint8_t>, par::View<Direction>);

}  // namespace terrawave::terrain::cpu
