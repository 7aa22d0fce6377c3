// Labels tile by tile. Inside a tile, pointer jumping finds the local root of each cell: a root, or
// an exit, whose receiver lies in another tile. Exits are then followed from tile to tile, and
// every cell takes over what its local root has found.
#include "terrawave/solvers/terrain/cpu/cpu_labels.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <utility>

#include "terrawave/solvers/terrain/cpu/bit_tiles.hpp"
#include "terrawave/solvers/terrain/cpu/flow_walk.hpp"

namespace terrawave::terrain::cpu {
namespace {

constexpr int kTileCells = kTileSide * kTileSide;

// While labels are found, a label that is not negative is the cell of the local root; a final label
// x is -2 - x, so that nodata, -1, is final from the start.
constexpr std::int32_t final_label(std::int32_t x) { return -2 - x; }

std::int32_t load(const std::int32_t& x) {
  return std::atomic_ref(const_cast<std::int32_t&>(x)).load(std::memory_order_relaxed);
}
void store(std::int32_t& x, std::int32_t value) {
  std::atomic_ref(x).store(value, std::memory_order_relaxed);
}

// The receivers inside one tile.
class LocalForest {
 public:
  LocalForest(const Grid& grid, const Direction* direction) : grid_(grid), direction_(direction) {}

  // Points each cell of the tile to its local root; adds the exits to `exits`. False when the tile
  // holds a loop.
  bool build(const TileMap::Tile& tile, std::vector<std::int32_t>& exits) {
    point_to_receivers(tile);
    stop_at_sides(tile, exits);
    const int roots = count_roots();
    constexpr int kMostRounds = 13;  // 2^12 cells in a row, and one round that changes nothing
    for (int round = 0; round < kMostRounds; ++round)
      if (!(round % 2 == 0 ? jump_forward() : jump_back())) return count_roots() == roots;
    return false;
  }
  // Local index of the root of local cell i.
  const std::uint16_t* up() const { return up_.data(); }

 private:
  void point_to_receivers(const TileMap::Tile& tile) {
    if (tile.height < kTileSide || tile.width < kTileSide)
      for (int i = 0; i < kTileCells; ++i) up_[std::size_t(i)] = std::uint16_t(i);
    for (int r = 0; r < tile.height; ++r) {
      const Direction* const from = direction_ + (tile.row0 + r) * grid_.cols + tile.col0;
      std::uint16_t* const to = up_.data() + r * kTileSide;
#pragma omp simd
      for (int c = 0; c < tile.width; ++c) {
        const std::uint16_t d = from[c];
        const int down = (d >= 1) & (d <= 3);
        const int above = (d >= 5) & (d <= 7);
        const int east = (d <= 1) | (d == 7);
        const int west = (d >= 3) & (d <= 5);
        to[c] = std::uint16_t(r * kTileSide + c + (down - above) * kTileSide + east - west);
      }
    }
  }
  void stop_at_sides(const TileMap::Tile& tile, std::vector<std::int32_t>& exits) {
    const auto check = [&](int r, int c) {
      const Index cell = (tile.row0 + r) * grid_.cols + tile.col0 + c;
      const Direction d = direction_[cell];
      if (d >= kNeighbours) return;
      const int row = r + kRowStep[d];
      const int col = c + kColStep[d];
      if (row >= 0 && row < tile.height && col >= 0 && col < tile.width) return;
      up_[std::size_t(r * kTileSide + c)] = std::uint16_t(r * kTileSide + c);
      exits.push_back(std::int32_t(cell));
    };
    for (int c = 0; c < tile.width; ++c) check(0, c);
    for (int r = 1; r < tile.height - 1; ++r) {
      check(r, 0);
      if (tile.width > 1) check(r, tile.width - 1);
    }
    if (tile.height > 1)
      for (int c = 0; c < tile.width; ++c) check(tile.height - 1, c);
  }
  int count_roots() const {
    int roots = 0;
    for (int i = 0; i < kTileCells; ++i) roots += up_[std::size_t(i)] == i ? 1 : 0;
    return roots;
  }
  // In place, so that chains along the way shrink to one step at once. False: nothing changed.
  bool jump_forward() {
    std::uint16_t* const up = up_.data();
    unsigned changed = 0;
    for (int i = 0; i < kTileCells; ++i) changed |= jump(up, i);
    return changed != 0;
  }
  bool jump_back() {
    std::uint16_t* const up = up_.data();
    unsigned changed = 0;
    for (int i = kTileCells - 1; i >= 0; --i) changed |= jump(up, i);
    return changed != 0;
  }
  static unsigned jump(std::uint16_t* up, int i) {
    const std::uint16_t here = up[i];
    const std::uint16_t there = up[here];
    up[i] = there;
    return unsigned(here ^ there);
  }

