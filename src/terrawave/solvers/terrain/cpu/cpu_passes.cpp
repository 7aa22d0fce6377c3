#include "terrawave/solvers/terrain/cpu/cpu_passes.hpp"

#include <algorithm>
#include <bit>

#include "terrawave/solvers/terrain/cpu/bit_tiles.hpp"
#include "terrawave/solvers/terrain/cpu/flow_walk.hpp"

namespace terrawave::terrain::cpu {
namespace {

// Keeps the lowest pass of each pair of basins seen lately; what is displaced goes to the list, so
// the list holds a few entries per pair instead of one for each pair of cells.
template <class T>
class PassFilter {
 public:
  PassFilter() : slots_(std::size_t{1} << kBits, Pass<T>{-1, -1, -1, T{}}) {}

  void offer(const Pass<T>& pass) {
    Pass<T>& slot = slots_[slot_of(pass)];
    if (slot.lower_basin == pass.lower_basin && slot.upper_basin == pass.upper_basin) {
      if (pass.before(slot)) slot = pass;
      return;
    }
    if (slot.code >= 0) list_.push_back(slot);
    slot = pass;
  }
  std::vector<Pass<T>> finish() {
    for (const Pass<T>& slot : slots_)
      if (slot.code >= 0) list_.push_back(slot);
    return std::move(list_);
  }

 private:
  static constexpr int kBits = 10;  // 1024 slots stay in the first-level cache
  static std::size_t slot_of(const Pass<T>& p) {
    const std::uint32_t mixed =
        std::uint32_t(p.lower_basin) * 0x9e3779b1u ^ std::uint32_t(p.upper_basin) * 0x85ebca77u;
    return mixed >> (32 - kBits);
  }
  std::vector<Pass<T>> slots_;
  std::vector<Pass<T>> list_;
};

// Offers every pair of neighbouring cells in two basins.
template <class T>
class Scan {
 public:
  Scan(const Grid& grid, const T* z, const std::int32_t* labels)
      : grid_(grid), z_(z), labels_(labels) {}

  // A column of the raster is `kColumn` cells wide: wide enough to read in bursts, narrow enough
  // for the filter.
  static constexpr Index kColumn = 512;
  void column(RowShare rows, Index first, Index end, PassFilter<T>& filter) const {
    for (Index row = rows.begin; row < rows.end; ++row) {
      if (row + 1 == grid_.rows) {
        for (Index col = first; col < end; ++col) edge(row, col, filter);
        continue;
      }
      if (first == 0) edge(row, 0, filter);
      const Index to = std::min(end, grid_.cols - 1);
      for (Index col = std::max<Index>(first, 1); col < to; col += kTileSide)
        inner(row * grid_.cols + col, int(std::min<Index>(kTileSide, to - col)), filter);
      if (end == grid_.cols && grid_.cols > 1) edge(row, end - 1, filter);
    }
  }

 private:
  // `count` cells of a row that have all four neighbours.
  void inner(Index first, int count, PassFilter<T>& filter) const {
    for (int k = 0; k < 4; k += grid_.step()) {
      const Index shift = kRowStep[k] * grid_.cols + kColStep[k];
      const std::int32_t* const here = labels_ + first;
      const std::int32_t* const there = here + shift;
      std::uint8_t differs[kTileSide] = {};
#pragma omp simd
      for (int c = 0; c < count; ++c)
        differs[c] = (here[c] != there[c]) & ((here[c] | there[c]) >= 0);
      for (Word left = pack(differs); left != 0; left &= left - 1) {
        const Index c = first + std::countr_zero(left);
        offer(c, c + shift, k, filter);
      }
    }
  }
  void edge(Index row, Index col, PassFilter<T>& filter) const {
    for (int k = 0; k < 4; ++k) {
      const Index c = row * grid_.cols + col;
      const Index n = grid_.neighbour(row, col, k);
      if (n >= 0 && labels_[c] != labels_[n] && (labels_[c] | labels_[n]) >= 0)
        offer(c, n, k, filter);
    }
  }
  void offer(Index c, Index n, int k, PassFilter<T>& filter) const {
    const auto [lower, upper] = std::minmax(labels_[c], labels_[n]);
    filter.offer({4 * c + k, lower, upper, std::max(z_[c], z_[n])});
  }

  const Grid& grid_;
  const T* z_;
  const std::int32_t* labels_;
};

class UnionFind {
 public:
  explicit UnionFind(Index n) : parent_(std::size_t(n), 0) {
    for (Index i = 0; i < n; ++i) parent_[std::size_t(i)] = std::int32_t(i);
  }
  std::int32_t find(std::int32_t i) {
    while (parent_[std::size_t(i)] != i) {
      std::int32_t& up = parent_[std::size_t(i)];
      up = parent_[std::size_t(up)];
      i = up;
    }
    return i;
  }
  // False when both are one already.
  bool join(std::int32_t a, std::int32_t b) {
    a = find(a);
    b = find(b);
    if (a == b) return false;
    parent_[std::size_t(std::max(a, b))] = std::min(a, b);
    return true;
  }

