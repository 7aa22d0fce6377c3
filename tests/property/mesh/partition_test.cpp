// Parts of random meshes under any assignment, against the slow reference.
#include "terrawave/domain/partition.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "reference/mesh_reference.hpp"
#include "terrawave/domain/partition_rim.hpp"
#include "terrawave/domain/rectangle.hpp"
#include "terrawave/domain/renumber.hpp"

namespace terrawave::domain {
namespace {

// A perturbed rectangle with shuffled cells and nodes, renumbered.
TriMesh random_mesh(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Rectangle r{-3, 1, 5, 4};
  r.pattern = RectanglePattern(seed % 3);
  r.columns = 1 + Index(random() % 9);
  r.rows = 1 + Index(random() % 9);
  r.perturbation = 0.25;
  r.seed = seed;
  TriMesh mesh = make_rectangle(r);
  for (auto& t : mesh.triangles)
    std::rotate(t.begin(), t.begin() + std::ptrdiff_t(random() % 3), t.end());
  std::shuffle(mesh.triangles.begin(), mesh.triangles.end(), random);
  std::shuffle(mesh.boundary.begin(), mesh.boundary.end(), random);
  renumber(mesh);
  return mesh;
}

// METIS parts, or any owner for any cell, or blocks; some ranks may own nothing.
std::vector<int> random_owners(const TriMesh& mesh, std::uint64_t seed, int parts) {
  std::mt19937_64 random(seed);
  std::vector<int> owner(mesh.triangles.size());
  if (seed % 3 == 0) return partition(mesh, parts);
  if (seed % 3 == 1) {
    for (int& o : owner) o = int(random() % std::uint64_t(parts));
    return owner;
  }
  for (std::size_t c = 0; c < owner.size(); ++c) {  // vertical strips and one odd cell
    double x = 0;
    for (const LocalIndex n : mesh.triangles[c]) x += mesh.x[std::size_t(n)] / 3;
    owner[c] = std::clamp(int((x + 3) / 8 * parts), 0, parts - 1);
  }
  owner[random() % owner.size()] = int(random() % std::uint64_t(parts));
  return owner;
}

class Parts : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    const auto seed = std::uint64_t(GetParam());
    mesh = random_mesh(seed);
    parts = 1 + int(seed * 7 % 9);
    owner = random_owners(mesh, seed, parts);
    for (int r = 0; r < parts; ++r) local.push_back(build_local(mesh, owner, r));
    whole = build_local(mesh, std::vector<int>(owner.size(), 0), 0);
  }
  TriMesh mesh;
  int parts = 1;
  std::vector<int> owner;
  std::vector<LocalTriMesh> local;
  LocalTriMesh whole;
};

TEST_P(Parts, NumberInnerThenRimThenGhostCells) {
  const auto at = reference::cells_at_edges(mesh);
  std::size_t owned = 0;
  for (int r = 0; r < parts; ++r) {
    const Part& part = local[std::size_t(r)].part;
    ASSERT_EQ(part.global.size(), std::size_t(part.total()));
    std::set<LocalIndex> ghosts;
    for (LocalIndex i = 0; i < part.total(); ++i) {
      const auto c = LocalIndex(part.global[std::size_t(i)]);
      EXPECT_EQ(owner[std::size_t(c)] == r, i < part.owned());
      if (i >= part.owned()) {
        EXPECT_TRUE(ghosts.insert(c).second) << "a ghost twice";
        continue;
      }
      ++owned;
      bool rim = false;
      for (const LocalIndex n : reference::neighbours(at, mesh, c))
        rim = rim || owner[std::size_t(n)] != r;
      EXPECT_EQ(rim, i >= part.inner);
    }
    for (std::size_t c = 0; c < owner.size(); ++c) {
      if (owner[c] != r) continue;
      for (const LocalIndex n : reference::neighbours(at, mesh, LocalIndex(c)))
        if (owner[std::size_t(n)] != r) {
          EXPECT_TRUE(ghosts.contains(n));
          ghosts.insert(-1 - n);
        }
    }
    // Each ghost was asked for.
    for (const LocalIndex n : std::set<LocalIndex>(ghosts))
      EXPECT_TRUE(n < 0 || ghosts.contains(-1 - n));
  }
  EXPECT_EQ(owned, owner.size());
}

