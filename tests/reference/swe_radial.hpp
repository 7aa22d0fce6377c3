// An axisymmetric two-layer run on rings: what a circular dam break is compared with.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "terrawave/solvers/swe/swe_cells.hpp"

namespace terrawave::swe::reference {

// d(r h)/dt + d(r q)/dr = 0, d(r q)/dt + d(r q u)/dr + r g h d(eta)/dr = 0 per layer, on `n` rings
// of equal width from 0 to `radius`, flat bottom at `depth`, a wall outside. First order, with the
// flux of one edge as the triangles have it; an edge as long as its circle.
class Radial {
 public:
  Radial(std::size_t n, double radius, double depth, double g, double ratio)
      : physics_(make_physics<double>(g, ratio)), dr_(radius / double(n)), cells_(n) {
    for (auto& c : cells_) c = {0, 0, 0, 0, 0, 0, depth};
  }
  double center(std::size_t i) const { return (double(i) + 0.5) * dr_; }
  CellState<double>& operator[](std::size_t i) { return cells_[i]; }
  std::size_t size() const { return cells_.size(); }

  void run_to(double end, double cfl) {
    double t = 0;
    while (t < end) t += step(end - t, cfl);
  }
  // Linear between the rings' centres.
  double h2_at(double r) const {
    const double f = std::clamp(r / dr_ - 0.5, 0.0, double(cells_.size()) - 1.001);
    const auto i = std::size_t(f);
    return cells_[i].h2 + (f - double(i)) * (cells_[i + 1].h2 - cells_[i].h2);
  }

 private:
  double step(double most, double cfl) {
    const std::size_t n = cells_.size();
    std::vector<EdgeFlux<double>> flux(n);  // at the outer circle of ring i
    double fastest = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const bool wall = i + 1 == n;
      flux[i] = edge_flux(physics_, cells_[i], cells_[wall ? i : i + 1], wall, 1.0, 0.0,
                          double(i + 1) * dr_);
      fastest = std::max(fastest, flux[i].speed / (double(i + 1) * dr_));
    }
    const double dt = std::min(most, cfl * dr_ / fastest);
    for (std::size_t i = 0; i < n; ++i) {
      CellState<double>& c = cells_[i];
      const double inner = double(i) * dr_, outer = double(i + 1) * dr_;
      const double f = dt / ((outer * outer - inner * inner) / 2);
      EdgeFlux<double> in{};
      if (i > 0) in = flux[i - 1];
      const EdgeFlux<double>& out = flux[i];
      // Momentum comes relative to the ring's own flux q u, whose circles do not close: add it.
      const double own1 = (outer - inner) * c.q1x * c.q1x / c.h1;
      const double own2 = (outer - inner) * c.q2x * c.q2x / c.h2;
      c.q1x -= f * (out.left1x - in.right1x + own1);
      c.q2x -= f * (out.left2x - in.right2x + own2);
      c.h1 -= f * (out.mass1 - in.mass1);
      c.h2 -= f * (out.mass2 - in.mass2);
    }
    return dt;
  }

  Physics<double> physics_;
  double dr_;
  std::vector<CellState<double>> cells_;
};

}  // namespace terrawave::swe::reference
