// The diode's edge update in closed form, for every backend. Double precision throughout.
//
// I = I0 (exp(q V/(n k T)) - 1) on an edge of length l and dual area A, V = l (E+ + E)/2. With
// beta = q l/(2 n k T), K = b I0/A (b of edge_update) and E_lin the plain update, x = E+ solves
//   x - E_lin + K (exp(beta (x + E)) - 1) = 0,
// that is y + omega = s with y = beta (x + E), s = beta (E_lin + E + K) and
// omega + ln omega = s + ln(K beta): the Wright omega function.
#pragma once

#include <cmath>
#include <vector>

#include "terrawave/base/function.hpp"

namespace terrawave::fdtd {

// omega > 0 with omega + ln(omega) = z, to rounding. (Fritsch, Shafer and Crowley 1973: one step
// multiplies the number of correct digits by four.)
TW_FUNCTION double wright_omega(double z) {
  if (z < -40) return exp(z);  // omega/exp(z) = 1 - exp(z) + ...
  double w;
  if (z < -2) {
    w = exp(z);
  } else if (z < 3) {
    const double x = z - 1;  // series around omega(1) = 1
    w = 1 + x * (0.5 + x * (0.0625 - x * (1.0 / 192)));
  } else {
    const double l = log(z);
    w = z - l + l / z;
  }
  for (int step = 0; step < 3; ++step) {
    const double r = z - w - log(w);
    const double p = 1 + w;
    const double t = 2 * p * (p + 2.0 / 3.0 * r);
    w *= 1 + r / p * (t - r) / (t - 2 * r);
  }
  return w;
}

// c: beta, K, ln(K beta), sign (-1: the anode is at the head of the edge).
TW_FUNCTION double diode_field(const double* c, double old, double linear) {
  const double e = c[3] * old, e_linear = c[3] * linear;
  const double s = c[0] * (e_linear + e + c[1]);
  const double y = s - wright_omega(s + c[2]);
  return c[3] * (y / c[0] - e);
}

inline std::vector<double> diode_coefficients(double saturation, double ideality, double kelvin,
                                              double length, double area, double b, int sign) {
  constexpr double charge = 1.602176634e-19, boltzmann = 1.380649e-23;
  const double beta = charge * length / (2 * ideality * boltzmann * kelvin);
  const double k = b * saturation / area;
  return {beta, k, std::log(k * beta), double(sign)};
}

}  // namespace terrawave::fdtd
