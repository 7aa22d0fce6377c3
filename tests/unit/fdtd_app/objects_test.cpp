// Shapes, what they own on a grid, and the fillings of edges and faces.
#include <cmath>

#include <gtest/gtest.h>

#include "terrawave/solvers/fdtd/fdtd_model.hpp"
#include "terrawave/solvers/fdtd/geometry_grid.hpp"
#include "terrawave/solvers/fdtd/geometry_objects.hpp"

namespace terrawave::fdtd {
namespace {

const std::vector<Material> kMaterials = {{"vacuum"},
                                          {"board", 2.2},
                                          {"pec", 1, 0, 1, 0, true},
                                          {"magnet", 1, 0, 4, 100},
                                          {"sea", 81, 4}};

GridLines cube(Index n, double d = 1e-3) {
  const auto l = uniform_lines(0, d, n);
  return {l, l, l};
}
CellBox whole(const GridLines& g) {
  return {{0, 0, 0}, {Index(g[0].size()) - 1, Index(g[1].size()) - 1, Index(g[2].size()) - 1}};
}
Object solid(SolidPtr s, int material, std::int64_t priority = 0, bool box = true) {
  Object o;
  o.name = "solid";
  o.kind = "box";
  o.material = material;
  o.priority = priority;
  o.solid = std::move(s);
  o.plain_box = box;
  return o;
}
Object plate(int normal, double at, RegionPtr r, int material, bool rectangle) {
  Object o;
  o.name = "plate";
  o.kind = "plate";
  o.material = material;
  o.sheet = Object::Sheet{normal, at, std::move(r), rectangle};
  return o;
}
Raster paint(const GridLines& g, const std::vector<Object>& o) {
  return rasterise(g, o, kMaterials, whole(g), whole(g));
}

TEST(Objects, DielectricBoxOwnsItsCellsAndTouchingBoxesShareNone) {
  const auto g = cube(10);
  const auto r = paint(g, {solid(make_box({0, 0, 0}, {5e-3, 10e-3, 10e-3}), 1),
                           solid(make_box({5e-3, 0, 0}, {10e-3, 10e-3, 10e-3}), 3)});
  EXPECT_EQ(r.reports[0].cells_owned, 500);
  EXPECT_EQ(r.reports[1].cells_owned, 500);
  EXPECT_EQ(r.reports[0].snapped[0], 0);
}

TEST(Objects, BoxBetweenLinesSnapsAndSaysHowFar) {
  const auto g = cube(10);
  const auto r = paint(g, {solid(make_box({2.2e-3, 2e-3, 2e-3}, {4.4e-3, 4e-3, 4.9e-3}), 2)});
  EXPECT_EQ(r.reports[0].cells_owned, 2 * 2 * 3);
  EXPECT_NEAR(r.reports[0].snapped[0], 0.4e-3, 1e-12);
  EXPECT_NEAR(r.reports[0].snapped[2], 0.1e-3, 1e-12);
  // Metal: all edges inside and on the surface.
  EXPECT_EQ(r.reports[0].edges_owned, 2 * 3 * 4 + 3 * 2 * 4 + 3 * 3 * 3);
}

TEST(Objects, PlateOwnsItsEdgesWithTheRim) {
  const auto g = cube(10);
  const auto r = paint(g, {plate(2, 3.1e-3, make_rectangle({2e-3, 3e-3}, {6e-3, 5e-3}), 2, true)});
  EXPECT_EQ(r.reports[0].cells_owned, 0);
  EXPECT_EQ(r.reports[0].edges_owned, 4 * 3 + 5 * 2);
  EXPECT_NEAR(r.reports[0].snapped[2], 0.1e-3, 1e-12);
  EXPECT_NE(r.metal[0][std::size_t(r.node_at(2, 5, 3))], 0);  // the rim
  EXPECT_EQ(r.metal[0][std::size_t(r.node_at(2, 6, 3))], 0);
  EXPECT_EQ(r.metal[2][std::size_t(r.node_at(3, 4, 3))], 0);
}

TEST(Objects, ThinMetalBoxesBecomeSheetsStripsAndLines) {
  const auto g = cube(10);
  const auto r = paint(g, {solid(make_box({2e-3, 2e-3, 2e-3}, {4e-3, 4e-3, 2.1e-3}), 2),
                           solid(make_box({6e-3, 6e-3, 1e-3}, {6e-3, 6e-3, 4e-3}), 2)});
  EXPECT_TRUE(r.reports[0].flat);
  EXPECT_EQ(r.reports[0].edges_owned, 2 * 3 + 3 * 2);
  EXPECT_EQ(r.reports[1].edges_owned, 3);
  EXPECT_NE(r.metal[2][std::size_t(r.node_at(6, 6, 2))], 0);
}

TEST(Objects, ThinDielectricOwnsNothing) {
  const auto g = cube(10);
  const auto r = paint(g, {solid(make_box({2e-3, 2e-3, 2e-3}, {4e-3, 4e-3, 2.1e-3}), 1)});
  EXPECT_EQ(r.reports[0].cells_owned, 0);
  EXPECT_EQ(r.reports[0].edges_owned, 0);
}

TEST(Objects, LaterWinsUnlessPrioritySaysOtherwise) {
  const auto g = cube(4);
  auto a = solid(make_box({0, 0, 0}, {4e-3, 4e-3, 4e-3}), 1);
  auto b = solid(make_box({1e-3, 1e-3, 1e-3}, {3e-3, 3e-3, 3e-3}), 2);
  EXPECT_EQ(paint(g, {a, b}).reports[1].cells_owned, 8);
  EXPECT_EQ(paint(g, {b, a}).reports[0].cells_owned, 0);
  b.priority = 1;
  EXPECT_EQ(paint(g, {b, a}).reports[0].cells_owned, 8);
  EXPECT_EQ(paint(g, {b, a}).reports[0].cells_covered, 8);
}

TEST(Objects, ASheetOfAirCutsASlot) {
  const auto g = cube(10);
  const auto metal = plate(2, 5e-3, make_rectangle({0, 0}, {10e-3, 10e-3}), 2, true);
  const auto slot = plate(2, 5e-3, make_rectangle({4e-3, 2e-3}, {6e-3, 8e-3}), 0, true);
  const auto r = paint(g, {metal, slot});
  EXPECT_NE(r.metal[0][std::size_t(r.node_at(3, 5, 5))], 0);
  EXPECT_EQ(r.metal[0][std::size_t(r.node_at(4, 5, 5))], 0);
  EXPECT_NE(r.metal[1][std::size_t(r.node_at(4, 5, 5))], 0);  // the slot's rim stays
  EXPECT_EQ(r.metal[1][std::size_t(r.node_at(5, 5, 5))], 0);
}

TEST(Objects, VolumesOfCurvedShapes) {
  const auto g = cube(40);
  const Vec3 c{20.13e-3, 19.71e-3, 20.37e-3};  // on no symmetry of the grid
  const double pi = M_PI;
  const auto count = [&](SolidPtr s) {
    return double(paint(g, {solid(std::move(s), 1, 0, false)}).reports[0].cells_owned);
  };
  EXPECT_NEAR(count(make_sphere(c, 15e-3)), 4 * pi / 3 * 15 * 15 * 15, 60);
  EXPECT_NEAR(count(make_cone({20e-3, 20e-3, 5e-3}, {20e-3, 20e-3, 35e-3}, 10e-3, 10e-3)),
              pi * 100 * 30, 150);
  EXPECT_NEAR(count(make_cone({20e-3, 20e-3, 5e-3}, {20e-3, 20e-3, 35e-3}, 12e-3, 0)),
              pi * 144 * 30 / 3, 150);
  EXPECT_NEAR(count(make_prism(1, make_polygon({{5e-3, 5e-3}, {35e-3, 5e-3}, {5e-3, 35e-3}}), 10e-3,
                               20e-3)),
              4500, 160);
  EXPECT_EQ(count(make_prism(
                2, make_path({{5e-3, 5e-3}, {5e-3, 25e-3}, {25e-3, 25e-3}}, 4e-3, false), 0, 1e-3)),
            4 * 22 + 18 * 4 + 0);
}

TEST(Objects, TransformsTurnAndMove) {
  const auto g = cube(20);
  const auto box = make_box({0, 0, 0}, {8e-3, 2e-3, 1e-3});
  const auto t = Transform::make({1, 1, 1}, {0, 0, 1}, 90, {10e-3, 5e-3, 3e-3});
  const auto r = paint(g, {solid(transformed(box, t), 1, 0, false)});
  EXPECT_EQ(r.reports[0].cells_owned, 16);
  EXPECT_NEAR(r.reports[0].asked.low[0], 8e-3, 1e-12);
  EXPECT_NEAR(r.reports[0].asked.high[1], 13e-3, 1e-12);
  const auto back = t.inverse();
  const Vec3 p = back(t(Vec3{1, 2, 3}));
  EXPECT_NEAR(p[0], 1, 1e-12);
  EXPECT_NEAR(p[1], 2, 1e-12);
  EXPECT_NEAR(p[2], 3, 1e-12);
  const auto turned = Transform::make({1, 1, 1}, {1, 1, 1}, 120, {0, 0, 0});
  const Vec3 q = turned(Vec3{1, 0, 0});  // x -> y -> z -> x
  EXPECT_NEAR(q[1], 1, 1e-12);
}

TEST(Objects, WindowsPaintWhatTheWholePaints) {
  const auto g = cube(12);
  const std::vector<Object> objects = {solid(make_sphere({6e-3, 6e-3, 6e-3}, 4e-3), 2, 0, false),
                                       plate(0, 6e-3, make_disc({6e-3, 6e-3}, 5e-3), 2, false),
                                       solid(make_box({0, 0, 0}, {12e-3, 12e-3, 5e-3}), 1)};
  const auto all = paint(g, objects);
  Index cells = 0, edges = 0;
  for (Index part = 0; part < 3; ++part) {
    const CellBox owned{{0, 0, 4 * part}, {12, 12, 4 * part + 4}};
    CellBox window = owned;
    window.low[2] = std::max<Index>(0, window.low[2] - 1);
    window.high[2] = std::min<Index>(12, window.high[2] + 1);
    const auto r = rasterise(g, objects, kMaterials, window, owned);
    for (const auto& report : r.reports) {
      cells += report.cells_owned;
      edges += report.edges_owned;
    }
    for (int c = 0; c < 3; ++c)
      for (Index k = owned.low[2]; k < owned.high[2]; ++k)
        for (Index j = 0; j <= 12; ++j)
          for (Index i = 0; i <= 12; ++i)
            EXPECT_EQ(r.metal[std::size_t(c)][std::size_t(r.node_at(i, j, k))],
                      all.metal[std::size_t(c)][std::size_t(all.node_at(i, j, k))]);
  }
  Index all_cells = 0, all_edges = 0;
  for (const auto& report : all.reports) {
    all_cells += report.cells_owned;
    all_edges += report.edges_owned;
  }
  EXPECT_EQ(cells, all_cells);
  EXPECT_EQ(edges, all_edges);
}

TEST(Materials, MeansOfEdgesAndFaces) {
  GridLines g = cube(4);
  g[0] = {0, 1e-3, 2e-3, 3.5e-3, 5e-3};
  const std::vector<Object> objects = {solid(make_box({2e-3, 0, 0}, {5e-3, 4e-3, 4e-3}), 1),
                                       solid(make_box({2e-3, 0, 2e-3}, {5e-3, 4e-3, 4e-3}), 3)};
  const auto r = paint(g, objects);
  const MaterialMap map(g, r, objects, kMaterials, {false, false, false});
  // Ey on the line x = 2 mm, below: areas 1 (vacuum) and 1.5 (board) mm.
  EXPECT_NEAR(map.edge(1, {2, 1, 1}).storage / kEps0, (1 * 1 + 1.5 * 2.2) / 2.5, 1e-12);
  EXPECT_EQ(map.edge(0, {2, 1, 1}).storage, kEps0 * 2.2);  // four equal cells: exactly
  // Hx on x = 2 mm between vacuum (0.5 mm) and mu = 4 (0.75 mm).
  EXPECT_NEAR(map.face(0, {2, 1, 3}).storage / kMu0, 1.25 / (0.5 / 1 + 0.75 / 4), 1e-12);
  EXPECT_EQ(map.face(0, {2, 1, 3}).loss, 0);
  EXPECT_EQ(map.face(0, {3, 1, 3}).loss, 100);
  // The grid's end repeats the last cell.
  EXPECT_EQ(map.edge(1, {0, 1, 1}).storage, kEps0);
}

TEST(Materials, TableIsSharedAndMetalIsZero) {
  FillingTable t;
  EXPECT_EQ(t.index({1, 2}), 1u);
  EXPECT_EQ(t.index({1, 3}), 2u);
  EXPECT_EQ(t.index({1, 2}), 1u);
}

}  // namespace
}  // namespace terrawave::fdtd
