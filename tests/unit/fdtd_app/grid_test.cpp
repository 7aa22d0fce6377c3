// Grid lines and what they resolve.
#include <cmath>

#include <gtest/gtest.h>

#include "terrawave/base/error.hpp"
#include "terrawave/solvers/fdtd/fdtd_model.hpp"
#include "terrawave/solvers/fdtd/geometry_grid.hpp"

namespace terrawave::fdtd {
namespace {

TEST(Grid, UniformLinesAreMultiples) {
  const auto lines = uniform_lines(-1e-3, 0.4064e-3, 80);
  ASSERT_EQ(lines.size(), 81u);
  EXPECT_EQ(lines[37], -1e-3 + 37 * 0.4064e-3);
}

TEST(Grid, OneRegionIsUniform) {
  const auto lines = graded_lines({{0, 10e-3, 1e-3}}, 1.3);
  ASSERT_EQ(lines.size(), 11u);
  for (std::size_t i = 0; i < 10; ++i) EXPECT_NEAR(lines[i + 1] - lines[i], 1e-3, 1e-15);
  EXPECT_EQ(lines.back(), 10e-3);
}

TEST(Grid, GradedRegionsKeepTheirBoundsTargetsAndRatio) {
  for (const double ratio : {1.1, 1.2, 1.3}) {
    const std::vector<GridRegion> regions = {
        {-20e-3, 0, 2e-3}, {0, 1e-3, 0.25e-3}, {1e-3, 5e-3, 0.5e-3}, {5e-3, 40e-3, 3e-3}};
    const auto lines = graded_lines(regions, ratio);
    EXPECT_LE(worst_ratio(lines).ratio, ratio * (1 + 1e-9));
    for (const auto& r : regions) {
      EXPECT_EQ(lines[std::size_t(nearest_line(lines, r.from))], r.from);
      EXPECT_EQ(lines[std::size_t(nearest_line(lines, r.to))], r.to);
      for (std::size_t i = 0; i + 1 < lines.size(); ++i)
        if (lines[i] >= r.from && lines[i + 1] <= r.to) {
          EXPECT_LE(lines[i + 1] - lines[i], r.cell * (1 + 1e-9));
        }
    }
    // Far from the fine part the target is nearly used.
    EXPECT_GT(lines.back() - lines[lines.size() - 2], 0.8 * 3e-3);
  }
}

TEST(Grid, RefusesGapsAndOverlaps) {
  EXPECT_THROW(graded_lines({{0, 1, 0.1}, {1.2, 2, 0.1}}, 1.3), InputError);
  EXPECT_THROW(graded_lines({{0, 1, 0.1}, {0.8, 2, 0.1}}, 1.3), InputError);
  EXPECT_THROW(graded_lines({{1, 1, 0.1}}, 1.3), InputError);
}

TEST(Grid, RefusesARatioThatCannotBeKept) {
  // Two cells of 1 next to cells of 10 in a region too short to grow.
  EXPECT_THROW(graded_lines({{0, 2, 1}, {2, 2.4, 10}}, 1.3), InputError);
}

TEST(Grid, NearestLine) {
  const std::vector<double> lines = {0, 1, 2, 4};
  EXPECT_EQ(nearest_line(lines, -3), 0);
  EXPECT_EQ(nearest_line(lines, 0.49), 0);
  EXPECT_EQ(nearest_line(lines, 0.5), 0);
  EXPECT_EQ(nearest_line(lines, 0.51), 1);
  EXPECT_EQ(nearest_line(lines, 3.2), 3);
  EXPECT_EQ(nearest_line(lines, 9), 3);
}

TEST(Grid, PhaseErrorFollowsItsSeries) {
  // With a = k d/2 and S = c dt/d: asin(sin(S a)/S)/a - 1
  //   = a^2 (1 - S^2)/6 + a^4 (3/40 - S^2/12 + S^4/120) + O(a^6).
  const double f = 1e9, n = 1.5, c = kLightSpeed / n;
  for (const double cells : {10., 20., 40.}) {
    const double d = c / f / cells, dt = 0.5 * d / c;
    const Resolution r = resolution(n, d, f, dt);
    EXPECT_NEAR(r.cells_per_wavelength, cells, 1e-9);
    const double a2 = std::pow(M_PI / cells, 2), s2 = 0.25;
    const double series = a2 * (1 - s2) / 6 + a2 * a2 * (3. / 40 - s2 / 12 + s2 * s2 / 120);
    EXPECT_NEAR(r.phase_error, series, 0.05 * a2 * a2 * a2);  // asin: 15/336 a^6
  }
  EXPECT_TRUE(std::isinf(resolution(1, 0.2, 1e9, 1e-12).phase_error));
  // At the magic step there is none.
  EXPECT_NEAR(resolution(1, 0.03, 1e9, 0.03 / kLightSpeed).phase_error, 0, 1e-12);
}

}  // namespace
}  // namespace terrawave::fdtd
