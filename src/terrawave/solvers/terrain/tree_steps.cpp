#include "terrawave/solvers/terrain/tree_steps.hpp"

#include <limits>

#include "terrawave/par/launch.hpp"
#include "terrawave/solvers/terrain/tree_donors.hpp"

namespace terrawave::terrain::steps {
namespace {

using par::Range1;
using par::Range2;
using par::View;

constexpr std::uint8_t kSource = 255;   // without donors
constexpr std::uint8_t kOutside = 254;  // takes no part
constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

struct FindDonors {
  TreeView on;
  View<const std::uint8_t> only;
  View<std::uint8_t> donors, path;
  TW_FUNCTION bool inside(Index col, Index row) const {
    return row > 0 && row < on.grid.rows - 1 && col > 0 && col < on.grid.cols - 1;
  }
  TW_FUNCTION void operator()(Index col, Index row) const {
    const Index c = row * on.grid.cols + col;
    path[c] = 0;
    unsigned found = 0;
    if (only.size > 0 && only[c] == 0) {
      donors[c] = 0;
      return;
    }
    if (inside(col, row)) {
      for (int k = 0; k < kNeighbours; ++k) {
        const Index d = c + Index(row_step(k)) * on.grid.cols + col_step(k);
        found |= unsigned(on.direction[d] == opposite(k)) << k;
      }
    } else {
      for (int k = 0; k < kNeighbours; ++k) {
        const Index d = on.grid.neighbour(row, col, k);
        if (d >= 0 && on.direction[d] == opposite(k)) found |= 1u << k;
      }
    }
    donors[c] = std::uint8_t(found);
  }
};
struct FlagLanding {
  View<const Leap> by_target;
  View<std::uint8_t> path;
  TW_FUNCTION void operator()(Index i) const {
    const std::int32_t target = by_target[i].target;
    if (i == 0 || by_target[i - 1].target != target) path[target] = TreeView::kLanding;
  }
};

// Down from the sources. A rule says which cells take part, in(c), what the others hold,
// leave_out(c), and how a cell is made of its donors: begin(), add(state, donor, length) and
// end(c, state, whether it has no receiver).
template <class Rule>
struct Descent {
  TreeView on;
  Rule rule;
  View<std::uint8_t> waiting;  // donors to come

  TW_FUNCTION void finish(Index c, bool root) const {
    auto state = rule.begin();
    for_donors<Rule::kMeasured>(on, c, [&](Index d, double length) {
      if (rule.in(d)) rule.add(state, d, length);
    });
    rule.end(c, state, root);
  }
};
template <class Rule>
struct CountDonors {
  Descent<Rule> all;
  TW_FUNCTION void operator()(Index c) const {
    if (!all.rule.in(c)) {
      all.waiting[c] = kOutside;
      all.rule.leave_out(c);
      return;
    }
    int donors = 0;
    for_donors<false>(all.on, c, [&](Index d, double) { donors += all.rule.in(d) ? 1 : 0; });
    all.waiting[c] = donors == 0 ? kSource : std::uint8_t(donors);
  }
};
template <class Rule>
struct WalkDown {
  Descent<Rule> all;
  TW_FUNCTION std::int64_t operator()(Index source) const {
    if (atomics::load(&all.waiting[source]) != kSource) return 0;
    std::int64_t finished = 0;
    Index c = source;
    while (true) {
      const Index next = receiver_of<false>(all.on, c).cell;
      all.finish(c, next < 0);
      ++finished;
      if (next < 0 || !all.rule.in(next) || !atomics::last_to_arrive(all.waiting.data, next))
        return finished;
      c = next;
    }
  }
};

// Returns the number of cells finished.
template <class Exec, class Rule>
Index descend(const Exec& exec, const TreeView& tree, const Rule& rule,
              View<std::uint8_t> waiting) {
  const Descent<Rule> all{tree, rule, waiting};
  par::for_each(exec, Range1{0, tree.direction.size}, CountDonors<Rule>{all});
  return par::reduce_sum(exec, tree.direction.size, WalkDown<Rule>{all});
}

struct RankRule {
  static constexpr bool kMeasured = false;
  View<const Direction> direction;
  View<std::uint8_t> path;
  struct State {
    int highest = 0;
    bool twice = false;
    Index donor = -1;  // the first of the highest rank
  };

