#include "terrawave/solvers/terrain/tiled_passes.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "terrawave/base/error.hpp"
#include "terrawave/solvers/terrain/cpu/cpu_passes.hpp"
#include "terrawave/solvers/terrain/host_copies.hpp"
#include "terrawave/solvers/terrain/tiled_span.hpp"

namespace terrawave::terrain {
namespace {

template <class T>
class TileBasins {
 public:
  TileBasins(const par::Queue& queue, const Block<T>& block, const TileFlow& flow,
             const std::vector<Direction>& direction, const std::vector<RimBasin>& known)
      : block_(block), flow_(flow), direction_(direction) {
    for (const RimBasin& entry : known) ring_.emplace(entry.cell, entry);
    number_basins(known);
    join_inner(find_passes(queue));
  }

  TilePasses solve() {
    TilePasses result;
    result.edges = outer_forest();
    result.inner = std::move(ways_);
    std::sort(result.inner.begin(), result.inner.end(),
              [](const InnerWay& a, const InnerWay& b) { return a.pit < b.pit; });
    return result;
  }

 private:
  using Pass = cpu::Pass<T>;  // its basins by number, its code by positions in `around`
  struct Basin {
    Index id = kOcean;      // global root, or the ocean
    std::int32_t pit = -1;  // inside the tile, of inner basins
    bool inner = true;      // touches neither rim nor ring
  };
  struct Way {
    std::int32_t below = -1;  // the basin that it leads to; -1: not drained inside the tile
    std::int32_t across = 0;  // the cell on the other side, inside the tile
  };
  using Groups = std::vector<std::int32_t>;  // union-find over basins

  void number_basins(const std::vector<RimBasin>& known) {
    label_.assign(std::size_t(block_.around.size()), -1);
    std::unordered_map<Index, std::int32_t> outer;
    const auto number_of = [&](Index id) {
      const auto [at, fresh] = outer.emplace(id, std::int32_t(basins_.size()));
      if (fresh) basins_.push_back({id, -1, false});
      return at->second;
    };
    const std::int32_t ocean = number_of(kOcean);
    for (const RimBasin& entry : known) number_of(entry.basin);
    block_.for_ring([&](Index a) {
      if (is_data(block_.state[std::size_t(a)]))
        label_[std::size_t(a)] = number_of(ring_.at(block_.global(a)).basin);
    });
    std::vector<std::int32_t> number(flow_.root.size(), -1);  // of roots
    for (Index i = 0; i < block_.inside.size(); ++i) {
      if (flow_.root[std::size_t(i)] != std::int32_t(i)) continue;
      const Index a = block_.around_of(i);
      std::int32_t& mine = number[std::size_t(i)];
      if (is_base(block_.state[std::size_t(a)])) {
        mine = ocean;
      } else if (direction_[std::size_t(i)] < kNeighbours) {
        mine = number_of(ring_.at(target_of(block_.tiling, block_.inside, direction_, i)).basin);
      } else if (const auto at = outer.find(block_.global(a)); at != outer.end()) {
        mine = at->second;
      } else {
        mine = std::int32_t(basins_.size());
        basins_.push_back({block_.global(a), std::int32_t(i), true});
      }
    }
    for (Index r = 0; r < block_.inside.rows; ++r) {
      const std::int32_t* const root = flow_.root.data() + r * block_.inside.cols;
      std::int32_t* const label = label_.data() + block_.row_start(r);
      for (Index c = 0; c < block_.inside.cols; ++c)
        label[c] = root[c] < 0 ? -1 : number[std::size_t(root[c])];
    }
    for (const Index i : rim_positions(block_.inside))
      if (const std::int32_t b = label_[std::size_t(block_.around_of(i))]; b >= 0)
        basins_[std::size_t(b)].inner = false;
  }

  // The passes whose first cell is the tile's: few for each pair of basins.
  std::vector<Pass> find_passes(const par::Queue& queue) const {
    const domain::Window& in = block_.inside;
    return cpu::collect_passes<T>(
        host_of(queue), block_.grid, {block_.z.data(), block_.around.size()},
        {label_.data(), block_.around.size()},
        {in.row - block_.around.row, in.col - block_.around.col, in.rows, in.cols});
  }

  static std::int32_t find(Groups& joined, std::int32_t b) {
    while (joined[std::size_t(b)] != b)
      b = joined[std::size_t(b)] = joined[std::size_t(joined[std::size_t(b)])];
    return b;
  }

