#include "terrawave/solvers/terrain/peel_steps.hpp"

#include "terrawave/par/launch.hpp"

namespace terrawave::terrain::steps {
namespace {

using par::Buffer;
using par::Range1;
using par::Range2;
using par::View;

constexpr std::uint8_t kSource = 0xff;

TW_FUNCTION Index lower_bound(View<const Link> links, std::int32_t value, bool by_root) {
  return partition_point(
      links.size, [&](Index i) { return (by_root ? links[i].root : links[i].target) < value; });
}

template <class V>
struct Peel {
  GridView grid;
  View<const Direction> direction;
  View<const Link> by_root, by_target;
  View<const V> weights;
  View<V> out;
  View<std::uint8_t> waiting;
  Combine combine;

  TW_FUNCTION V join(V a, V b) const {
    if (combine == Combine::sum) return a + b;
    if (combine == Combine::max) return a < b ? b : a;
    return b < a ? b : a;
  }
  TW_FUNCTION Index receiver(Index c) const {
    const Direction d = direction[c];
    if (d < kNeighbours) return grid.neighbour(c, d);
    if (by_root.size == 0) return -1;
    const Index at = lower_bound(by_root, std::int32_t(c), true);
    return at < by_root.size && by_root[at].root == c ? by_root[at].target : -1;
  }
  TW_FUNCTION void finish(Index c) const {
    V value = weights.size > 0 ? weights[c] : V(1);
    const Index row = row_of(c, grid.cols);
    const Index col = c - row * grid.cols;
    for (int k = 0; k < kNeighbours; ++k) {
      const Index d = grid.neighbour(row, col, k);
      if (d >= 0 && direction[d] == opposite(k)) value = join(value, atomics::load(&out[d]));
    }
    if (by_target.size > 0)
      for (Index at = lower_bound(by_target, std::int32_t(c), false);
           at < by_target.size && by_target[at].target == c; ++at)
        value = join(value, atomics::load(&out[by_target[at].root]));
    atomics::store(&out[c], value);
  }
};

template <class V>
struct CountDonors {
  Peel<V> peel;
  TW_FUNCTION void operator()(Index col, Index row) const {
    const Index c = row * peel.grid.cols + col;
    if (peel.direction[c] == kNoDirection) {
      peel.out[c] = V(0);
      peel.waiting[c] = 1;  // nobody arrives
      return;
    }
    int donors = 0;
    for (int k = 0; k < kNeighbours; ++k) {
      const Index d = peel.grid.neighbour(row, col, k);
      if (d >= 0 && peel.direction[d] == opposite(k)) ++donors;
    }
    if (peel.by_target.size > 0)
      for (Index at = lower_bound(peel.by_target, std::int32_t(c), false);
           at < peel.by_target.size && peel.by_target[at].target == c; ++at)
        ++donors;
    peel.waiting[c] = donors == 0 ? kSource : std::uint8_t(donors);
  }
};

template <class V>
struct WalkDown {
  Peel<V> peel;
  TW_FUNCTION std::int64_t operator()(Index source) const {
    if (peel.waiting[source] != kSource) return 0;
    std::int64_t finished = 0;
    Index c = source;
    while (true) {
      peel.finish(c);
      ++finished;
      const Index next = peel.receiver(c);
      if (next < 0 || !atomics::last_to_arrive(peel.waiting.data, next)) return finished;
      c = next;
    }
  }
};

// One cell's part of the published state.
struct Donors {
  std::int32_t count;
  std::int32_t donor[kNeighbours];
};
struct State {
  View<Donors> donors;
  View<std::int64_t> q;
};

struct FirstState {
  GridView grid;
  View<const Direction> direction;
  State state;
  TW_FUNCTION void operator()(Index col, Index row) const {
    const Index c = row * grid.cols + col;
    Donors mine{};
    for (int k = 0; k < kNeighbours; ++k) {
      const Index d = grid.neighbour(row, col, k);
      if (d >= 0 && direction[d] == opposite(k)) mine.donor[mine.count++] = std::int32_t(d);
    }
    state.donors[c] = mine;
    state.q[c] = direction[c] == kNoDirection ? 0 : 1;
  }
};

// One round for one cell; `read(d)` returns donor d's state at the start of the round. True when
// the cell changed.
template <class Read>
TW_FUNCTION bool rake_cell(Donors& mine, std::int64_t& q, const Read& read) {
  bool changed = false;
  int kept = 0;
  for (int i = 0; i < mine.count; ++i) {
    std::int64_t theirs = 0;
    std::int32_t first = 0;
    const std::int32_t count = read(mine.donor[i], theirs, first);
    if (count > 1) {
      mine.donor[kept++] = mine.donor[i];
      continue;
    }
    q += theirs;
    changed = true;
    if (count == 1) mine.donor[kept++] = first;
  }
  mine.count = kept;
  return changed;
}

struct ReadPlain {
  State state;
  TW_FUNCTION std::int32_t operator()(std::int32_t d, std::int64_t& q, std::int32_t& first) const {
    q = state.q[d];
    first = state.donors[d].donor[0];
    return state.donors[d].count;
  }
};
struct RoundCopied {
  State from, to;
  View<std::int32_t> busy;
  TW_FUNCTION void operator()(Index c) const {
    Donors mine = from.donors[c];
    std::int64_t q = from.q[c];
    if (mine.count > 0) atomics::store(&busy[0], 1);
    rake_cell(mine, q, ReadPlain{from});
    to.donors[c] = mine;
    to.q[c] = q;
  }
};

// `src[c]`: sign says which state is current (positive: a), magnitude is the round of the last
// change plus 1. A reader takes the other state of a cell that has changed in this very round, so
// each round sees its start only.
struct ReadPingPong {
  State a, b;
  View<std::int8_t> src;
  int tag;
  TW_FUNCTION std::int32_t operator()(std::int32_t d, std::int64_t& q, std::int32_t& first) const {
    const int s = atomics::load(&src[d]);
    const bool changed_now = s == tag || s == -tag;
    const bool in_a = (s >= 0) != changed_now;
    const State& from = in_a ? a : b;
    q = from.q[d];
    first = from.donors[d].donor[0];
    return from.donors[d].count;
  }
};
struct RoundPingPong {
  ReadPingPong read;
  View<std::int32_t> busy;
  TW_FUNCTION void operator()(Index c) const {
    const int s = read.src[c];
    const bool in_a = s >= 0;
    const State& from = in_a ? read.a : read.b;
    if (from.donors[c].count == 0) return;
    Donors mine = from.donors[c];
    std::int64_t q = from.q[c];
    if (mine.count > 0) atomics::store(&busy[0], 1);
    if (!rake_cell(mine, q, read)) return;
    const State& to = in_a ? read.b : read.a;
    to.donors[c] = mine;
    to.q[c] = q;
    atomics::store(&read.src[c], std::int8_t(in_a ? -read.tag : read.tag));
  }
};
struct Merge {
  State a, b;
  View<const std::int8_t> src;
  View<std::int64_t> out;
  TW_FUNCTION void operator()(Index c) const { out[c] = src[c] >= 0 ? a.q[c] : b.q[c]; }
};

constexpr int kMostRounds = 68;  // twice what 2^31 cells need, and some; fits the byte

}  // namespace

template <class Exec, class V>
Index peel(const Exec& exec, const GridView& grid, View<const Direction> direction,
           View<const Link> by_root, View<const Link> by_target, View<const V> weights, View<V> out,
           Combine combine) {
  Buffer<std::uint8_t> waiting(exec.queue, (direction.size + 3) / 4 * 4);  // whole words
  const Peel<V> all{grid, direction, by_root, by_target, weights, out, waiting.view(), combine};
  par::for_each(exec, Range2{grid.cols, grid.rows}, CountDonors<V>{all});
  return par::reduce_sum(exec, direction.size, WalkDown<V>{all});
}

template <class Exec>
RakeCompress rake_compress(const Exec& exec, const GridView& grid, View<const Direction> direction,
                           View<std::int64_t> out, bool ping_pong) {
  const Index n = direction.size;
  Buffer<Donors> donors_a(exec.queue, n), donors_b(exec.queue, n);
  Buffer<std::int64_t> q_b(exec.queue, n);
  Buffer<std::int8_t> src(exec.queue, ping_pong ? n : 0);
  Buffer<std::int32_t> busy(exec.queue, 1);
  State a{donors_a.view(), out};
  State b{donors_b.view(), q_b.view()};
  par::for_each(exec, Range2{grid.cols, grid.rows}, FirstState{grid, direction, a});
  if (ping_pong) src.fill_bytes(0);
  RakeCompress done;
  done.bytes_per_cell = double(2 * (sizeof(Donors) + sizeof(std::int64_t)) + (ping_pong ? 1 : 0));
  bool swapped = false;
  for (int round = 0;; ++round) {
    if (round == kMostRounds) {
      done.rounds = -1;
      break;
    }
    busy.fill_bytes(0);
    if (ping_pong)
      par::for_each(exec, Range1{0, n}, RoundPingPong{{a, b, src.view(), round + 1}, busy.view()});
    else
      par::for_each(exec, Range1{0, n},
                    swapped ? RoundCopied{b, a, busy.view()} : RoundCopied{a, b, busy.view()});
    swapped = !swapped;
    if (busy.at(0) == 0) break;
    ++done.rounds;
  }
  if (ping_pong)
    par::for_each(exec, Range1{0, n}, Merge{a, b, src.cview(), out});
  else if (swapped)
    exec.queue.impl().copy(out.data, q_b.view().data, q_b.bytes());
  return done;
}

template Index peel(const par::Exec&, const GridView&, View<const Direction>, View<const Link>,
                    View<const Link>, View<const std::int64_t>, View<std::int64_t>, Combine);
template Index peel(const par::Exec&, const GridView&, View<const Direction>, View<const Link>,
                    View<const Link>, View<const double>, View<double>, Combine);
template RakeCompress rake_compress(const par::Exec&, const GridView&, View<const Direction>,
                                    View<std::int64_t>, bool);

}  // namespace terrawave::terrain::steps