  TW_FUNCTION bool in(Index c) const { return direction[c] != kNoDirection; }
  TW_FUNCTION void leave_out(Index) const {}
  TW_FUNCTION State begin() const { return {}; }
  TW_FUNCTION void make_head(Index donor) const {
    const std::uint8_t now = atomics::load(&path[donor]);
    atomics::store(&path[donor], std::uint8_t(now | TreeView::kHead));
  }
  TW_FUNCTION void add(State& s, Index donor, double) const {
    const int rank = atomics::load(&path[donor]) & TreeView::kRank;
    if (rank > s.highest) {
      if (s.donor >= 0) make_head(s.donor);
      s = {rank, false, donor};
      return;
    }
    if (rank == s.highest) s.twice = true;
    make_head(donor);
  }
  TW_FUNCTION void end(Index c, const State& s, bool root) const {
    const int rank = s.highest == 0 ? 1 : s.highest + (s.twice ? 1 : 0);
    const int landing = path[c] & TreeView::kLanding;
    const int head = root ? TreeView::kHead : 0;
    atomics::store(&path[c], std::uint8_t(rank | landing | head));
  }
};

struct LongestRule {
  static constexpr bool kMeasured = true;
  View<const Direction> direction;
  View<double> out;
  TW_FUNCTION bool in(Index c) const { return direction[c] != kNoDirection; }
  TW_FUNCTION void leave_out(Index c) const { out[c] = kNothing; }
  TW_FUNCTION double begin() const { return 0.0; }
  TW_FUNCTION void add(double& longest, Index donor, double length) const {
    const double way = atomics::load(&out[donor]) + length;
    longest = longest < way ? way : longest;
  }
  TW_FUNCTION void end(Index c, double longest, bool) const { atomics::store(&out[c], longest); }
};

template <bool Shreve>
struct OrderRule {
  static constexpr bool kMeasured = false;
  View<const Direction> direction;
  View<const std::uint8_t> stream;
  View<std::int32_t> out;
  struct State {
    std::int32_t highest = 0;  // Shreve: the sum
    bool twice = false;
  };
  TW_FUNCTION bool in(Index c) const { return stream[c] != 0 && direction[c] != kNoDirection; }
  TW_FUNCTION void leave_out(Index c) const { out[c] = 0; }
  TW_FUNCTION State begin() const { return {}; }
  TW_FUNCTION void add(State& s, Index donor, double) const {
    const std::int32_t order = atomics::load(&out[donor]);
    if (Shreve)
      s.highest += order;
    else if (order > s.highest)
      s = {order, false};
    else if (order == s.highest)
      s.twice = true;
  }
  TW_FUNCTION void end(Index c, const State& s, bool) const {
    const std::int32_t order = s.highest + (s.twice ? 1 : 0);
    atomics::store(&out[c], order > 0 ? order : 1);
  }
};

// Up along the paths of one rank. A rule says what a root holds, root(c), what a cell makes of its
// receiver's value, above(c, length, below), and reads and keeps values.
template <class Rule>
struct Climb {
  TreeView on;
  Rule rule;
  std::uint8_t head;  // flag and rank

