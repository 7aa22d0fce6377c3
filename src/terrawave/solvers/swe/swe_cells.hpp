// The formulas of the IR-Roe scheme on one edge and in one cell; de la Asuncion, Mantas, Castro,
// Fernandez-Nieto (2011). Both layers are wet. Normal from the left to the right cell.
#pragma once

#include <cmath>

#include "terrawave/solvers/swe/swe_pairs.hpp"

namespace terrawave::swe {

// What a cell holds: depths (m), discharges (m^2/s), and the bottom's depth below the datum (m).
template <class Real>
struct CellState {
  Real h1, q1x, q1y, h2, q2x, q2y, bottom;
};

// One side of an edge in the edge's frame.
template <class Real>
struct Side {
  Real h1, h2;  // depths
  Real u1, u2;  // velocities along the normal
  Real t1, t2;  // velocities along the edge
  Real q1, q2;  // discharges along the normal
  Real level1;  // free surface, h1 + h2 - bottom
  Real level2;  // interface, h2 - bottom
};

// What an edge gives to its cells, times its length. Mass goes to both sides alike. Momentum is
// relative to the cell's own flux q (x) u, whose sum around a closed cell is zero: a uniform flow
// is kept to the bit.
template <class Real>
struct EdgeFlux {
  Real mass1, mass2;                    // m^3/s
  Real left1x, left1y, left2x, left2y;  // m^4/s^2
  Real right1x, right1y, right2x, right2y;
  Real speed;  // length * max |speed|, m^2/s
};

// What edges need of a cell whatever their direction.
template <class Real>
struct Flow {
  Real h1, h2;
  Real u1x, u1y, u2x, u2y;
  Real level1, level2;
};

template <class Real>
TW_FUNCTION Flow<Real> flow_of(const CellState<Real>& c) {
  Real i1 = c.h1, i2 = c.h2;
  invert(i1, i2);
  const Real level2 = c.h2 - c.bottom;
  return {c.h1,  c.h2, c.q1x * i1, c.q1y * i1, c.q2x * i2, c.q2y * i2, (c.h1 + c.h2) - c.bottom,
          level2};
}

template <class Real>
TW_FUNCTION Side<Real> side_of(const Flow<Real>& c, Real nx, Real ny) {
  using std::fma;
  Side<Real> s;
  s.h1 = c.h1;
  s.h2 = c.h2;
  s.u1 = fma(c.u1x, nx, c.u1y * ny);
  s.u2 = fma(c.u2x, nx, c.u2y * ny);
  s.t1 = fma(c.u1y, nx, -(c.u1x * ny));
  s.t2 = fma(c.u2y, nx, -(c.u2x * ny));
  s.q1 = c.h1 * s.u1;
  s.q2 = c.h2 * s.u2;
  s.level1 = c.level1;
  s.level2 = c.level2;
  return s;
}

// Four components in the order (h1, q1, h2, q2).
template <class Real>
struct Vec4 {
  Real a, b, c, d;
};

// R = F(w_r) - F(w_l) - B dw - S dH in closed form: zero at rest by construction.
template <class Real>
TW_FUNCTION Vec4<Real> residual(const Physics<Real>& physics, const Column<Real>& mean,
                                const Side<Real>& l, const Side<Real>& r) {
  using std::fma;
  const Real d1 = r.level1 - l.level1;
  const Real d2 = r.level2 - l.level2;
  const Real m1 = fma(r.q1, r.u1, -(l.q1 * l.u1));
  const Real m2 = fma(r.q2, r.u2, -(l.q2 * l.u2));
  return {r.q1 - l.q1, fma(physics.g * mean.h1, d1, m1), r.q2 - l.q2,
          fma(physics.g * mean.h2, fma(physics.ratio, d1, physics.reduced * d2), m2)};
}

// (A - x) v + f R, where A is the matrix of the averages.
template <class Real>
struct Horner {
  Real a21, a23, a41, a43, two_u1, two_u2;  // a23 = g h1, a41 = r g h2, a43 = g h2 - u2^2
  TW_FUNCTION Horner(const Physics<Real>& physics, const Column<Real>& m) {
    using std::fma;
    a23 = physics.g * m.h1;
    a43 = physics.g * m.h2;
    a21 = fma(-m.u1, m.u1, a23);
    a41 = physics.ratio * a43;
    a43 = fma(-m.u2, m.u2, a43);
    two_u1 = m.u1 + m.u1;
    two_u2 = m.u2 + m.u2;
  }
  TW_FUNCTION Vec4<Real> operator()(const Vec4<Real>& v, Real x, Real f,
                                    const Vec4<Real>& R) const {
    using std::fma;
    Vec4<Real> w;
    w.a = fma(f, R.a, fma(-x, v.a, v.b));
    w.b = fma(f, R.b, fma(a21, v.a, fma(two_u1 - x, v.b, a23 * v.c)));
    w.c = fma(f, R.c, fma(-x, v.c, v.d));
    w.d = fma(f, R.d, fma(a41, v.a, fma(two_u2 - x, v.d, a43 * v.c)));
    return w;
  }
};

// Newton's coefficients of the cubic through (x_l, f_l).
template <class Real>
struct Newton {
  Real c0, c1, c2, c3;
};

// Inverse gaps between the nodes; gaps below a rounding-level share of the whole are widened.
template <class Real>
struct Gaps {
  Real g12, g23, g34;  // the gaps themselves
  Real i12, i23, i34, i13, i24, i14;
  TW_FUNCTION explicit Gaps(const Speeds<Real>& x) {
    const Real whole = x.x4 - x.x1;
    const Real least = (sizeof(Real) == 8 ? Real(0x1p-40) : Real(0x1p-16)) * whole;
    g12 = x.x2 - x.x1;
    g23 = x.x3 - x.x2;
    g34 = x.x4 - x.x3;
    i12 = larger(g12, least);
    i23 = larger(g23, least);
    i34 = larger(g34, least);
    i13 = larger(x.x3 - x.x1, least);
    i24 = larger(x.x4 - x.x2, least);
    i14 = whole;
    invert(i12, i23, i34);
    invert(i13, i24, i14);
  }
  TW_FUNCTION Newton<Real> operator()(Real f1, Real f2, Real f3, Real f4) const {
    const Real d12 = (f2 - f1) * i12;
    const Real d23 = (f3 - f2) * i23;
    const Real d34 = (f4 - f3) * i34;
    const Real d13 = (d23 - d12) * i13;
    const Real d24 = (d34 - d23) * i24;
    return {f1, d12, d13, (d24 - d13) * i14};
  }
};

template <class Real>
TW_FUNCTION Real sign_of(Real x) {
  return x > Real(0) ? Real(1) : (x < Real(0) ? Real(-1) : Real(0));
}

// Harten and Hyman's width of one speed's fix: positive where the speed grows across the edge.
template <class Real>
struct FixWidth {
  Real gap;      // eps - |x|; 0 where the fix does not act
  Real two_eps;  // 2 eps; 1 where the fix does not act
  TW_FUNCTION FixWidth(Real x, Real left, Real right, Real least) {
    using std::fabs;
    const Real eps = larger(x - left, right - x);
    const Real d = eps - fabs(x);
    gap = d > least ? d : Real(0);
    two_eps = d > least ? eps + eps : Real(1);
  }
};

// |x|_eps - |x| at the four speeds: the viscosity that Harten and Hyman's fix adds, made to change
// no faster than the speeds themselves so that close speeds cannot blow up the interpolation.
template <class Real>
TW_FUNCTION Vec4<Real> fix_viscosity(const Speeds<Real>& x, const Speeds<Real>& l,
                                     const Speeds<Real>& r, const Gaps<Real>& gaps) {
  const Real least = Real(0x1p-20) * (x.x4 - x.x1);
  FixWidth<Real> w1(x.x1, l.x1, r.x1, least), w2(x.x2, l.x2, r.x2, least),
      w3(x.x3, l.x3, r.x3, least), w4(x.x4, l.x4, r.x4, least);
  invert(w1.two_eps, w2.two_eps, w3.two_eps, w4.two_eps);
  Vec4<Real> e{w1.gap * w1.gap * w1.two_eps, w2.gap * w2.gap * w2.two_eps,
               w3.gap * w3.gap * w3.two_eps, w4.gap * w4.gap * w4.two_eps};
  e.b = larger(e.b, e.a - gaps.g12);
  e.c = larger(e.c, e.b - gaps.g23);
  e.d = larger(e.d, e.c - gaps.g34);
  e.c = larger(e.c, e.d - gaps.g34);
  e.b = larger(e.b, e.c - gaps.g23);
  e.a = larger(e.a, e.b - gaps.g12);
  return e;
}

// sgn(A) R as a chain of three sparse products: sgn(A) is the cubic in A through sgn at the four
// speeds, in Newton's form.
template <class Real>
TW_FUNCTION Vec4<Real> upwinding(const Physics<Real>& physics, const Column<Real>& mean,
                                 const Speeds<Real>& x, const Vec4<Real>& R) {
  const Gaps<Real> gaps(x);
  const Newton<Real> f = gaps(sign_of(x.x1), sign_of(x.x2), sign_of(x.x3), sign_of(x.x4));
  const Horner<Real> horner(physics, mean);
  Vec4<Real> v{f.c3 * R.a, f.c3 * R.b, f.c3 * R.c, f.c3 * R.d};
  v = horner(v, x.x3, f.c2, R);
  v = horner(v, x.x2, f.c1, R);
  return horner(v, x.x1, f.c0, R);
}

// P+ R = (R + sgn(A) R) / 2 where two speeds are below zero and two above: N(A) l(A) R, with N the
// polynomial of the left-going pair and l the line that makes N l = 1 at the right-going speeds.
template <class Real>
TW_FUNCTION Vec4<Real> right_going(const Physics<Real>& physics, const Column<Real>& mean,
                                   const Pairs<Real>& k, const Vec4<Real>& R) {
  using std::fma;
  const Real a23 = physics.g * mean.h1;
  const Real gh2 = physics.g * mean.h2;
  const Real a21 = fma(-mean.u1, mean.u1, a23), a41 = physics.ratio * gh2;
  const Real a43 = fma(-mean.u2, mean.u2, gh2);
  const Real two_u1 = mean.u1 + mean.u1, two_u2 = mean.u2 + mean.u2;
  // y = l(A) R = slope A R + level R
  const Real ARb = fma(a21, R.a, fma(two_u1, R.b, a23 * R.c));
  const Real ARd = fma(a41, R.a, fma(two_u2, R.d, a43 * R.c));
  const Vec4<Real> y{fma(k.slope, R.b, k.level * R.a), fma(k.slope, ARb, k.level * R.b),
                     fma(k.slope, R.d, k.level * R.c), fma(k.slope, ARd, k.level * R.d)};
  // N(A) y = A (A y) + linear A y + constant y; the first and third component of A y are y.b, y.d.
  const Real zb = fma(a21, y.a, fma(two_u1, y.b, a23 * y.c));
  const Real zd = fma(a41, y.a, fma(two_u2, y.d, a43 * y.c));
  return {fma(k.linear, y.b, fma(k.constant, y.a, zb)),
          fma(a21 + k.constant, y.b, fma(two_u1 + k.linear, zb, a23 * y.d)),
          fma(k.linear, y.d, fma(k.constant, y.c, zd)),
          fma(a43 + k.constant, y.d, fma(two_u2 + k.linear, zd, a41 * y.b))};
}

// q(A) delta, the viscosity of Harten and Hyman's fix in the form that keeps a lake at rest:
// delta = (dh1, dq1, d(h2 - H), dq2), and q interpolates |x|_eps - |x|.
template <class Real>
TW_FUNCTION Vec4<Real> entropy_fix(const Physics<Real>& physics, const Column<Real>& mean,
                                   const Speeds<Real>& x, const Speeds<Real>& left,
                                   const Speeds<Real>& right, const Vec4<Real>& delta) {
  const Gaps<Real> gaps(x);
  const Vec4<Real> viscosity = fix_viscosity(x, left, right, gaps);
  const Newton<Real> e = gaps(viscosity.a, viscosity.b, viscosity.c, viscosity.d);
  const Horner<Real> horner(physics, mean);
  Vec4<Real> v{e.c3 * delta.a, e.c3 * delta.b, e.c3 * delta.c, e.c3 * delta.d};
  v = horner(v, x.x3, e.c2, delta);
  v = horner(v, x.x2, e.c1, delta);
  return horner(v, x.x1, e.c0, delta);
}

// The characteristic polynomial of one cell at y.
template <class Real>
TW_FUNCTION Real characteristic(const Physics<Real>& physics, Real h1, Real h2, Real u1, Real u2,
                                Real y) {
  using std::fma;
  const Real a = physics.g * h1, b = physics.g * h2;
  const Real d1 = y - u1, d2 = y - u2;
  return fma(fma(d1, d1, -a), fma(d2, d2, -b), -(physics.ratio * a * b));
}

// Positive where a cell's four speeds are two below and two above zero: both layers' Froude
// numbers and the composite one are below 1.
template <class Real>
TW_FUNCTION Real subcritical(const Physics<Real>& physics, const Side<Real>& s) {
  using std::fma;
  const Real a = physics.g * s.h1, b = physics.g * s.h2;
  const Real f1 = fma(-s.u1, s.u1, a), f2 = fma(-s.u2, s.u2, b);
  return smaller(smaller(f1, f2), fma(f1, f2, -(physics.ratio * a * b)));
}

// Positive where the entropy fix cannot act, which is almost everywhere: both cells are
// subcritical, so no speed changes its sign across the edge, and no speed x of the edge lies
// beyond 2 x in the cell on the side it runs to. (The polynomial is negative only between an
// external and an internal speed; no speed exceeds max(u) + sqrt(g (h1 + h2)).) One number made
// of minima, because the host compiler cannot vectorise a chain of conditions.
template <class Real>
TW_FUNCTION Real fix_margin(const Physics<Real>& physics, const Speeds<Real>& x,
                            const Side<Real>& l, const Side<Real>& r) {
  using std::fma;
  const Real two = Real(2);
  const Real out_l = smaller(l.u1, l.u2) - two * x.x1;
  const Real out_r = two * x.x4 - larger(r.u1, r.u2);
  const Real external =
      smaller(smaller(out_l, out_r), smaller(fma(out_l, out_l, -(physics.g * (l.h1 + l.h2))),
                                             fma(out_r, out_r, -(physics.g * (r.h1 + r.h2)))));
  const Real internal = -larger(characteristic(physics, l.h1, l.h2, l.u1, l.u2, two * x.x2),
                                characteristic(physics, r.h1, r.h2, r.u1, r.u2, two * x.x3));
  const Real signs = smaller(-x.x2, x.x3);
  return smaller(smaller(subcritical(physics, l), subcritical(physics, r)),
                 smaller(signs, smaller(external, internal)));
}

// Both sides of an edge and Roe's averages between them: depths by arithmetic mean, velocities
// weighted with the roots of the depths. With w = sqrt(h_l h_r) that is
//   (sqrt(h_l) u_l + sqrt(h_r) u_r) / (sqrt(h_l) + sqrt(h_r)) = (q_l + q_r + w (u_l + u_r)) / (h_l
//   + h_r + 2 w).
template <class Real>
struct EdgeSides {
  Side<Real> l, r;
  Column<Real> mean;
  Real per_depth;  // 1 / (mean.h1 + mean.h2)
  // `wall`: the right side is the left one with the normal velocity turned round. Free outflow:
  // the left cell stands on both sides.
  EdgeSides() = default;
  TW_FUNCTION EdgeSides(const Flow<Real>& left, const Flow<Real>& right, bool wall, Real nx,
                        Real ny) {
    using std::fma;
    using std::sqrt;
    l = side_of(left, nx, ny);
    r = side_of(right, nx, ny);
    r.u1 = wall ? -l.u1 : r.u1;
    r.u2 = wall ? -l.u2 : r.u2;
    r.q1 = wall ? -l.q1 : r.q1;
    r.q2 = wall ? -l.q2 : r.q2;
    const Real w1 = sqrt(l.h1 * r.h1), w2 = sqrt(l.h2 * r.h2);
    const Real both1 = l.h1 + r.h1, both2 = l.h2 + r.h2;
    Real n1 = fma(Real(2), w1, both1), n2 = fma(Real(2), w2, both2);
    mean.h1 = Real(0.5) * both1;
    mean.h2 = Real(0.5) * both2;
    per_depth = mean.h1 + mean.h2;
    invert(n1, n2, per_depth);
    mean.u1 = fma(w1, l.u1 + r.u1, l.q1 + r.q1) * n1;
    mean.u2 = fma(w2, l.u2 + r.u2, l.q2 + r.q2) * n2;
  }
};

// What the edge passes on, from p = P+ R, the part of R that runs to the right. Nothing passes a
// wall.
template <class Real>
TW_FUNCTION EdgeFlux<Real> assemble(const EdgeSides<Real>& s, const Vec4<Real>& R,
                                    const Vec4<Real>& p, Real fastest, bool wall, Real nx, Real ny,
                                    Real length) {
  using std::fma;
  const Side<Real>& l = s.l;
  const Side<Real>& r = s.r;
  Real m1 = length * (r.q1 - p.a);
  Real m2 = length * (r.q2 - p.c);
  m1 = wall ? Real(0) : m1;
  m2 = wall ? Real(0) : m2;
  // The tangential momentum is carried by the mass flux (the improvement of IR-Roe).
  const Real carried1 = m1 * (m1 > Real(0) ? l.t1 : r.t1);
  const Real carried2 = m2 * (m2 > Real(0) ? l.t2 : r.t2);
  const Real ln1 = length * (R.b - p.b), rn1 = -(length * p.b);
  const Real ln2 = length * (R.d - p.d), rn2 = -(length * p.d);
  const Real lt1 = carried1 - length * l.q1 * l.t1, rt1 = carried1 - length * r.q1 * r.t1;
  const Real lt2 = carried2 - length * l.q2 * l.t2, rt2 = carried2 - length * r.q2 * r.t2;
  EdgeFlux<Real> f;
  f.mass1 = m1;
  f.mass2 = m2;
  f.left1x = fma(ln1, nx, -(lt1 * ny));
  f.left1y = fma(ln1, ny, lt1 * nx);
  f.left2x = fma(ln2, nx, -(lt2 * ny));
  f.left2y = fma(ln2, ny, lt2 * nx);
  f.right1x = fma(rn1, nx, -(rt1 * ny));
  f.right1y = fma(rn1, ny, rt1 * nx);
  f.right2x = fma(rn2, nx, -(rt2 * ny));
  f.right2y = fma(rn2, ny, rt2 * nx);
  f.speed = length * fastest;
  return f;
}

template <class Real>
TW_FUNCTION Real fastest(const Speeds<Real>& x) {
  return larger(-x.x1, x.x4);
}

// The last part of edge_flux_plain. `found` is positive where `pairs` can be trusted.
template <class Real>
TW_FUNCTION EdgeFlux<Real> finish_plain(const Physics<Real>& physics, const EdgeSides<Real>& s,
                                        const Vec4<Real>& R, const Pairs<Real>& pairs, Real found,
                                        bool wall, Real nx, Real ny, Real length) {
  const Vec4<Real> p = right_going(physics, s.mean, pairs, R);
  const Real f = fastest(pairs.x);
  const Real margin = smaller(fix_margin(physics, pairs.x, s.l, s.r), found);
  return assemble(s, R, p, margin > Real(0) ? f : -f, wall, nx, ny, length);
}

// An edge with two pairs of waves and without the entropy fix, which is almost every edge. Where
// that is not proven, `speed` is negative: then call edge_flux_fixed. (NaN counts as such.)
template <class Real>
TW_FUNCTION EdgeFlux<Real> edge_flux_plain(const Physics<Real>& physics, const Flow<Real>& left,
                                           const Flow<Real>& right, bool wall, Real nx, Real ny,
                                           Real length) {
  const EdgeSides<Real> s(left, right, wall, nx, ny);
  const Vec4<Real> R = residual(physics, s.mean, s.l, s.r);
  Resolvent<Real> k = begin_pairs(physics, s.mean, s.per_depth);
  const Real found = solve_pairs(k);
  return finish_plain(physics, s, R, Pairs<Real>(k), found, wall, nx, ny, length);
}

// Any edge.
template <class Real>
TW_FUNCTION EdgeFlux<Real> edge_flux_fixed(const Physics<Real>& physics, const Flow<Real>& left,
                                           const Flow<Real>& right, bool wall, Real nx, Real ny,
                                           Real length) {
  const EdgeSides<Real> s(left, right, wall, nx, ny);
  const Speeds<Real> x = speeds(physics, s.mean);
  const Speeds<Real> x_l = speeds(physics, Column<Real>{s.l.h1, s.l.h2, s.l.u1, s.l.u2});
  const Speeds<Real> x_r = speeds(physics, Column<Real>{s.r.h1, s.r.h2, s.r.u1, s.r.u2});
  const Vec4<Real> R = residual(physics, s.mean, s.l, s.r);
  const Real d1 = s.r.level1 - s.l.level1, d2 = s.r.level2 - s.l.level2;
  const Vec4<Real> v = upwinding(physics, s.mean, x, R);
  const Vec4<Real> w = entropy_fix(physics, s.mean, x, x_l, x_r, Vec4<Real>{d1 - d2, R.a, d2, R.c});
  const Real half = Real(0.5);
  const Vec4<Real> p{half * (R.a + (v.a + w.a)), half * (R.b + (v.b + w.b)),
                     half * (R.c + (v.c + w.c)), half * (R.d + (v.d + w.d))};
  return assemble(s, R, p, fastest(x), wall, nx, ny, length);
}

// The whole edge.
template <class Real>
TW_FUNCTION EdgeFlux<Real> edge_flux(const Physics<Real>& physics, const CellState<Real>& left,
                                     const CellState<Real>& right, bool wall, Real nx, Real ny,
                                     Real length) {
  const Flow<Real> l = flow_of(left), r = flow_of(right);
  const EdgeFlux<Real> f = edge_flux_plain(physics, l, r, wall, nx, ny, length);
  return f.speed > Real(0) ? f : edge_flux_fixed(physics, l, r, wall, nx, ny, length);
}

}  // namespace terrawave::swe
