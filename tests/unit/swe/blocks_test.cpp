// Blocks of cells: complete, in order, and within their limits, whatever the numbering.
#include <algorithm>
#include <array>
#include <map>

#include <gtest/gtest.h>

#include "reference/swe_problem.hpp"
#include "terrawave/comm/comm.hpp"
#include "terrawave/solvers/swe/swe_blocks.hpp"

namespace terrawave::swe::test {
namespace {

// 7 200 cells; `scattered` numbers them so that neighbours are far apart.
domain::TriMesh mesh_of(bool scattered) {
  domain::TriMesh mesh = rectangle(0, 0, 1, 1, 60, 60, domain::RectanglePattern::right, 0.2);
  if (!scattered) return mesh;
  const auto triangles = mesh.triangles;
  const auto ids = mesh.original_id;
  for (std::size_t c = 0; c < triangles.size(); ++c) {
    mesh.triangles[(c * 1009 + 5) % triangles.size()] = triangles[c];
    mesh.original_id[(c * 1009 + 5) % triangles.size()] = ids[c];
  }
  return mesh;
}

class Blocks : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Numberings, Blocks, ::testing::Values(false, true));

TEST_P(Blocks, HoldEveryEdgeOfEveryCellInOrder) {
  const domain::TriMesh mesh = mesh_of(GetParam());
  const auto local = domain::build_local(mesh, domain::partition(mesh, 1), 0);
  std::vector<BoundaryKind> kinds(mesh.groups.size(), BoundaryKind::wall);
  kinds.back() = BoundaryKind::outflow;
  const BlockPlan<double> plan(1, local, kinds, {});
  const BlockView<double> v = plan.view();
  ASSERT_GT(plan.blocks(), GetParam() ? 5 : 2);
  ASSERT_EQ(plan.inner(), plan.blocks());  // one rank has no ghosts
  // Inner edges by their two cells.
  std::map<std::array<LocalIndex, 2>, std::size_t> edge_of;
  for (std::size_t e = 0; e < local.edge_left.size(); ++e)
    if (local.edge_right[e] >= 0) edge_of[{local.edge_left[e], local.edge_right[e]}] = e;
  LocalIndex next = 0;
  for (Index b = 0; b < plan.blocks(); ++b) {
    const LocalIndex first = v.cell_begin[b], own = v.cell_begin[b + 1] - first;
    const LocalIndex near = v.near_begin[b + 1] - v.near_begin[b];
    ASSERT_EQ(first, next);
    next += own;
    ASSERT_LE(own + near, BlockLimits::slots);
    std::vector<int> edges(std::size_t(own + near + 1), 0);
    const auto cell = [&](int slot) {
      return slot < own ? first + slot : v.near[v.near_begin[b] + slot - own];
    };
    GlobalId last = -1;
    const Index begin = v.group_begin[b] * BlockLimits::group;
    for (Index i = begin; i < v.group_begin[b + 1] * BlockLimits::group; ++i) {
      const int l = v.left[i], r = v.right[i];
      ASSERT_LE(l, own + near);
      if (l == own + near) {
        ASSERT_EQ(r, l);  // fills the last group
        continue;
      }
      ++edges[std::size_t(l)];
      if (r >= BlockLimits::outflow) continue;
      ++edges[std::size_t(r)];
      const std::size_t e = edge_of.at({cell(l), cell(r)});
      ASSERT_GT(local.edge_global[e], last);
      last = local.edge_global[e];
      ASSERT_EQ(v.nx[i], local.edge_nx[e]);
      ASSERT_EQ(v.ny[i], local.edge_ny[e]);
      ASSERT_EQ(v.length[i], local.edge_length[e]);
    }
    for (LocalIndex c = 0; c < own; ++c) ASSERT_EQ(edges[std::size_t(c)], 3);
  }
  ASSERT_EQ(next, local.part.owned());
}

TEST_P(Blocks, GiveTheBitsOfStoredEdges) {
  const auto self = comm::make_self();
  const auto run = [&](Method method, int threads) {
    ProblemSetup s;
    s.mesh = mesh_of(GetParam());
    s.parameters.density_ratio = 0.98;
    s.parameters.method = method;
    s.queue = par::Queue::host(threads);
    Problem p(*self, s, [](double x, double y) {
      Point c;
      c.h2 = 0.5 + 0.4 * std::exp(-20 * ((x - 0.4) * (x - 0.4) + y * y));
      c.h1 = 1.5 - c.h2;
      c.u1x = 2 * y;  // supercritical somewhere: marked edges among plain ones
      return c;
    });
    p.solver().advance(4);
    std::vector<std::vector<double>> all;
    for (const char* f : {"h1", "q1x", "q1y", "h2", "q2x", "q2y"}) all.push_back(p.values(f));
    return all;
  };
  const auto edges = run(Method::edges, 1);
  EXPECT_FALSE(std::isnan(edges[0][0]));
  EXPECT_EQ(run(Method::cells, 1), edges);
  EXPECT_EQ(run(Method::cells, 3), edges);
}

}  // namespace
}  // namespace terrawave::swe::test