TEST_P(Parts, ListTheSameCellsOnBothSides) {
  for (int r = 0; r < parts; ++r) {
    const Part& mine = local[std::size_t(r)].part;
    LocalIndex next_ghost = mine.owned();
    for (std::size_t p = 0; p < mine.peers.size(); ++p) {
      const comm::Peer& peer = mine.peers[p];
      EXPECT_TRUE(p == 0 || peer.rank > mine.peers[p - 1].rank);
      const Part& theirs = local[std::size_t(peer.rank)].part;
      const auto back = std::find_if(theirs.peers.begin(), theirs.peers.end(),
                                     [&](const comm::Peer& q) { return q.rank == r; });
      ASSERT_NE(back, theirs.peers.end());
      ASSERT_EQ(peer.send.size(), back->receive.size());
      for (std::size_t i = 0; i < peer.send.size(); ++i) {
        EXPECT_GE(peer.send[i], mine.inner);
        EXPECT_LT(peer.send[i], mine.owned());
        EXPECT_EQ(mine.global[std::size_t(peer.send[i])],
                  theirs.global[std::size_t(back->receive[i])]);
      }
      for (const LocalIndex i : peer.receive) EXPECT_EQ(i, next_ghost++);
    }
    EXPECT_EQ(next_ghost, mine.total());
  }
}

TEST_P(Parts, HaveTheEdgesOfTheWholeMeshInTheSameOrderAndBits) {
  const auto ids = reference::edge_ids(mesh);
  ASSERT_EQ(whole.edges(), LocalIndex(ids.size()));
  for (int r = 0; r < parts; ++r) {
    const LocalTriMesh& m = local[std::size_t(r)];
    ASSERT_EQ(m.cell_edges.size(), std::size_t(m.part.owned()));
    std::set<GlobalId> seen;
    for (LocalIndex e = 0; e < m.edges(); ++e) {
      const auto i = std::size_t(e);
      const auto g = std::size_t(m.edge_global[i]);  // place in `whole`, which has all, in order
      EXPECT_TRUE(seen.insert(m.edge_global[i]).second);
      EXPECT_EQ(whole.edge_global[g], m.edge_global[i]);
      EXPECT_EQ(m.edge_length[i], whole.edge_length[g]);
      EXPECT_EQ(m.edge_nx[i], whole.edge_nx[g]);
      EXPECT_EQ(m.edge_ny[i], whole.edge_ny[g]);
      EXPECT_EQ(m.edge_group[i], whole.edge_group[g]);
      const auto cell = [&](const LocalTriMesh& l, LocalIndex c) {
        return c < 0 ? GlobalId(-1) : l.part.global[std::size_t(c)];
      };
      EXPECT_EQ(cell(m, m.edge_left[i]), cell(whole, whole.edge_left[g]));
      EXPECT_EQ(cell(m, m.edge_right[i]), cell(whole, whole.edge_right[g]));
      const bool ghost_side = m.edge_left[i] >= m.part.owned() || m.edge_right[i] >= m.part.owned();
      EXPECT_EQ(e >= m.inner_edges, ghost_side);
      EXPECT_TRUE(e == 0 || e == m.inner_edges || m.edge_global[i] > m.edge_global[i - 1]);
    }
    for (LocalIndex c = 0; c < m.part.owned(); ++c) {
      const auto i = std::size_t(c);
      const GlobalId g = m.part.global[i];
      const auto in_whole =
          std::size_t(std::find(whole.part.global.begin(), whole.part.global.end(), g) -
                      whole.part.global.begin());
      const auto& t = mesh.triangles[std::size_t(g)];
      std::vector<GlobalId> expected;
      for (std::size_t k = 0; k < 3; ++k)
        expected.push_back(ids.at(reference::node_pair(t[k], t[(k + 1) % 3])));
      std::sort(expected.begin(), expected.end());
      for (std::size_t k = 0; k < 3; ++k) {
        const auto edge = std::size_t(m.cell_edges[i][k]);
        EXPECT_EQ(m.edge_global[edge], expected[k]);
        EXPECT_EQ(m.cell_sides[i][k], m.edge_left[edge] == c ? 1 : -1);
        EXPECT_EQ(m.cell_sides[i][k], whole.cell_sides[in_whole][k]);
        EXPECT_TRUE(m.edge_left[edge] == c || m.edge_right[edge] == c);
      }
      EXPECT_EQ(m.area[i], whole.area[in_whole]);
      EXPECT_EQ(m.center_x[i], whole.center_x[in_whole]);
    }
  }
}

