#include "terrawave/solvers/terrain/tile_climb_steps.hpp"

#include "terrawave/par/launch.hpp"
#include "terrawave/solvers/terrain/tree_donors.hpp"

namespace terrawave::terrain::steps {
namespace {

using par::Range1;
using par::View;

template <class V>
struct Rule {
  TileClimb<V> on;
  // The value of a cell from its receiver's.
  TW_FUNCTION V above(Index c, double length, V below) const {
    if (on.fixed.size > 0) return on.fixed[c] != 0 ? on.value[c] : below;
    return V(length + double(below));
  }
};

template <class V>
struct OpenRoot {
  TileClimb<V> on;
  View<const std::int32_t> leaves;
  TW_FUNCTION bool leaves_tile(Index c) const {
    const Index at = partition_point(leaves.size, [&](Index i) { return leaves[i] < c; });
    return at < leaves.size && leaves[at] == c;
  }
  TW_FUNCTION void operator()(Index c) const {
    if (on.tree.direction[c] != kRoot || receiver_of<false>(on.tree, c).cell >= 0) return;
    if (!leaves_tile(c)) on.known[c] = TileClimb<V>::kHead;
  }
};

template <class V>
struct EnterFromBelow {
  Rule<V> rule;
  FromBelow<V> from;
  TW_FUNCTION void operator()(Index i) const {
    const Index c = from.cells[i];
    rule.on.value[c] = rule.above(c, from.length[i], from.below[i]);
    rule.on.known[c] = TileClimb<V>::kHead;
  }
};

// Of one rank: what lies below them is of a higher one, and done before.
template <class V>
struct ClimbPath {
  Rule<V> rule;
  std::uint8_t head;  // flag and rank
  TW_FUNCTION bool start(Index c) const {
    const TileClimb<V>& on = rule.on;
    if ((on.tree.path[c] & (TreeView::kHead | TreeView::kRank)) != head) return false;
    if (on.known[c] == TileClimb<V>::kHead) return true;
    if (on.known[c] == TileClimb<V>::kDone) return false;
    const Receiver below = receiver_of<true>(on.tree, c);
    if (below.cell < 0 || on.known[below.cell] != TileClimb<V>::kDone) return false;
    on.value[c] = rule.above(c, below.length, on.value[below.cell]);
    return true;
  }
  TW_FUNCTION void operator()(Index c) const {
    if (!start(c)) return;
    const TileClimb<V>& on = rule.on;
    V value = on.value[c];
    on.known[c] = TileClimb<V>::kDone;
    for (Receiver up = next_on_path<true>(on.tree, c); up.cell >= 0;
         up = next_on_path<true>(on.tree, up.cell)) {
      value = rule.above(up.cell, up.length, value);
      on.value[up.cell] = value;
      on.known[up.cell] = TileClimb<V>::kDone;
    }
  }
};

template <class V>
struct LookAtClimb {
  TileClimb<V> on;
  View<const std::int32_t> cells;
  View<V> values;
  View<std::uint8_t> known;
  TW_FUNCTION void operator()(Index i) const {
    values[i] = on.value[cells[i]];
    known[i] = on.known[cells[i]] == TileClimb<V>::kDone ? 1 : 0;
  }
};

}  // namespace

template <class Exec, class V>
void open_roots(const Exec& exec, const TileClimb<V>& climb, View<const std::int32_t> leaves) {
  par::for_each(exec, Range1{0, climb.known.size}, OpenRoot<V>{climb, leaves});
}

template <class Exec, class V>
void enter_from_below(const Exec& exec, const TileClimb<V>& climb, const FromBelow<V>& from) {
  par::for_each(exec, Range1{0, from.cells.size}, EnterFromBelow<V>{{climb}, from});
}

template <class Exec, class V>
void climb_paths(const Exec& exec, const TileClimb<V>& climb, int highest) {
  for (int rank = highest; rank > 0; --rank)
    par::for_each(exec, Range1{0, climb.known.size},
                  ClimbPath<V>{{climb}, std::uint8_t(TreeView::kHead | rank)});
}

template <class Exec, class V>
void look_at_climb(const Exec& exec, const TileClimb<V>& climb, View<const std::int32_t> cells,
                   View<V> values, View<std::uint8_t> known) {
  par::for_each(exec, Range1{0, cells.size}, LookAtClimb<V>{climb, cells, values, known});
}

#define TERRAWAVE_FOR(V)                                                                       \
  template void open_roots(const par::Exec&, const TileClimb<V>&, View<const std::int32_t>);   \
  template void enter_from_below(const par::Exec&, const TileClimb<V>&, const FromBelow<V>&);  \
  template void climb_paths(const par::Exec&, const TileClimb<V>&, int);                       \
  template void look_at_climb(const par::Exec&, const TileClimb<V>&, View<const std::int32_t>, \
                              View<V>, View<std::uint8_t>);
TERRAWAVE_FOR(Index)
TERRAWAVE_FOR(double)
#undef TERRAWAVE_FOR

}  // namespace terrawave::terrain::steps
