// The left-going and the right-going pair of waves of an edge, without the four speeds.
//
// Where two speeds are below zero and two above, sgn(A) needs only the polynomial of the left-going
// pair. In the frame of swe_speeds.hpp
//   x^4 + P x^2 + Q x + C = (x^2 + sigma x + f_l) (x^2 - sigma x + f_r)
// holds exactly if, with z = f_l + f_r and S = -P,
//   (z^2 - 4 C) (z + S) = Q^2,   sigma^2 = z + S,   f_l - f_r = -Q / sigma.
// z = 2 sqrt(C) where both layers move alike. Otherwise Q^2 is small beside S^3, and the largest
// root z is found from above by two steps of Householder's method of order four. The
// internal pair is x2 x3 = C / (x1 x4): small, and no difference of large numbers here either.
// docs/decisions/0020-swe-speeds.md has the measured errors.
#pragma once

#include <cmath>

#include "terrawave/solvers/swe/swe_speeds.hpp"

namespace terrawave::swe {

// The cubic of z while its root is being found.
template <class Real>
struct Resolvent {
  Real mean;  // (u1 + u2) / 2
  Real S, Q, C4, z;
  TW_FUNCTION Real square() const { return Q * Q; }
  // What a step subtracts from z.
  TW_FUNCTION Real change() const {
    using std::fma;
    const Real T = z + S;
    const Real D = fma(z, z, -C4);
    const Real f = fma(D, T, -square());
    const Real df = fma(z + z, T, D);
    const Real df2 = df * df, bend = f * fma(Real(2), z, T);  // f f'' / 2
    return f * (df2 - bend) / fma(df, df2 - (bend + bend), f * f);
  }
};

// The polynomial, and a z that is not below the root. `per_depth` = 1 / (h1 + h2).
template <class Real>
TW_FUNCTION Resolvent<Real> begin_pairs(const Physics<Real>& physics, const Column<Real>& c,
                                        Real per_depth) {
  using std::fma;
  using std::sqrt;
  const Real a = physics.g * c.h1, b = physics.g * c.h2;
  const Real w = Real(0.5) * (c.u1 - c.u2), w2 = w * w;
  const Real sum = a + b;
  Resolvent<Real> k;
  k.mean = Real(0.5) * (c.u1 + c.u2);
  k.S = fma(Real(2), w2, sum);
  k.Q = (w + w) * (b - a);
  k.C4 = Real(4) * fma(w2, w2 - sum, physics.reduced * a * b);
  const Real least = (sizeof(Real) == 8 ? Real(0x1p-40) : Real(0x1p-20)) * k.S * k.S;
  k.z = sqrt(larger(fma(k.square() * per_depth, physics.per_g, k.C4), least));
  return k;
}

// Two steps; returns a number that is positive where z is found: the error that is left is below
// z (last change / z)^4.
template <class Real>
TW_FUNCTION Real solve_pairs(Resolvent<Real>& k) {
  using std::fabs;
  using std::fma;
  k.z -= k.change();
  const Real last = k.change();
  k.z -= last;
  return fma(sizeof(Real) == 8 ? Real(0x1p-12) : Real(0x1p-6), k.z, -fabs(last));
}

template <class Real>
struct Pairs {
  Real linear, constant;  // x^2 + linear x + constant vanishes at the left-going speeds,
  Real slope, level;      // and slope x + level is its inverse at the right-going ones
  Speeds<Real> x;         // the internal ones with the rounding of the external ones
  Pairs() = default;
  TW_FUNCTION explicit Pairs(const Resolvent<Real>& r) {
    using std::fma;
    using std::sqrt;
    const Real m = r.mean, z = r.z;
    const Real sigma2 = z + r.S;
    const Real sigma = sqrt(sigma2);
    const Real E = fma(Real(2) * sigma2 * sigma2, z, r.square());
    const Real inverse = Real(1) / (E * sigma);
    const Real difference = -r.Q * (E * inverse);  // f_l - f_r
    const Real k = sigma2 * (sigma * inverse);
    const Real f_l = Real(0.5) * (z + difference), f_r = Real(0.5) * (z - difference);
    slope = Real(-2) * sigma * k;
    level = fma(-slope, m, fma(Real(2), sigma2, difference) * k);
    linear = fma(Real(-2), m, sigma);
    constant = fma(m, m - sigma, f_l);
    const Real half = Real(0.5) * sigma, quarter = Real(0.25) * sigma2;
    const Real left = sqrt(larger(quarter - f_l, Real(0)));
    const Real right = sqrt(larger(quarter - f_r, Real(0)));
    x = {(m - half) - left, (m - half) + left, (m + half) - right, (m + half) + right};
  }
};

}  // namespace terrawave::swe
