// D-infinity from its definition: the angle that each facet's plane falls to, by the library's
// atan2, kept within the facet.
#pragma once

#include <cmath>
#include <numbers>

#include "reference/terrain_random.hpp"

namespace terrawave::terrain::reference {

struct Facet {
  double slope = 0;
  double angle = -1;  // counter-clockwise from east; -1: nothing falls
};

// One of the eight triangles: slopes along its cardinal side and across, NaN where a cell lacks.
struct Triangle {
  double s1, s2;
  double base;    // direction of the cardinal side
  double sign;    // +1: turns counter-clockwise towards the diagonal
  double widest;  // angle between its sides
  double s3;      // slope along the diagonal side
};

// `first`: 0..7 counter-clockwise from east.
template <class T>
Triangle triangle(const Dem<T>& dem, Index cell, int first) {
  const Index row = cell / dem.grid.cols;
  const double here = double(dem.z[std::size_t(cell)]);
  const auto height = [&](int direction) {
    const Index n = dem.grid.neighbour(cell, (8 - direction % 8) % 8);
    if (n < 0 || !is_data(dem.state[std::size_t(n)])) return std::nan("");
    return double(dem.z[std::size_t(n)]);
  };
  const int cardinal = first % 2 == 0 ? first : first + 1;
  const int diagonal = first % 2 == 0 ? first + 1 : first;
  const bool east_west = cardinal % 4 == 0;
  const double d1 = east_west ? dem.grid.width(row) : dem.grid.dy;
  const double d2 = east_west ? dem.grid.dy : dem.grid.width(row);
  return {(here - height(cardinal)) / d1,
          (height(cardinal) - height(diagonal)) / d2,
          cardinal * std::numbers::pi / 4,
          diagonal > cardinal ? 1.0 : -1.0,
          std::atan2(d2, d1),
          (here - height(diagonal)) / std::hypot(d1, d2)};
}

// The first of the steepest counts.
template <class T>
Facet steepest_facet(const Dem<T>& dem, Index cell) {
  Facet best;
  for (int first = 0; first < 8; ++first) {
    const Triangle t = triangle(dem, cell, first);
    if (std::isnan(t.s1) || std::isnan(t.s2)) continue;
    double turn = std::atan2(t.s2, t.s1);
    double slope = std::hypot(t.s1, t.s2);
    if (turn < 0) {
      turn = 0;
      slope = t.s1;
    } else if (turn > t.widest) {
      turn = t.widest;
      slope = t.s3;
    }
    if (slope > best.slope) best = {slope, t.base + t.sign * turn};
  }
  if (best.slope > 0 && best.angle < 0) best.angle += 2 * std::numbers::pi;
  return best;
}

// Slope along an angle: of the steeper triangle where it is on the side of two.
template <class T>
double slope_along(const Dem<T>& dem, Index cell, double angle) {
  constexpr double kNear = 1e-12;
  double steepest = 0;
  for (int first = 0; first < 8; ++first) {
    const Triangle t = triangle(dem, cell, first);
    const double turn = t.sign * std::remainder(angle - t.base, 2 * std::numbers::pi);
    if (turn < -kNear || turn > t.widest + kNear) continue;
    const double slope = t.s1 * std::cos(turn) + t.s2 * std::sin(turn);
    if (slope > steepest) steepest = slope;  // false for NaN
  }
  return steepest;
}

}  // namespace terrawave::terrain::reference
