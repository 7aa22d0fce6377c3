// Peeling by walks: every source cell starts a walk downstream that goes on as long as it is the
// last donor to arrive. Threads own strips of rows; a walk that leaves its strip is handed over
// and finished at the end by one thread (a strip border is crossed by few rivers).
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "terrawave/solvers/terrain/cpu/flow_walk.hpp"

namespace terrawave::terrain::cpu {

// A rule says what a cell has of its own, own(c), what stands at nodata, kNothing, and what a value
// becomes with that of a donor, join(value, theirs, donor). Where the order does not matter,
// kAnyOrder, each donor brings its value; else each cell gathers its donors in the order of
// neighbours, jumps last (by root), so that the result does not depend on who arrives when.
template <class V, class Walk, class Rule>
class Peel {
 public:
  Peel(const Grid& grid, const Walk& walk, const Direction* direction,
       const std::vector<Link>& jumps, const Rule& rule, V* out)
      : grid_(grid),
        walk_(walk),
        direction_(direction),
        jumps_(jumps),
        rule_(rule),
        out_(out),
        waiting_(new std::uint8_t[std::size_t(grid.cells())]) {
    if (!jumps.empty()) {
      by_target_ = jumps;
      std::sort(by_target_.begin(), by_target_.end(), [](const Link& a, const Link& b) {
        return a.target != b.target ? a.target < b.target : a.root < b.root;
      });
    }
  }

  // Number of donors of each cell of these rows, its own value in `out`.
  void count_donors(RowShare rows) {
    for (Index row = rows.begin; row < rows.end; ++row) {
      const Index first = row * grid_.cols;
      std::uint8_t* const waiting = waiting_.get() + first;
      std::fill_n(waiting, grid_.cols, std::uint8_t{0});
      for (int k = 0; k < kNeighbours; ++k) count_from(row, k, waiting);
      for (Index c = 0; c < grid_.cols; ++c) {
        const bool data = direction_[first + c] != kNoDirection;
        out_[first + c] = data ? rule_.own(first + c) : Rule::kNothing;
        if (!data) waiting[c] = kDone;
      }
    }
    for (const Link& j : by_target_)
      if (j.target >= rows.begin * grid_.cols && j.target < rows.end * grid_.cols)
        ++waiting_[std::size_t(j.target)];
  }

  // Walks down from every source of these rows; crossings go to `leaving`. Returns cells finished.
  Index walk_sources(RowShare rows, std::vector<Index>& leaving) {
    const Index begin = rows.begin * grid_.cols;
    const Index end = rows.end * grid_.cols;
    Index finished = 0;
    // Column by column of the raster: a walk wanders over few rows, and those stay in the cache.
    for (Index col = 0; col < grid_.cols; col += kColumn)
      for (Index row = rows.begin; row < rows.end; ++row) {
        const Index first = row * grid_.cols + col;
        const Index last = first + std::min(kColumn, grid_.cols - col);
        for (Index source = first; source < last; ++source)
          if (waiting_[std::size_t(source)] == 0)
            finished += walk_down(source, begin, end, leaving);
      }
    return finished;
  }

  // Goes on from finished cell `c` over the whole raster.
  Index walk_on(Index c) {
    Index finished = 0;
    for (Index next = receiver(c); next >= 0 && arrive(c, next); next = receiver(c)) {
      finish(next);
      ++finished;
      c = next;
    }
    return finished;
  }

 private:
  static constexpr std::uint8_t kDone = 0xff;
  static constexpr Index kColumn = 256;

  // From a source on, inside the cells [begin, end).
  Index walk_down(Index source, Index begin, Index end, std::vector<Index>& leaving) {
    Index finished = 0;
    for (Index c = source;;) {
      finish(c);
      ++finished;
      const Index next = receiver(c);
      if (next < 0) return finished;
      if (next < begin || next >= end) {
        leaving.push_back(c);
        return finished;
      }
      if (!arrive(c, next)) return finished;
      c = next;
    }
  }

