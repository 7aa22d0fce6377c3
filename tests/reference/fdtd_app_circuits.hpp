// Circuits as ordinary differential equations, solved by small classical Runge-Kutta steps, and the
// diode's equation by bisection: slow and obvious.
#pragma once

#include <array>
#include <cmath>
#include <functional>
#include <vector>

namespace terrawave::reference {

// y(t) at t = dt, 2 dt, ... from y(0), with `inner` steps of RK4 in each dt.
template <std::size_t N>
std::vector<std::array<double, N>> integrate(
    const std::function<std::array<double, N>(double, const std::array<double, N>&)>& f,
    std::array<double, N> y, double dt, int steps, int inner = 20) {
  std::vector<std::array<double, N>> out;
  const double h = dt / inner;
  const auto plus = [](std::array<double, N> a, const std::array<double, N>& b, double s) {
    for (std::size_t i = 0; i < N; ++i) a[i] += s * b[i];
    return a;
  };
  for (int n = 0; n < steps; ++n) {
    for (int i = 0; i < inner; ++i) {
      const double t = n * dt + i * h;
      const auto k1 = f(t, y);
      const auto k2 = f(t + h / 2, plus(y, k1, h / 2));
      const auto k3 = f(t + h / 2, plus(y, k2, h / 2));
      const auto k4 = f(t + h, plus(y, k3, h));
      for (std::size_t c = 0; c < N; ++c) y[c] += h / 6 * (k1[c] + 2 * k2[c] + 2 * k3[c] + k4[c]);
    }
    out.push_back(y);
  }
  return out;
}

// Voltage of a diode in series with R and a source: V + R I0 (exp(V/vt) - 1) = Vs, by bisection.
inline double diode_voltage(double vs, double ohm, double i0, double vt) {
  double low = -std::abs(vs) - 1, high = std::abs(vs) + 1;
  for (int i = 0; i < 200; ++i) {
    const double v = (low + high) / 2;
    (v + ohm * i0 * std::expm1(v / vt) > vs ? high : low) = v;
  }
  return (low + high) / 2;
}

// x - e_linear + k (exp(beta (x + e)) - 1) = 0 by bisection.
inline double diode_field(double beta, double k, double e, double e_linear) {
  double low = e_linear - 1, high = e_linear + k + 1;
  const auto f = [&](double x) { return x - e_linear + k * std::expm1(beta * (x + e)); };
  while (f(low) > 0) low -= 2 * (high - low);
  while (f(high) < 0) high += 2 * (high - low);
  for (int i = 0; i < 300; ++i) {
    const double x = (low + high) / 2;
    (f(x) > 0 ? high : low) = x;
  }
  return (low + high) / 2;
}

}  // namespace terrawave::reference