TEST_P(Parts, HaveClosedCellsThatFillTheDomain) {
  double sum = 0;
  for (const LocalTriMesh& m : local)
    for (std::size_t c = 0; c < m.cell_edges.size(); ++c) {
      EXPECT_GT(m.area[c], 0);
      sum += m.area[c];
      double x = 0, y = 0, around = 0;
      for (std::size_t k = 0; k < 3; ++k) {
        const auto e = std::size_t(m.cell_edges[c][k]);
        EXPECT_NEAR(std::hypot(m.edge_nx[e], m.edge_ny[e]), 1, 4e-16);
        x += m.cell_sides[c][k] * m.edge_length[e] * m.edge_nx[e];
        y += m.cell_sides[c][k] * m.edge_length[e] * m.edge_ny[e];
        around += m.edge_length[e];
      }
      // Coordinates up to 5 carry half an ulp (4.4e-16) each; three terms of two roundings follow.
      EXPECT_NEAR(x, 0, 4e-16 * 3 * around + 1e-15);
      EXPECT_NEAR(y, 0, 4e-16 * 3 * around + 1e-15);
    }
  EXPECT_NEAR(sum, 24, 24 * 1e-16 * double(owner.size()) + 1e-14);
}

INSTANTIATE_TEST_SUITE_P(Random, Parts, ::testing::Range(1, 46));

TEST(Partition, GivesEveryPartItsShareAndIsDeterministic) {
  TriMesh mesh = make_rectangle({0, 0, 1, 1, RectanglePattern::right, 40, 40});
  renumber(mesh);
  for (const int parts : {1, 2, 3, 7, 16}) {
    const auto owner = partition(mesh, parts);
    EXPECT_EQ(owner, partition(mesh, parts));
    const auto q = quality(connect(mesh), owner, parts);
    EXPECT_EQ(q.empty, 0);
    EXPECT_LE(double(q.most), 1.05 * 3200 / parts);  // METIS k-way allows 3 % imbalance
    EXPECT_LE(q.runs, q.lists);
  }
}

TEST(Partition, MorePartsThanCellsLeavesTheRestEmpty) {
  const TriMesh mesh = make_rectangle({0, 0, 1, 1, RectanglePattern::right, 1, 1});
  const auto owner = partition(mesh, 5);
  EXPECT_EQ(owner, (std::vector<int>{0, 1}));
  const LocalTriMesh one = build_local(mesh, owner, 1), none = build_local(mesh, owner, 4);
  EXPECT_EQ(one.part.rim, 1);
  EXPECT_EQ(one.part.ghost, 1);
  EXPECT_EQ(one.inner_edges, 2);
  EXPECT_EQ(one.edges(), 3);
  EXPECT_EQ(none.part.total(), 0);
  EXPECT_EQ(none.edges(), 0);
  EXPECT_TRUE(none.part.peers.empty());
}

bool is_run(const std::vector<LocalIndex>& list) {
  for (std::size_t i = 1; i < list.size(); ++i)
    if (list[i] != list[i - 1] + 1) return false;
  return true;
}

std::vector<LocalIndex> sent_to(const std::vector<RimCell>& rim, int peer) {
  std::vector<LocalIndex> list;
  for (std::size_t i = 0; i < rim.size(); ++i)
    if (rim[i].goes_to(peer)) list.push_back(LocalIndex(i));
  return list;
}

RimCell rim_cell(LocalIndex cell, std::vector<int> peers) {
  RimCell c{cell, 0, {}};
  for (const int p : peers) c.add(p);
  return c;
}

// The case that the paper's ordering cannot do, and a chain.
TEST(RimOrder, CellsGoingToTheSameTwoRanksStandAtTheirJunction) {
  std::vector<RimCell> rim = {rim_cell(0, {1}),    rim_cell(1, {1, 2}), rim_cell(2, {2}),
                              rim_cell(3, {2, 1}), rim_cell(4, {1}),    rim_cell(5, {2, 7}),
                              rim_cell(6, {7}),    rim_cell(7, {4})};
  order_rim(rim);
  for (const int peer : {1, 2, 4, 7}) EXPECT_TRUE(is_run(sent_to(rim, peer))) << peer;
  EXPECT_EQ(sent_to(rim, 1).size(), 4U);
}

