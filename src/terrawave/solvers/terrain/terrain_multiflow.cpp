#include "terrawave/solvers/terrain/terrain_multiflow.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "terrawave/solvers/terrain/multiflow_steps.hpp"
#include "terrawave/solvers/terrain/terrain_routing.hpp"

namespace terrawave::terrain {
namespace {

using par::Buffer;
using par::View;

void check(const Grid& grid) {
  grid.check();
  require(grid.cells() <= std::numeric_limits<std::int32_t>::max(),
          "a raster of 2^31 or more cells is routed in tiles");
}

template <class T>
std::vector<T> to_host(const par::Queue& queue, View<const T> view) {
  std::vector<T> values(static_cast<std::size_t>(view.size));
  if (view.size > 0) queue.impl().download(values.data(), view.data, values.size() * sizeof(T));
  return values;
}
template <class T>
void to_device(const par::Queue& queue, const std::vector<T>& values, View<T> view) {
  queue.impl().upload(view.data, values.data(), values.size() * sizeof(T));
}

// The steepest of the eight facets (Tarboton 1997): angle counter-clockwise from east, -1 where
// none slopes down. `e(k)`: height of neighbour k, NaN where there is none.
template <class Height>
double facet_angle(const Grid& grid, Index row, double here, const Height& e) {
  const double dx = grid.width(row);
  const double dy = grid.dy;
  double best = 0;
  double angle = -1;
  for (int facet = 0; facet < 8; ++facet) {
    // Facets count counter-clockwise from east; each lies between a cardinal and a diagonal.
    const int cardinal = ((facet + 1) / 2 * 2) % 8;  // in eighths of a turn
    const int diagonal = (facet / 2 * 2 + 1) % 8;
    const auto neighbour = [](int eighth) { return (8 - eighth) % 8; };  // ours run clockwise
    const double e1 = e(neighbour(cardinal));
    const double e2 = e(neighbour(diagonal));
    if (std::isnan(e1) || std::isnan(e2)) continue;
    const bool along_x = cardinal % 4 == 0;
    const double d1 = along_x ? dx : dy;
    const double d2 = along_x ? dy : dx;
    const double s1 = (here - e1) / d1;
    const double s2 = (e1 - e2) / d2;
    const double widest = std::atan2(d2, d1);
    double r = std::atan2(s2, s1);
    double s = std::sqrt(s1 * s1 + s2 * s2);
    if (r < 0) {
      r = 0;
      s = s1;
    } else if (r > widest) {
      r = widest;
      s = (here - e2) / std::sqrt(d1 * d1 + d2 * d2);
    }
    if (!(s > best)) continue;
    best = s;
    const double base = double(cardinal) * std::numbers::pi / 4;
    const bool counter_clockwise = diagonal == (cardinal + 1) % 8;
    angle = counter_clockwise ? base + r : base - r;
    if (angle < 0) angle += 2 * std::numbers::pi;
  }
  return angle;
}

// Splits a direction between the cardinal and the diagonal neighbour on its two sides.
void split_angle(const Grid& grid, Index row, double angle, double* fraction, Index stride) {
  if (!(angle >= 0)) return;
  const double quarter = std::numbers::pi / 2;
  const int quadrant = int(std::floor(angle / quarter)) & 3;
  const double within = angle - quadrant * quarter;  // from one cardinal towards the next
  const bool first_along_x = quadrant % 2 == 0;
  const double d1 = first_along_x ? grid.width(row) : grid.dy;
  const double d2 = first_along_x ? grid.dy : grid.width(row);
  const double to_diagonal = std::atan2(d2, d1);
  const auto neighbour = [](int eighth) { return Index((16 - eighth) % 8); };
  const int diagonal = 2 * quadrant + 1;
  double share = 0;  // of the diagonal
  int cardinal = 2 * quadrant;
  if (within <= to_diagonal) {
    share = within / to_diagonal;
  } else {
    cardinal += 2;
    share = (quarter - within) / (quarter - to_diagonal);
  }
  // An angle along a cell's axis or diagonal may be off by an ulp: it must not leak to a neighbour
  // that lies no lower.
  constexpr double kNothing = 1e-12;
  share = share < kNothing ? 0 : (share > 1 - kNothing ? 1 : share);
  fraction[neighbour(diagonal) * stride] = share;
  fraction[neighbour(cardinal) * stride] = 1 - share;
}

}  // namespace

template <class T>
void dinf_angles(const par::Queue& queue, const Grid& grid, View<const T> z,
                 View<const std::uint8_t> state, View<double> angles) {
  check(grid);
  if (grid.connectivity == Connectivity::d4)
    throw InputError("D-infinity needs eight neighbours: choose D8 connectivity");
  const std::vector<T> heights = to_host(queue, z);
  const std::vector<std::uint8_t> states = to_host(queue, state);
  std::vector<double> out(heights.size());
#pragma omp parallel for schedule(static) num_threads(queue.threads())
  for (Index row = 0; row < grid.rows; ++row)
    for (Index col = 0; col < grid.cols; ++col) {
      const auto c = std::size_t(row * grid.cols + col);
      constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
      if (states[c] != std::uint8_t(CellState::valid)) {
        out[c] = is_data(states[c]) ? -1 : kNone;
        continue;
      }
      out[c] = facet_angle(grid, row, double(heights[c]), [&](int k) {
        const Index n = grid.neighbour(row, col, k);
        return n < 0 || !is_data(states[std::size_t(n)]) ? kNone : double(heights[std::size_t(n)]);
      });
    }
  to_device(queue, out, angles);
}

void dinf_fractions(const par::Queue& queue, const Grid& grid, View<const double> angles,
                    View<double> fractions) {
  check(grid);
  const std::vector<double> angle = to_host(queue, angles);
  std::vector<double> fraction(angle.size() * kNeighbours, 0.0);
#pragma omp parallel for schedule(static) num_threads(queue.threads())
  for (Index c = 0; c < grid.cells(); ++c)
    split_angle(grid, row_of(c, grid.cols), angle[std::size_t(c)], fraction.data() + c,
                grid.cells());
  to_device(queue, fraction, fractions);
}

template <class T>
void multiflow_fractions(const par::Queue& queue, const Grid& grid, View<const T> z,
                         View<const std::uint8_t> state, MultiRule rule, double exponent,
                         View<double> fractions) {
  check(grid);
  if (rule == MultiRule::dinf) {
    Buffer<double> angles(queue, grid.cells());
    dinf_angles(queue, grid, z, state, angles.view());
    dinf_fractions(queue, grid, angles.cview(), fractions);
    return;
  }
  if (!(exponent > 0) || !std::isfinite(exponent))
    throw InputError("the exponent of multiple flow: expected a positive number, found " +
                     std::to_string(exponent));
  const Buffer<double> inverse(queue, inverse_distances(grid));
  const GridView view = view_of(grid, inverse.cview());
  par::dispatch(queue, [&](const auto& exec) {
    steps::slopes(exec, view, z, state, rule == MultiRule::quinn, fractions);
  });
  if (exponent != 1) {
    // Powers differ between the libraries of host and GPU: the host's count.
    std::vector<double> values = to_host(queue, View<const double>(fractions));
#pragma omp parallel for schedule(static) num_threads(queue.threads())
    for (Index i = 0; i < Index(values.size()); ++i)
      if (values[std::size_t(i)] > 0)
        values[std::size_t(i)] = std::pow(values[std::size_t(i)], exponent);
    to_device(queue, values, fractions);
  }
  par::dispatch(queue, [&](const auto& exec) { steps::normalise(exec, grid.cells(), fractions); });
  queue.synchronize();
}

namespace {

// Disjoint loops among the cells in `left`: each has a donor that is left as well, so walking from
// first donor to first donor comes round. Calls found(cells).
template <class Found>
void loops_among(const Grid& grid, const std::vector<double>& fractions,
                 const std::vector<std::uint8_t>& left, const Found& found) {
  Grid all = grid;
  all.connectivity = Connectivity::d8;
  const auto donor = [&](Index c) {
    for (int k = 0; k < kNeighbours; ++k) {
      const Index d = all.neighbour(c, k);
      if (d >= 0 && left[std::size_t(d)] != 0 &&
          fractions[std::size_t(opposite(k) * grid.cells() + d)] > 0)
        return d;
    }
    return Index{-1};
  };
  std::vector<Index> walk(left.size(), 0);  // number of the walk that came by; 0: none
  Index walks = 0;
  for (Index start = 0; start < Index(left.size()); ++start) {
    if (left[std::size_t(start)] == 0 || walk[std::size_t(start)] != 0) continue;
    ++walks;
    Index c = start;
    for (; c >= 0 && walk[std::size_t(c)] == 0; c = donor(c)) walk[std::size_t(c)] = walks;
    if (c < 0 || walk[std::size_t(c)] != walks) continue;
    std::vector<Index> loop = {c};
    for (Index n = donor(c); n != c; n = donor(n)) loop.push_back(n);
    found(loop);
  }
}

// 1 for each cell that waits for donors for ever.
std::vector<std::uint8_t> unfinished(const par::Queue& queue, const Grid& grid,
                                     View<const double> fractions, View<const std::uint8_t> state,
                                     View<const double> weights, View<double> out) {
  Buffer<std::uint8_t> left(queue, grid.cells());
  par::dispatch(queue, [&](const auto& exec) {
    return steps::multiflow_peel(exec, view_of(grid, {}), fractions, state, weights, out,
                                 left.view());
  });
  return left.download();
}

std::vector<Index> smallest_loop(const par::Queue& queue, const Grid& grid,
                                 View<const double> fractions,
                                 const std::vector<std::uint8_t>& left) {
  std::vector<Index> smallest;
  if (std::find(left.begin(), left.end(), 1) == left.end()) return smallest;
  loops_among(grid, to_host(queue, fractions), left, [&](std::vector<Index> loop) {
    std::rotate(loop.begin(), std::min_element(loop.begin(), loop.end()), loop.end());
    if (smallest.empty() || loop[0] < smallest[0]) smallest = std::move(loop);
  });
  return smallest;
}

}  // namespace

std::vector<Index> find_fraction_loop(const par::Queue& queue, const Grid& grid,
                                      View<const double> fractions,
                                      View<const std::uint8_t> state) {
  check(grid);
  Buffer<double> ignored(queue, grid.cells());
  return smallest_loop(queue, grid, fractions,
                       unfinished(queue, grid, fractions, state, {}, ignored.view()));
}

void multiflow_accumulate(const par::Queue& queue, const Grid& grid, View<const double> fractions,
                          View<const std::uint8_t> state, View<const double> weights,
                          View<double> out) {
  check(grid);
  const std::vector<Index> loop = smallest_loop(
      queue, grid, fractions, unfinished(queue, grid, fractions, state, weights, out));
  if (loop.empty()) return;
  std::string cells;
  for (std::size_t i = 0; i < std::min(loop.size(), std::size_t(kNamedLoopCells)); ++i)
    cells += (i > 0 ? " <- " : "") + std::string("(") + std::to_string(loop[i] / grid.cols) + ", " +
             std::to_string(loop[i] % grid.cols) + ")";
  throw InputError("flow fractions form a loop of " + std::to_string(loop.size()) +
                   " cells (row, column): " + cells +
                   "; expected fractions without loops: correct the raster, or repair them (the "
                   "lowest cell of each loop becomes a pit)");
}

template <class T>
Index repair_fraction_loops(const par::Queue& queue, const Grid& grid, View<const T> z,
                            View<const std::uint8_t> state, View<double> fractions) {
  check(grid);
  const std::vector<T> height = to_host(queue, z);
  std::vector<double> share = to_host(queue, View<const double>(fractions));
  Buffer<double> ignored(queue, grid.cells());
  Index repaired = 0;
  while (true) {
    const std::vector<std::uint8_t> left =
        unfinished(queue, grid, fractions, state, {}, ignored.view());
    std::vector<Index> pits;  // shares stay as they are until every loop is known
    loops_among(grid, share, left, [&](const std::vector<Index>& loop) {
      pits.push_back(*std::min_element(loop.begin(), loop.end(), [&](Index a, Index b) {
        const double za = loop_height(double(height[std::size_t(a)]));
        const double zb = loop_height(double(height[std::size_t(b)]));
        return za < zb || (za == zb && a < b);
      }));
    });
    if (pits.empty()) return repaired;
    repaired += Index(pits.size());
    for (const Index pit : pits)
      for (Index k = 0; k < kNeighbours; ++k) share[std::size_t(k * grid.cells() + pit)] = 0;
    to_device(queue, share, fractions);
  }
}

#define TERRAWAVE_FOR(T)                                                              \
  template Index repair_fraction_loops(const par::Queue&, const Grid&, View<const T>, \
                                       View<const std::uint8_t>, View<double>);
TERRAWAVE_FOR(std::uint8_t)
TERRAWAVE_FOR(std::int16_t)
TERRAWAVE_FOR(std::uint16_t)
TERRAWAVE_FOR(std::int32_t)
TERRAWAVE_FOR(float)
TERRAWAVE_FOR(double)
#undef TERRAWAVE_FOR

template void dinf_angles(const par::Queue&, const Grid&, View<const std::uint8_t>,
                          View<const std::uint8_t>, View<double>);
template void dinf_angles(const par::Queue&, const Grid&, View<const std::int16_t>,
                          View<const std::uint8_t>, View<double>);
template void dinf_angles(const par::Queue&, const Grid&, View<const std::uint16_t>,
                          View<const std::uint8_t>, View<double>);
template void dinf_angles(const par::Queue&, const Grid&, View<const std::int32_t>,
                          View<const std::uint8_t>, View<double>);
template void dinf_angles(const par::Queue&, const Grid&, View<const float>,
                          View<const std::uint8_t>, View<double>);
template void dinf_angles(const par::Queue&, const Grid&, View<const double>,
                          View<const std::uint8_t>, View<double>);
template void multiflow_fractions(const par::Queue&, const Grid&, View<const std::uint8_t>,
                                  View<const std::uint8_t>, MultiRule, double, View<double>);
template void multiflow_fractions(const par::Queue&, const Grid&, View<const std::int16_t>,
                                  View<const std::uint8_t>, MultiRule, double, View<double>);
template void multiflow_fractions(const par::Queue&, const Grid&, View<const std::uint16_t>,
                                  View<const std::uint8_t>, MultiRule, double, View<double>);
template void multiflow_fractions(const par::Queue&, const Grid&, View<const std::int32_t>,
                                  View<const std::uint8_t>, MultiRule, double, View<double>);
template void multiflow_fractions(const par::Queue&, const Grid&, View<const float>,
                                  View<const std::uint8_t>, MultiRule, double, View<double>);
template void multiflow_fractions(const par::Queue&, const Grid&, View<const double>,
                                  View<const std::uint8_t>, MultiRule, double, View<double>);

}  // namespace terrawave::terrain
