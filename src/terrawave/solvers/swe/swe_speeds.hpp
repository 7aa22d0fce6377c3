// Characteristic speeds of the two-layer system, branch-free.
//
// In the frame that moves with (u1 + u2) / 2 the characteristic polynomial has no cubic term:
//   x^4 + P x^2 + Q x + C,   w = (u1 - u2) / 2,  a = g h1,  b = g h2,
//   P = -(2 w^2 + a + b),  Q = 2 w (b - a),  C = w^2 (w^2 - a - b) + (1 - r) a b.
// (1 - r) a b stands as one product: nearly equal numbers are never subtracted, so single precision
// keeps the internal pair for r near 1. The polynomial is split into the internal and the external
// pair, (x^2 + s x + p) (x^2 - s x + P + s^2 - p), by Newton steps on (s, p) (Bairstow's method):
// one division a step for all four roots, and a double root (loss of hyperbolicity) is regular.
// docs/decisions/0020-swe-speeds.md has the measured errors.
#pragma once

#include <cmath>

#include "terrawave/base/function.hpp"

namespace terrawave::swe {

template <class Real>
TW_FUNCTION Real larger(Real a, Real b) {
  return a < b ? b : a;
}
template <class Real>
TW_FUNCTION Real smaller(Real a, Real b) {
  return b < a ? b : a;
}

template <class Real>
struct Physics {
  Real g = 0;        // m/s^2
  Real ratio = 0;    // r = rho1 / rho2
  Real reduced = 0;  // 1 - r, rounded once
  Real per_g = 0;    // 1 / g
};

template <class Real>
Physics<Real> make_physics(double g, double ratio) {
  return {Real(g), Real(ratio), Real(1.0 - ratio), Real(1.0 / g)};
}

// Both depths and normal velocities at one place.
template <class Real>
struct Column {
  Real h1, h2, u1, u2;
};

// The four speeds, increasing, m/s. Where the internal pair is complex, its real part twice.
template <class Real>
struct Speeds {
  Real x1, x2, x3, x4;
};

// 1 / a, 1 / b, ... with one division. Factors must be far from overflow and underflow.
template <class Real>
TW_FUNCTION void invert(Real& a, Real& b) {
  const Real i = Real(1) / (a * b);
  const Real ia = b * i;
  b = a * i;
  a = ia;
}
template <class Real>
TW_FUNCTION void invert(Real& a, Real& b, Real& c) {
  const Real ab = a * b;
  const Real i = Real(1) / (ab * c);
  const Real iab = c * i;
  c = ab * i;
  const Real ia = b * iab;
  b = a * iab;
  a = ia;
}
template <class Real>
TW_FUNCTION void invert(Real& a, Real& b, Real& c, Real& d) {
  Real ab = a * b;
  Real cd = c * d;
  invert(ab, cd);
  const Real ia = b * ab;
  b = a * ab;
  a = ia;
  const Real ic = d * cd;
  d = c * cd;
  c = ic;
}

// The split of one characteristic polynomial while it is being found.
template <class Real>
struct Quartic {
  Real P, Q, C;
  Real s_max, p_max, det_min;  // safeguards: |s| <= 2 |w|, p <= 4 w^2, determinant > 0
  Real mean;                   // (u1 + u2) / 2
  Real s, p;                   // sum of the internal pair is -s, its product p
};

template <class Real>
TW_FUNCTION void keep_inside(Quartic<Real>& k) {
  using std::fma;
  k.s = larger(-k.s_max, smaller(k.s, k.s_max));
  k.p = smaller(larger(k.p, Real(0.5) * fma(k.s, k.s, k.P)), k.p_max);
}

// Sets the polynomial and returns the number whose inverse `guess` needs. The guess is exact
// where both layers move alike.
template <class Real>
TW_FUNCTION Real begin(Quartic<Real>& k, const Physics<Real>& physics, const Column<Real>& c) {
  using std::fabs;
  using std::fma;
  using std::sqrt;
  const Real a = physics.g * c.h1;
  const Real b = physics.g * c.h2;
  const Real w = Real(0.5) * (c.u1 - c.u2);
  const Real w2 = w * w;
  const Real sum = a + b;
  k.mean = Real(0.5) * (c.u1 + c.u2);
  k.P = -fma(Real(2), w2, sum);
  k.Q = Real(2) * w * (b - a);
  k.C = fma(w2, w2 - sum, physics.reduced * a * b);
  k.s_max = Real(2) * fabs(w);
  k.p_max = Real(4) * w2;
  const Real P2 = k.P * k.P;
  k.det_min = Real(0x1p-20) * P2;
  const Real root = sqrt(larger(fma(Real(-4), k.C, P2), k.det_min));
  k.p = Real(0.5) * (k.P + root);
  return root;
}

template <class Real>
TW_FUNCTION void guess(Quartic<Real>& k, Real inverse) {
  k.s = -k.Q * inverse;
  keep_inside(k);
}

// Determinant of the Newton step, kept positive.
template <class Real>
TW_FUNCTION Real determinant(const Quartic<Real>& k) {
  using std::fma;
  const Real s2 = k.s * k.s;
  const Real t = fma(Real(-2), k.p, k.P + s2);
  return larger(fma(t, fma(Real(2), s2, t), Real(4) * k.p * s2), k.det_min);
}

template <class Real>
TW_FUNCTION void advance(Quartic<Real>& k, Real inverse) {
  using std::fma;
  const Real s2 = k.s * k.s;
  const Real t = fma(Real(-2), k.p, k.P + s2);
  const Real f1 = fma(k.s, t, -k.Q);
  const Real f2 = fma(k.p, k.P + s2 - k.p, -k.C);
  const Real ds = fma(f1, t, Real(2) * k.s * f2);
  const Real dp = fma(fma(Real(2), s2, t), f2, Real(-2) * k.p * k.s * f1);
  k.s = fma(-ds, inverse, k.s);
  k.p = fma(-dp, inverse, k.p);
  keep_inside(k);
}

template <class Real>
TW_FUNCTION Speeds<Real> roots(const Quartic<Real>& k) {
  using std::fma;
  using std::sqrt;
  const Real half = Real(0.5) * k.s;
  const Real q = fma(k.s, k.s, k.P) - k.p;
  const Real internal = sqrt(larger(fma(half, half, -k.p), Real(0)));
  const Real external = sqrt(larger(fma(half, half, -q), Real(0)));
  const Real i_low = k.mean - (half + internal), i_high = k.mean - (half - internal);
  const Real e_low = k.mean + (half - external), e_high = k.mean + (half + external);
  const Real m_a = larger(i_low, e_low), m_b = smaller(i_high, e_high);
  return {smaller(i_low, e_low), smaller(m_a, m_b), larger(m_a, m_b), larger(i_high, e_high)};
}

// Newton steps: as many as rounding lets count for r >= 0.5.
template <class Real>
inline constexpr int kSteps = sizeof(Real) == 8 ? 4 : 3;

template <class Real>
TW_FUNCTION void step(Quartic<Real>& k) {
  advance(k, Real(1) / determinant(k));
}

// Four steps reach rounding for r > 0.9 (three in single precision); for r > 0.5 and shear close to
// the loss of hyperbolicity 1e-4 of the internal speed is left at worst. Loops are written out here
// and below: the host compiler vectorises a kernel only where it has no inner loop.
template <class Real>
TW_FUNCTION Speeds<Real> speeds(const Physics<Real>& physics, const Column<Real>& c) {
  Quartic<Real> k;
  guess(k, Real(1) / begin(k, physics, c));
  step(k);
  step(k);
  step(k);
  if constexpr (sizeof(Real) == 8) step(k);
  return roots(k);
}

}  // namespace terrawave::swe
