#include "terrawave/solvers/terrain/tile_sum_steps.hpp"

#include <type_traits>

#include "terrawave/par/launch.hpp"

namespace terrawave::terrain::steps {
namespace {

using par::Range1;
using par::Range2;
using par::View;

// With so many cells ready at a time or fewer, one block of threads goes on alone, a cell to each.
constexpr Index kFew = 512;
// Of several receivers, how many cells a thread does before it lists the next: the others of its
// round wait for the longest walk. More where a round costs a launch.
constexpr int kStepsOfFew = 2;
constexpr int kStepsOfMany = 8;

template <class V>
struct CopyWindow {
  WindowCopy copy;
  View<const V> from;
  View<V> to;
  TW_FUNCTION static Index position(const WindowPlace& place, Index plane, Index row, Index col) {
    return place.first + plane * place.plane + row * place.row + col;
  }
  TW_FUNCTION void operator()(Index col, Index line) const {
    const Index plane = row_of(line, copy.rows);
    const Index row = line - plane * copy.rows;
    to[position(copy.to, plane, row, col)] = from[position(copy.from, plane, row, col)];
  }
};

struct SharesAt {
  View<const std::int32_t> cells;
  View<const double> all;
  View<double> some;
  TW_FUNCTION void operator()(Index k, Index i) const {
    some[i * kNeighbours + k] = all[k * (all.size / kNeighbours) + cells[i]];
  }
};
struct SetSharesAt {
  View<const std::int32_t> cells;
  View<const double> some;
  View<double> all;
  TW_FUNCTION void operator()(Index k, Index i) const {
    all[k * (all.size / kNeighbours) + cells[i]] = some[i * kNeighbours + k];
  }
};

struct InnerReceivers {
  TilePlace at;
  View<const std::uint8_t> all, data;
  View<std::uint8_t> gives;
  TW_FUNCTION void operator()(Index col, Index row) const {
    const Index c = row * at.cols + col;
    unsigned kept = 0;
    for (int k = 0; k < kNeighbours; ++k) {
      if ((all[c] >> k & 1) == 0) continue;
      const Index n = at.neighbour(row, col, k);
      if (n >= 0 && at.holds(row + row_step(k), col + col_step(k)) && data[n] != 0) kept |= 1u << k;
    }
    gives[c] = std::uint8_t(kept);
  }
};

template <class V>
struct Flow {
  TileSum<V> on;

