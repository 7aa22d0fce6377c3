#include <algorithm>
#include <cmath>

#include "terrawave/base/error.hpp"
#include "terrawave/domain/partition.hpp"
#include "terrawave/domain/partition_rim.hpp"

namespace terrawave::domain {
namespace {

class LocalBuilder {
 public:
  LocalBuilder(const TriMesh& mesh, const Topology& topology, const std::vector<int>& owner,
               int rank)
      : mesh_(mesh), topology_(topology), owner_(owner), rank_(rank) {}

  LocalTriMesh build() {
    number_cells();
    measure_cells();
    list_edges();
    sort_sides();
    return std::move(out_);
  }

 private:
  // [inner | rim | ghost] and the lists of both directions.
  void number_cells() {
    Part& part = out_.part;
    int parts = rank_ + 1;
    for (const int o : owner_) parts = std::max(parts, o + 1);
    auto rims = find_rims(topology_, owner_, parts);
    auto& rim = rims[std::size_t(rank_)];
    std::vector<int> peers;
    for (const RimCell& c : rim)
      for (int i = 0; i < c.peers; ++i) peers.push_back(c.peer[std::size_t(i)]);
    std::sort(peers.begin(), peers.end());
    peers.erase(std::unique(peers.begin(), peers.end()), peers.end());

    local_.assign(owner_.size(), -1);
    for (const RimCell& c : rim) local_[std::size_t(c.cell)] = -2;
    for (std::size_t c = 0; c < owner_.size(); ++c)
      if (owner_[c] == rank_ && local_[c] == -1) append(LocalIndex(c));
    part.inner = LocalIndex(part.global.size());
    order_rim(rim);
    for (const RimCell& c : rim) append(c.cell);
    part.rim = LocalIndex(rim.size());
    for (const int peer : peers) {
      comm::Peer list;
      list.rank = peer;
      for (const RimCell& c : rim)
        if (c.goes_to(peer)) list.send.push_back(local_[std::size_t(c.cell)]);
      auto& theirs = rims[std::size_t(peer)];
      order_rim(theirs);
      for (const RimCell& c : theirs)
        if (c.goes_to(rank_)) list.receive.push_back(append(c.cell));
      part.ghost += LocalIndex(list.receive.size());
      part.peers.push_back(std::move(list));
    }
  }

  LocalIndex append(LocalIndex global) {
    const auto local = LocalIndex(out_.part.global.size());
    local_[std::size_t(global)] = local;
    out_.part.global.push_back(global);
    return local;
  }

  void measure_cells() {
    const std::size_t n = out_.part.global.size();
    out_.area.resize(n);
    out_.center_x.resize(n);
    out_.center_y.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      const auto& t = mesh_.triangles[std::size_t(out_.part.global[i])];
      const auto a = std::size_t(t[0]), b = std::size_t(t[1]), c = std::size_t(t[2]);
      // From one node, so that large coordinates (UTM) cost no digits.
      const double ux = mesh_.x[b] - mesh_.x[a], uy = mesh_.y[b] - mesh_.y[a];
      const double vx = mesh_.x[c] - mesh_.x[a], vy = mesh_.y[c] - mesh_.y[a];
      out_.area[i] = 0.5 * (ux * vy - vx * uy);
      out_.center_x[i] = mesh_.x[a] + (ux + vx) / 3;
      out_.center_y[i] = mesh_.y[a] + (uy + vy) / 3;
    }
  }

  bool owned(LocalIndex global) const { return owner_[std::size_t(global)] == rank_; }

