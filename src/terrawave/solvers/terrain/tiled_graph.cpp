#include "terrawave/solvers/terrain/tiled_graph.hpp"

#include <algorithm>
#include <deque>
#include <limits>
#include <queue>
#include <unordered_map>

#include "terrawave/base/error.hpp"
#include "terrawave/solvers/terrain/grid.hpp"

namespace terrawave::terrain {
namespace {

// Numbers for arbitrary ids.
class Numbering {
 public:
  std::size_t of(Index id) {
    const auto [at, fresh] = number_.emplace(id, ids_.size());
    if (fresh) ids_.push_back(id);
    return at->second;
  }
  std::size_t size() const { return ids_.size(); }
  Index id(std::size_t number) const { return ids_[number]; }

 private:
  std::unordered_map<Index, std::size_t> number_;
  std::vector<Index> ids_;
};

class UnionFind {
 public:
  std::size_t find(std::size_t i) {
    while (parent_.size() <= i) parent_.push_back(parent_.size());
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  bool join(std::size_t a, std::size_t b) {
    a = find(a);
    b = find(b);
    if (a == b) return false;
    parent_[a] = b;
    return true;
  }

 private:
  std::vector<std::size_t> parent_;
};

}  // namespace

std::vector<std::pair<Index, double>> spill_levels(const std::vector<SpillEdge>& edges) {
  std::vector<Index> nodes = {kOcean};
  for (const SpillEdge& e : edges) {
    nodes.push_back(e.a);
    nodes.push_back(e.b);
  }
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  nodes.shrink_to_fit();
  const auto number = [&](Index id) {
    return std::int32_t(std::lower_bound(nodes.begin(), nodes.end(), id) - nodes.begin());
  };
  // Neighbours of node n: other[first[n]] to other[first[n + 1]].
  std::vector<std::size_t> first(nodes.size() + 1, 0);
  for (const SpillEdge& e : edges) {
    ++first[std::size_t(number(e.a)) + 1];
    ++first[std::size_t(number(e.b)) + 1];
  }
  for (std::size_t n = 0; n < nodes.size(); ++n) first[n + 1] += first[n];
  std::vector<std::int32_t> other(2 * edges.size());
  std::vector<double> pass(2 * edges.size());
  std::vector<std::size_t> next(first.begin(), first.end() - 1);
  for (const SpillEdge& e : edges) {
    const std::int32_t a = number(e.a);
    const std::int32_t b = number(e.b);
    for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)}) {
      const std::size_t at = next[std::size_t(from)]++;
      other[at] = to;
      pass[at] = e.height;
    }
  }
  constexpr double never = std::numeric_limits<double>::infinity();
  std::vector<double> level(nodes.size(), never);
  using Entry = std::pair<double, std::int32_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
  const std::int32_t ocean = number(kOcean);
  level[std::size_t(ocean)] = -never;
  open.emplace(-never, ocean);
  while (!open.empty()) {
    const auto [height, node] = open.top();
    open.pop();
    if (height > level[std::size_t(node)]) continue;
    for (std::size_t at = first[std::size_t(node)]; at < first[std::size_t(node) + 1]; ++at) {
      const double up = std::max(height, pass[at]);
      double& there = level[std::size_t(other[at])];
      if (up >= there) continue;
      there = up;
      open.emplace(up, other[at]);
    }
  }
  std::vector<std::pair<Index, double>> result;
  for (std::size_t n = 0; n < nodes.size(); ++n)
    if (std::int32_t(n) != ocean && level[n] < never) result.emplace_back(nodes[n], level[n]);
  return result;
}

RimGraph::RimGraph(std::vector<RimLink> links) : links_(std::move(links)), end_(links_.size(), -1) {
  std::sort(links_.begin(), links_.end(),
            [](const RimLink& a, const RimLink& b) { return a.cell < b.cell; });
}

std::size_t RimGraph::at(Index cell) const {
  const auto found =
      std::lower_bound(links_.begin(), links_.end(), cell,
                       [](const RimLink& link, Index wanted) { return link.cell < wanted; });
  require(found != links_.end() && found->cell == cell, "RimGraph: not a rim cell with data");
  return std::size_t(found - links_.begin());
}

const RimLink* RimGraph::find(Index cell) const {
  const auto found =
      std::lower_bound(links_.begin(), links_.end(), cell,
                       [](const RimLink& link, Index wanted) { return link.cell < wanted; });
  return found != links_.end() && found->cell == cell ? &*found : nullptr;
}

const RimLink& RimGraph::link(Index cell) const { return links_[at(cell)]; }

