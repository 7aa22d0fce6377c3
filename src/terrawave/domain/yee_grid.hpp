// The lines of a rectangular, possibly graded grid on which E and H are staggered (Yee 1966).
#pragma once

#include <array>
#include <vector>

#include "terrawave/base/index.hpp"

namespace terrawave::domain {

// Nodes (i, j, k) lie on the lines x[0..nx], y[0..ny], z[0..nz] in metres; cell i of an axis is
// between lines i and i + 1. E sits on the edges that start at a node, H on the faces of cells.
class YeeGrid {
 public:
  YeeGrid() = default;
  // Lines of the three axes, each at least two and strictly increasing; InputError otherwise.
  explicit YeeGrid(std::array<std::vector<double>, 3> lines);
  // Equal spacing per axis, metres.
  static YeeGrid uniform(std::array<Index, 3> cells, std::array<double, 3> spacing,
                         std::array<double, 3> origin = {0, 0, 0});

  Index cells(int axis) const { return Index(lines_[std::size_t(axis)].size()) - 1; }
  Index nodes(int axis) const { return cells(axis) + 1; }
  Index cell_count() const { return cells(0) * cells(1) * cells(2); }
  const std::vector<double>& lines(int axis) const { return lines_[std::size_t(axis)]; }
  double line(int axis, Index i) const { return lines_[std::size_t(axis)][std::size_t(i)]; }

  // Primary spacing: length of cell i of an axis, metres.
  double primary(int axis, Index i) const { return line(axis, i + 1) - line(axis, i); }
  // Dual spacing: distance between the midpoints of the cells on both sides of node i; on an outer
  // wall half the one cell there is (so that a magnetic wall needs no special case), or, where the
  // axis is periodic, half of the first and half of the last cell.
  double dual(int axis, Index i, bool periodic = false) const;

  // Smallest spacing, and largest ratio of neighbouring spacings (1 on a uniform axis).
  double smallest(int axis) const;
  double largest(int axis) const;
  double grading(int axis) const;

  // Largest stable dt, seconds, where the fastest wave travels at `speed` m/s: 2 / (speed
  // sqrt(sum of the largest eigenvalues of the three 1-D operators)). Exact for a homogeneous
  // medium with any walls; equal to the Courant limit where the spacing is uniform and larger than
  // the smallest-cell bound on graded lines.
  double time_step_limit(double speed) const;

 private:
  std::array<std::vector<double>, 3> lines_;
};

}  // namespace terrawave::domain
