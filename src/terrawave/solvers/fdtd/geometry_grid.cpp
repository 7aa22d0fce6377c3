#include "terrawave/solvers/fdtd/geometry_grid.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include "terrawave/base/error.hpp"
#include "terrawave/solvers/fdtd/fdtd_model.hpp"

namespace terrawave::fdtd {

std::vector<double> uniform_lines(double origin, double cell, Index cells) {
  std::vector<double> lines(static_cast<std::size_t>(cells) + 1);
  for (std::size_t i = 0; i < lines.size(); ++i) lines[i] = origin + double(i) * cell;
  return lines;
}

namespace {

// The wanted size at distance s from the low end of a stretch of length l: sizes `low` and `high`
// at the ends (infinite where free), growing by `slope` per length, never above `cell`.
struct SizeLaw {
  double l, cell, low, high, slope;
  // Cells up to s: the integral of 1/size, by pieces where the size is linear or constant.
  double count(double s) const {
    const double rise = std::isfinite(low) ? std::clamp((cell - low) / slope, 0.0, l) : 0;
    const double fall = std::isfinite(high) ? std::clamp((cell - high) / slope, 0.0, l) : 0;
    double up_end = rise, down_begin = l - fall;
    if (up_end > down_begin)
      up_end = down_begin = std::clamp((l + (high - low) / slope) / 2, 0., l);
    double n = 0;
    if (up_end > 0) n += std::log1p(slope * std::min(s, up_end) / low) / slope;
    if (s > up_end) n += (std::min(s, down_begin) - up_end) / cell;
    if (s > down_begin) {
      const double at_begin = high + slope * (l - down_begin);
      n -= std::log1p(-slope * (s - down_begin) / at_begin) / slope;
    }
    return n;
  }
};

// Divides a stretch so that cell i ends where the count reaches (i + 1) total / n.
std::vector<double> divide(const SizeLaw& law) {
  const double total = law.count(law.l);
  const double cells = std::max(1.0, std::ceil(total - 1e-6));
  std::vector<double> at(static_cast<std::size_t>(cells) + 1, 0.0);
  const bool uniform = !(law.low < law.cell) && !(law.high < law.cell);
  for (std::size_t i = 1; i + 1 < at.size(); ++i) {
    if (uniform) {
      at[i] = law.l * double(i) / cells;
      continue;
    }
    double a = at[i - 1], b = law.l;
    for (int step = 0; step < 200 && b - a > 1e-15 * law.l; ++step) {
      const double m = (a + b) / 2;
      (law.count(m) < total * double(i) / cells ? a : b) = m;
    }
    at[i] = (a + b) / 2;
  }
  at.back() = law.l;
  return at;
}

}  // namespace

std::vector<double> graded_lines(std::vector<GridRegion> regions, double ratio) {
  if (regions.empty()) throw InputError("no regions");
  std::sort(regions.begin(), regions.end(),
            [](const auto& a, const auto& b) { return a.from < b.from; });
  for (std::size_t r = 0; r < regions.size(); ++r) {
    if (!(regions[r].to > regions[r].from))
      throw InputError(fmt::format("region from {:g} m to {:g} m has no length", regions[r].from,
                                   regions[r].to));
    if (r == 0) continue;
    const double gap = regions[r].from - regions[r - 1].to;
    const double close = 1e-9 * (regions.back().to - regions.front().from);
    if (std::abs(gap) > close)
      throw InputError(fmt::format(
          "regions {} between {:g} m and {:g} m; each region must begin "
          "where the one before it ends",
          gap > 0 ? "leave a gap" : "overlap", std::min(regions[r].from, regions[r - 1].to),
          std::max(regions[r].from, regions[r - 1].to)));
  }
  std::vector<std::size_t> order(regions.size());
  for (std::size_t r = 0; r < order.size(); ++r) order[r] = r;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return regions[a].cell < regions[b].cell; });
  // Finer regions first: coarser ones then grade toward the cells that are really there.
  const double inf = std::numeric_limits<double>::infinity();
  std::vector<std::vector<double>> parts(regions.size());
  for (const std::size_t r : order) {
    SizeLaw law{regions[r].to - regions[r].from, regions[r].cell, inf, inf, std::log(ratio) * 0.98};
    if (r > 0 && !parts[r - 1].empty()) {
      const auto& p = parts[r - 1];
      law.low = std::min(law.cell, p[p.size() - 1] - p[p.size() - 2]);
    }
    if (r + 1 < regions.size() && !parts[r + 1].empty())
      law.high = std::min(law.cell, parts[r + 1][1] - parts[r + 1][0]);
    parts[r] = divide(law);
  }
  std::vector<double> lines;
  for (std::size_t r = 0; r < regions.size(); ++r)
    for (std::size_t i = r == 0 ? 0 : 1; i < parts[r].size(); ++i)
      lines.push_back(i + 1 == parts[r].size() ? regions[r].to : regions[r].from + parts[r][i]);
  const GridRatio worst = worst_ratio(lines);
  if (worst.ratio > ratio * (1 + 1e-9))
    throw InputError(fmt::format(
        "neighbouring cells at {:g} m differ by a factor {:.3f}, more than the ratio {:g}; make "
        "the lengths of the regions whole multiples of their cells, or the coarse region longer",
        lines[std::size_t(worst.line)], worst.ratio, ratio));
  return lines;
}

GridRatio worst_ratio(const std::vector<double>& lines) {
  GridRatio worst;
  for (std::size_t i = 1; i + 1 < lines.size(); ++i) {
    const double a = lines[i] - lines[i - 1], b = lines[i + 1] - lines[i];
    const double r = std::max(a, b) / std::min(a, b);
    if (r > worst.ratio) worst = {r, Index(i)};
  }
  return worst;
}

Index nearest_line(const std::vector<double>& lines, double x) {
  const auto above = std::lower_bound(lines.begin(), lines.end(), x);
  if (above == lines.begin()) return 0;
  if (above == lines.end()) return Index(lines.size()) - 1;
  const auto i = Index(above - lines.begin());
  // Within rounding of the middle the lower line wins.
  const double down = x - lines[std::size_t(i - 1)], up = *above - x;
  return up < down * (1 - 1e-9) ? i : i - 1;
}

Resolution resolution(double index, double cell, double f, double dt) {
  const double c = kLightSpeed / index;
  Resolution r;
  r.cells_per_wavelength = c / (f * cell);
  const double s = cell / (c * dt) * std::sin(std::numbers::pi * f * dt);
  if (s >= 1) {
    r.phase_error = std::numeric_limits<double>::infinity();
  } else {
    const double k = 2 / cell * std::asin(s);
    r.phase_error = k * c / (2 * std::numbers::pi * f) - 1;
  }
  return r;
}

}  // namespace terrawave::fdtd
