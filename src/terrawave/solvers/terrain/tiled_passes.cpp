#include "terrawave/solvers/terrain/tiled_passes.hpp"

#include <algorithm>
#include <deque>
#include <unordered_map>

#include "terrawave/base/error.hpp"

namespace terrawave::terrain {
namespace {

// A pass inside the tile: from position a (in `around`) to its neighbour k.
template <class T>
struct LocalPass {
  T height{};
  Index code = -1;  // 4 * a + k; -1: none
};

template <class T>
class TileBasins {
 public:
  TileBasins(const Block<T>& block, const TileFlow& flow, const std::vector<Direction>& direction,
             const std::vector<RimBasin>& known)
      : block_(block), flow_(flow), direction_(direction) {
    for (const RimBasin& entry : known) ring_.emplace(entry.cell, entry);
    number_basins(known);
  }

  TilePasses solve() {
    join_inner();
    TilePasses result;
    result.edges = lowest_forest(outer_edges());
    result.inner = std::move(ways_);
    std::sort(result.inner.begin(), result.inner.end(),
              [](const InnerWay& a, const InnerWay& b) { return a.pit < b.pit; });
    return result;
  }

 private:
  struct Basin {
    Index id = kOcean;      // global root, or the ocean
    std::int32_t pit = -1;  // inside the tile, of inner basins
    bool inner = true;      // touches neither rim nor ring
  };
  struct TreeEdge {
    std::int32_t a = 0, b = 0;  // basins
    Index code = 0;
  };

  void number_basins(const std::vector<RimBasin>& known) {
    label_.assign(std::size_t(block_.around.size()), -1);
    std::unordered_map<Index, std::int32_t> outer;
    const auto number_of = [&](Index id) {
      const auto [at, fresh] = outer.emplace(id, std::int32_t(basins_.size()));
      if (fresh) basins_.push_back({id, -1, false});
      return at->second;
    };
    number_of(kOcean);
    for (const RimBasin& entry : known) number_of(entry.basin);
    for (Index a = 0; a < block_.around.size(); ++a)
      if (!block_.is_inside(a) && is_data(block_.state[std::size_t(a)]))
        label_[std::size_t(a)] = number_of(ring_.at(block_.global(a)).basin);
    for (Index i = 0; i < block_.inside.size(); ++i) {
      if (flow_.root[std::size_t(i)] != std::int32_t(i)) continue;
      const Index a = block_.around_of(i);
      const Index target = target_of(block_.tiling, block_.inside, direction_, i);
      std::int32_t& label = label_[std::size_t(a)];
      if (target >= 0) {
        label = number_of(ring_.at(target).basin);
      } else if (is_base(block_.state[std::size_t(a)])) {
        label = number_of(kOcean);
      } else if (const auto at = outer.find(block_.global(a)); at != outer.end()) {
        label = at->second;
      } else {
        label = std::int32_t(basins_.size());
        basins_.push_back({block_.global(a), std::int32_t(i), true});
      }
    }
    for (Index i = 0; i < block_.inside.size(); ++i)
      if (const std::int32_t root = flow_.root[std::size_t(i)]; root >= 0)
        label_[std::size_t(block_.around_of(i))] = label_[std::size_t(block_.around_of(root))];
    for (const Index i : rim_positions(block_.inside))
      if (const std::int32_t b = label_[std::size_t(block_.around_of(i))]; b >= 0)
        basins_[std::size_t(b)].inner = false;
  }

  std::int32_t find(std::int32_t b) {
    auto& p = joined_;
    while (p[std::size_t(b)] != b) b = p[std::size_t(b)] = p[std::size_t(p[std::size_t(b)])];
    return b;
  }

