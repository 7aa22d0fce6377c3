#include "terrawave/domain/yee_grid.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "terrawave/base/error.hpp"

namespace terrawave::domain {
namespace {

// Number of eigenvalues above `lambda` of K u = lambda M u, the 1-D operator with natural
// (magnetic) ends: K = differences over primary spacings, M = dual spacings. Sturm sequence.
Index eigenvalues_above(const YeeGrid& grid, int axis, double lambda) {
  const Index n = grid.nodes(axis);
  Index above = 0;
  double pivot = 0;
  for (Index i = 0; i < n; ++i) {
    const double below = i > 0 ? 1 / grid.primary(axis, i - 1) : 0;
    const double after = i + 1 < n ? 1 / grid.primary(axis, i) : 0;
    const double diagonal = below + after - lambda * grid.dual(axis, i);
    const double coupling = i > 0 ? below * below / pivot : 0;
    pivot = diagonal - coupling;
    if (pivot == 0) pivot = -1e-300;
    if (pivot > 0) ++above;
  }
  return above;
}

double largest_eigenvalue(const YeeGrid& grid, int axis) {
  double low = 0;
  const double smallest = grid.smallest(axis);
  double high = 4 / (smallest * smallest);  // the Courant bound: none is above
  if (grid.grading(axis) < 1 + 1e-12) return high;
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (eigenvalues_above(grid, axis, middle) > 0 ? low : high) = middle;
  }
  return high;
}

}  // namespace

YeeGrid::YeeGrid(std::array<std::vector<double>, 3> lines) : lines_(std::move(lines)) {
  for (int axis = 0; axis < 3; ++axis) {
    const auto& l = lines_[std::size_t(axis)];
    const char name = "xyz"[axis];
    if (l.size() < 2)
      throw InputError(
          fmt::format("grid: axis {} has {} lines, expected at least 2", name, l.size()));
    for (std::size_t i = 0; i < l.size(); ++i) {
      if (!std::isfinite(l[i]))
        throw InputError(fmt::format("grid: line {} of axis {} is not a number", i, name));
      if (i > 0 && l[i] <= l[i - 1])
        throw InputError(fmt::format("grid: lines of axis {} must increase, found {} then {} at {}",
                                     name, l[i - 1], l[i], i));
    }
  }
}

YeeGrid YeeGrid::uniform(std::array<Index, 3> cells, std::array<double, 3> spacing,
                         std::array<double, 3> origin) {
  std::array<std::vector<double>, 3> lines;
  for (std::size_t a = 0; a < 3; ++a)
    for (Index i = 0; i <= cells[a]; ++i) lines[a].push_back(origin[a] + double(i) * spacing[a]);
  return YeeGrid(std::move(lines));
}

double YeeGrid::dual(int axis, Index i, bool periodic) const {
  const Index n = cells(axis);
  if (i > 0 && i < n) return 0.5 * (primary(axis, i - 1) + primary(axis, i));
  if (periodic) return 0.5 * (primary(axis, 0) + primary(axis, n - 1));
  return 0.5 * (i == 0 ? primary(axis, 0) : primary(axis, n - 1));
}

double YeeGrid::smallest(int axis) const {
  double least = primary(axis, 0);
  for (Index i = 1; i < cells(axis); ++i) least = std::min(least, primary(axis, i));
  return least;
}

double YeeGrid::largest(int axis) const {
  double most = primary(axis, 0);
  for (Index i = 1; i < cells(axis); ++i) most = std::max(most, primary(axis, i));
  return most;
}

double YeeGrid::grading(int axis) const {
  double ratio = 1;
  for (Index i = 1; i < cells(axis); ++i) {
    const double r = primary(axis, i) / primary(axis, i - 1);
    ratio = std::max({ratio, r, 1 / r});
  }
  return ratio;
}

double YeeGrid::time_step_limit(double speed) const {
  double sum = 0;
  for (int axis = 0; axis < 3; ++axis) sum += largest_eigenvalue(*this, axis);
  return 2 / (speed * std::sqrt(sum));
}

}  // namespace terrawave::domain
