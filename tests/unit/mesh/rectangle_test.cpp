// The built-in rectangles: counts, shapes, boundaries, perturbation.
#include "terrawave/domain/rectangle.hpp"

#include <cmath>
#include <map>
#include <numbers>

#include <gtest/gtest.h>

#include "terrawave/base/error.hpp"
#include "terrawave/domain/tri_mesh_topology.hpp"

namespace terrawave::domain {
namespace {

constexpr RectanglePattern patterns[] = {RectanglePattern::right, RectanglePattern::criss_cross,
                                         RectanglePattern::equilateral};

double area(const TriMesh& m, std::size_t c) {
  const auto& t = m.triangles[c];
  const auto i = std::size_t(t[0]), j = std::size_t(t[1]), k = std::size_t(t[2]);
  return 0.5 * ((m.x[j] - m.x[i]) * (m.y[k] - m.y[i]) - (m.x[k] - m.x[i]) * (m.y[j] - m.y[i]));
}

TEST(Rectangle, ComesWithinOnePercentOfThePapersSizesWithWellShapedBoxes) {
  for (const auto pattern : patterns)
    for (const Index cells : {4016, 16040, 64052, 256576, 1001898, 2000608, 3000948}) {
      const Rectangle r = with_cells({-5, -5, 5, 5, pattern}, cells);
      EXPECT_NEAR(double(cell_count(r)) / double(cells), 1.0, 0.01);
      const double dx = 10.0 / double(r.columns), dy = 10.0 / double(r.rows);
      const double ideal = pattern == RectanglePattern::equilateral ? std::sqrt(3.0) / 2 : 1.0;
      EXPECT_LT(std::abs(std::log(dy / dx / ideal)), std::log(1.6)) << r.columns << 'x' << r.rows;
    }
}

TEST(Rectangle, SmallTargetsAndLongChannelsWork) {
  for (const auto pattern : patterns)
    for (const Index cells : {1, 2, 3, 7, 100})
      for (const double length : {1.0, 1000.0}) {
        const Rectangle r = with_cells({0, 0, length, 1, pattern}, cells);
        EXPECT_GE(cell_count(r), 1);
        EXPECT_EQ(make_rectangle(r).cells(), cell_count(r));
      }
}

TEST(Rectangle, IsCountedWithoutBeingMade) {
  for (const auto pattern : patterns)
    for (const Index columns : {1, 2, 7})
      for (const Index rows : {1, 2, 3, 8}) {
        const Rectangle r{0, 0, 1, 1, pattern, columns, rows};
        const TriMesh m = make_rectangle(r);
        const MeshSize size = size_of(r);
        EXPECT_EQ(size.cells, m.cells());
        EXPECT_EQ(size.nodes, m.nodes());
        EXPECT_EQ(size.edges, connect(m).edges());
        EXPECT_EQ(size.boundary_edges, Index(m.boundary.size()));
      }
  const Rectangle huge = with_cells({0, 0, 1, 1, RectanglePattern::right}, 100'000'000'000);
  EXPECT_NEAR(double(size_of(huge).edges), 1.5e11, 1.5e9);
  EXPECT_THROW(make_rectangle(huge), InputError);
  EXPECT_THROW(size_of({0, 0, 1, 1, RectanglePattern::right, Index{1} << 40, 1}), InputError);
}

TEST(Rectangle, TilesTheRectangleAndNamesItsSides) {
  for (const auto pattern : patterns)
    for (const double perturbation : {0.0, 0.3})
      for (const Index rows : {1, 2, 5}) {
        const TriMesh m = make_rectangle({-1, 2, 6, 5, pattern, 4, rows, perturbation, 5});
        double sum = 0;
        for (std::size_t c = 0; c < m.triangles.size(); ++c) {
          EXPECT_GT(area(m, c), 0);
          sum += area(m, c);
        }
        EXPECT_NEAR(sum, 21, 1e-12);
        EXPECT_NO_THROW(connect(m));  // every side shared or in the boundary
        std::map<std::string, double> length;
        for (const auto& e : m.boundary) {
          const auto a = std::size_t(e.nodes[0]), b = std::size_t(e.nodes[1]);
          const auto& name = m.groups[std::size_t(e.group)];
          length[name] += std::hypot(m.x[b] - m.x[a], m.y[b] - m.y[a]);
          const double x = m.x[a], y = m.y[a];
          EXPECT_TRUE(name == "west"    ? x == -1
                      : name == "east"  ? x == 6
                      : name == "south" ? y == 2
                                        : y == 5);
        }
        EXPECT_EQ(length.size(), 4U);
        EXPECT_NEAR(length["west"], 3, 1e-12);
        EXPECT_NEAR(length["north"], 7, 1e-12);
      }
}

TEST(Rectangle, EquilateralCellsAreEquilateralAwayFromTheWalls) {
  const TriMesh m =
      make_rectangle({0, 0, 8, 3 * std::sqrt(3.0), RectanglePattern::equilateral, 8, 6});
  int equilateral = 0, halves = 0;
  for (std::size_t c = 0; c < m.triangles.size(); ++c) {
    const double whole = std::sqrt(3.0) / 4;
    if (std::abs(area(m, c) - whole) < 1e-12) ++equilateral;
    if (std::abs(area(m, c) - whole / 2) < 1e-12) ++halves;
  }
  EXPECT_EQ(halves, 2 * 6);
  EXPECT_EQ(equilateral, 15 * 6);
}

TEST(Rectangle, TheSeedDecidesThePerturbation) {
  const auto make = [](std::uint64_t seed) {
    return make_rectangle({0, 0, 1, 1, RectanglePattern::right, 9, 9, 0.25, seed});
  };
  EXPECT_EQ(make(1).x, make(1).x);
  EXPECT_NE(make(1).x, make(2).x);
}

TEST(Rectangle, CrissCrossKeepsTheSquaresSymmetry) {
  const TriMesh m = make_rectangle({-5, -5, 5, 5, RectanglePattern::criss_cross, 12, 12});
  std::map<std::pair<double, double>, int> at;
  for (Index i = 0; i < m.nodes(); ++i) ++at[{m.x[std::size_t(i)], m.y[std::size_t(i)]}];
  for (const auto& [p, n] : at) {
    EXPECT_TRUE(at.contains({-p.first, p.second})) << p.first << ' ' << p.second;
    EXPECT_TRUE(at.contains({p.second, p.first}));
  }
}

TEST(Rectangle, RefusesWhatCannotBe) {
  const double nan = std::nan("");
  EXPECT_THROW(make_rectangle({0, 0, 0, 1}), InputError);
  EXPECT_THROW(make_rectangle({0, 1, 1, 0}), InputError);
  EXPECT_THROW(make_rectangle({nan, 0, 1, 1}), InputError);
  EXPECT_THROW(make_rectangle({0, 0, 1, 1, RectanglePattern::right, 0, 1}), InputError);
  EXPECT_THROW(make_rectangle({0, 0, 1, 1, RectanglePattern::right, 1 << 20, 1 << 20}), InputError);
  EXPECT_THROW(make_rectangle({0, 0, 1, 1, RectanglePattern::right, 2, 2, 0.4}), InputError);
  EXPECT_THROW(with_cells({0, 0, 1, 1}, 0), InputError);
  EXPECT_THROW(rectangle_pattern("hexagonal"), InputError);
  EXPECT_EQ(rectangle_pattern("criss-cross"), RectanglePattern::criss_cross);
}

}  // namespace
}  // namespace terrawave::domain