  const Grid& grid_;
  const Direction* direction_;
  std::vector<std::uint16_t> up_ = std::vector<std::uint16_t>(kTileCells);
};

class Labels {
 public:
  Labels(const par::Queue& queue, const Grid& grid, const Direction* direction,
         std::int32_t* labels)
      : threads_(queue.threads()),
        grid_(grid),
        map_(grid),
        direction_(direction),
        labels_(labels),
        local_(queue, map_.tiles() * kTileCells),
        roots_(std::size_t(map_.tiles()) + 1, 0),
        parts_(std::size_t(threads_)) {}

  // Local roots. A root's label is its cell, or 0 where they are `alike`. False: there is a loop.
  bool find_local(bool alike) {
    bool acyclic = true;
#pragma omp parallel for schedule(static, 1) num_threads(threads_) reduction(&& : acyclic)
    for (int thread = 0; thread < threads_; ++thread) {
      LocalForest forest(grid_, direction_);
      Part& part = parts_[std::size_t(thread)];
      for_tiles(thread, [&](Index t) {
        const TileMap::Tile tile = map_.tile(t);
        acyclic = forest.build(tile, part.exits) && acyclic;
        keep(t, forest.up(), alike, part);
      });
    }
    return acyclic;
  }
  void set_root(std::int32_t cell, std::int32_t label) { labels_[cell] = final_label(label); }

  // Follows the exits. Threads may follow the same path and write the same labels. False: a loop.
  template <class Walk>
  bool join(const Walk& walk) {
    std::size_t total = 0;
    for (const Part& part : parts_) total += part.exits.size();
    bool acyclic = true;
#pragma omp parallel for schedule(static, 1) num_threads(threads_) reduction(&& : acyclic)
    for (int thread = 0; thread < threads_; ++thread)
      for (const std::int32_t exit : parts_[std::size_t(thread)].exits)
        if (load(labels_[exit]) >= 0) acyclic = acyclic && follow(walk, exit, total);
    return acyclic;
  }

  // Every cell takes the label of its local root.
  void finish() {
#pragma omp parallel for schedule(static, 1) num_threads(threads_)
    for (int thread = 0; thread < threads_; ++thread) {
      std::vector<std::int32_t> found(kTileCells);
      const std::uint16_t* root = parts_[std::size_t(thread)].roots.data();
      for_tiles(thread, [&](Index t) {
        const TileMap::Tile tile = map_.tile(t);
        for (const std::uint16_t* const end = root + roots_[std::size_t(t)]; root < end; ++root)
          found[*root] = final_label(labels_[cell_of(tile, *root)]);
        const std::uint16_t* const local = local_.view().data + t * kTileCells;
        for (int r = 0; r < tile.height; ++r) {
          std::int32_t* const to = labels_ + (tile.row0 + r) * grid_.cols + tile.col0;
#pragma omp simd
          for (int c = 0; c < tile.width; ++c) to[c] = found[local[r * kTileSide + c]];
        }
      });
    }
  }

 private:
  struct Part {  // of one thread's tiles
    std::vector<std::int32_t> exits;
    std::vector<std::uint16_t> roots;  // local indices, tile by tile
  };

  template <class Visit>
  void for_tiles(int thread, const Visit& visit) const {
    const Index end = map_.tiles() * (thread + 1) / threads_;
    for (Index t = map_.tiles() * thread / threads_; t < end; ++t) visit(t);
  }
  Index cell_of(const TileMap::Tile& tile, int i) const {
    return (tile.row0 + i / kTileSide) * grid_.cols + tile.col0 + i % kTileSide;
  }
  // Keeps the local roots of all cells, and labels the roots and the tile's sides: exits of other
  // tiles lead there.
  void keep(Index t, const std::uint16_t* up, bool alike, Part& part) {
    const TileMap::Tile tile = map_.tile(t);
    std::uint16_t* const local = local_.view().data + t * kTileCells;
    std::copy_n(up, kTileCells, local);
    const auto label = [&](int i) {
      const Index cell = cell_of(tile, i);
      const Direction d = direction_[cell];
      labels_[cell] = d < kNeighbours ? std::int32_t(cell_of(tile, up[i]))
                      : d == kRoot    ? final_label(alike ? 0 : std::int32_t(cell))
                                      : kNoBasin;
    };
    const std::size_t before = part.roots.size();
    for (int r = 0; r < tile.height; ++r) {
      std::uint8_t is_root[kTileSide] = {};
#pragma omp simd
      for (int c = 0; c < tile.width; ++c) is_root[c] = up[r * kTileSide + c] == r * kTileSide + c;
      for (Word left = pack(is_root); left != 0; left &= left - 1) {
        const int i = r * kTileSide + std::countr_zero(left);
        part.roots.push_back(std::uint16_t(i));
        label(i);
      }
    }
    roots_[std::size_t(t)] = int(part.roots.size() - before);
    for (int c = 0; c < tile.width; ++c) {
      label(c);
      label((tile.height - 1) * kTileSide + c);
    }
    for (int r = 0; r < tile.height; ++r) {
      label(r * kTileSide);
      label(r * kTileSide + tile.width - 1);
    }
  }
  template <class Walk>
  bool follow(const Walk& walk, std::int32_t exit, std::size_t most) {
    std::int32_t label = 0;
    std::size_t steps = 0;
    for (std::int32_t at = exit;;) {
      const std::int32_t next = load(labels_[walk.step(at, direction_[at])]);
      label = next < 0 ? next : load(labels_[next]);
      if (label < 0) break;
      if (++steps > most) return false;
      at = next;
    }
    for (std::int32_t at = exit; at >= 0 && load(labels_[at]) >= 0;) {
      const std::int32_t next = load(labels_[walk.step(at, direction_[at])]);
      store(labels_[at], label);
      at = next;
    }
    return true;
  }

