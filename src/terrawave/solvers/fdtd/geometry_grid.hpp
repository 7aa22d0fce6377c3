// Grid lines: uniform, explicit, or graded from regions; and what the grid resolves.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "terrawave/base/index.hpp"

namespace terrawave::fdtd {

// One stretch of an axis with a target cell size, metres.
struct GridRegion {
  double from = 0;
  double to = 0;
  double cell = 0;
};

// n + 1 lines from `origin`, each at origin + i * cell (so that equal spacings are equal bits).
std::vector<double> uniform_lines(double origin, double cell, Index cells);

// Lines over consecutive regions; every region boundary is a line, no cell is larger than its
// region's target, and toward a finer neighbour cells shrink by at most `ratio` each.
// Throws InputError for regions with gaps or overlaps, and where `ratio` cannot be kept.
std::vector<double> graded_lines(std::vector<GridRegion> regions, double ratio);

// The largest ratio of neighbouring cells (>= 1), and the line where it stands.
struct GridRatio {
  double ratio = 1;
  Index line = 0;
};
GridRatio worst_ratio(const std::vector<double>& lines);

// Index of the line nearest to x (the lower one on a tie).
Index nearest_line(const std::vector<double>& lines, double x);

// How one material is resolved at one frequency along one axis.
struct Resolution {
  double cells_per_wavelength = 0;
  double phase_error = 0;  // relative error of the phase velocity, worst axis; +inf: no propagation
};
// `index` = sqrt(eps_r mu_r), `cell` the largest spacing that the wave sees (m), f in Hz, dt in s.
// [sin(w dt/2)/(c dt)]^2 = [sin(k d/2)/d]^2 along an axis (Taflove & Hagness, ch. 4).
Resolution resolution(double index, double cell, double f, double dt);

}  // namespace terrawave::fdtd
