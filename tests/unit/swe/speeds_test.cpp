// T2 of the method: the Roe identity, the characteristic polynomial, sgn(A), the entropy fix.
#include <random>

#include <gtest/gtest.h>

#include "reference/swe_dense.hpp"
#include "terrawave/solvers/swe/swe_cells.hpp"

namespace terrawave::swe::test {
namespace {

struct Draw {
  std::mt19937_64 random{7};
  double operator()(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  }
  double logarithmic(double low, double high) {
    return std::exp((*this)(std::log(low), std::log(high)));
  }
};

// A state with shear J below `j_max`, depths 0.01 to 5 m.
Column<double> random_column(Draw& draw, double g, double ratio, double j_max) {
  Column<double> c{draw.logarithmic(0.01, 5), draw.logarithmic(0.01, 5), 0, 0};
  const double shear = std::sqrt(draw(0, j_max) * (1 - ratio) * g * (c.h1 + c.h2));
  const double mean = draw(-2, 2);
  c.u1 = mean + shear / 2;
  c.u2 = mean - shear / 2;
  return c;
}

TEST(Speeds, AreRootsOfTheCharacteristicPolynomial) {
  Draw draw;
  for (int k = 0; k < 20000; ++k) {
    // Four Newton steps reach rounding for J < 0.95 where r > 0.9, and for J < 0.5 where r > 0.5.
    const bool close = k % 2 == 0;
    const double ratio = close ? draw(0.9, 0.9999) : draw(0.5, 0.9), g = 9.81;
    const auto physics = make_physics<double>(g, ratio);
    const Column<double> c = random_column(draw, g, ratio, close ? 0.95 : 0.5);
    const Speeds<double> x = speeds(physics, c);
    ASSERT_LE(x.x1, x.x2);
    ASSERT_LE(x.x2, x.x3);
    ASSERT_LE(x.x3, x.x4);
    const auto exact = reference::speeds(g, ratio, c.h1, c.h2, c.u1, c.u2);
    // Relative to the speed of internal waves, which is the smallest scale there is.
    const double internal = std::sqrt((1 - ratio) * g * c.h1 * c.h2 / (c.h1 + c.h2));
    const double found[4] = {x.x1, x.x2, x.x3, x.x4};
    for (std::size_t i = 0; i < 4; ++i)
      ASSERT_NEAR(found[i], double(exact[i]), 1e-11 * internal)
          << "r " << ratio << " h " << c.h1 << " " << c.h2 << " u " << c.u1 << " " << c.u2;
  }
}

TEST(Speeds, AtRestAreTheClosedForm) {
  Draw draw;
  for (int k = 0; k < 1000; ++k) {
    const double ratio = draw(0, 1), g = 9.81, h1 = draw(0.1, 5), h2 = draw(0.1, 5);
    const Speeds<double> x = speeds(make_physics<double>(g, ratio), {h1, h2, 0.0, 0.0});
    const double root = std::sqrt((h1 + h2) * (h1 + h2) - 4 * (1 - ratio) * h1 * h2);
    EXPECT_NEAR(x.x4, std::sqrt(g / 2 * (h1 + h2 + root)), 1e-13 * x.x4);
    EXPECT_NEAR(x.x3, std::sqrt(2 * g * (1 - ratio) * h1 * h2 / (h1 + h2 + root)), 1e-12 * x.x4);
    EXPECT_EQ(x.x1, -x.x4);
    EXPECT_EQ(x.x2, -x.x3);
  }
}

// T3's table, to the digits given there.
TEST(Speeds, OfTheTable) {
  const struct {
    double h1, h2, r, external, internal;
  } rows[] = {
      {1, 1, .9, 4.37225150, 0.70951874},         {1, 1, .98, 4.41830335, 0.31399915},
      {.5, .5, .98, 3.12421226, 0.22203093},      {.2, .8, .98, 3.12706042, 0.17746296},
      {4, 1, .998, 7.00244950, 0.12530373},       {2.5, 2.5, .998, 7.00181853, 0.15664378},
      {100, 400, .9986, 70.02785898, 1.04831590}, {100, 900, .44, 96.37310834, 22.85222066}};
  for (const auto& row : rows) {
    const Speeds<double> x = speeds(make_physics<double>(9.81, row.r), {row.h1, row.h2, 0.0, 0.0});
    EXPECT_NEAR(x.x4, row.external, 1e-8);
    EXPECT_NEAR(x.x3, row.internal, 1e-8);
  }
}

// Complex pairs give their real part; nothing is ever unordered or not finite.
TEST(Speeds, StayFiniteAndOrderedWithoutHyperbolicity) {
  Draw draw;
  for (int k = 0; k < 20000; ++k) {
    const double ratio = draw(0, 0.9999), g = 9.81;
    const Column<double> c = random_column(draw, g, ratio, 100);
    const auto check = [&](auto real) {
      using Real = decltype(real);
      const Speeds<Real> x =
          speeds(make_physics<Real>(g, ratio), {Real(c.h1), Real(c.h2), Real(c.u1), Real(c.u2)});
      const double most = std::max(std::abs(c.u1), std::abs(c.u2)) + std::sqrt(g * (c.h1 + c.h2));
      ASSERT_LE(x.x1, x.x2);
      ASSERT_LE(x.x2, x.x3);
      ASSERT_LE(x.x3, x.x4);
      ASSERT_LE(std::max(-x.x1, x.x4), Real(1.2 * most));
    };
    check(0.0);
    check(0.0f);
  }
}

TEST(Speeds, SinglePrecisionKeepsTheInternalPair) {
  Draw draw;
  for (int k = 0; k < 20000; ++k) {
    const double ratio = draw(0.9, 0.999), g = 9.81;
    Column<double> c = random_column(draw, g, ratio, 0.8);
    c.u1 -= (c.u1 + c.u2) / 2;  // the frame of the mean: what is lost to it is not the solver's
    c.u2 = -c.u1;
    const Column<float> f{float(c.h1), float(c.h2), float(c.u1), float(c.u2)};
    const Speeds<float> x = speeds(make_physics<float>(g, ratio), f);
    const auto exact = reference::speeds(9.81f, float(ratio), f.h1, f.h2, f.u1, f.u2);
    const double internal = std::sqrt((1 - ratio) * g * c.h1 * c.h2 / (c.h1 + c.h2));
    // 1 - r itself is known to 6e-8 / (1 - r).
    ASSERT_NEAR(x.x2, double(exact[1]), 5e-4 * internal);
    ASSERT_NEAR(x.x3, double(exact[2]), 5e-4 * internal);
  }
}

// The two pairs give the four speeds, and the polynomial of the left-going one, wherever they claim
// to be found. For J < 0.5 that is wherever two speeds are below zero and two above.
TEST(Pairs, AreThoseOfTheFourSpeeds) {
  Draw draw;
  int found = 0, apart = 0;
  for (int k = 0; k < 20000; ++k) {
    const double ratio = draw(0, 0.9999), g = 9.81;
    Column<double> c = random_column(draw, g, ratio, 0.5);
    const double slow = (c.u1 + c.u2) / 2 * 0.9;  // a tenth of the mean velocity is left
    c.u1 -= slow;
    c.u2 -= slow;
    const auto physics = make_physics<double>(g, ratio);
    Resolvent<double> resolvent = begin_pairs(physics, c, 1 / (c.h1 + c.h2));
    const bool trusted = solve_pairs(resolvent) > 0;
    const auto exact = reference::speeds(g, ratio, c.h1, c.h2, c.u1, c.u2);
    const bool two_and_two = exact[1] < 0 && exact[2] > 0;
    if (two_and_two) ++apart;
    if (!trusted || !two_and_two) continue;
    ++found;
    const Pairs<double> p(resolvent);
    // The roots of the discriminants lose what the internal speeds are smaller than the external.
    const double whole = double(exact[3] - exact[0]);
    const double found_x[4] = {p.x.x1, p.x.x2, p.x.x3, p.x.x4};
    for (std::size_t i = 0; i < 4; ++i)
      ASSERT_NEAR(found_x[i], double(exact[i]), 2e-15 * whole)
          << "r " << ratio << " h " << c.h1 << " " << c.h2 << " u " << c.u1 << " " << c.u2;
    ASSERT_NEAR(p.linear, -double(exact[0] + exact[1]), 2e-15 * whole);
  }
  EXPECT_GT(found, 10000);
  EXPECT_GT(found, 0.95 * apart);  // what is not trusted is only slower
}

Flow<double> cell_of(const Column<double>& c, double bottom) {
  return flow_of(CellState<double>{c.h1, c.h1 * c.u1, 0, c.h2, c.h2 * c.u2, 0, bottom});
}

struct Edge {
  Flow<double> left, right;
  double dH;
  EdgeSides<double> sides;
};
Edge random_edge(Draw& draw, double g, double ratio) {
  Column<double> a = random_column(draw, g, ratio, 0.5);
  Column<double> b = a;
  b.h1 *= draw(0.7, 1.4);
  b.h2 *= draw(0.7, 1.4);
  b.u1 += draw(-0.05, 0.05);
  b.u2 += draw(-0.05, 0.05);
  const double bottom_l = draw(1, 2), bottom_r = draw(1, 2);
  const Flow<double> l = cell_of(a, bottom_l), r = cell_of(b, bottom_r);
  return {l, r, bottom_r - bottom_l, EdgeSides<double>(l, r, false, 1.0, 0.0)};
}

// F(w_r) - F(w_l) - B dw = A dw, with the averages' A and a flat bottom (the bottom's terms
// cancel).
TEST(Roe, Identity) {
  Draw draw;
  for (int k = 0; k < 5000; ++k) {
    const double g = 9.81, ratio = draw(0, 0.999);
    Edge e = random_edge(draw, g, ratio);
    const auto flatten = [](Flow<double>& f) {
      f.level1 = (f.h1 + f.h2) - 1;
      f.level2 = f.h2 - 1;
    };
    flatten(e.left);
    flatten(e.right);
    e.sides = EdgeSides<double>(e.left, e.right, false, 1.0, 0.0);
    const auto physics = make_physics<double>(g, ratio);
    const Vec4<double> R = residual(physics, e.sides.mean, e.sides.l, e.sides.r);
    const auto A = reference::matrix(g, ratio, e.sides.mean.h1, e.sides.mean.h2, e.sides.mean.u1,
                                     e.sides.mean.u2);
    const auto& l = e.sides.l;
    const auto& r = e.sides.r;
    const double dw[4] = {r.h1 - l.h1, r.q1 - l.q1, r.h2 - l.h2, r.q2 - l.q2};
    const double found[4] = {R.a, R.b, R.c, R.d};
    for (std::size_t i = 0; i < 4; ++i) {
      double expected = 0, size = 0;
      for (std::size_t j = 0; j < 4; ++j) {
        expected += double(A[i][j]) * dw[j];
        size += std::abs(double(A[i][j]) * dw[j]);
      }
      // Sums of terms of `size` and of the momentum fluxes, each with a few roundings.
      const double fluxes = 20 * (e.left.h1 + e.left.h2) * (1 + g * (e.left.h1 + e.left.h2));
      ASSERT_NEAR(found[i], expected, 1e-13 * (size + fluxes));
    }
  }
}

// The chain of sparse products equals K sgn(D) K^-1 with dense eigenvectors in long double.
TEST(Roe, SignOfTheMatrix) {
  Draw draw;
  for (int k = 0; k < 5000; ++k) {
    const double g = 9.81, ratio = draw(0.5, 0.99);
    const Edge e = random_edge(draw, g, ratio);
    const auto physics = make_physics<double>(g, ratio);
    const Column<double>& m = e.sides.mean;
    const Speeds<double> x = speeds(physics, m);
    const double whole = x.x4 - x.x1;
    const double gap = std::min({x.x2 - x.x1, x.x3 - x.x2, x.x4 - x.x3}) / whole;
    if (gap < 1e-3) continue;  // the reference itself divides by the gaps
    const Vec4<double> R{draw(-1, 1), draw(-1, 1), draw(-1, 1), draw(-1, 1)};
    const Vec4<double> v = upwinding(physics, m, x, R);
    const auto expected =
        reference::sign_times(g, ratio, m.h1, m.h2, m.u1, m.u2, {R.a, R.b, R.c, R.d});
    const double found[4] = {v.a, v.b, v.c, v.d};
    double size = 1;
    for (const auto& w : expected) size = std::max(size, std::abs(double(w)));
    for (std::size_t i = 0; i < 4; ++i)
      ASSERT_NEAR(found[i], double(expected[i]), 1e-12 * size / (gap * gap));
  }
}

// The part of R that runs to the right, from the pairs, equals (R + K sgn(D) K^-1 R) / 2.
TEST(Roe, PartThatRunsToTheRight) {
  Draw draw;
  int compared = 0;
  for (int k = 0; k < 5000; ++k) {
    const double g = 9.81, ratio = draw(0, 0.999);
    const Edge e = random_edge(draw, g, ratio);
    const auto physics = make_physics<double>(g, ratio);
    Column<double> m = e.sides.mean;
    const double slow = (m.u1 + m.u2) / 2 * 0.9;
    m.u1 -= slow;
    m.u2 -= slow;
    Resolvent<double> resolvent = begin_pairs(physics, m, e.sides.per_depth);
    const bool found = solve_pairs(resolvent) > 0;
    const Pairs<double> pairs(resolvent);
    const double whole = pairs.x.x4 - pairs.x.x1;
    const double gap = (pairs.x.x3 - pairs.x.x2) / whole;
    if (!found || !(pairs.x.x2 < 0 && pairs.x.x3 > 0) || gap < 1e-3) continue;
    ++compared;
    const Vec4<double> R{draw(-1, 1), draw(-1, 1), draw(-1, 1), draw(-1, 1)};
    const Vec4<double> p = right_going(physics, m, pairs, R);
    const auto sign = reference::sign_times(g, ratio, m.h1, m.h2, m.u1, m.u2, {R.a, R.b, R.c, R.d});
    const double given[4] = {R.a, R.b, R.c, R.d}, got[4] = {p.a, p.b, p.c, p.d};
    double size = 1;
    for (const auto& w : sign) size = std::max(size, std::abs(double(w)));
    for (std::size_t i = 0; i < 4; ++i)
      ASSERT_NEAR(got[i], (given[i] + double(sign[i])) / 2, 1e-13 * size / gap);
  }
  EXPECT_GT(compared, 2000);
}

// Where the margin says that the fix cannot act, the full fix adds nothing.
TEST(EntropyFix, MarginIsSafe) {
  Draw draw;
  int acts = 0, spared = 0;
  for (int k = 0; k < 50000; ++k) {
    const double g = 9.81, ratio = draw(0, 0.999);
    Column<double> a = random_column(draw, g, ratio, 0.9);
    Column<double> b = random_column(draw, g, ratio, 0.9);
    const double mean = draw(-1, 1) * std::sqrt(g * a.h2);
    a.u1 *= 0.2;
    a.u2 *= 0.2;
    if (k % 2 == 0) {
      b = a;
      b.h1 *= draw(0.8, 1.25);
      b.h2 *= draw(0.8, 1.25);
      b.u1 += draw(-0.1, 0.1);
      b.u2 += draw(-0.1, 0.1);
    }
    if (k % 3 == 0) {
      a.u1 += mean;
      a.u2 += mean;
      b.u1 += mean;
      b.u2 += mean;
    }
    const auto physics = make_physics<double>(g, ratio);
    const EdgeSides<double> s(cell_of(a, 3), cell_of(b, 3), false, 1.0, 0.0);
    const Speeds<double> x = speeds(physics, s.mean);
    const Speeds<double> l = speeds(physics, a), r = speeds(physics, b);
    const Vec4<double> e = fix_viscosity(x, l, r, Gaps<double>(x));
    const double most = std::max(std::max(e.a, e.b), std::max(e.c, e.d));
    if (most > 0) ++acts;
    if (fix_margin(physics, x, s.l, s.r) > 0) {
      ++spared;
      ASSERT_LE(most, 1e-12 * (x.x4 - x.x1))
          << "h " << a.h1 << " " << a.h2 << " " << b.h1 << " " << b.h2 << " u " << a.u1 << " "
          << a.u2 << " r " << ratio;
    }
  }
  EXPECT_GT(acts, 1000);
  EXPECT_GT(spared, 5000);
}

// A delta = R + (0, 0, 0, u2^2 dH): the surrogate of A^-1 R that the fix uses.
TEST(EntropyFix, DeltaIsTheInverseOfR) {
  Draw draw;
  for (int k = 0; k < 2000; ++k) {
    const double g = 9.81, ratio = draw(0, 0.999);
    const Edge e = random_edge(draw, g, ratio);
    const auto& s = e.sides;
    const auto physics = make_physics<double>(g, ratio);
    const Vec4<double> R = residual(physics, s.mean, s.l, s.r);
    const double d2 = s.r.level2 - s.l.level2, d1 = s.r.level1 - s.l.level1 - d2;
    const auto A = reference::matrix(g, ratio, s.mean.h1, s.mean.h2, s.mean.u1, s.mean.u2);
    const double delta[4] = {d1, R.a, d2, R.c};
    const double expected[4] = {R.a, R.b, R.c, R.d + s.mean.u2 * s.mean.u2 * e.dH};
    for (std::size_t i = 0; i < 4; ++i) {
      double sum = 0, size = 1;
      for (std::size_t j = 0; j < 4; ++j) {
        sum += double(A[i][j]) * delta[j];
        size += std::abs(double(A[i][j]) * delta[j]);
      }
      ASSERT_NEAR(sum, expected[i], 2e-13 * size);
    }
  }
}

TEST(Wall, LetsNothingThrough) {
  Draw draw;
  for (int k = 0; k < 2000; ++k) {
    const double g = 9.81, ratio = draw(0.5, 0.99);
    const Column<double> c = random_column(draw, g, ratio, 0.5);
    const CellState<double> cell{c.h1, c.h1 * c.u1, draw(-1, 1), c.h2, c.h2 * c.u2, 0, 1};
    const auto f =
        edge_flux(make_physics<double>(g, ratio), cell, cell, true, 0.6, 0.8, draw(0.1, 3));
    ASSERT_EQ(f.mass1, 0);
    ASSERT_EQ(f.mass2, 0);
  }
}

}  // namespace
}  // namespace terrawave::swe::test
