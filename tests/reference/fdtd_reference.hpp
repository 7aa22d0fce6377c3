// The Yee scheme written the slow, obvious way: global arrays in double, every derivative through
// one function that knows the walls, one psi per entry and derivative whether it is needed or not.
#pragma once

#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <vector>

#include "terrawave/solvers/fdtd/fdtd_model.hpp"

namespace terrawave::test {

class FdtdReference {
 public:
  explicit FdtdReference(const fdtd::Model& model) : m_(model) {
    for (int a = 0; a < 3; ++a) n_[a] = model.grid.cells(a);
    for (auto& f : f_) f.assign(count(), 0.0);
    for (auto& p : psi_) p.assign(count(), 0.0);
    states_.assign(model.events.size(), {});
    for (int c = 0; c < 3; ++c) {
      edge_id_[c].assign(count(), 1);
      face_id_[c].assign(count(), 0);
      fill(model.fill_edges, c, edge_id_[c]);
      fill(model.fill_faces, c, face_id_[c]);
    }
  }
  double& at(int component, Index i, Index j, Index k) {
    return f_[std::size_t(component)][index(i, j, k)];
  }

  void step() {
    for (const bool electric : {false, true}) {
      auto next = f_;
      for (int c = 0; c < 3; ++c)
        each([&](Index i, Index j, Index k) { update(electric, c, {i, j, k}, next); });
      events(electric, next);
      f_ = next;
    }
    ++steps_;
  }