  // Adds 1 to `waiting[c]` where neighbour k of (row, c) drains to it.
  void count_from(Index row, int k, std::uint8_t* waiting) const {
    Index other = row + kRowStep[k];
    if (grid_.loop_rows) other = (other + grid_.rows) % grid_.rows;
    if (other < 0 || other >= grid_.rows) return;
    const Direction* const theirs = direction_ + other * grid_.cols;
    const auto toward = Direction(opposite(k));
    const Index shift = kColStep[k];
    const Index from = std::max<Index>(0, -shift);
    const Index to = grid_.cols - std::max<Index>(0, shift);
#pragma omp simd
    for (Index c = from; c < to; ++c)
      waiting[c] = std::uint8_t(waiting[c] + (theirs[c + shift] == toward));
    if (grid_.loop_cols && shift != 0) {
      const Index c = shift > 0 ? grid_.cols - 1 : 0;
      const Index wrapped = shift > 0 ? 0 : grid_.cols - 1;
      waiting[c] = std::uint8_t(waiting[c] + (theirs[wrapped] == toward));
    }
  }

  Index receiver(Index c) const {
    const Direction d = direction_[c];
    if (d < kNeighbours) return walk_.step(c, d);
    if (jumps_.empty()) return -1;
    const auto at = std::lower_bound(jumps_.begin(), jumps_.end(), c,
                                     [](const Link& j, Index root) { return j.root < root; });
    return at != jumps_.end() && at->root == c ? at->target : -1;
  }

  // True when `c` was the last donor.
  bool arrive(Index c, Index next) {
    if constexpr (Rule::kAnyOrder) out_[next] = rule_.join(out_[next], out_[c], c);
    return --waiting_[std::size_t(next)] == 0;
  }

  // All donors of `c` are final.
  void finish(Index c) {
    waiting_[std::size_t(c)] = kDone;
    if constexpr (!Rule::kAnyOrder) gather(c);
  }
  void gather(Index c) {
    V value = out_[c];
    const Index row = row_of(c, grid_.cols);
    const Index col = c - row * grid_.cols;
    for (int k = 0; k < kNeighbours; ++k) {
      Index r = row + kRowStep[k];
      Index q = col + kColStep[k];
      if (grid_.loop_rows) r = (r + grid_.rows) % grid_.rows;
      if (grid_.loop_cols) q = (q + grid_.cols) % grid_.cols;
      if (r < 0 || r >= grid_.rows || q < 0 || q >= grid_.cols) continue;
      const Index d = r * grid_.cols + q;
      if (direction_[d] == opposite(k)) value = rule_.join(value, out_[d], d);
    }
    auto at = std::lower_bound(by_target_.begin(), by_target_.end(), c,
                               [](const Link& j, Index target) { return j.target < target; });
    for (; at != by_target_.end() && at->target == c; ++at)
      value = rule_.join(value, out_[at->root], at->root);
    out_[c] = value;
  }

  const Grid& grid_;
  const Walk& walk_;
  const Direction* direction_;
  const std::vector<Link>& jumps_;
  std::vector<Link> by_target_;
  const Rule& rule_;
  V* out_;
  std::unique_ptr<std::uint8_t[]> waiting_;  // donors that are not final yet
};

// Sets `out`. `jumps`: by root. Returns the number of cells finished.
template <class V, class Rule>
Index peel(const par::Queue& queue, const Grid& grid, const Direction* direction,
           const std::vector<Link>& jumps, const Rule& rule, V* out) {
  const par::LaunchScope open(queue);
  const int threads = queue.threads();
  return with_walk(grid, [&]<class Walk>(const Walk& walk) {
    Peel<V, Walk, Rule> all(grid, walk, direction, jumps, rule, out);
    std::vector<std::vector<Index>> leaving(std::size_t(threads), std::vector<Index>{});
    Index finished = 0;
#pragma omp parallel num_threads(threads) reduction(+ : finished)
    {
#pragma omp for schedule(static, 1)
      for (int t = 0; t < threads; ++t) all.count_donors(row_share(grid.rows, t, threads));
#pragma omp for schedule(static, 1)
      for (int t = 0; t < threads; ++t)
        finished += all.walk_sources(row_share(grid.rows, t, threads), leaving[std::size_t(t)]);
    }
    for (const auto& cells : leaving)
      for (const Index c : cells) finished += all.walk_on(c);
    return finished;
  });
}

}  // namespace terrawave::terrain::cpu
