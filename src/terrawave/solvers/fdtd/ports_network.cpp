#include "terrawave/solvers/fdtd/ports_network.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "terrawave/solvers/fdtd/fdtd_model.hpp"

namespace terrawave::fdtd {

using std::numbers::pi;

std::vector<Complex> spectrum_of(const std::vector<double>& series, double dt, double first,
                                 double offset, const std::vector<double>& frequencies) {
  std::vector<Complex> result;
  for (const double f : frequencies) {
    // Blocks of exact phases: exp of the block's start times exp of the place in the block.
    constexpr std::size_t block = 256;
    std::vector<Complex> inside(block);
    for (std::size_t n = 0; n < block; ++n)
      inside[n] = std::polar(1.0, -2 * pi * std::fmod(f * dt * double(n), 1.0));
    Complex sum = 0;
    for (std::size_t at = 0; at < series.size(); at += block) {
      double re = 0, im = 0;
      const std::size_t end = std::min(series.size(), at + block);
      for (std::size_t n = at; n < end; ++n) {
        re += series[n] * inside[n - at].real();
        im += series[n] * inside[n - at].imag();
      }
      const double turns = std::fmod(f * dt * (first + double(at) + offset), 1.0);
      sum += Complex(re, im) * std::polar(1.0, -2 * pi * turns);
    }
    result.push_back(dt * sum);
  }
  return result;
}

Waves power_waves(const PortSpectra& port, const PortReference& r,
                  const std::vector<double>& frequencies) {
  Waves w;
  const double root = 2 * std::sqrt(r.impedance);
  for (std::size_t f = 0; f < frequencies.size(); ++f) {
    const double omega = 2 * pi * frequencies[f];
    const Complex v = port.voltage[f];
    const Complex i = port.current[f] + Complex(0, omega * r.gap_admittance_c) * v;
    const double kl = omega * std::sqrt(r.eps_eff) / kLightSpeed * r.shift;
    w.a.push_back((v + r.impedance * i) / root * std::polar(1.0, -kl));
    w.b.push_back((v - r.impedance * i) / root * std::polar(1.0, kl));
  }
  return w;
}

namespace {

// X A = B by Gaussian elimination of the columns with pivoting, n x n, row by row in memory.
std::vector<Complex> right_divide(std::vector<Complex> b, std::vector<Complex> a, std::size_t n) {
  for (std::size_t c = 0; c < n; ++c) {
    // Column operations: the largest entry of row c becomes the pivot.
    std::size_t pivot = c;
    for (std::size_t k = c + 1; k < n; ++k)
      if (std::abs(a[c * n + k]) > std::abs(a[c * n + pivot])) pivot = k;
    for (std::size_t r = 0; r < n; ++r) {
      std::swap(a[r * n + c], a[r * n + pivot]);
      std::swap(b[r * n + c], b[r * n + pivot]);
    }
    const Complex inverse = 1.0 / a[c * n + c];
    for (std::size_t r = 0; r < n; ++r) {
      a[r * n + c] *= inverse;
      b[r * n + c] *= inverse;
    }
    for (std::size_t k = 0; k < n; ++k) {
      if (k == c) continue;
      const Complex factor = a[c * n + k];
      for (std::size_t r = 0; r < n; ++r) {
        a[r * n + k] -= factor * a[r * n + c];
        b[r * n + k] -= factor * b[r * n + c];
      }
    }
  }
  return b;
}

}  // namespace

Network::Network(int n, std::vector<double> f) : ports(n), frequencies(std::move(f)) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  s.assign(frequencies.size(), std::vector<Complex>(std::size_t(n * n), Complex(nan, nan)));
  a_ = b_ = s;
}

void Network::set_column(int driven, const std::vector<Waves>& waves) {
  const auto n = std::size_t(ports), j = std::size_t(driven);
  for (std::size_t f = 0; f < frequencies.size(); ++f)
    for (std::size_t i = 0; i < n; ++i) {
      a_[f][i * n + j] = waves[i].a[f];
      b_[f][i * n + j] = waves[i].b[f];
      s[f][i * n + j] = waves[i].b[f] / waves[j].a[f];
    }
  if (!complete()) return;
  for (std::size_t f = 0; f < frequencies.size(); ++f) s[f] = right_divide(b_[f], a_[f], n);
}

bool Network::complete() const {
  for (const auto& matrix : s)
    for (const Complex& x : matrix)
      if (!std::isfinite(x.real()) || !std::isfinite(x.imag())) return false;
  return true;
}

Network renormalised(const Network& network, const std::vector<double>& own, double impedance) {
  const auto n = std::size_t(network.ports);
  std::vector<double> p, q;
  for (const double z : own) {
    const double root = std::sqrt(z / impedance);
    p.push_back((root + 1 / root) / 2);
    q.push_back((root - 1 / root) / 2);
  }
  Network out = network;
  for (auto& s : out.s) {
    std::vector<Complex> top(n * n), bottom(n * n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        top[i * n + j] = p[i] * s[i * n + j] + (i == j ? q[i] : 0.0);
        bottom[i * n + j] = q[i] * s[i * n + j] + (i == j ? p[i] : 0.0);
      }
    s = right_divide(std::move(top), std::move(bottom), n);
  }
  return out;
}

namespace {

// Largest eigenvalue of S^H S, n x n: with P_0 = S^H S and P_{k+1} = (P_k / |P_k|)^2 it is the
// product of |P_k|^(1/2^k), |.| being Frobenius' norm; what is left after 2^-40 of an octave is
// less than rounding.
double largest_power(const std::vector<Complex>& s, std::size_t n) {
  const auto product = [n](const auto& left, const std::vector<Complex>& right) {
    std::vector<Complex> out(n * n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = 0; k < n; ++k)
        for (std::size_t j = 0; j < n; ++j) out[i * n + j] += left(i, k) * right[k * n + j];
    return out;
  };
  auto p = product([&](std::size_t i, std::size_t k) { return std::conj(s[k * n + i]); }, s);
  double log_of_it = 0;
  for (int k = 0; k <= 40; ++k) {
    double norm = 0;
    for (const Complex& x : p) norm += std::norm(x);
    norm = std::sqrt(norm);
    if (!(norm > 0)) return 0;
    log_of_it += std::ldexp(std::log(norm), -k);
    for (Complex& x : p) x /= norm;
    p = product([&](std::size_t i, std::size_t j) { return p[i * n + j]; }, p);
  }
  return std::exp(log_of_it);
}

}  // namespace

Passivity passivity(const Network& n) {
  Passivity p;
  for (std::size_t f = 0; f < n.frequencies.size(); ++f) {
    const double power = largest_power(n.s[f], std::size_t(n.ports));
    if (power > p.worst) p = {power, n.frequencies[f]};
  }
  return p;
}

Reciprocity reciprocity(const Network& n) {
  Reciprocity r;
  for (std::size_t f = 0; f < n.frequencies.size(); ++f)
    for (int i = 0; i < n.ports; ++i)
      for (int j = i + 1; j < n.ports; ++j) {
        const double d =
            std::abs(n.s[f][std::size_t(i * n.ports + j)] - n.s[f][std::size_t(j * n.ports + i)]);
        if (d > r.worst) r = {d, n.frequencies[f], i, j};
      }
  return r;
}

}  // namespace terrawave::fdtd