  // Boruvka: every group of inner basins takes its lowest pass, until all have met one that
  // touches the rim. Passes between those that do are left for outer_forest().
  void join_inner(std::vector<Pass> passes) {
    joined_.resize(basins_.size());
    std::iota(joined_.begin(), joined_.end(), 0);
    std::vector<std::uint8_t> inner(basins_.size());  // of a group, by its first member
    for (std::size_t b = 0; b < basins_.size(); ++b) inner[b] = basins_[b].inner ? 1 : 0;
    std::vector<std::int32_t> best(basins_.size(), -1);
    std::vector<std::int32_t> chosen;
    std::vector<Pass> tree;
    do {
      chosen.clear();
      std::size_t kept = 0;
      for (const Pass& pass : passes) {
        const std::int32_t x = find(joined_, pass.lower_basin);
        const std::int32_t y = find(joined_, pass.upper_basin);
        if (x == y) continue;
        if (inner[std::size_t(x)] == 0 && inner[std::size_t(y)] == 0) {
          outer_.push_back(pass);
          continue;
        }
        passes[kept] = pass;
        for (const std::int32_t g : {x, y}) {
          if (inner[std::size_t(g)] == 0) continue;
          std::int32_t& least = best[std::size_t(g)];
          if (least < 0) chosen.push_back(g);
          if (least < 0 || pass.before(passes[std::size_t(least)])) least = std::int32_t(kept);
        }
        ++kept;
      }
      passes.resize(kept);
      for (const std::int32_t g : chosen) {
        const Pass& pass = passes[std::size_t(best[std::size_t(g)])];
        best[std::size_t(g)] = -1;
        const std::int32_t x = find(joined_, pass.lower_basin);
        const std::int32_t y = find(joined_, pass.upper_basin);
        if (x == y) continue;
        // The group with the rim's basin stays the first; there is one at most.
        const bool keep_x = inner[std::size_t(x)] == 0;
        joined_[std::size_t(keep_x ? y : x)] = keep_x ? x : y;
        tree.push_back(pass);
      }
    } while (!chosen.empty());
    hang(tree);
  }

  // Hangs the tree of inner basins from the ones that touch the rim.
  void hang(const std::vector<Pass>& tree) {
    // Edges of basin b: beside[first[b]] to beside[first[b + 1]].
    std::vector<std::int32_t> first(basins_.size() + 1, 0);
    for (const Pass& edge : tree) {
      ++first[std::size_t(edge.lower_basin) + 1];
      ++first[std::size_t(edge.upper_basin) + 1];
    }
    std::partial_sum(first.begin(), first.end(), first.begin());
    std::vector<std::int32_t> beside(2 * tree.size());
    std::vector<std::int32_t> next(first.begin(), first.end() - 1);
    for (std::size_t e = 0; e < tree.size(); ++e)
      for (const std::int32_t b : {tree[e].lower_basin, tree[e].upper_basin})
        beside[std::size_t(next[std::size_t(b)]++)] = std::int32_t(e);
    way_.assign(basins_.size(), Way{});
    ways_.reserve(tree.size());
    std::vector<std::int32_t> open;
    for (std::size_t b = 0; b < basins_.size(); ++b)
      if (!basins_[b].inner) open.push_back(std::int32_t(b));
    for (std::size_t at = 0; at < open.size(); ++at) {
      const std::int32_t below = open[at];
      for (std::int32_t e = first[std::size_t(below)]; e < first[std::size_t(below) + 1]; ++e) {
        const Pass& edge = tree[std::size_t(beside[std::size_t(e)])];
        const std::int32_t above = edge.lower_basin == below ? edge.upper_basin : edge.lower_basin;
        if (!basins_[std::size_t(above)].inner || way_[std::size_t(above)].below >= 0) continue;
        drain(edge, above, below);
        open.push_back(above);
      }
    }
  }
  void drain(const Pass& pass, std::int32_t above, std::int32_t below) {
    const Index a = pass.code / 4;
    const int k = int(pass.code & 3);
    const Index n = block_.grid.neighbour(a, k);
    const bool from_a = label_[std::size_t(a)] == above;
    InnerWay way;
    way.pit = basins_[std::size_t(above)].pit;
    way.from = inside_of(from_a ? a : n);
    way.to = basins_[std::size_t(below)].inner ? basins_[std::size_t(below)].pit : -1;
    way.across = inside_of(from_a ? n : a);
    way.dir = from_a ? k : opposite(k);
    way_[std::size_t(above)] = {below, way.across};
    ways_.push_back(way);
  }
  std::int32_t inside_of(Index a) const { return std::int32_t(block_.inside_of(a)); }

  // Where the old flow leaves the tile of a cell that touches the rim's basin; -1: it does not.
  Index exit_inside(Index i) const {
    const std::int32_t root = flow_.root[std::size_t(i)];
    const Index target = target_of(block_.tiling, block_.inside, direction_, root);
    return target >= 0 ? 8 * target + direction_[std::size_t(root)] : -1;
  }
  // Of the group's basin at the rim, when it is drained from cell a.
  Index exit_of(Index a) const {
    if (!block_.is_inside(a)) return ring_.at(block_.global(a)).exit;
    Index last = inside_of(a);
    for (std::int32_t b = label_[std::size_t(a)]; way_[std::size_t(b)].below >= 0;
         b = way_[std::size_t(b)].below)
      last = way_[std::size_t(b)].across;
    return exit_inside(last);
  }

