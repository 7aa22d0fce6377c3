// From the roots up, each thread takes the cells of its rows in order: from a cell that is not
// known yet it follows the flow down to one that is, over the rows of other threads too, and comes
// back with the values. Two threads may come by the same cells; they write the same bytes.
#include "terrawave/solvers/terrain/cpu/cpu_tree.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <vector>

#include "terrawave/solvers/terrain/cpu/peel_walks.hpp"

namespace terrawave::terrain::cpu {
namespace {

using par::View;
using steps::TreeView;

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

template <class V>
V load(const V& x) {
  return std::atomic_ref(const_cast<V&>(x)).load(std::memory_order_relaxed);
}
template <class V>
void store(V& x, V value) {
  std::atomic_ref(x).store(value, std::memory_order_relaxed);
}

// Length of the step from a cell that has a receiver.
double step_length(const TreeView& tree, Index c) {
  const Direction d = tree.direction[c];
  return d < kNeighbours ? tree.length(c, d) : tree.by_root[tree.first_from(c)].length;
}

// A rule says what stands in a cell that is not known yet, `unknown`, what stands in each cell to
// begin with, before(c, whether it holds data), what an unknown root becomes, `root`, and what a
// cell makes of its receiver's value, above(c, below).
template <class V, class Walk, class Rule>
class Climb {
 public:
  Climb(const TreeView& tree, const Walk& walk, const Rule& rule, V* out)
      : tree_(tree), walk_(walk), rule_(rule), out_(out) {}

  void prepare(RowShare rows) const {
    for (Index c = rows.begin * cols(); c < rows.end * cols(); ++c)
      out_[c] = rule_.before(c, tree_.direction[c] != kNoDirection);
  }
  void fill(RowShare rows) const {
    std::vector<Index> way;
    for (Index c = rows.begin * cols(); c < rows.end * cols(); ++c)
      if (load(out_[c]) == rule_.unknown) climb_to(c, way);
  }

 private:
  Index cols() const { return tree_.grid.cols; }
  void climb_to(Index c, std::vector<Index>& way) const {
    V value = load(out_[c]);
    for (way.clear(); value == rule_.unknown; value = load(out_[c])) {
      const Index next = receiver(c);
      if (next < 0) {
        value = rule_.root;
        store(out_[c], value);
        break;
      }
      way.push_back(c);
      c = next;
    }
    for (auto at = way.rbegin(); at != way.rend(); ++at) {
      value = rule_.above(*at, value);
      store(out_[*at], value);
    }
  }
  Index receiver(Index c) const {
    const Direction d = tree_.direction[c];
    if (d < kNeighbours) return walk_.step(c, d);
    const Index at = tree_.by_root.size > 0 ? tree_.first_from(c) : 0;
    return at < tree_.by_root.size && tree_.by_root[at].root == c ? tree_.by_root[at].target : -1;
  }

  const TreeView& tree_;
  const Walk& walk_;
  const Rule& rule_;
  V* out_;
};

template <class V, class Rule>
void climb(const par::Queue& queue, const Grid& grid, const TreeView& tree, const Rule& rule,
           View<V> out) {
  const par::LaunchScope open(queue);
  const int threads = queue.threads();
  with_walk(grid, [&]<class Walk>(const Walk& walk) {
    const Climb<V, Walk, Rule> all(tree, walk, rule, out.data);
#pragma omp parallel num_threads(threads)
    {
#pragma omp for schedule(static, 1)
      for (int t = 0; t < threads; ++t) all.prepare(row_share(grid.rows, t, threads));
#pragma omp for schedule(static, 1)
      for (int t = 0; t < threads; ++t) all.fill(row_share(grid.rows, t, threads));
    }
  });
}

struct WayRule {
  const TreeView& tree;
  double unknown = -1;
  double root = 0;
  double before(Index, bool data) const { return data ? unknown : kNothing; }
  double above(Index c, double below) const { return step_length(tree, c) + below; }
};
struct LabelRule {
  std::int32_t none;
  const std::int32_t* labels;
  std::int32_t unknown = std::numeric_limits<std::int32_t>::min();
  std::int32_t root = none;
  std::int32_t before(Index c, bool data) const {
    return data && labels[c] == none ? unknown : labels[c];
  }
  std::int32_t above(Index, std::int32_t below) const { return below; }
};
struct LongestRule {
  static constexpr bool kAnyOrder = true;  // a maximum
  static constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
  const TreeView& tree;
  double own(Index) const { return 0; }
  double join(double longest, double theirs, Index donor) const {
    return std::max(longest, theirs + step_length(tree, donor));
  }
};

}  // namespace

void way_down(const par::Queue& queue, const Grid& grid, const TreeView& tree, View<double> out) {
  climb(queue, grid, tree, WayRule{tree}, out);
}

void carry_up(const par::Queue& queue, const Grid& grid, const TreeView& tree, std::int32_t none,
              View<std::int32_t> labels) {
  climb(queue, grid, tree, LabelRule{none, labels.data}, labels);
}

void longest_way(const par::Queue& queue, const Grid& grid, const std::vector<Link>& jumps,
                 const TreeView& tree, View<double> out) {
  peel(queue, grid, tree.direction.data, jumps, LongestRule{tree}, out.data);
}

}  // namespace terrawave::terrain::cpu
