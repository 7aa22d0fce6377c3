#include "terrawave/solvers/terrain/tile_flat_steps.hpp"

#include <limits>

#include "terrawave/par/launch.hpp"

namespace terrawave::terrain::steps {
namespace {

using par::Range1;
using par::Range2;
using par::View;

struct IsStuck {
  TilePlace at;
  View<const Direction> direction;
  View<const std::uint8_t> state;
  TW_FUNCTION bool stuck(Index c) const { return direction[c] == kRoot && !is_base(state[c]); }
  TW_FUNCTION std::int64_t operator()(Index i) const {
    const Index row = row_of(i, at.width);
    return stuck(at.cell(row, i - row * at.width)) ? 1 : 0;
  }
};

TW_FUNCTION void push(const StepList& list, Index c) {
  list.cells[atomics::add(&list.count[0], 1)] = std::int32_t(c);
}

template <class T>
struct FindFlat {
  TileFlat flat;
  IsStuck on;
  int step;  // 1: D8, 2: D4
  View<const T> z;
  View<std::int32_t> toward, away;
  StepList low, high;
  TW_FUNCTION void operator()(Index col, Index row) const {
    const TilePlace& at = flat.at;
    const Index c = row * at.cols + col;
    unsigned same = 0;
    Direction edge = kRoot;
    bool beside_high = false;
    if (at.holds(row, col) && on.stuck(c))
      for (int k = 0; k < kNeighbours; k += step) {
        const Index n = at.neighbour(row, col, k);
        if (n < 0 || !is_data(on.state[n])) continue;
        beside_high = beside_high || z[n] > z[c];
        if (!(z[n] == z[c])) continue;
        if (on.stuck(n))
          same |= 1u << k;
        else if (edge == kRoot)
          edge = Direction(k);
      }
    flat.same[c] = std::uint8_t(same);
    flat.edge[c] = edge;
    toward[c] = edge != kRoot ? 1 : 0;
    away[c] = beside_high ? 1 : 0;
    if (edge != kRoot) push(low, c);
    if (beside_high) push(high, c);
  }
};

// From one cell to the neighbours of the same flat inside the tile: these hold the bits.
struct SpreadStep {
  TileFlat flat;
  View<const std::int32_t> from;
  View<std::int32_t> steps;
  StepList list;
  std::int32_t next;
  TW_FUNCTION void operator()(Index i) const {
    const Index c = from[i];
    const Index row = row_of(c, flat.at.cols);
    const Index col = c - row * flat.at.cols;
    for (int k = 0; k < kNeighbours; ++k) {
      const Index n = flat.at.neighbour(row, col, k);
      if (n < 0 || (flat.same[n] >> opposite(k) & 1) == 0) continue;
      // Only `next` is written meanwhile: who fails to claim the cell finds it reached.
      const std::int32_t seen = atomics::load(&steps[n]);
      if ((seen == 0 || seen > next) && atomics::claim(&steps[n], seen, next)) push(list, n);
    }
  }
};

// One thread spreads step after step while few cells have their turn: less than a launch costs. Its
// place in the list and its step are kept beside the list's count.
struct SpreadThin {
  static constexpr std::int32_t kFew = 8;
  static constexpr std::int32_t kMost = 1 << 16;  // steps of one launch
  TileFlat flat;
  View<std::int32_t> steps;
  StepList list;
  std::int32_t begin, step, stop;
  TW_FUNCTION void operator()(Index) const {
    std::int32_t from = begin;
    std::int32_t now = step;
    std::int32_t end = atomics::load(&list.count[0]);
    while (from < end && end - from <= kFew && now < stop && now - step < kMost) {
      const SpreadStep spread{flat, list.cells, steps, list, now + 1};
      for (std::int32_t i = from; i < end; ++i) spread(i);
      from = end;
      end = atomics::load(&list.count[0]);
      ++now;
    }
    list.count[1] = from;
    list.count[2] = now;
  }
};

struct SetSteps {
  View<const std::int32_t> cells, values;
  View<std::int32_t> steps;
  TW_FUNCTION void operator()(Index i) const { steps[cells[i]] = values[i]; }
};
struct LookAtSteps {
  View<const std::int32_t> cells, steps;
  View<std::int32_t> values;
  TW_FUNCTION void operator()(Index i) const { values[i] = steps[cells[i]]; }
};

struct ChooseStep {
  TileFlat flat;
  View<const std::int32_t> toward, away;
  View<Direction> direction;
  TW_FUNCTION std::int64_t key(Index n) const { return 2 * std::int64_t(toward[n]) - away[n]; }
  TW_FUNCTION void operator()(Index col, Index row) const {
    const Index c = flat.at.cell(row, col);
    if (toward[c] == 0) return;
    Direction& out = direction[row * flat.at.width + col];
    if (toward[c] == 1) {
      out = flat.edge[c];
      return;
    }
    std::int64_t best = key(c);
    Direction found = kRoot;
    for (int k = 0; k < kNeighbours; ++k) {
      if ((flat.same[c] >> k & 1) == 0) continue;
      const Index n = c + row_step(k) * flat.at.cols + col_step(k);
      if (key(n) >= best) continue;
      best = key(n);
      found = Direction(k);
    }
    out = found;
  }
};

template <class T>
struct DrainInOrder {
  TilePlace at;
  BlockOrigin origin;
  int step;  // 1: D8, 2: D4
  View<const T> z;
  View<const std::uint8_t> state;
  View<Direction> direction;
  TW_FUNCTION Index global(Index row, Index col) const {
    row = (origin.row + row + origin.rows) % origin.rows;
    col = (origin.col + col + origin.cols) % origin.cols;
    return row * origin.cols + col;
  }
  TW_FUNCTION void operator()(Index tile_col, Index tile_row) const {
    const Index c = at.cell(tile_row, tile_col);
    Direction& out = direction[tile_row * at.width + tile_col];
    if (out != kRoot || is_base(state[c])) return;
    const Index row = at.top + tile_row;
    const Index col = at.left + tile_col;
    for (int k = 0; k < kNeighbours; k += step) {
      const Index n = at.neighbour(row, col, k);
      if (n < 0 || !is_data(state[n]) || !(z[n] == z[c])) continue;
      if (!is_base(state[n]) && global(row + row_step(k), col + col_step(k)) >= global(row, col))
        continue;
      out = Direction(k);
      return;
    }
  }
};

// Where a search stands: the list's entries [begin, end) are at step `step`.
struct Front {
  std::int32_t end = 0, begin = 0, step = 0;
};

Front look_at(const par::Queue& queue, const StepList& list) {
  Front front;
  queue.impl().download(&front, list.count.data, sizeof front);
  return front;
}

// Spreads from list entries [0, count), which are at step `step`, and from the ring's cells when
// their turn has come.
template <class Exec>
void spread(const Exec& exec, const TileFlat& flat, View<std::int32_t> steps, const StepList& list,
            const RingSteps& ring, std::int32_t step) {
  const auto from = [&](View<const std::int32_t> cells, Index begin, Index end) {
    par::for_each(exec, Range1{begin, end}, SpreadStep{flat, cells, steps, list, step + 1});
  };
  const auto waiting = Index(ring.steps.size());
  Index taken = 0;  // of the ring
  std::int32_t begin = 0;
  for (std::int32_t end = look_at(exec.queue, list).end;; ++step) {
    const auto turn = [&] {
      return taken == waiting ? std::numeric_limits<std::int32_t>::max()
                              : ring.steps[std::size_t(taken)];
    };
    if (end - begin > 0 && end - begin <= SpreadThin::kFew && step < turn()) {
      par::for_each(exec, Range1{0, 1}, SpreadThin{flat, steps, list, begin, step, turn()});
      const Front front = look_at(exec.queue, list);
      begin = front.begin;
      end = front.end;
      step = front.step;
    }
    if (begin == end) {
      if (taken == waiting) break;
      step = turn();
    }
    from(View<const std::int32_t>(list.cells), begin, end);
    begin = end;
    Index due = taken;
    while (due < waiting && ring.steps[std::size_t(due)] == step) ++due;
    from(ring.cells, taken, due);
    taken = due;
    end = look_at(exec.queue, list).end;
  }
  exec.queue.impl().fill_bytes(list.count.data, 0, sizeof(std::int32_t));
}

}  // namespace

template <class Exec>
Index count_stuck(const Exec& exec, const TilePlace& at, View<const Direction> direction,
                  View<const std::uint8_t> state) {
  return par::reduce_sum(exec, at.height * at.width, IsStuck{at, direction, state});
}

template <class Exec, class T>
void find_flats(const Exec& exec, const TileFlat& flat, bool diagonals, View<const T> z,
                View<const std::uint8_t> state, View<const Direction> direction,
                View<std::int32_t> toward, View<std::int32_t> away, const StepList& low,
                const StepList& high) {
  par::for_each(
      exec, Range2{flat.at.cols, flat.at.rows},
      FindFlat<T>{
          flat, {flat.at, direction, state}, diagonals ? 1 : 2, z, toward, away, low, high});
}

template <class Exec>
void spread_first(const Exec& exec, const TileFlat& flat, View<std::int32_t> steps,
                  const StepList& list) {
  spread(exec, flat, steps, list, RingSteps{}, 1);
}

template <class Exec>
void spread_ring(const Exec& exec, const TileFlat& flat, View<std::int32_t> steps,
                 const StepList& list, const RingSteps& ring) {
  if (!ring.steps.empty()) spread(exec, flat, steps, list, ring, ring.steps[0]);
}

template <class Exec>
void set_steps(const Exec& exec, View<const std::int32_t> cells, View<const std::int32_t> values,
               View<std::int32_t> steps) {
  par::for_each(exec, Range1{0, cells.size}, SetSteps{cells, values, steps});
}

template <class Exec>
void look_at_steps(const Exec& exec, View<const std::int32_t> cells, View<const std::int32_t> steps,
                   View<std::int32_t> values) {
  par::for_each(exec, Range1{0, cells.size}, LookAtSteps{cells, steps, values});
}

template <class Exec>
void choose_steps(const Exec& exec, const TileFlat& flat, View<const std::int32_t> toward,
                  View<const std::int32_t> away, View<Direction> direction) {
  par::for_each(exec, Range2{flat.at.width, flat.at.height},
                ChooseStep{flat, toward, away, direction});
}

template Index count_stuck(const par::Exec&, const TilePlace&, View<const Direction>,
                           View<const std::uint8_t>);
template void spread_first(const par::Exec&, const TileFlat&, View<std::int32_t>, const StepList&);
template void spread_ring(const par::Exec&, const TileFlat&, View<std::int32_t>, const StepList&,
                          const RingSteps&);
template void set_steps(const par::Exec&, View<const std::int32_t>, View<const std::int32_t>,
                        View<std::int32_t>);
template void look_at_steps(const par::Exec&, View<const std::int32_t>, View<const std::int32_t>,
                            View<std::int32_t>);
template void choose_steps(const par::Exec&, const TileFlat&, View<const std::int32_t>,
                           View<const std::int32_t>, View<Direction>);
template <class Exec, class T>
void drain_in_order(const Exec& exec, const TilePlace& at, const BlockOrigin& origin,
                    bool diagonals, View<const T> z, View<const std::uint8_t> state,
                    View<Direction> direction) {
  par::for_each(exec, Range2{at.width, at.height},
                DrainInOrder<T>{at, origin, diagonals ? 1 : 2, z, state, direction});
}

#define TERRAWAVE_FOR(T)                                                                        \
  template void find_flats(const par::Exec&, const TileFlat&, bool, View<const T>,              \
                           View<const std::uint8_t>, View<const Direction>, View<std::int32_t>, \
                           View<std::int32_t>, const StepList&, const StepList&);               \
  template void drain_in_order(const par::Exec&, const TilePlace&, const BlockOrigin&, bool,    \
                               View<const T>, View<const std::uint8_t>, View<Direction>);
TERRAWAVE_FOR(std::uint8_t)
TERRAWAVE_FOR(std::int16_t)
TERRAWAVE_FOR(std::uint16_t)
TERRAWAVE_FOR(std::int32_t)
TERRAWAVE_FOR(float)
TERRAWAVE_FOR(double)
#undef TERRAWAVE_FOR

}  // namespace terrawave::terrain::steps