  int threads_;
  const Grid& grid_;
  TileMap map_;
  const Direction* direction_;
  std::int32_t* labels_;
  par::Buffer<std::uint16_t> local_;  // local root of each cell, tile by tile
  std::vector<int> roots_;            // how many each tile has
  std::vector<Part> parts_;
};

// Cells with direction kRoot that are not base cells, by index.
std::vector<std::int32_t> find_pits(const par::Queue& queue, const Grid& grid,
                                    const Direction* direction, const std::uint8_t* state) {
  const int threads = queue.threads();
  std::vector<std::vector<std::int32_t>> found(std::size_t(threads), std::vector<std::int32_t>{});
#pragma omp parallel for schedule(static, 1) num_threads(threads)
  for (int t = 0; t < threads; ++t) {
    constexpr Index kBlock = 64;
    const RowShare rows = row_share(grid.rows, t, threads);
    const Index end = rows.end * grid.cols;
    for (Index c = rows.begin * grid.cols; c < end; c += kBlock) {
      const Index stop = std::min(c + kBlock, end);
      int any = 0;
#pragma omp simd reduction(| : any)
      for (Index i = c; i < stop; ++i) any |= (direction[i] == kRoot) & !is_base(state[i]);
      if (any == 0) continue;
      for (Index i = c; i < stop; ++i)
        if (direction[i] == kRoot && !is_base(state[i]))
          found[std::size_t(t)].push_back(std::int32_t(i));
    }
  }
  std::vector<std::int32_t> pits;
  for (const auto& part : found) pits.insert(pits.end(), part.begin(), part.end());
  return pits;
}

// Basins whose root jumps take the label of the cell it jumps to. False: the jumps form a loop.
bool follow_jumps(const par::Queue& queue, const Grid& grid, const std::vector<Link>& jumps,
                  par::View<std::int32_t> labels) {
  const auto jump_of = [&](std::int32_t root) {
    return std::lower_bound(jumps.begin(), jumps.end(), root,
                            [](const Link& j, std::int32_t r) { return j.root < r; });
  };
  std::vector<std::int32_t> final_root(jumps.size(), kNoBasin);
  std::vector<std::size_t> path;
  for (std::size_t i = 0; i < jumps.size(); ++i) {
    path.clear();
    std::int32_t root = kNoBasin;
    for (std::size_t j = i;;) {
      if (final_root[j] != kNoBasin) {
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
  // A root's own label leads on from it; roots are not written to again.
  for (std::size_t i = 0; i < jumps.size(); ++i) labels[jumps[i].root] = final_root[i];
#pragma omp parallel for schedule(static) num_threads(queue.threads())
  for (Index c = 0; c < grid.cells(); ++c)
    if (labels[c] >= 0 && labels[labels[c]] != labels[c]) labels[c] = labels[labels[c]];
  return true;
}

}  // namespace

bool label_roots(const par::Queue& queue, const Grid& grid, par::View<const Direction> direction,
                 const std::vector<Link>& jumps, par::View<std::int32_t> labels) {
  const par::LaunchScope open(queue);
  Labels all(queue, grid, direction.data, labels.data);
  if (!all.find_local(false)) return false;
  if (!with_walk(grid, [&](const auto& walk) { return all.join(walk); })) return false;
  all.finish();
  return jumps.empty() || follow_jumps(queue, grid, jumps, labels);
}

std::vector<std::int32_t> label_dense(const par::Queue& queue, const Grid& grid,
                                      par::View<const Direction> direction,
                                      par::View<const std::uint8_t> state,
                                      par::View<std::int32_t> labels) {
  const par::LaunchScope open(queue);
  Labels all(queue, grid, direction.data, labels.data);
  require(all.find_local(true), "label_dense: the directions hold a loop");
  std::vector<std::int32_t> pits = find_pits(queue, grid, direction.data, state.data);
  for (std::size_t i = 0; i < pits.size(); ++i) all.set_root(pits[i], std::int32_t(i + 1));
  require(with_walk(grid, [&](const auto& walk) { return all.join(walk); }),
          "label_dense: the directions hold a loop");
  all.finish();
  return pits;
}

}  // namespace terrawave::terrain::cpu