  // Inner edges come in the order of their ids by themselves: their lower cell is owned.
  void list_edges() {
    const auto n = std::size_t(out_.part.owned());
    out_.cell_edges.resize(n);
    out_.cell_sides.resize(n);
    reserve(n + n / 2 + std::size_t(out_.part.ghost) + 16);
    struct Side {
      GlobalId id;
      LocalIndex cell;
      int side;
    };
    std::vector<Side> cut;
    for (std::size_t g = 0; g < owner_.size(); ++g) {
      if (owner_[g] != rank_) continue;
      const auto c = LocalIndex(g);
      std::array<Side, 3> mine;
      std::size_t count = 0;
      for (int k = 0; k < 3; ++k) {
        const LocalIndex across = topology_.across[g][std::size_t(k)];
        if (across >= 0 && !owned(across)) {
          cut.push_back({topology_.edge_id(c, k), c, k});
        } else if (across < 0 || across > c) {
          const Side side{topology_.edge_id(c, k), c, k};
          std::size_t i = count++;
          for (; i > 0 && mine[i - 1].id > side.id; --i) mine[i] = mine[i - 1];
          mine[i] = side;
        }
      }
      for (std::size_t i = 0; i < count; ++i) add_edge(mine[i].id, c, mine[i].side);
    }
    out_.inner_edges = out_.edges();
    std::sort(cut.begin(), cut.end(), [](const Side& a, const Side& b) { return a.id < b.id; });
    for (const Side& e : cut) {
      const LocalIndex across = topology_.across[std::size_t(e.cell)][std::size_t(e.side)];
      if (e.cell < across)
        add_edge(e.id, e.cell, e.side);
      else
        add_edge(e.id, across, side_towards(across, e.cell));
    }
  }

  void reserve(std::size_t n) {
    out_.edge_global.reserve(n);
    out_.edge_left.reserve(n);
    out_.edge_right.reserve(n);
    out_.edge_group.reserve(n);
    out_.edge_length.reserve(n);
    out_.edge_nx.reserve(n);
    out_.edge_ny.reserve(n);
  }

  int side_towards(LocalIndex from, LocalIndex to) const {
    const auto& across = topology_.across[std::size_t(from)];
    return int(std::find(across.begin(), across.end(), to) - across.begin());
  }

  // Geometry is taken along the lower cell's side, so both ranks of a cut edge get the same bits.
  void add_edge(GlobalId id, LocalIndex low, int side) {
    const auto k = std::size_t(side);
    const LocalIndex edge = out_.edges();
    const LocalIndex across = topology_.across[std::size_t(low)][k];
    const auto& t = mesh_.triangles[std::size_t(low)];
    const auto a = std::size_t(t[k]), b = std::size_t(t[(k + 1) % 3]);
    const double dx = mesh_.x[b] - mesh_.x[a], dy = mesh_.y[b] - mesh_.y[a];
    const double length = std::sqrt(dx * dx + dy * dy);
    out_.edge_global.push_back(id);
    out_.edge_left.push_back(local_[std::size_t(low)]);
    out_.edge_right.push_back(across < 0 ? -1 : local_[std::size_t(across)]);
    out_.edge_group.push_back(across < 0 ? mesh_.boundary[std::size_t(-1 - across)].group : -1);
    out_.edge_length.push_back(length);
    out_.edge_nx.push_back(dy / length);
    out_.edge_ny.push_back(-dx / length);
    note(low, side, edge, 1);
    if (across >= 0) note(across, side_towards(across, low), edge, -1);
  }

  void note(LocalIndex cell, int side, LocalIndex edge, std::int8_t sign) {
    if (!owned(cell)) return;
    const auto local = std::size_t(local_[std::size_t(cell)]);
    out_.cell_edges[local][std::size_t(side)] = edge;
    out_.cell_sides[local][std::size_t(side)] = sign;
  }

  void sort_sides() {
    for (std::size_t c = 0; c < out_.cell_edges.size(); ++c) {
      auto& edges = out_.cell_edges[c];
      auto& sides = out_.cell_sides[c];
      const auto order = [&](std::size_t i, std::size_t j) {
        if (out_.edge_global[std::size_t(edges[i])] <= out_.edge_global[std::size_t(edges[j])])
          return;
        std::swap(edges[i], edges[j]);
        std::swap(sides[i], sides[j]);
      };
      order(0, 1);
      order(1, 2);
      order(0, 1);
    }
  }

  const TriMesh& mesh_;
  const Topology& topology_;
  const std::vector<int>& owner_;
  int rank_;
  std::vector<LocalIndex> local_;  // of each global cell; -1 elsewhere
  LocalTriMesh out_;
};

}  // namespace

LocalTriMesh build_local(const TriMesh& mesh, const Topology& topology,
                         const std::vector<int>& owner, int rank) {
  require(owner.size() == mesh.triangles.size(), "one owner per cell");
  require(rank >= 0, "ranks count from 0");
  return LocalBuilder(mesh, topology, owner, rank).build();
}

LocalTriMesh build_local(const TriMesh& mesh, const std::vector<int>& owner, int rank) {
  return build_local(mesh, connect(mesh), owner, rank);
}

}  // namespace terrawave::domain
