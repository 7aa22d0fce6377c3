#include "terrawave/solvers/terrain/cpu/cpu_passes.hpp"

#include <algorithm>

#include "terrawave/solvers/terrain/cpu/flow_walk.hpp"

namespace terrawave::terrain::cpu {
namespace {

// Keeps the lowest pass of each pair of basins seen lately; what is displaced goes to the list, so
// the list holds a few entries per pair instead of one for each pair of cells.
template <class T>
class PassFilter {
 public:
  PassFilter() : slots_(std::size_t{1} << kBits) {}

  void offer(const Pass<T>& pass) {
    Slot& slot = slots_[slot_of(pass.basin_a, pass.basin_b)];
    if ((slot.basin_a == pass.basin_a && slot.basin_b == pass.basin_b) ||
        (slot.basin_a == pass.basin_b && slot.basin_b == pass.basin_a)) {
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
  static constexpr int kBits = 12;  // 4096 slots stay in the second-level cache
  static std::size_t slot_of(std::int32_t a, std::int32_t b) {
    const auto low = std::uint32_t(std::min(a, b));
    const auto high = std::uint32_t(std::max(a, b));
    return ((low * 0x9e3779b1u) ^ (high * 0x85ebca77u)) >> (32 - kBits);
  }
  struct Slot : Pass<T> {
    Slot() : Pass<T>{-1, -1, -1, T{}} {}
    Slot& operator=(const Pass<T>& p) {
      Pass<T>::operator=(p);
      return *this;
    }
  };
  std::vector<Slot> slots_;
  std::vector<Pass<T>> list_;
};

template <class T>
class RowScan {
 public:
  RowScan(const Grid& grid, const T* z, const std::int32_t* labels)
      : grid_(grid), z_(z), labels_(labels), differs_(std::size_t(grid.cols) + 8, 0) {}

  void scan(Index row, PassFilter<T>& filter) {
    const Index cols = grid_.cols;
    if (cols > 2 && row + 1 < grid_.rows) {
      mark(row);
      const std::uint8_t* const differs = differs_.data();
      for (Index c = 1; c < cols - 1; ++c)
        if (differs[c] != 0) inner(row, c, filter);
      edge(row, 0, filter);
      edge(row, cols - 1, filter);
    } else {
      for (Index c = 0; c < cols; ++c) edge(row, c, filter);
    }
  }

 private:
  // Which inner cells of the row have a neighbour E, SE, S or SW in another basin.
  void mark(Index row) {
    const std::int32_t* const here = labels_ + row * grid_.cols;
    const std::int32_t* const below = here + grid_.cols;
    std::uint8_t* const differs = differs_.data();
    if (grid_.connectivity == Connectivity::d8) {
#pragma omp simd
      for (Index c = 1; c < grid_.cols - 1; ++c)
        differs[c] = ((here[c] ^ here[c + 1]) | (here[c] ^ below[c + 1]) | (here[c] ^ below[c]) |
                      (here[c] ^ below[c - 1])) != 0;
    } else {
#pragma omp simd
      for (Index c = 1; c < grid_.cols - 1; ++c)
        differs[c] = ((here[c] ^ here[c + 1]) | (here[c] ^ below[c])) != 0;
    }
  }
  void inner(Index row, Index col, PassFilter<T>& filter) const {
    const Index c = row * grid_.cols + col;
    offer(c, c + 1, 0, filter);
    if (grid_.connectivity == Connectivity::d8) {
      offer(c, c + grid_.cols + 1, 1, filter);
      offer(c, c + grid_.cols, 2, filter);
      offer(c, c + grid_.cols - 1, 3, filter);
    } else {
      offer(c, c + grid_.cols, 2, filter);
    }
  }
  void edge(Index row, Index col, PassFilter<T>& filter) const {
    for (int k = 0; k < 4; ++k) {
      const Index n = grid_.neighbour(row, col, k);
      if (n >= 0) offer(row * grid_.cols + col, n, k, filter);
    }
  }
  void offer(Index c, Index n, int k, PassFilter<T>& filter) const {
    const std::int32_t a = labels_[c];
    const std::int32_t b = labels_[n];
    if (a == b || a < 0 || b < 0) return;
    filter.offer({4 * c + k, a, b, std::max(z_[c], z_[n])});
  }

  const Grid& grid_;
  const T* z_;
  const std::int32_t* labels_;
  std::vector<std::uint8_t> differs_;
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

// The passes of the minimum spanning forest. Consumes `passes`.
template <class T>
std::vector<Pass<T>> spanning_tree(std::vector<Pass<T>>& passes, Index basins, int& rounds) {
  UnionFind components(basins);
  std::vector<Pass<T>> tree;
  std::vector<std::int32_t> best(std::size_t(basins), -1);
  rounds = 0;
  while (!passes.empty()) {
    ++rounds;
    std::size_t kept = 0;
    std::vector<std::int32_t> chosen;
    for (const Pass<T>& pass : passes) {
      const std::int32_t a = components.find(pass.basin_a);
      const std::int32_t b = components.find(pass.basin_b);
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
      if (components.join(pass.basin_a, pass.basin_b)) tree.push_back(pass);
    }
  }
  return tree;
}

}  // namespace

template <class T>
std::vector<Pass<T>> collect_passes(const par::Queue& queue, const Grid& grid, par::View<const T> z,
                                    par::View<const std::int32_t> labels) {
  const par::LaunchScope open(queue);
  const int threads = queue.threads();
  std::vector<std::vector<Pass<T>>> parts(std::size_t(threads), std::vector<Pass<T>>{});
#pragma omp parallel for schedule(static, 1) num_threads(threads)
  for (int t = 0; t < threads; ++t) {
    RowScan<T> rows(grid, z.data, labels.data);
    PassFilter<T> filter;
    const RowShare share = row_share(grid.rows, t, threads);
    for (Index row = share.begin; row < share.end; ++row) rows.scan(row, filter);
    parts[std::size_t(t)] = filter.finish();
  }
  std::vector<Pass<T>> all = std::move(parts[0]);
  for (std::size_t t = 1; t < parts.size(); ++t)
    all.insert(all.end(), parts[t].begin(), parts[t].end());
  return all;
}

template <class T>
BasinTree<T> hang_basins(std::vector<Pass<T>> passes, Index basins) {
  BasinTree<T> hung;
  const std::vector<Pass<T>> tree = spanning_tree(passes, basins, hung.rounds);
  const auto n = std::size_t(basins);
  std::vector<std::int32_t> start(n + 1, 0);
  for (const Pass<T>& p : tree) {
    ++start[std::size_t(p.basin_a) + 1];
    ++start[std::size_t(p.basin_b) + 1];
  }
  for (std::size_t b = 0; b < n; ++b) start[b + 1] += start[b];
  std::vector<std::int32_t> edges(tree.size() * 2);
  std::vector<std::int32_t> next(start.begin(), start.end() - 1);
  for (std::size_t e = 0; e < tree.size(); ++e) {
    edges[std::size_t(next[std::size_t(tree[e].basin_a)]++)] = std::int32_t(e);
    edges[std::size_t(next[std::size_t(tree[e].basin_b)]++)] = std::int32_t(e);
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
      const std::int32_t other = p.basin_a == b ? p.basin_b : p.basin_a;
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

template std::vector<Pass<std::uint8_t>> collect_passes(const par::Queue&, const Grid&,
                                                        par::View<const std::uint8_t>,
                                                        par::View<const std::int32_t>);
template std::vector<Pass<std::int16_t>> collect_passes(const par::Queue&, const Grid&,
                                                        par::View<const std::int16_t>,
                                                        par::View<const std::int32_t>);
template std::vector<Pass<std::uint16_t>> collect_passes(const par::Queue&, const Grid&,
                                                         par::View<const std::uint16_t>,
                                                         par::View<const std::int32_t>);
template std::vector<Pass<std::int32_t>> collect_passes(const par::Queue&, const Grid&,
                                                        par::View<const std::int32_t>,
                                                        par::View<const std::int32_t>);
template std::vector<Pass<float>> collect_passes(const par::Queue&, const Grid&,
                                                 par::View<const float>,
                                                 par::View<const std::int32_t>);
template std::vector<Pass<double>> collect_passes(const par::Queue&, const Grid&,
                                                  par::View<const double>,
                                                  par::View<const std::int32_t>);
template BasinTree<std::uint8_t> hang_basins(std::vector<Pass<std::uint8_t>>, Index);
template BasinTree<std::int16_t> hang_basins(std::vector<Pass<std::int16_t>>, Index);
template BasinTree<std::uint16_t> hang_basins(std::vector<Pass<std::uint16_t>>, Index);
template BasinTree<std::int32_t> hang_basins(std::vector<Pass<std::int32_t>>, Index);
template BasinTree<float> hang_basins(std::vector<Pass<float>>, Index);
template BasinTree<double> hang_basins(std::vector<Pass<double>>, Index);

}  // namespace terrawave::terrain::cpu