RimRoot RimGraph::end_of(Index cell) {
  std::vector<std::size_t> way;
  std::size_t i = at(cell);
  while (end_[i] < 0) {
    way.push_back(i);
    if (links_[i].next < 0) {
      end_[i] = Index(i);
      break;
    }
    i = at(links_[i].next);
  }
  const Index last = end_[i];
  for (const std::size_t w : way) end_[w] = last;
  const RimLink& link = links_[std::size_t(last)];
  return {link.root, link.base != 0};
}

std::vector<std::pair<Index, std::int64_t>> RimGraph::inflow() const {
  // Several rim cells share a portal: count each portal once, by its cell.
  std::unordered_map<Index, std::size_t> portal;  // root -> one of its links
  for (std::size_t i = 0; i < links_.size(); ++i)
    if (links_[i].next >= 0) portal.emplace(links_[i].root, i);
  // Total at a portal: its own amount and the totals of all portals that enter above it.
  std::unordered_map<Index, std::int64_t> total;
  std::unordered_map<Index, Index> waiting;  // portals above that are not final
  for (const auto& [root, i] : portal) {
    total[root] = links_[i].amount;
    waiting.emplace(root, 0);
  }
  const auto below = [&](Index root) -> Index {  // the portal that this portal's water takes next
    const RimLink& entry = links_[at(links_[portal.at(root)].next)];
    return entry.next >= 0 ? entry.root : -1;
  };
  for (const auto& [root, i] : portal)
    if (const Index b = below(root); b >= 0) ++waiting.at(b);
  std::vector<Index> ready;
  for (const auto& [root, count] : waiting)
    if (count == 0) ready.push_back(root);
  std::unordered_map<Index, std::int64_t> enters;
  std::size_t done = 0;
  while (!ready.empty()) {
    const Index root = ready.back();
    ready.pop_back();
    ++done;
    const std::int64_t amount = total.at(root);
    enters[links_[portal.at(root)].next] += amount;
    if (const Index b = below(root); b >= 0) {
      total.at(b) += amount;
      if (--waiting.at(b) == 0) ready.push_back(b);
    }
  }
  require(done == portal.size(), "RimGraph: flow between tiles runs in a loop");
  std::vector<std::pair<Index, std::int64_t>> result(enters.begin(), enters.end());
  std::sort(result.begin(), result.end());
  return result;
}

std::vector<PassEdge> lowest_forest(std::vector<PassEdge> edges) {
  std::sort(edges.begin(), edges.end());
  Numbering basins;
  UnionFind joined;
  std::vector<PassEdge> kept;
  for (const PassEdge& e : edges)
    if (joined.join(basins.of(e.basin_a), basins.of(e.basin_b))) kept.push_back(e);
  return kept;
}

namespace {

// Hangs the forest from the ocean: visit(edge, from_a) for each edge, outward; `from_a`: it drains
// its basin a.
template <class Visit>
void hang(const std::vector<PassEdge>& forest, const Visit& visit) {
  std::unordered_map<Index, std::vector<std::size_t>> beside;
  for (std::size_t i = 0; i < forest.size(); ++i) {
    beside[forest[i].basin_a].push_back(i);
    beside[forest[i].basin_b].push_back(i);
  }
  std::vector<std::uint8_t> used(forest.size(), 0);
  std::deque<Index> open = {kOcean};
  while (!open.empty()) {
    const Index below = open.front();
    open.pop_front();
    const auto at = beside.find(below);
    if (at == beside.end()) continue;
    for (const std::size_t i : at->second) {
      if (used[i] != 0) continue;
      used[i] = 1;
      const bool from_a = forest[i].basin_b == below;
      open.push_back(from_a ? forest[i].basin_a : forest[i].basin_b);
      visit(forest[i], from_a);
    }
  }
}

}  // namespace

std::vector<CarveStart> carve_starts(const std::vector<PassEdge>& forest, const RimGraph& rims) {
  std::vector<CarveStart> starts;
  hang(forest, [&](const PassEdge& e, bool from_a) {
    const int k = int(e.code & 3);
    starts.push_back({from_a ? e.code / 4 : e.other, from_a ? k : opposite(k), 0});
    // Into every further tile that the old flow of the pass cell crosses on its way to the pit.
    Index exit = from_a ? e.exit_a : e.exit_b;
    while (exit >= 0) {
      const Index entry = exit / 8;
      starts.push_back({entry, opposite(int(exit % 8)), 0});
      const RimLink& link = rims.link(entry);
      exit = link.next < 0 ? -1 : 8 * link.next + link.dir;
    }
  });
  return starts;
}

std::vector<JumpStart> jump_starts(const std::vector<PassEdge>& forest) {
  std::vector<JumpStart> starts;
  hang(forest, [&](const PassEdge& e, bool from_a) {
    starts.push_back(from_a ? JumpStart{e.code / 4, e.other, e.basin_a}
                            : JumpStart{e.other, e.code / 4, e.basin_b});
  });
  return starts;
}

}  // namespace terrawave::terrain