  // Calls visit(a, k, n) for every pass between different groups whose first cell is the tile's.
  template <class Visit>
  void for_passes(const Visit& visit) {
    for (Index i = 0; i < block_.inside.size(); ++i) {
      const Index a = block_.around_of(i);
      const std::int32_t mine = label_[std::size_t(a)];
      if (mine < 0) continue;
      for (int k = 0; k < 4; ++k) {
        const Index n = block_.grid.neighbour(a, k);
        if (n < 0) continue;
        const std::int32_t theirs = label_[std::size_t(n)];
        if (theirs >= 0 && theirs != mine) visit(a, k, n, find(mine), find(theirs));
      }
    }
  }
  T pass_height(Index a, Index n) const {
    return std::max(block_.z[std::size_t(a)], block_.z[std::size_t(n)]);
  }

  void join_inner() {
    joined_.resize(basins_.size());
    for (std::size_t b = 0; b < joined_.size(); ++b) joined_[b] = std::int32_t(b);
    std::vector<std::uint8_t> inner(basins_.size());  // of a group, by its first member
    for (std::size_t b = 0; b < basins_.size(); ++b) inner[b] = basins_[b].inner ? 1 : 0;
    std::vector<LocalPass<T>> best(basins_.size());
    std::vector<TreeEdge> tree;
    for (bool more = true; more;) {
      more = false;
      std::fill(best.begin(), best.end(), LocalPass<T>{});
      for_passes([&](Index a, int k, Index n, std::int32_t x, std::int32_t y) {
        if (x == y || (inner[std::size_t(x)] == 0 && inner[std::size_t(y)] == 0)) return;
        const T height = pass_height(a, n);
        for (const std::int32_t g : {x, y}) {
          LocalPass<T>& least = best[std::size_t(g)];
          // Codes come in rising order: the first of equal heights stays.
          if (inner[std::size_t(g)] != 0 && (least.code < 0 || height < least.height))
            least = {height, 4 * a + k};
        }
      });
      for (std::size_t g = 0; g < best.size(); ++g) {
        if (best[g].code < 0) continue;
        const Index a = best[g].code / 4;
        const Index n = block_.grid.neighbour(a, int(best[g].code % 4));
        const std::int32_t x = find(label_[std::size_t(a)]);
        const std::int32_t y = find(label_[std::size_t(n)]);
        if (x == y) continue;
        more = true;
        // The group with the rim's basin stays the first.
        const bool keep_x = inner[std::size_t(x)] == 0;
        joined_[std::size_t(keep_x ? y : x)] = keep_x ? x : y;
        tree.push_back({label_[std::size_t(a)], label_[std::size_t(n)], best[g].code});
      }
    }
    hang(tree);
  }

  // Hangs the tree of inner basins from the ones that touch the rim.
  void hang(const std::vector<TreeEdge>& tree) {
    std::vector<std::vector<std::int32_t>> beside(basins_.size());
    for (std::size_t e = 0; e < tree.size(); ++e) {
      beside[std::size_t(tree[e].a)].push_back(std::int32_t(e));
      beside[std::size_t(tree[e].b)].push_back(std::int32_t(e));
    }
    way_.assign(basins_.size(), -1);
    std::deque<std::int32_t> open;
    for (std::size_t b = 0; b < basins_.size(); ++b)
      if (!basins_[b].inner) open.push_back(std::int32_t(b));
    std::vector<std::uint8_t> used(tree.size(), 0);
    while (!open.empty()) {
      const std::int32_t below = open.front();
      open.pop_front();
      for (const std::int32_t e : beside[std::size_t(below)]) {
        if (used[std::size_t(e)] != 0) continue;
        used[std::size_t(e)] = 1;
        const TreeEdge& edge = tree[std::size_t(e)];
        const bool from_a = edge.b == below;
        const std::int32_t above = from_a ? edge.a : edge.b;
        const Index a = edge.code / 4;
        const int k = int(edge.code % 4);
        const Index n = block_.grid.neighbour(a, k);
        InnerWay way;
        way.pit = basins_[std::size_t(above)].pit;
        way.from = inside_of(from_a ? a : n);
        way.to = basins_[std::size_t(below)].inner ? basins_[std::size_t(below)].pit : -1;
        way.across = inside_of(from_a ? n : a);
        way.dir = from_a ? k : opposite(k);
        way_[std::size_t(above)] = std::int32_t(ways_.size());
        by_pit_[way.pit] = std::int32_t(ways_.size());
        ways_.push_back(way);
        open.push_back(above);
      }
    }
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
    std::int32_t way = way_[std::size_t(label_[std::size_t(a)])];
    if (way < 0) return exit_inside(inside_of(a));
    while (ways_[std::size_t(way)].to >= 0) way = by_pit_.at(ways_[std::size_t(way)].to);
    return exit_inside(ways_[std::size_t(way)].across);
  }