 private:
  std::vector<std::int32_t> parent_;
};

}  // namespace

template <class T>
std::vector<Pass<T>> collect_passes(const par::Queue& queue, const Grid& grid, par::View<const T> z,
                                    par::View<const std::int32_t> labels, const CellRange& range) {
  const par::LaunchScope open(queue);
  const int threads = queue.threads();
  std::vector<std::vector<Pass<T>>> parts(std::size_t(threads), std::vector<Pass<T>>{});
#pragma omp parallel for schedule(static, 1) num_threads(threads)
  for (int thread = 0; thread < threads; ++thread) {
    const Scan<T> scan(grid, z.data, labels.data);
    PassFilter<T> filter;
    RowShare rows = row_share(range.rows, thread, threads);
    rows.begin += range.row;
    rows.end += range.row;
    const Index end = range.col + range.cols;
    for (Index first = range.col; first < end; first += Scan<T>::kColumn)
      scan.column(rows, first, std::min(first + Scan<T>::kColumn, end), filter);
    parts[std::size_t(thread)] = filter.finish();
  }
  std::vector<Pass<T>> all = std::move(parts[0]);
  for (std::size_t t = 1; t < parts.size(); ++t)
    all.insert(all.end(), parts[t].begin(), parts[t].end());
  return all;
}

template <class T>
std::vector<Pass<T>> lowest_passes(std::vector<Pass<T>>& passes, Index basins, int& rounds) {
  UnionFind components(basins);
  std::vector<Pass<T>> tree;
  std::vector<std::int32_t> best(std::size_t(basins), -1);
  rounds = 0;
  while (!passes.empty()) {
    ++rounds;
    std::size_t kept = 0;
    std::vector<std::int32_t> chosen;
    for (const Pass<T>& pass : passes) {
      const std::int32_t a = components.find(pass.lower_basin);
      const std::int32_t b = components.find(pass.upper_basin);
      if (a == b) continue;
      passes[kept] = pass;
      for (const std::int32_t c : {a, b}) {
        std::int32_t& mine = best[std::size_t(c)];
        if (mine < 0) chosen.push_back(c);
        if (mine < 0 || pass.before(passes[std::size_t(mine)])) mine = std::int32_t(kept);
      }
      ++kept;
    }
    passes.resize(kept);
    for (const std::int32_t c : chosen) {
      std::int32_t& mine = best[std::size_t(c)];
      const Pass<T>& pass = passes[std::size_t(mine)];
      mine = -1;
      if (components.join(pass.lower_basin, pass.upper_basin)) tree.push_back(pass);
    }
  }
  return tree;
}

template <class T>
BasinTree<T> hang_basins(std::vector<Pass<T>> passes, Index basins) {
  BasinTree<T> hung;
  const std::vector<Pass<T>> tree = lowest_passes(passes, basins, hung.rounds);
  const auto n = std::size_t(basins);
  std::vector<std::int32_t> start(n + 1, 0);
  for (const Pass<T>& p : tree) {
    ++start[std::size_t(p.lower_basin) + 1];
    ++start[std::size_t(p.upper_basin) + 1];
  }
  for (std::size_t b = 0; b < n; ++b) start[b + 1] += start[b];
  std::vector<std::int32_t> edges(tree.size() * 2);
  std::vector<std::int32_t> next(start.begin(), start.end() - 1);
  for (std::size_t e = 0; e < tree.size(); ++e) {
    edges[std::size_t(next[std::size_t(tree[e].lower_basin)]++)] = std::int32_t(e);
    edges[std::size_t(next[std::size_t(tree[e].upper_basin)]++)] = std::int32_t(e);
  }
  hung.parent.assign(n, -1);
  hung.pass.assign(n, -1);
  hung.level.assign(n, std::numeric_limits<T>::lowest());
  hung.parent[0] = 0;
  std::vector<std::int32_t> reached{0};
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const std::int32_t b = reached[i];
    for (std::int32_t at = start[std::size_t(b)]; at < start[std::size_t(b) + 1]; ++at) {
      const Pass<T>& p = tree[std::size_t(edges[std::size_t(at)])];
      const std::int32_t other = p.lower_basin == b ? p.upper_basin : p.lower_basin;
      const auto o = std::size_t(other);
      if (hung.parent[o] >= 0) continue;
      hung.parent[o] = b;
      hung.pass[o] = p.code;
      hung.level[o] = std::max(p.height, hung.level[std::size_t(b)]);
      reached.push_back(other);
    }
  }
  hung.undrained = basins - Index(reached.size());
  return hung;
}

#define TERRAWAVE_FOR(T)                                                                           \
  template std::vector<Pass<T>> collect_passes(const par::Queue&, const Grid&, par::View<const T>, \
                                               par::View<const std::int32_t>, const CellRange&);   \
  template std::vector<Pass<T>> lowest_passes(std::vector<Pass<T>>&, Index, int&);                 \
  template BasinTree<T> hang_basins(std::vector<Pass<T>>, Index);
TERRAWAVE_FOR(std::uint8_t)
TERRAWAVE_FOR(std::int16_t)
TERRAWAVE_FOR(std::uint16_t)
TERRAWAVE_FOR(std::int32_t)
TERRAWAVE_FOR(float)
TERRAWAVE_FOR(double)
#undef TERRAWAVE_FOR

}  // namespace terrawave::terrain::cpu
