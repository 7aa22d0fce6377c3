#include "terrawave/domain/partition.hpp"

#include <algorithm>

#include <metis.h>

#include "terrawave/base/error.hpp"
#include "terrawave/domain/partition_rim.hpp"

namespace terrawave::domain {
namespace {

constexpr Index fewest_for_metis = 16;  // cells per part; below, METIS may leave parts empty

std::vector<int> by_metis(const Topology& topology, int parts) {
  const std::size_t cells = topology.across.size();
  std::vector<idx_t> first(cells + 1, 0), next;
  next.reserve(3 * cells);
  for (std::size_t c = 0; c < cells; ++c) {
    for (const LocalIndex n : topology.across[c])
      if (n >= 0) next.push_back(n);
    first[c + 1] = idx_t(next.size());
  }
  idx_t options[METIS_NOPTIONS];
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_SEED] = 1;
  options[METIS_OPTION_NUMBERING] = 0;
  idx_t n = idx_t(cells), constraints = 1, wanted = parts, cut = 0;
  std::vector<idx_t> owner(cells);
  const int status =
      METIS_PartGraphKway(&n, &constraints, first.data(), next.data(), nullptr, nullptr, nullptr,
                          &wanted, nullptr, nullptr, options, &cut, owner.data());
  if (status != METIS_OK) throw RunError("METIS could not partition the mesh (out of memory?)");
  return {owner.begin(), owner.end()};
}

}  // namespace

std::vector<int> partition(const Topology& topology, int parts) {
  require(parts >= 1, "a mesh needs at least one part");
  const Index cells = topology.cells();
  if (parts == 1 || cells == 0) return std::vector<int>(std::size_t(cells), 0);
  if (cells >= fewest_for_metis * parts) return by_metis(topology, parts);
  std::vector<int> owner(static_cast<std::size_t>(cells));
  for (Index c = 0; c < cells; ++c)
    owner[std::size_t(c)] = int(cells >= parts ? c * parts / cells : c);
  return owner;
}

std::vector<int> partition(const TriMesh& mesh, int parts) {
  return partition(connect(mesh), parts);
}

PartitionQuality quality(const Topology& topology, const std::vector<int>& owner, int parts) {
  PartitionQuality q;
  std::vector<Index> size(static_cast<std::size_t>(parts), 0);
  for (const int o : owner) ++size[std::size_t(o)];
  q.most = *std::max_element(size.begin(), size.end());
  q.least = *std::min_element(size.begin(), size.end());
  q.empty = int(std::count(size.begin(), size.end(), 0));
  for (std::size_t c = 0; c < topology.across.size(); ++c)
    for (const LocalIndex n : topology.across[c])
      if (n > LocalIndex(c) && owner[std::size_t(n)] != owner[c]) ++q.cut;
  auto rims = find_rims(topology, owner, parts);
  std::vector<Index> ghosts(static_cast<std::size_t>(parts), 0);
  for (auto& rim : rims) {
    order_rim(rim);
    struct Run {
      Index first, last, cells;
    };
    std::vector<std::pair<int, Run>> lists;
    for (std::size_t i = 0; i < rim.size(); ++i)
      for (int p = 0; p < rim[i].peers; ++p) {
        const int peer = rim[i].peer[std::size_t(p)];
        ++ghosts[std::size_t(peer)];
        auto found = std::find_if(lists.begin(), lists.end(),
                                  [&](const auto& list) { return list.first == peer; });
        if (found == lists.end()) found = lists.insert(lists.end(), {peer, {Index(i), 0, 0}});
        found->second.last = Index(i);
        ++found->second.cells;
      }
    q.most_peers = std::max(q.most_peers, int(lists.size()));
    q.lists += int(lists.size());
    for (const auto& [peer, run] : lists) q.runs += run.last - run.first + 1 == run.cells ? 1 : 0;
  }
  q.most_ghosts = *std::max_element(ghosts.begin(), ghosts.end());
  return q;
}

}  // namespace terrawave::domain