  TW_FUNCTION void operator()(Index start) const {
    if ((on.path[start] & (TreeView::kHead | TreeView::kRank)) != head) return;
    const Receiver below = receiver_of<Rule::kMeasured>(on, start);
    auto value =
        below.cell < 0 ? rule.root(start) : rule.above(start, below.length, rule.read(below.cell));
    rule.keep(start, value);
    for (Receiver up = next_on_path<Rule::kMeasured>(on, start); up.cell >= 0;
         up = next_on_path<Rule::kMeasured>(on, up.cell)) {
      value = rule.above(up.cell, up.length, value);
      rule.keep(up.cell, value);
    }
  }
};

template <class Exec, class Rule>
void climb(const Exec& exec, const TreeView& tree, int highest, const Rule& rule) {
  for (int rank = highest; rank > 0; --rank)
    par::for_each(exec, Range1{0, tree.direction.size},
                  Climb<Rule>{tree, rule, std::uint8_t(TreeView::kHead | rank)});
}

struct WayRule {
  static constexpr bool kMeasured = true;
  View<double> out;
  TW_FUNCTION double root(Index) const { return 0.0; }
  TW_FUNCTION double above(Index, double length, double below) const { return length + below; }
  TW_FUNCTION double read(Index c) const { return out[c]; }
  TW_FUNCTION void keep(Index c, double way) const { out[c] = way; }
};
struct LabelRule {
  static constexpr bool kMeasured = false;
  View<std::int32_t> labels;
  std::int32_t none;
  TW_FUNCTION std::int32_t root(Index c) const { return labels[c]; }
  TW_FUNCTION std::int32_t above(Index c, double, std::int32_t below) const {
    const std::int32_t own = labels[c];
    return own != none ? own : below;
  }
  TW_FUNCTION std::int32_t read(Index c) const { return labels[c]; }
  TW_FUNCTION void keep(Index c, std::int32_t label) const { labels[c] = label; }
};

struct RankOf {
  View<const std::uint8_t> path;
  TW_FUNCTION int operator()(Index c) const { return path[c] & TreeView::kRank; }
};
struct NothingAtNodata {
  View<const Direction> direction;
  View<double> out;
  TW_FUNCTION void operator()(Index c) const {
    if (direction[c] == kNoDirection) out[c] = kNothing;
  }
};

}  // namespace

template <class Exec>
void find_donors(const Exec& exec, const TreeView& tree, View<const std::uint8_t> only,
                 View<std::uint8_t> donors, View<std::uint8_t> path) {
  par::for_each(exec, Range2{tree.grid.cols, tree.grid.rows}, FindDonors{tree, only, donors, path});
  par::for_each(exec, Range1{0, tree.by_target.size}, FlagLanding{tree.by_target, path});
}

template <class Exec>
Index rank_paths(const Exec& exec, const TreeView& tree, View<std::uint8_t> path,
                 View<std::uint8_t> waiting) {
  return descend(exec, tree, RankRule{tree.direction, path}, waiting);
}

template <class Exec>
int highest_rank(const Exec& exec, const TreeView& tree) {
  return par::reduce_max(exec, tree.path.size, RankOf{tree.path}, 0);
}

template <class Exec>
void longest_way(const Exec& exec, const TreeView& tree, View<std::uint8_t> waiting,
                 View<double> out) {
  descend(exec, tree, LongestRule{tree.direction, out}, waiting);
}

template <class Exec>
void stream_order(const Exec& exec, const TreeView& tree, View<const std::uint8_t> stream,
                  bool shreve, View<std::uint8_t> waiting, View<std::int32_t> out) {
  if (shreve)
    descend(exec, tree, OrderRule<true>{tree.direction, stream, out}, waiting);
  else
    descend(exec, tree, OrderRule<false>{tree.direction, stream, out}, waiting);
}

template <class Exec>
void way_down(const Exec& exec, const TreeView& tree, int highest, View<double> out) {
  par::for_each(exec, Range1{0, out.size}, NothingAtNodata{tree.direction, out});
  climb(exec, tree, highest, WayRule{out});
}

template <class Exec>
void carry_up(const Exec& exec, const TreeView& tree, int highest, std::int32_t none,
              View<std::int32_t> labels) {
  climb(exec, tree, highest, LabelRule{labels, none});
}

template void find_donors(const par::Exec&, const TreeView&, View<const std::uint8_t>,
                          View<std::uint8_t>, View<std::uint8_t>);
template Index rank_paths(const par::Exec&, const TreeView&, View<std::uint8_t>,
                          View<std::uint8_t>);
template int highest_rank(const par::Exec&, const TreeView&);
template void longest_way(const par::Exec&, const TreeView&, View<std::uint8_t>, View<double>);
template void stream_order(const par::Exec&, const TreeView&, View<const std::uint8_t>, bool,
                           View<std::uint8_t>, View<std::int32_t>);
template void way_down(const par::Exec&, const TreeView&, int, View<double>);
template void carry_up(const par::Exec&, const TreeView&, int, std::int32_t, View<std::int32_t>);

}  // namespace terrawave::terrain::steps
