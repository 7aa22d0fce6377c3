#include "terrawave/domain/partition_rim.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace terrawave::domain {
namespace {

using Pair = std::pair<int, int>;

// Paths through the peers: every peer has at most two links, and no link closes a ring.
class Chains {
 public:
  explicit Chains(const std::vector<RimCell>& rim) {
    std::map<Pair, Index> shared;
    for (const RimCell& c : rim) {
      for (int i = 0; i < c.peers; ++i) ++size_[c.peer[std::size_t(i)]];
      if (c.peers == 2) ++shared[{c.peer[0], c.peer[1]}];
    }
    std::vector<std::pair<Index, Pair>> by_weight;
    for (const auto& [pair, n] : shared) by_weight.push_back({-n, pair});
    std::sort(by_weight.begin(), by_weight.end());
    for (const auto& [weight, pair] : by_weight)
      if (!link(pair.first, pair.second)) break_one(pair.first, pair.second);
    lay_out();
  }

  // Twice the place of the peer's own block; a link stands between its two blocks.
  int slot(const RimCell& c) const {
    if (c.peers == 1) return 2 * place_.at(c.peer[0]);
    for (int i = 0; i < c.peers; ++i)
      for (int j = i + 1; j < c.peers; ++j) {
        const int a = c.peer[std::size_t(i)], b = c.peer[std::size_t(j)];
        if (linked(a, b)) return 2 * std::min(place_.at(a), place_.at(b)) + 1;
      }
    for (int i = 0; i < c.peers; ++i)
      if (!broken_.contains(c.peer[std::size_t(i)])) return 2 * place_.at(c.peer[std::size_t(i)]);
    return 2 * place_.at(c.peer[0]);
  }

 private:
  bool linked(int a, int b) const {
    const auto found = links_.find(a);
    return found != links_.end() &&
           std::find(found->second.begin(), found->second.end(), b) != found->second.end();
  }
  int end_of(int a, int from) const {
    for (;;) {
      const auto found = links_.find(a);
      int next = -1;
      if (found != links_.end())
        for (const int n : found->second)
          if (n != from) next = n;
      if (next < 0) return a;
      from = a;
      a = next;
    }
  }
  bool link(int a, int b) {
    if (links_[a].size() == 2 || links_[b].size() == 2) return false;
    // Both are ends of paths; of the same path when walking from a ends at b.
    if (!links_[a].empty() && end_of(a, -1) == b) return false;
    links_[a].push_back(b);
    links_[b].push_back(a);
    return true;
  }
  // Of two peers that cannot both keep a run, the one that gets less gives it up.
  void break_one(int a, int b) {
    if (broken_.contains(a) || broken_.contains(b)) return;
    broken_.insert(size_[a] < size_[b] ? a : b);
  }
  void lay_out() {
    int next = 0;
    for (const auto& [peer, n] : size_) {
      if (place_.contains(peer) || (links_.contains(peer) && links_.at(peer).size() == 2)) continue;
      int from = -1;
      for (int at = peer; at >= 0;) {
        place_[at] = next++;
        int to = -1;
        if (const auto found = links_.find(at); found != links_.end())
          for (const int other : found->second)
            if (other != from) to = other;
        from = at;
        at = to;
      }
    }
  }

  std::map<int, Index> size_;  // cells that each peer gets
  std::map<int, std::vector<int>> links_;
  std::set<int> broken_;
  std::map<int, int> place_;
};

}  // namespace

std::vector<std::vector<RimCell>> find_rims(const Topology& topology, const std::vector<int>& owner,
                                            int parts) {
  std::vector<std::vector<RimCell>> rims(static_cast<std::size_t>(parts));
  for (std::size_t c = 0; c < topology.across.size(); ++c) {
    RimCell rim{LocalIndex(c), 0, {}};
    for (const LocalIndex n : topology.across[c])
      if (n >= 0 && owner[std::size_t(n)] != owner[c]) rim.add(owner[std::size_t(n)]);
    if (rim.peers == 0) continue;
    rims[std::size_t(owner[c])].push_back(rim);
  }
  return rims;
}

void order_rim(std::vector<RimCell>& rim) {
  const Chains chains(rim);
  std::vector<std::pair<Pair, RimCell>> keyed;
  keyed.reserve(rim.size());
  for (const RimCell& c : rim) keyed.push_back({{chains.slot(c), c.cell}, c});
  std::sort(keyed.begin(), keyed.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t i = 0; i < rim.size(); ++i) rim[i] = keyed[i].second;
}

}  // namespace terrawave::domain