TEST(RimOrder, ARingOfPeersCostsOneRunAtMost) {
  std::vector<RimCell> rim;
  for (int i = 0; i < 4; ++i) {
    rim.push_back(rim_cell(LocalIndex(2 * i), {i}));
    rim.push_back(rim_cell(LocalIndex(2 * i + 1), {i, (i + 1) % 4}));
  }
  order_rim(rim);
  int runs = 0;
  for (int i = 0; i < 4; ++i) runs += is_run(sent_to(rim, i)) ? 1 : 0;
  EXPECT_EQ(runs, 3);
}

TEST(RimOrder, AnyRandomChainOfPeersIsAllRuns) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    std::mt19937_64 random(seed);
    std::vector<int> peers(2 + seed % 9);
    std::iota(peers.begin(), peers.end(), 3);
    std::shuffle(peers.begin(), peers.end(), random);
    std::vector<RimCell> rim;
    for (std::size_t i = 0; i < peers.size(); ++i) {
      for (std::uint64_t n = random() % 4; n > 0; --n) rim.push_back(rim_cell(0, {peers[i]}));
      if (i > 0)
        for (std::uint64_t n = random() % 4; n > 0; --n)
          rim.push_back(rim_cell(0, {peers[i - 1], peers[i]}));
    }
    std::shuffle(rim.begin(), rim.end(), random);
    for (std::size_t i = 0; i < rim.size(); ++i) rim[i].cell = LocalIndex(i);
    order_rim(rim);
    for (const int peer : peers) EXPECT_TRUE(is_run(sent_to(rim, peer))) << seed;
  }
}

TEST(Renumber, FollowsACurveWithoutJumps) {
  std::vector<std::pair<std::uint64_t, std::pair<int, int>>> boxes;
  for (std::uint32_t x = 0; x < 32; ++x)
    for (std::uint32_t y = 0; y < 32; ++y)
      boxes.push_back({hilbert_position(x << 27, y << 27), {int(x), int(y)}});
  std::sort(boxes.begin(), boxes.end());
  for (std::size_t i = 1; i < boxes.size(); ++i) {
    const auto [x, y] = boxes[i].second;
    const auto [u, v] = boxes[i - 1].second;
    EXPECT_EQ(std::abs(x - u) + std::abs(y - v), 1);
    EXPECT_GT(boxes[i].first, boxes[i - 1].first);
  }
}

TEST(Renumber, KeepsTheMeshAndForgetsTheOrder) {
  const auto describe = [](const TriMesh& m) {
    std::vector<std::vector<double>> cells;
    for (std::size_t c = 0; c < m.triangles.size(); ++c) {
      std::vector<double> p = {double(m.original_id[c])};
      for (const LocalIndex n : m.triangles[c]) {
        p.push_back(m.x[std::size_t(n)]);
        p.push_back(m.y[std::size_t(n)]);
      }
      cells.push_back(p);
    }
    std::multiset<std::vector<double>> edges;
    for (const auto& e : m.boundary) {
      const auto a = std::size_t(e.nodes[0]), b = std::size_t(e.nodes[1]);
      edges.insert({double(e.group), m.x[a] + m.x[b], m.y[a] + m.y[b]});
    }
    return std::pair(cells, edges);
  };
  TriMesh mesh = make_rectangle({0, 0, 2, 1, RectanglePattern::equilateral, 13, 9, 0.2, 3});
  TriMesh shuffled = mesh;
  std::mt19937_64 random(4);
  std::vector<LocalIndex> order(mesh.triangles.size());
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random);
  for (std::size_t c = 0; c < order.size(); ++c) {
    shuffled.triangles[c] = mesh.triangles[std::size_t(order[c])];
    shuffled.original_id[c] = mesh.original_id[std::size_t(order[c])];
  }
  auto before = describe(mesh);
  renumber(mesh);
  renumber(shuffled);
  EXPECT_EQ(describe(mesh), describe(shuffled));
  auto after = describe(mesh);
  std::sort(before.first.begin(), before.first.end());
  std::sort(after.first.begin(), after.first.end());
  EXPECT_EQ(before, after);
}

}  // namespace
}  // namespace terrawave::domain
