// Random meshes, sound and with one fault each, through the checks.
#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "reference/mesh_reference.hpp"
#include "terrawave/base/error.hpp"
#include "terrawave/domain/mesh_check.hpp"
#include "terrawave/domain/rectangle.hpp"
#include "terrawave/domain/tri_mesh_topology.hpp"

namespace terrawave::domain {
namespace {

// A perturbed rectangle as a file would hold it: shuffled, with numbers of its own.
RawMesh random_raw(std::mt19937_64& random) {
  Rectangle r{-3,
              1,
              5,
              4,
              RectanglePattern(random() % 3),
              Index(2 + random() % 6),
              Index(2 + random() % 6),
              0.25,
              random()};
  const TriMesh mesh = make_rectangle(r);
  RawMesh raw;
  raw.source = "random";
  raw.x = mesh.x;
  raw.y = mesh.y;
  raw.triangles = mesh.triangles;
  std::shuffle(raw.triangles.begin(), raw.triangles.end(), random);
  for (std::size_t n = 0; n < raw.x.size(); ++n) raw.node_id.push_back(GlobalId(1000 + 3 * n));
  for (std::size_t c = 0; c < raw.triangles.size(); ++c)
    raw.cell_id.push_back(GlobalId(5000 + 7 * c));
  raw.groups = mesh.groups;
  for (const auto& e : mesh.boundary)
    if (random() % 4 != 0)
      raw.lines.push_back({{e.nodes[1], e.nodes[0]}, e.group, GlobalId(raw.lines.size())});
  return raw;
}

std::string complaint(RawMesh raw) {
  try {
    check_mesh(std::move(raw));
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

class Checks : public ::testing::TestWithParam<int> {
 protected:
  std::mt19937_64 random{std::uint64_t(GetParam())};
  RawMesh raw = random_raw(random);
  std::size_t pick() { return random() % raw.triangles.size(); }
  static bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }
};

TEST_P(Checks, TurnDropAndCompleteASoundMesh) {
  Index turned = 0;
  for (auto& t : raw.triangles)
    if (random() % 3 == 0) {
      std::swap(t[0], t[random() % 2 + 1]);
      ++turned;
    }
  const Index orphans = Index(random() % 4);
  for (Index n = 0; n < orphans; ++n) {
    raw.x.insert(raw.x.begin(), 2.0);  // in front, so that all numbers move
    raw.y.insert(raw.y.begin(), 2.0);
    raw.node_id.insert(raw.node_id.begin(), n);
    for (auto& t : raw.triangles)
      for (auto& i : t) ++i;
    for (auto& e : raw.lines)
      for (auto& i : e.nodes) ++i;
  }
  const RawMesh before = raw;
  const CheckedMesh out = check_mesh(raw);
  EXPECT_EQ(out.findings.flipped, turned);
  EXPECT_EQ(out.findings.orphans, orphans);
  EXPECT_EQ(out.findings.parts, 1);
  ASSERT_EQ(out.mesh.triangles.size(), before.triangles.size());
  for (std::size_t c = 0; c < before.triangles.size(); ++c) {
    std::set<std::pair<double, double>> a, b;
    for (std::size_t k = 0; k < 3; ++k) {
      const auto i = std::size_t(before.triangles[c][k]), j = std::size_t(out.mesh.triangles[c][k]);
      a.insert({before.x[i], before.y[i]});
      b.insert({out.mesh.x[j], out.mesh.y[j]});
    }
    EXPECT_EQ(a, b);
  }
  EXPECT_EQ(out.mesh.original_id, before.cell_id);
  for (const double s : step_lengths(out.mesh)) EXPECT_GT(s, 0);
  EXPECT_NO_THROW(connect(out.mesh));
  // The boundary is the edges of one cell; names as given.
  const auto at = reference::cells_at_edges(out.mesh);
  std::size_t alone = 0;
  for (const auto& [nodes, cells] : at) alone += cells.size() == 1 ? 1 : 0;
  EXPECT_EQ(out.mesh.boundary.size(), alone);
  std::size_t named = 0;
  for (const auto& e : out.mesh.boundary) {
    EXPECT_EQ(at.at(reference::node_pair(e.nodes[0], e.nodes[1])).size(), 1U);
    named += e.group != 0 ? 1 : 0;
  }
  EXPECT_EQ(named, before.lines.size());
}

TEST_P(Checks, NameATriangleWithoutArea) {
  const std::size_t c = pick();
  raw.triangles[c][1] = raw.triangles[c][2];
  const std::string text = complaint(raw);
  EXPECT_TRUE(has(text, "has no area: triangle " + std::to_string(raw.cell_id[c]))) << text;
}

TEST_P(Checks, NameATriangleThatIsThereTwice) {
  const std::size_t c = pick();
  auto t = raw.triangles[c];
  std::rotate(t.begin(), t.begin() + std::ptrdiff_t(random() % 3), t.end());
  if (random() % 2 == 0) std::swap(t[0], t[1]);
  raw.triangles.push_back(t);
  raw.cell_id.push_back(3);
  const std::string text = complaint(raw);
  EXPECT_TRUE(
      has(text, "a triangle is there twice: triangle " + std::to_string(raw.cell_id[c]) + " at "))
      << text;
  EXPECT_TRUE(has(text, "and triangle 3 at")) << text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 0) << text;  // and nothing else
}

TEST_P(Checks, NameAnEdgeOfThreeTriangles) {
  // A far node on some inner edge.
  std::pair<LocalIndex, LocalIndex> edge{-1, -1};
  TriMesh view;
  view.triangles = raw.triangles;
  for (const auto& [nodes, cells] : reference::cells_at_edges(view))
    if (cells.size() == 2) edge = nodes;
  ASSERT_GE(edge.first, 0);
  raw.x.push_back(100);
  raw.y.push_back(77);
  raw.node_id.push_back(1);
  raw.triangles.push_back({edge.first, edge.second, LocalIndex(raw.x.size() - 1)});
  raw.cell_id.push_back(3);
  const std::string text = complaint(raw);
  EXPECT_TRUE(has(text, "an edge has more than two triangles")) << text;
  EXPECT_TRUE(has(text, "triangle 3 at")) << text;
}

TEST_P(Checks, NameCoincidentNodes) {
  // One triangle gets its own copies of the nodes: it is cut off along its sides.
  const std::size_t c = pick();
  const GlobalId original = raw.node_id[std::size_t(raw.triangles[c][0])];
  raw.lines.clear();
  for (auto& n : raw.triangles[c]) {
    raw.x.push_back(raw.x[std::size_t(n)]);
    raw.y.push_back(raw.y[std::size_t(n)]);
    raw.node_id.push_back(GlobalId(raw.node_id.size()));
    n = LocalIndex(raw.x.size() - 1);
  }
  const std::string text = complaint(raw);
  EXPECT_TRUE(has(text, "coincident nodes split the mesh")) << text;
  EXPECT_TRUE(has(text, "nodes " + std::to_string(original) + " and ")) << text;
}

TEST_P(Checks, NameHangingNodes) {
  // One of two neighbours is cut in two at the middle of their edge, the other is not.
  TriMesh view;
  view.triangles = raw.triangles;
  for (const auto& [nodes, cells] : reference::cells_at_edges(view)) {
    if (cells.size() != 2) continue;
    const auto middle = LocalIndex(raw.x.size());
    const auto a = std::size_t(nodes.first), b = std::size_t(nodes.second);
    raw.x.push_back((raw.x[a] + raw.x[b]) / 2);
    raw.y.push_back((raw.y[a] + raw.y[b]) / 2);
    raw.node_id.push_back(1);
    auto half = raw.triangles[std::size_t(cells[0])];
    std::replace(half.begin(), half.end(), nodes.first, middle);
    auto& other_half = raw.triangles[std::size_t(cells[0])];
    std::replace(other_half.begin(), other_half.end(), nodes.second, middle);
    raw.triangles.push_back(half);
    raw.cell_id.push_back(2);
    const std::string text = complaint(raw);
    EXPECT_TRUE(has(text, "a node hangs on the side of a triangle: node 1 at")) << text;
    EXPECT_TRUE(has(text, "triangle " + std::to_string(raw.cell_id[std::size_t(cells[1])])))
        << text;
    return;
  }
}

TEST_P(Checks, NameLinesInsideAndBesideTheMesh) {
  TriMesh view;
  view.triangles = raw.triangles;
  for (const auto& [nodes, cells] : reference::cells_at_edges(view))
    if (cells.size() == 2) {
      raw.lines.push_back({{nodes.second, nodes.first}, 2, 424242});
      break;
    }
  std::string text = complaint(raw);
  EXPECT_TRUE(has(text, "a named line is not on the boundary: line 424242 of \"east\"")) << text;
  raw.lines.back() = {{0, 0}, 3, 77};
  raw.lines.back().nodes[1] = LocalIndex(raw.x.size() - 1);
  text = complaint(raw);
  EXPECT_TRUE(has(text, "line 77 of \"south\"")) << text;
}

TEST_P(Checks, NameNodesThatAreNotFinite) {
  const std::size_t n = random() % raw.x.size();
  (random() % 2 == 0 ? raw.x : raw.y)[n] = random() % 2 == 0 ? std::nan("") : INFINITY;
  EXPECT_TRUE(has(complaint(raw), "not a finite number: node " + std::to_string(raw.node_id[n])));
}

INSTANTIATE_TEST_SUITE_P(Random, Checks, ::testing::Range(0, 40));

TEST(MeshMeasures, AreTheRadiusOfTheInnerCircleAndTheSmallestAngle) {
  TriMesh m;
  m.x = {0, 3, 0};
  m.y = {0, 0, 4};
  m.triangles = {{0, 1, 2}};
  EXPECT_DOUBLE_EQ(step_lengths(m)[0], 1);
  EXPECT_DOUBLE_EQ(smallest_angles(m)[0], std::asin(0.6) * 180 / std::acos(-1.0));
}

}  // namespace
}  // namespace terrawave::domain