  std::vector<PassEdge> outer_edges() {
    struct PairHash {
      std::size_t operator()(const std::pair<std::int32_t, std::int32_t>& p) const {
        return std::size_t(p.first) * 0x9e3779b97f4a7c15u + std::size_t(p.second);
      }
    };
    std::unordered_map<std::pair<std::int32_t, std::int32_t>, LocalPass<T>, PairHash> lowest;
    for_passes([&](Index a, int k, Index n, std::int32_t x, std::int32_t y) {
      if (x == y) return;
      const T height = pass_height(a, n);
      const auto [at, fresh] = lowest.try_emplace(std::minmax(x, y), height, 4 * a + k);
      if (!fresh && height < at->second.height) at->second = {height, 4 * a + k};
    });
    std::vector<PassEdge> edges;
    edges.reserve(lowest.size());
    for (const auto& [pair, pass] : lowest) {
      const Index a = pass.code / 4;
      const int k = int(pass.code % 4);
      const Index n = block_.grid.neighbour(a, k);
      PassEdge edge;
      edge.height = double(pass.height);
      edge.code = 4 * block_.global(a) + k;
      edge.other = block_.global(n);
      edge.basin_a = basins_[std::size_t(find(label_[std::size_t(a)]))].id;
      edge.basin_b = basins_[std::size_t(find(label_[std::size_t(n)]))].id;
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
  std::vector<std::int32_t> label_;   // basin of each cell of `around`
  std::vector<std::int32_t> joined_;  // union-find over basins
  std::vector<InnerWay> ways_;
  std::vector<std::int32_t> way_;  // of each inner basin, in ways_
  std::unordered_map<std::int32_t, std::int32_t> by_pit_;
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
TilePasses tile_passes(const Block<T>& block, const TileFlow& flow,
                       const std::vector<Direction>& direction,
                       const std::vector<RimBasin>& known) {
  return TileBasins<T>(block, flow, direction, known).solve();
}

std::size_t way_of(const std::vector<InnerWay>& inner, std::int32_t pit) {
  const auto at =
      std::lower_bound(inner.begin(), inner.end(), pit,
                       [](const InnerWay& way, std::int32_t wanted) { return way.pit < wanted; });
  return at != inner.end() && at->pit == pit ? std::size_t(at - inner.begin()) : inner.size();
}

std::vector<Direction> carve_tile(const domain::Window& w, const Tiling& tiling,
                                  const std::vector<Direction>& old,
                                  const std::vector<CarveStart>& starts,
                                  const std::vector<InnerWay>& inner) {
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

#define TERRAWAVE_FOR(T)                                               \
  template TilePasses tile_passes<T>(const Block<T>&, const TileFlow&, \
                                     const std::vector<Direction>&, const std::vector<RimBasin>&);
TERRAWAVE_FOR(std::uint8_t)
TERRAWAVE_FOR(std::int16_t)
TERRAWAVE_FOR(std::uint16_t)
TERRAWAVE_FOR(std::int32_t)
TERRAWAVE_FOR(float)
TERRAWAVE_FOR(double)
#undef TERRAWAVE_FOR

}  // namespace terrawave::terrain