 private:
  using At = std::array<Index, 3>;
  using Six = std::array<std::vector<double>, 6>;
  std::size_t count() const { return std::size_t((n_[0] + 1) * (n_[1] + 1) * (n_[2] + 1)); }
  std::size_t index(Index i, Index j, Index k) const {
    return std::size_t(i + (n_[0] + 1) * (j + (n_[1] + 1) * k));
  }
  std::size_t index(const At& p) const { return index(p[0], p[1], p[2]); }
  template <class F>
  void each(const F& f) const {
    for (Index k = 0; k < m_.extent(2); ++k)
      for (Index j = 0; j < m_.extent(1); ++j)
        for (Index i = 0; i < m_.extent(0); ++i) f(i, j, k);
  }
  void fill(const fdtd::FillIds& fill, int c, std::vector<std::uint16_t>& ids) const {
    if (!fill) return;
    const fdtd::Box box{{0, 0, 0}, {m_.extent(0), m_.extent(1), m_.extent(2)}};
    std::vector<std::uint16_t> got(std::size_t(box.count()));
    fill(c, box, got);
    std::size_t n = 0;
    each([&](Index i, Index j, Index k) { ids[index(i, j, k)] = got[n++]; });
  }
  bool exists(bool electric, int c, const At& p) const {
    for (int a = 0; a < 3; ++a)
      if (!m_.periodic(a) && p[a] >= n_[a] && (electric ? a == c : a != c)) return false;
    return true;
  }
  bool on_electric_wall(int c, const At& p) const {
    for (int a = 0; a < 3; ++a) {
      if (a == c || m_.periodic(a) || (p[a] != 0 && p[a] != n_[a])) continue;
      if (m_.boundary[std::size_t(2 * a + (p[a] == 0 ? 0 : 1))] != fdtd::Boundary::pmc) return true;
    }
    return false;
  }
  double spacing(bool electric, int a, Index i) const {
    if (!electric) return m_.grid.primary(a, i);
    if (i > 0 && i < n_[a]) return 0.5 * (m_.grid.primary(a, i - 1) + m_.grid.primary(a, i));
    return 0.5 * (m_.grid.primary(a, m_.periodic(a) ? n_[a] - 1 : (i == 0 ? 0 : n_[a] - 1)) +
                  m_.grid.primary(a, m_.periodic(a) ? 0 : (i == 0 ? 0 : n_[a] - 1)));
  }
  // Derivative of component d along axis a as seen at p: H backward of E points, E forward of H.
  double derivative(bool electric, int d, int a, const At& p) const {
    At q = p;
    double here = f_[std::size_t(d)][index(p)], there = 0;
    if (electric) {
      q[a] -= 1;
      if (m_.periodic(a)) q[a] = (q[a] + n_[a]) % n_[a];
      if (q[a] >= 0) {
        there = f_[std::size_t(d)][index(q)];
      } else {
        there = -here;  // magnetic wall: H is odd across it
      }
      if (!m_.periodic(a) && p[a] == n_[a]) here = -there;
      return (here - there) / spacing(true, a, p[a]);
    }
    q[a] += 1;
    if (m_.periodic(a)) q[a] %= n_[a];
    return (f_[std::size_t(d)][index(q)] - here) / spacing(false, a, p[a]);
  }
  // sigma, kappa, alpha of the layer at coordinate x of axis a; false outside layers.
  bool layer(int a, Index i, double x, double& sigma, double& kappa, double& alpha) const {
    for (const int side : {0, 1}) {
      const auto face = std::size_t(2 * a + side);
      const fdtd::Cpml& c = m_.cpml[face];
      if (m_.boundary[face] != fdtd::Boundary::cpml) continue;
      const double inner = m_.grid.line(a, side == 0 ? c.layers : n_[a] - c.layers);
      const double outer = m_.grid.line(a, side == 0 ? 0 : n_[a]);
      if (side == 0 ? i >= c.layers : i < n_[a] - c.layers) continue;
      const double rho = (x - inner) / (outer - inner);
      const double d = std::abs(outer - inner) / c.layers;
      const double graded = std::pow(rho, c.order);
      sigma = c.sigma_factor * (c.order + 1) / (150 * std::numbers::pi * std::sqrt(c.eps_r) * d) *
              graded;
      kappa = 1 + (c.kappa_max - 1) * graded;
      alpha = 2 * std::numbers::pi * fdtd::kEps0 * c.alpha_frequency * (1 - rho);
      return true;
    }
    return false;
  }
  double stretched(bool electric, int c, int d, int a, const At& p) {
    const double value = derivative(electric, d, a, p);
    double sigma = 0, kappa = 1, alpha = 0;
    const double x = electric ? m_.grid.line(a, p[a])
                              : 0.5 * (m_.grid.line(a, p[a]) + m_.grid.line(a, p[a] + 1));
    if (m_.periodic(a) || !layer(a, p[a], x, sigma, kappa, alpha)) return value;
    const double b = std::exp(-(sigma / kappa + alpha) * m_.dt / fdtd::kEps0);
    const double f = sigma == 0 ? 0 : sigma * (b - 1) / (sigma * kappa + kappa * kappa * alpha);
    double& psi = psi_[std::size_t((electric ? 0 : 9) + 3 * c + a)][index(p)];
    psi = b * psi + f * value;
    return value / kappa + psi;
  }
  void update(bool electric, int c, const At& p, Six& next) {
    if (!exists(electric, c, p)) return;
    const int b = (c + 1) % 3, d = (c + 2) % 3, from = electric ? 3 : 0;
    double a = 0, curl_factor = 0;
    const double dt = m_.dt;
    double capacity, loss;
    if (electric) {
      const auto& e = m_.edge_materials[edge_id_[c][index(p)]];
      if (e.pec || on_electric_wall(c, p)) {
        next[std::size_t(c)][index(p)] = 0;
        return;
      }
      capacity = e.eps;
      loss = e.sigma;
    } else {
      const auto& f = m_.face_materials[face_id_[c][index(p)]];
      capacity = f.mu;
      loss = f.sigma_m;
    }
    const double x = loss * dt / capacity;
    a = x > 1 ? std::exp(-x) : (1 - x / 2) / (1 + x / 2);
    curl_factor = x > 1 ? (1 - a) / loss : dt / capacity / (1 + x / 2);
    const double curl =
        stretched(electric, c, from + d, b, p) - stretched(electric, c, from + b, d, p);
    const int self = electric ? c : 3 + c;
    next[std::size_t(self)][index(p)] =
        a * f_[std::size_t(self)][index(p)] + (electric ? 1 : -1) * curl_factor * curl;
  }
  void events(bool electric, Six& next) {
    for (std::size_t n = 0; n < m_.events.size(); ++n) {
      const auto& e = m_.events[n];
      if ((e.component < 3) != electric) continue;
      const std::size_t i = index(e.node);
      double sample = 0;
      if (e.signal >= 0) {
        const auto& s = m_.signals[std::size_t(e.signal)];
        sample = s.value((double(steps_) + s.offset) * m_.dt);
      }
      next[std::size_t(e.component)][i] = fdtd::apply_event<double>(
          e.kind, e.coefficients.data(), sample, f_[std::size_t(e.component)][i],
          next[std::size_t(e.component)][i], states_[n].data());
    }
  }

  const fdtd::Model& m_;
  Index n_[3];
  Six f_;
  std::array<std::vector<double>, 18> psi_;
  std::vector<std::uint16_t> edge_id_[3], face_id_[3];
  std::vector<std::array<double, fdtd::kMaxEventStates>> states_;
  std::int64_t steps_ = 0;
};

}  // namespace terrawave::test
