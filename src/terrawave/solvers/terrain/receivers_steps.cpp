#include "terrawave/solvers/terrain/receivers_steps.hpp"

#include "terrawave/par/launch.hpp"

namespace terrawave::terrain::steps {
namespace {

using par::Buffer;
using par::Range1;
using par::Range2;
using par::View;

template <class T>
struct Raster {
  GridView grid;
  View<const T> z;
  View<const std::uint8_t> state;
};

template <class T>
TW_FUNCTION Direction index_direction(const Raster<T>& on, Index row, Index col) {
  const Index c = row * on.grid.cols + col;
  for (int k = 0; k < kNeighbours; k += on.grid.step) {
    const Index n = on.grid.neighbour(row, col, k);
    if (n < 0 || !is_data(on.state[n]) || !(on.z[n] == on.z[c])) continue;
    if (is_base(on.state[n]) || n < c) return Direction(k);
  }
  return kRoot;
}

template <class T>
struct Steepest {
  Raster<T> on;
  bool by_index;
  View<Direction> direction;
  // `Interior`: all eight neighbours exist.
  template <bool Interior>
  TW_FUNCTION Direction search(Index row, Index col, Index c) const {
    const double here = double(on.z[c]);
    double best = 0;
    Direction found = kRoot;
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
    for (int k = 0; k < kNeighbours; ++k) {
      if (on.grid.step == 2 && (k & 1) != 0) continue;
      const Index n =
          Interior ? c + row_step(k) * on.grid.cols + col_step(k) : on.grid.neighbour(row, col, k);
      if (n < 0 || !is_data(on.state[n])) continue;
      const double slope = (here - double(on.z[n])) * on.grid.inverse_distance(row, k);
      if (slope > best) {
        best = slope;
        found = Direction(k);
      }
    }
    return found;
  }
  TW_FUNCTION void operator()(Index col, Index row) const {
    const Index c = row * on.grid.cols + col;
    const std::uint8_t state = on.state[c];
    if (state != std::uint8_t(CellState::valid)) {
      direction[c] = is_data(state) ? kRoot : kNoDirection;
      return;
    }
    const bool interior = row > 0 && row < on.grid.rows - 1 && col > 0 && col < on.grid.cols - 1;
    const Direction found = interior ? search<true>(row, col, c) : search<false>(row, col, c);
    direction[c] = found == kRoot && by_index ? index_direction(on, row, col) : found;
  }
};

template <class T>
struct DrainByIndex {
  Raster<T> on;
  View<Direction> direction;
  TW_FUNCTION void operator()(Index col, Index row) const {
    const Index c = row * on.grid.cols + col;
    if (direction[c] == kRoot && !is_base(on.state[c]))
      direction[c] = index_direction(on, row, col);
  }
};

struct IsPit {
  View<const Direction> direction;
  View<const std::uint8_t> state;
  TW_FUNCTION std::int64_t operator()(Index c) const {
    return direction[c] == kRoot && !is_base(state[c]) ? 1 : 0;
  }
};

struct HasData {
  View<const Direction> direction;
  TW_FUNCTION std::int64_t operator()(Index c) const {
    return direction[c] != kNoDirection ? 1 : 0;
  }
};

// A growing list of cells; order is arbitrary, contents are not.
struct CellList {
  View<std::int32_t> cells;
  View<std::int32_t> count;
  TW_FUNCTION void push(Index c) const { cells[atomics::add(&count[0], 1)] = std::int32_t(c); }
};

template <class T>
struct FlatEdges {
  Raster<T> on;
  View<const Direction> direction;
  View<std::int32_t> toward, away;
  CellList low, high;
  TW_FUNCTION bool stuck(Index c) const { return direction[c] == kRoot && !is_base(on.state[c]); }
  TW_FUNCTION void operator()(Index col, Index row) const {
    const Index c = row * on.grid.cols + col;
    toward[c] = 0;
    away[c] = 0;
    if (!stuck(c)) return;
    bool beside_low = false;
    bool beside_high = false;
    for (int k = 0; k < kNeighbours; k += on.grid.step) {
      const Index n = on.grid.neighbour(row, col, k);
      if (n < 0 || !is_data(on.state[n])) continue;
      beside_low = beside_low || (on.z[n] == on.z[c] && !stuck(n));
      beside_high = beside_high || on.z[n] > on.z[c];
    }
    if (beside_low) {
      toward[c] = 1;
      low.push(c);
    }
    if (beside_high) {
      away[c] = 1;
      high.push(c);
    }
  }
};

// The cells one step beyond list entry i.
template <class T>
struct FlatSpread {
  Raster<T> on;
  View<const Direction> direction;
  View<std::int32_t> distance;
  CellList list;
  std::int32_t next;
  TW_FUNCTION void operator()(Index i) const {
    const Index c = list.cells[i];
    const Index row = row_of(c, on.grid.cols);
    const Index col = c - row * on.grid.cols;
    for (int k = 0; k < kNeighbours; k += on.grid.step) {
      const Index n = on.grid.neighbour(row, col, k);
      if (n < 0 || !is_data(on.state[n]) || !(on.z[n] == on.z[c])) continue;
      if (direction[n] != kRoot || is_base(on.state[n])) continue;
      if (atomics::load(&distance[n]) == 0 && atomics::claim(&distance[n], 0, next)) list.push(n);
    }
  }
};

template <class T>
struct FlatChoose {
  Raster<T> on;
  View<const std::int32_t> toward, away;
  View<const std::int32_t> cells;
  View<Direction> direction;
  TW_FUNCTION std::int64_t key(Index n) const {
    return toward[n] == 0 ? -(std::int64_t{1} << 40) : 2 * std::int64_t(toward[n]) - away[n];
  }
  TW_FUNCTION void operator()(Index i) const {
    const Index c = cells[i];
    const Index row = row_of(c, on.grid.cols);
    const Index col = c - row * on.grid.cols;
    std::int64_t best = key(c);
    Direction found = kRoot;
    for (int k = 0; k < kNeighbours; k += on.grid.step) {
      const Index n = on.grid.neighbour(row, col, k);
      if (n < 0 || !is_data(on.state[n]) || !(on.z[n] == on.z[c])) continue;
      if (key(n) < best) {
        best = key(n);
        found = Direction(k);
      }
    }
    direction[c] = found;
  }
};

template <class Exec, class T>
void spread(const Exec& exec, const Raster<T>& on, View<const Direction> direction,
            View<std::int32_t> distance, const CellList& list, const Buffer<std::int32_t>& count) {
  Index begin = 0;
  Index end = count.at(0);
  for (std::int32_t next = 2; begin < end; ++next) {
    par::for_each(exec, Range1{begin, end}, FlatSpread<T>{on, direction, distance, list, next});
    begin = end;
    end = count.at(0);
  }
}

struct FirstPointer {
  GridView grid;
  View<const Direction> direction;
  View<std::int32_t> pointer;
  TW_FUNCTION void operator()(Index col, Index row) const {
    const Index c = row * grid.cols + col;
    const Direction d = direction[c];
    pointer[c] = d < kNeighbours ? std::int32_t(grid.neighbour(row, col, d))
                                 : (d == kRoot ? std::int32_t(c) : -1);
  }
};

struct JumpPointer {
  View<const Link> jumps;
  View<std::int32_t> pointer;
  TW_FUNCTION void operator()(Index i) const { pointer[jumps[i].root] = jumps[i].target; }
};

// Pointers may be read before or after another cell's jump: either way they lead to an ancestor.
struct Jump {
  View<std::int32_t> pointer;
  View<std::int32_t> changed;
  TW_FUNCTION void operator()(Index c) const {
    const std::int32_t up = atomics::load(&pointer[c]);
    if (up < 0) return;
    const std::int32_t upper = atomics::load(&pointer[up]);
    if (upper == up) return;
    atomics::store(&pointer[c], upper);
    atomics::store(&changed[0], 1);
  }
};

// A loop of an even length collapses to cells that point to themselves, but are no roots.
struct FalseRoot {
  View<const Direction> direction;
  View<const std::int32_t> labels;
  TW_FUNCTION std::int64_t operator()(Index c) const {
    return labels[c] >= 0 && direction[labels[c]] != kRoot ? 1 : 0;
  }
};

}  // namespace

template <class Exec, class T>
void steepest_receivers(const Exec& exec, const GridView& grid, View<const T> z,
                        View<const std::uint8_t> state, FlatRule flats, View<Direction> direction) {
  par::for_each(exec, Range2{grid.cols, grid.rows},
                Steepest<T>{{grid, z, state}, flats == FlatRule::by_index, direction});
}

template <class Exec, class T>
void drain_by_index(const Exec& exec, const GridView& grid, View<const T> z,
                    View<const std::uint8_t> state, View<Direction> direction) {
  par::for_each(exec, Range2{grid.cols, grid.rows}, DrainByIndex<T>{{grid, z, state}, direction});
}

template <class Exec>
Index count_pits(const Exec& exec, View<const Direction> direction,
                 View<const std::uint8_t> state) {
  return par::reduce_sum(exec, direction.size, IsPit{direction, state});
}

template <class Exec>
Index count_data(const Exec& exec, View<const Direction> direction) {
  return par::reduce_sum(exec, direction.size, HasData{direction});
}

template <class Exec, class T>
Index resolve_flats(const Exec& exec, const GridView& grid, View<const T> z,
                    View<const std::uint8_t> state, View<Direction> direction) {
  const Raster<T> on{grid, z, state};
  const Index stuck = count_pits(exec, View<const Direction>(direction), state);
  if (stuck == 0) return 0;
  Buffer<std::int32_t> toward(exec.queue, direction.size), away(exec.queue, direction.size);
  Buffer<std::int32_t> low(exec.queue, stuck), high(exec.queue, stuck);
  Buffer<std::int32_t> low_count(exec.queue, 1), high_count(exec.queue, 1);
  low_count.fill_bytes(0);
  high_count.fill_bytes(0);
  const CellList lows{low.view(), low_count.view()};
  const CellList highs{high.view(), high_count.view()};
  par::for_each(exec, Range2{grid.cols, grid.rows},
                FlatEdges<T>{on, direction, toward.view(), away.view(), lows, highs});
  spread(exec, on, View<const Direction>(direction), toward.view(), lows, low_count);
  const Index drained = low_count.at(0);
  if (drained > 0) {
    spread(exec, on, View<const Direction>(direction), away.view(), highs, high_count);
    par::for_each(exec, Range1{0, drained},
                  FlatChoose<T>{on, toward.cview(), away.cview(), low.cview(), direction});
  }
  return drained;
}

template <class Exec>
bool label_roots(const Exec& exec, const GridView& grid, View<const Direction> direction,
                 View<const Link> jumps, View<std::int32_t> labels) {
  constexpr int kMostRounds = 68;  // 2 * 32 + 4: twice what 2^31 cells in a row need
  par::for_each(exec, Range2{grid.cols, grid.rows}, FirstPointer{grid, direction, labels});
  par::for_each(exec, Range1{0, jumps.size}, JumpPointer{jumps, labels});
  Buffer<std::int32_t> changed(exec.queue, 1);
  for (int round = 0; round < kMostRounds; ++round) {
    changed.fill_bytes(0);
    par::for_each(exec, Range1{0, labels.size}, Jump{labels, changed.view()});
    if (changed.at(0) == 0)
      return par::reduce_sum(exec, labels.size,
                             FalseRoot{direction, View<const std::int32_t>(labels)}) == 0;
  }
  return false;
}

template Index count_data(const par::Exec&, View<const Direction>);
template Index count_pits(const par::Exec&, View<const Direction>, View<const std::uint8_t>);
template bool label_roots(const par::Exec&, const GridView&, View<const Direction>,
                          View<const Link>, View<std::int32_t>);
template void steepest_receivers(const par::Exec&, const GridView&, View<const std::uint8_t>,
                                 View<const std::uint8_t>, FlatRule, View<Direction>);
template void steepest_receivers(const par::Exec&, const GridView&, View<const std::int16_t>,
                                 View<const std::uint8_t>, FlatRule, View<Direction>);
template void steepest_receivers(const par::Exec&, const GridView&, View<const std::uint16_t>,
                                 View<const std::uint8_t>, FlatRule, View<Direction>);
template void steepest_receivers(const par::Exec&, const GridView&, View<const std::int32_t>,
                                 View<const std::uint8_t>, FlatRule, View<Direction>);
template void steepest_receivers(const par::Exec&, const GridView&, View<const float>,
                                 View<const std::uint8_t>, FlatRule, View<Direction>);
template void steepest_receivers(const par::Exec&, const GridView&, View<const double>,
                                 View<const std::uint8_t>, FlatRule, View<Direction>);
template void drain_by_index(const par::Exec&, const GridView&, View<const std::uint8_t>,
                             View<const std::uint8_t>, View<Direction>);
template void drain_by_index(const par::Exec&, const GridView&, View<const std::int16_t>,
                             View<const std::uint8_t>, View<Direction>);
template void drain_by_index(const par::Exec&, const GridView&, View<const std::uint16_t>,
                             View<const std::uint8_t>, View<Direction>);
template void drain_by_index(const par::Exec&, const GridView&, View<const std::int32_t>,
                             View<const std::uint8_t>, View<Direction>);
template void drain_by_index(const par::Exec&, const GridView&, View<const float>,
                             View<const std::uint8_t>, View<Direction>);
template void drain_by_index(const par::Exec&, const GridView&, View<const double>,
                             View<const std::uint8_t>, View<Direction>);
template Index resolve_flats(const par::Exec&, const GridView&, View<const std::uint8_t>,
                             View<const std::uint8_t>, View<Direction>);
template Index resolve_flats(const par::Exec&, const GridView&, View<const std::int16_t>,
                             View<const std::uint8_t>, View<Direction>);
template Index resolve_flats(const par::Exec&, const GridView&, View<const std::uint16_t>,
                             View<const std::uint8_t>, View<Direction>);
template Index resolve_flats(const par::Exec&, const GridView&, View<const std::int32_t>,
                             View<const std::uint8_t>, View<Direction>);
template Index resolve_flats(const par::Exec&, const GridView&, View<const float>,
                             View<const std::uint8_t>, View<Direction>);
template Index resolve_flats(const par::Exec&, const GridView&, View<const double>,
                             View<const std::uint8_t>, View<Direction>);

}  // namespace terrawave::terrain::steps
