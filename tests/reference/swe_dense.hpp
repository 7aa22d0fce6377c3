// The two-layer Roe matrix in long double, its eigenvalues by bisection, sgn(A) by dense algebra:
// slow and obvious.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace terrawave::swe::reference {

using Number = long double;
using Vector = std::array<Number, 4>;
using Matrix = std::array<Vector, 4>;

inline Matrix matrix(double g, double r, double h1, double h2, double u1, double u2) {
  const Number G = g, U1 = u1, U2 = u2;
  return {{{0, 1, 0, 0},
           {G * h1 - U1 * U1, 2 * U1, G * h1, 0},
           {0, 0, 0, 1},
           {Number(r) * G * h2, 0, G * h2 - U2 * U2, 2 * U2}}};
}

// ((x - u1)^2 - g h1) ((x - u2)^2 - g h2) - r g^2 h1 h2
inline Number characteristic(double g, double r, double h1, double h2, double u1, double u2,
                             Number x) {
  const Number a = Number(g) * h1, b = Number(g) * h2;
  return ((x - u1) * (x - u1) - a) * ((x - u2) * (x - u2) - b) - Number(r) * a * b;
}

// The four real roots, increasing, for a hyperbolic state with J < 1: they are parted by the
// point (h1 u2 + h2 u1) / (h1 + h2), where the polynomial is not negative, and by a point of
// negative value on each side of it.
inline Vector speeds(double g, double r, double h1, double h2, double u1, double u2) {
  const auto p = [&](Number x) { return characteristic(g, r, h1, h2, u1, u2, x); };
  const Number middle = (Number(h1) * u2 + Number(h2) * u1) / (Number(h1) + h2);
  const Number far = std::max(std::abs(Number(u1)), std::abs(Number(u2))) +
                     std::sqrt(Number(g) * (Number(h1) + h2)) + 1;
  const auto bisect = [&](Number low, Number high) {  // p changes sign between
    const bool up = p(high) > 0;
    for (int i = 0; i < 200; ++i) {
      const Number x = (low + high) / 2;
      ((p(x) > 0) == up ? high : low) = x;
    }
    return (low + high) / 2;
  };
  // At u1 + sqrt(g h1) and u2 + sqrt(g h2) the value is -r g^2 h1 h2 <= 0; likewise on the left.
  const Number right = std::max(u1 + std::sqrt(Number(g) * h1), u2 + std::sqrt(Number(g) * h2));
  const Number left = std::min(u1 - std::sqrt(Number(g) * h1), u2 - std::sqrt(Number(g) * h2));
  return {bisect(-far, left), bisect(left, middle), bisect(middle, right), bisect(right, far)};
}

// Gauss with pivots; destroys its arguments.
inline Vector solve(Matrix a, Vector b) {
  for (std::size_t k = 0; k < 4; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < 4; ++i)
      if (std::abs(a[i][k]) > std::abs(a[pivot][k])) pivot = i;
    std::swap(a[k], a[pivot]);
    std::swap(b[k], b[pivot]);
    for (std::size_t i = k + 1; i < 4; ++i) {
      const Number f = a[i][k] / a[k][k];
      for (std::size_t j = k; j < 4; ++j) a[i][j] -= f * a[k][j];
      b[i] -= f * b[k];
    }
  }
  for (std::size_t k = 4; k-- > 0;) {
    for (std::size_t j = k + 1; j < 4; ++j) b[k] -= a[k][j] * b[j];
    b[k] /= a[k][k];
  }
  return b;
}

// K sgn(D) K^-1 v; the columns of K are (1, x, m, x m) with m = (x - u1)^2 / (g h1) - 1.
inline Vector sign_times(double g, double r, double h1, double h2, double u1, double u2,
                         const Vector& v) {
  const Vector x = speeds(g, r, h1, h2, u1, u2);
  Matrix K;
  for (std::size_t l = 0; l < 4; ++l) {
    const Number m = (x[l] - u1) * (x[l] - u1) / (Number(g) * h1) - 1;
    K[0][l] = 1;
    K[1][l] = x[l];
    K[2][l] = m;
    K[3][l] = x[l] * m;
  }
  Vector c = solve(K, v);
  for (std::size_t l = 0; l < 4; ++l) c[l] *= x[l] > 0 ? 1 : (x[l] < 0 ? -1 : 0);
  Vector out{};
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t l = 0; l < 4; ++l) out[i] += K[i][l] * c[l];
  return out;
}

}  // namespace terrawave::swe::reference