  TW_FUNCTION Index first_landing(Index c) const {
    return partition_point(on.landings.size,
                           [&](Index i) { return on.landings[i] < std::int32_t(c); });
  }
  // True where neighbour k, at n, gives to the cell.
  TW_FUNCTION bool gives_to(Index n, int k) const {
    return n >= 0 && (on.gives[n] >> opposite(k) & 1) != 0;
  }
  TW_FUNCTION V join(V a, V b) const {
    if (on.how == TileJoin::sum) return a + b;
    if (on.how == TileJoin::min) return b < a ? b : a;
    return a < b ? b : a;
  }
  TW_FUNCTION double step_from(Index donor, int k) const {
    const Index base = on.distance.size == 3 ? 0 : 3 * row_of(donor, on.at.cols);
    return on.distance[base + step_place(k)];
  }
  // With what a donor beside the cell gives: it is neighbour k.
  TW_FUNCTION V joined(V value, Index donor, int k) const {
    const V theirs = atomics::load(&on.value[donor]);
    if constexpr (std::is_floating_point_v<V>)
      if (on.how == TileJoin::longest) return join(value, theirs + step_from(donor, opposite(k)));
    return join(value, theirs);
  }
  // With the shares of donors beside the cell, in the order of neighbours: what is read first does
  // not wait for what is added.
  TW_FUNCTION double joined_shares(double value, Index c, Index row) const {
    const Index col = c - row * on.at.cols;
    double parts[kNeighbours];
    unsigned donors = 0;
    for (int k = 0; k < kNeighbours; ++k)
      if (gives_to(on.at.neighbour(row, col, k), k)) donors |= 1u << k;
    for (int k = 0; k < kNeighbours; ++k) {
      parts[k] = 0;
      if ((donors >> k & 1) == 0) continue;
      const Index n = on.at.neighbour(row, col, k);
      parts[k] =
          on.shares[Index(opposite(k)) * on.at.cells() + n] * double(atomics::load(&on.value[n]));
    }
    for (int k = 0; k < kNeighbours; ++k)
      if ((donors >> k & 1) != 0) value += parts[k];
    return value;
  }
  TW_FUNCTION V joined_by_jump(V value, Index place) const {
    V theirs = atomics::load(&on.jumped[place]);
    if constexpr (std::is_floating_point_v<V>)
      if (on.how == TileJoin::longest) theirs += on.leap_length[place];
    return join(value, theirs);
  }
  // Calls visit(neighbour, k) for the donors beside a cell, then jump(place) for those by jumps.
  template <class Visit, class Jump>
  TW_FUNCTION void for_donors(Index c, Index row, const Visit& visit, const Jump& jump) const {
    const Index col = c - row * on.at.cols;
    for (int k = 0; k < kNeighbours; ++k) {
      const Index n = on.at.neighbour(row, col, k);
      if (gives_to(n, k)) visit(n, k);
    }
    for (Index i = first_landing(c); i < on.landings.size && on.landings[i] == c; ++i) jump(i);
  }
  // The order of a stream's cell.
  TW_FUNCTION V order(Index c, Index row) const {
    V sum = 0;
    V highest = 0;
    bool twice = false;
    const auto take = [&](V theirs) {
      sum += theirs;
      twice = theirs > highest ? false : (twice || (theirs > 0 && theirs == highest));
      highest = theirs > highest ? theirs : highest;
    };
    for_donors(
        c, row, [&](Index n, int) { take(atomics::load(&on.value[n])); },
        [&](Index i) { take(atomics::load(&on.jumped[i])); });
    const V found = on.how == TileJoin::shreve ? sum : V(highest + (twice ? 1 : 0));
    return found > 0 ? found : V(1);
  }
  TW_FUNCTION void finish(Index c, Index row) const {
    V value = on.value[c];
    if (on.how == TileJoin::strahler || on.how == TileJoin::shreve) {
      if (value != 0) value = order(c, row);
    } else if (on.shares.size > 0) {
      value = V(joined_shares(double(value), c, row));  // no jumps: these have one receiver
    } else {
      for_donors(
          c, row, [&](Index n, int k) { value = joined(value, n, k); },
          [&](Index i) { value = joined_by_jump(value, i); });
    }
    atomics::store(&on.value[c], value);
  }
  // Tells the receivers that a cell is final. Returns one whose turn has come, or -1; others that
  // are ready too go to the list.
  TW_FUNCTION Index pass_on(Index c, Index row) const {
    const Index col = c - row * on.at.cols;
    const unsigned gives = on.gives[c];
    unsigned ready = 0;
    atomics::arrive_before();
    for (int k = 0; k < kNeighbours; ++k)
      if ((gives >> k & 1) != 0 && atomics::arrive(on.waiting.data, on.at.neighbour(row, col, k)))
        ready |= 1u << k;
    atomics::arrive_after();
    Index next = -1;
    for (int k = 0; k < kNeighbours; ++k) {
      if ((ready >> k & 1) == 0) continue;
      const Index n = on.at.neighbour(row, col, k);
      if (next < 0)
        next = n;
      else
        list(n);
    }
    return next >= 0 ? next : jump_on(c);
  }
  TW_FUNCTION Index jump_on(Index c) const {
    if (on.leaps.size == 0 || on.gives[c] != 0) return -1;
    const Index at =
        partition_point(on.leaps.size, [&](Index i) { return on.leaps[i].root < std::int32_t(c); });
    if (at == on.leaps.size || on.leaps[at].root != c) return -1;
    atomics::store(&on.jumped[on.leaps[at].place], on.value[c]);
    const Index target = on.leaps[at].target;
    return atomics::last_to_arrive(on.waiting.data, target) ? target : -1;
  }
  TW_FUNCTION void list(Index c) const {
    on.ready[atomics::add(&on.front[0], 1)] = std::int32_t(c);
  }
  TW_FUNCTION void walk(Index c, int steps = kStepsOfMany) const {
    while (c >= 0) {
      const Index row = row_of(c, on.at.cols);
      finish(c, row);
      c = pass_on(c, row);
      if (on.ready.size == 0 || --steps > 0 || c < 0) continue;
      list(c);
      return;
    }
  }
};

template <class V>
struct CountDonors {
  Flow<V> flow;
  View<const std::uint8_t> data;
  TW_FUNCTION void operator()(Index col, Index row) const {
    const TileSum<V>& on = flow.on;
    const Index c = row * on.at.cols + col;
    if (data[c] == 0 || !on.at.holds(row, col)) {
      on.waiting[c] = TileSum<V>::kOutside;
      return;
    }
    int donors = 0;
    for (int k = 0; k < kNeighbours; ++k)
      donors += flow.gives_to(on.at.neighbour(row, col, k), k) ? 1 : 0;
    for (Index i = flow.first_landing(c); i < on.landings.size && on.landings[i] == c; ++i)
      ++donors;
    on.waiting[c] = donors == 0 ? TileSum<V>::kSource : std::uint8_t(donors);
  }
};

template <class V>
struct FromSource {
  Flow<V> flow;
  TW_FUNCTION void operator()(Index col, Index row) const {
    const Index c = flow.on.at.cell(row, col);
    if (atomics::load(&flow.on.waiting[c]) == TileSum<V>::kSource) flow.walk(c);
  }
};
template <class V>
struct FromReady {
  Flow<V> flow;
  int steps;
  TW_FUNCTION void operator()(Index i) const { flow.walk(flow.on.ready[i], steps); }
};

template <class V>
struct FromRing {
  Flow<V> flow;
  View<const SumEntry<V>> entries;
  TW_FUNCTION void operator()(Index i) const {
    const Index c = entries[i].at;
    atomics::store(&flow.on.value[c], entries[i].value);
    flow.walk(flow.pass_on(c, row_of(c, flow.on.at.cols)));
  }
};
template <class V>
struct FromLanding {
  Flow<V> flow;
  View<const SumEntry<V>> entries;
  TW_FUNCTION void operator()(Index i) const {
    const Index place = entries[i].at;
    atomics::store(&flow.on.jumped[place], entries[i].value);
    const Index target = flow.on.landings[place];
    if (atomics::last_to_arrive(flow.on.waiting.data, target)) flow.walk(target);
  }
};

template <class V>
struct LookAt {
  TileSum<V> on;
  View<const std::int32_t> cells;
  View<V> values;
  View<std::uint8_t> final;
  TW_FUNCTION void operator()(Index i) const {
    const std::uint8_t waiting = on.waiting[cells[i]];
    values[i] = on.value[cells[i]];
    final[i] = waiting == 0 || waiting == TileSum<V>::kSource ? 1 : 0;
  }
};

template <class V>
struct Waits {
  TileSum<V> on;
  TW_FUNCTION std::int64_t operator()(Index i) const {
    const Index row = row_of(i, on.at.width);
    return TileSum<V>::waits(on.waiting[on.at.cell(row, i - row * on.at.width)]) ? 1 : 0;
  }
};

}  // namespace

template <class Exec>
void inner_receivers(const Exec& exec, const TilePlace& at, View<const std::uint8_t> all,
                     View<const std::uint8_t> data, View<std::uint8_t> gives) {
  par::for_each(exec, Range2{at.cols, at.rows}, InnerReceivers{at, all, data, gives});
}

template <class Exec, class V>
void count_donors(const Exec& exec, const TileSum<V>& sum, View<const std::uint8_t> data) {
  par::for_each(exec, Range2{sum.at.cols, sum.at.rows}, CountDonors<V>{{sum}, data});
}

template <class Exec, class V>
void run_sources(const Exec& exec, const TileSum<V>& sum) {
  par::for_each(exec, Range2{sum.at.width, sum.at.height}, FromSource<V>{{sum}});
}

template <class Exec, class V>
void enter_ring(const Exec& exec, const TileSum<V>& sum, View<const SumEntry<V>> entries) {
  par::for_each(exec, Range1{0, entries.size}, FromRing<V>{{sum}, entries});
}

template <class Exec, class V>
void enter_jumps(const Exec& exec, const TileSum<V>& sum, View<const SumEntry<V>> entries) {
  par::for_each(exec, Range1{0, entries.size}, FromLanding<V>{{sum}, entries});
}

template <class Exec, class V>
void run_few(const Exec& exec, const TileSum<V>& sum, Index done) {
  par::for_each_appended(exec, done, sum.front, kFew, FromReady<V>{{sum}, kStepsOfFew});
}

template <class Exec, class V>
void run_many(const Exec& exec, const TileSum<V>& sum, Index done, Index end) {
  par::for_each(exec, Range1{done, end}, FromReady<V>{{sum}, kStepsOfMany});
}

template <class Exec, class V>
void look_at(const Exec& exec, const TileSum<V>& sum, View<const std::int32_t> cells,
             View<V> values, View<std::uint8_t> final) {
  par::for_each(exec, Range1{0, cells.size}, LookAt<V>{sum, cells, values, final});
}

template <class Exec, class V>
Index count_waiting(const Exec& exec, const TileSum<V>& sum) {
  return par::reduce_sum(exec, sum.at.height * sum.at.width, Waits<V>{sum});
}

template <class Exec, class V>
void copy_window(const Exec& exec, const WindowCopy& copy, View<const V> from, View<V> to) {
  par::for_each(exec, Range2{copy.cols, copy.rows * copy.planes}, CopyWindow<V>{copy, from, to});
}

template <class Exec>
void shares_at(const Exec& exec, View<const std::int32_t> cells, View<const double> all,
               View<double> some) {
  par::for_each(exec, Range2{kNeighbours, cells.size}, SharesAt{cells, all, some});
}

template <class Exec>
void set_shares_at(const Exec& exec, View<const std::int32_t> cells, View<const double> some,
                   View<double> all) {
  par::for_each(exec, Range2{kNeighbours, cells.size}, SetSharesAt{cells, some, all});
}

template void shares_at(const par::Exec&, View<const std::int32_t>, View<const double>,
                        View<double>);
template void set_shares_at(const par::Exec&, View<const std::int32_t>, View<const double>,
                            View<double>);
template void inner_receivers(const par::Exec&, const TilePlace&, View<const std::uint8_t>,
                              View<const std::uint8_t>, View<std::uint8_t>);
template void copy_window(const par::Exec&, const WindowCopy&, View<const std::uint8_t>,
                          View<std::uint8_t>);
#define TERRAWAVE_FOR(V)                                                                        \
  template void count_donors(const par::Exec&, const TileSum<V>&, View<const std::uint8_t>);    \
  template void run_sources(const par::Exec&, const TileSum<V>&);                               \
  template void enter_ring(const par::Exec&, const TileSum<V>&, View<const SumEntry<V>>);       \
  template void enter_jumps(const par::Exec&, const TileSum<V>&, View<const SumEntry<V>>);      \
  template void run_few(const par::Exec&, const TileSum<V>&, Index);                            \
  template void run_many(const par::Exec&, const TileSum<V>&, Index, Index);                    \
  template void look_at(const par::Exec&, const TileSum<V>&, View<const std::int32_t>, View<V>, \
                        View<std::uint8_t>);                                                    \
  template Index count_waiting(const par::Exec&, const TileSum<V>&);                            \
  template void copy_window(const par::Exec&, const WindowCopy&, View<const V>, View<V>);
TERRAWAVE_FOR(std::int32_t)
TERRAWAVE_FOR(std::int64_t)
TERRAWAVE_FOR(double)
#undef TERRAWAVE_FOR

}  // namespace terrawave::terrain::steps