  // The lowest forest of the groups (Kruskal): no other pass can be in that of the whole raster.
  std::vector<PassEdge> outer_forest() {
    std::sort(outer_.begin(), outer_.end(),
              [](const Pass& x, const Pass& y) { return x.before(y); });
    Groups groups = joined_;
    std::vector<PassEdge> edges;
    for (const Pass& pass : outer_) {
      const std::int32_t x = find(groups, pass.lower_basin);
      const std::int32_t y = find(groups, pass.upper_basin);
      if (x == y) continue;
      groups[std::size_t(x)] = y;
      const Index a = pass.code / 4;
      const int k = int(pass.code & 3);
      const Index n = block_.grid.neighbour(a, k);
      PassEdge edge;
      edge.height = double(pass.height);
      edge.code = 4 * block_.global(a) + k;
      edge.other = block_.global(n);
      edge.basin_a = basins_[std::size_t(find(joined_, label_[std::size_t(a)]))].id;
      edge.basin_b = basins_[std::size_t(find(joined_, label_[std::size_t(n)]))].id;
      edge.exit_a = exit_of(a);
      edge.exit_b = exit_of(n);
      edges.push_back(edge);
    }
    return edges;
  }

  const Block<T>& block_;
  const TileFlow& flow_;
  const std::vector<Direction>& direction_;
  std::unordered_map<Index, RimBasin> ring_;
  std::vector<Basin> basins_;
  std::vector<std::int32_t> label_;  // basin of each cell of `around`
  Groups joined_;                    // inner basins with the one at the rim that they drain to
  std::vector<Pass> outer_;          // between groups that touch the rim
  std::vector<InnerWay> ways_;
  std::vector<Way> way_;  // of each inner basin
};

// Reverses the old flow from a cell; returns the pit, or -1 where it leaves the tile.
std::int32_t reverse(const domain::Window& w, const std::vector<Direction>& old, Index from,
                     int direction, std::vector<Direction>& carved) {
  Index r = from / w.cols;
  Index c = from % w.cols;
  auto in = Direction(direction);
  while (r >= 0 && r < w.rows && c >= 0 && c < w.cols) {
    const auto i = std::size_t(r * w.cols + c);
    const Direction was = old[i];
    carved[i] = in;
    if (was >= kNeighbours) return std::int32_t(i);
    in = Direction(opposite(was));
    r += kRowStep[was];
    c += kColStep[was];
  }
  return -1;
}

}  // namespace

template <class T>
TilePasses tile_passes(const TileQueue& queue, const Block<T>& block, const TileFlow& flow,
                       const std::vector<Direction>& direction,
                       const std::vector<RimBasin>& known) {
  if (queue.kernels()) return span_passes(queue, block, flow, direction, known);
  return TileBasins<T>(queue, block, flow, direction, known).solve();
}

std::size_t way_of(const std::vector<InnerWay>& inner, std::int32_t pit) {
  const auto at =
      std::lower_bound(inner.begin(), inner.end(), pit,
                       [](const InnerWay& way, std::int32_t wanted) { return way.pit < wanted; });
  return at != inner.end() && at->pit == pit ? std::size_t(at - inner.begin()) : inner.size();
}

std::vector<Direction> carve_tile(const TileQueue& queue, const domain::Window& w,
                                  const Tiling& tiling, const std::vector<Direction>& old,
                                  const std::vector<CarveStart>& starts,
                                  const std::vector<InnerWay>& inner) {
  if (queue.kernels()) return carve_by_kernels(queue, w, tiling, old, starts, inner);
  std::vector<Direction> carved = old;
  std::vector<std::uint8_t> turned(inner.size(), 0);
  for (const CarveStart& start : starts) {
    const Index from =
        (start.cell / tiling.cols - w.row) * w.cols + start.cell % tiling.cols - w.col;
    const std::int32_t pit = reverse(w, old, from, start.dir, carved);
    // Out of an inner basin: the basins on its way out drain into it now.
    for (std::size_t at = pit < 0 ? inner.size() : way_of(inner, pit); at < inner.size();) {
      const InnerWay& way = inner[at];
      turned[at] = 1;
      reverse(w, old, way.across, opposite(way.dir), carved);
      at = way.to < 0 ? inner.size() : way_of(inner, way.to);
    }
  }
  for (std::size_t at = 0; at < inner.size(); ++at)
    if (turned[at] == 0) reverse(w, old, inner[at].from, inner[at].dir, carved);
  return carved;
}

#define TERRAWAVE_FOR(T)                                                                 \
  template TilePasses tile_passes<T>(const TileQueue&, const Block<T>&, const TileFlow&, \
                                     const std::vector<Direction>&, const std::vector<RimBasin>&);
TERRAWAVE_FOR(std::uint8_t)
TERRAWAVE_FOR(std::int16_t)
TERRAWAVE_FOR(std::uint16_t)
TERRAWAVE_FOR(std::int32_t)
TERRAWAVE_FOR(float)
TERRAWAVE_FOR(double)
#undef TERRAWAVE_FOR

}  // namespace terrawave::terrain
