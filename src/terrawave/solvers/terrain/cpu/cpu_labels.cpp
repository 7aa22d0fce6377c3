#include "terrawave/solvers/terrain/cpu/cpu_labels.hpp"

#include <algorithm>
#include <atomic>

#include "terrawave/solvers/terrain/cpu/flow_walk.hpp"

namespace terrawave::terrain::cpu {
namespace {

constexpr std::int32_t kUnset = -2;

std::int32_t load(const std::int32_t& x) {
  return std::atomic_ref(const_cast<std::int32_t&>(x)).load(std::memory_order_relaxed);
}
void store(std::int32_t& x, std::int32_t value) {
  std::atomic_ref(x).store(value, std::memory_order_relaxed);
}

// Gives each cell the label of its root. Threads may follow the same path and write the same
// values. Returns the cells that were reached by no label: walks longer than the raster.
template <class Walk>
bool spread(const par::Queue& queue, const Grid& grid, const Walk& walk, const Direction* direction,
            std::int32_t* labels) {
  const int threads = queue.threads();
  const Index cells = grid.cells();
  bool acyclic = true;
#pragma omp parallel for schedule(static, 1) num_threads(threads) reduction(&& : acyclic)
  for (int t = 0; t < threads; ++t) {
    const RowShare rows = row_share(grid.rows, t, threads);
    for (Index start = rows.begin * grid.cols; start < rows.end * grid.cols && acyclic; ++start) {
      if (load(labels[start]) != kUnset) continue;
      Index c = start;
      std::int32_t label = kUnset;
      Index steps = 0;
      while ((label = load(labels[c])) == kUnset && steps++ <= cells)
        c = walk.step(c, direction[c]);
      if (label == kUnset) {
        acyclic = false;
        break;
      }
      for (c = start; load(labels[c]) == kUnset; c = walk.step(c, direction[c]))
        store(labels[c], label);
    }
  }
  return acyclic;
}

}  // namespace

bool label_roots(const par::Queue& queue, const Grid& grid, par::View<const Direction> direction,
                 const std::vector<Link>& jumps, par::View<std::int32_t> labels) {
  const par::LaunchScope open(queue);
#pragma omp parallel for schedule(static) num_threads(queue.threads())
  for (Index c = 0; c < grid.cells(); ++c)
    labels[c] =
        direction[c] < kNeighbours ? kUnset : (direction[c] == kRoot ? std::int32_t(c) : kNoBasin);
  const bool acyclic = with_walk(grid, [&](const auto& walk) {
    return spread(queue, grid, walk, direction.data, labels.data);
  });
  if (!acyclic) return false;
  if (jumps.empty()) return true;
  // Jumps join whole basins: root by root, then every cell once more.
  const auto jump_of = [&](std::int32_t root) {
    return std::lower_bound(jumps.begin(), jumps.end(), root,
                            [](const Link& j, std::int32_t r) { return j.root < r; });
  };
  std::vector<std::int32_t> final_root(jumps.size(), kUnset);
  std::vector<std::size_t> path;
  for (std::size_t i = 0; i < jumps.size(); ++i) {
    path.clear();
    std::int32_t root = kUnset;
    for (std::size_t j = i;;) {
      if (final_root[j] != kUnset) {
        root = final_root[j];
        break;
      }
      path.push_back(j);
      if (path.size() > jumps.size()) return false;
      root = labels[jumps[j].target];
      const auto next = jump_of(root);
      if (next == jumps.end() || next->root != root) break;
      j = std::size_t(next - jumps.begin());
    }
    for (const std::size_t j : path) final_root[j] = root;
  }
#pragma omp parallel for schedule(static) num_threads(queue.threads())
  for (Index c = 0; c < grid.cells(); ++c) {
    if (labels[c] < 0) continue;
    const auto at = jump_of(labels[c]);
    if (at != jumps.end() && at->root == labels[c])
      labels[c] = final_root[std::size_t(at - jumps.begin())];
  }
  return true;
}

std::vector<std::int32_t> label_dense(const par::Queue& queue, const Grid& grid,
                                      par::View<const Direction> direction,
                                      par::View<const std::uint8_t> state,
                                      par::View<std::int32_t> labels) {
  const par::LaunchScope open(queue);
  const int threads = queue.threads();
  std::vector<std::vector<std::int32_t>> found(std::size_t(threads), std::vector<std::int32_t>{});
#pragma omp parallel for schedule(static, 1) num_threads(threads)
  for (int t = 0; t < threads; ++t) {
    const RowShare rows = row_share(grid.rows, t, threads);
    for (Index c = rows.begin * grid.cols; c < rows.end * grid.cols; ++c) {
      const Direction d = direction[c];
      labels[c] = d < kNeighbours ? kUnset : (d == kRoot ? 0 : kNoBasin);
      if (d == kRoot && !is_base(state[c])) found[std::size_t(t)].push_back(std::int32_t(c));
    }
  }
  std::vector<std::int32_t> pits;
  for (const auto& part : found) pits.insert(pits.end(), part.begin(), part.end());
  for (std::size_t i = 0; i < pits.size(); ++i) labels[pits[i]] = std::int32_t(i + 1);
  with_walk(grid, [&](const auto& walk) {
    return spread(queue, grid, walk, direction.data, labels.data);
  });
  return pits;
}

}  // namespace terrawave::terrain::cpu
