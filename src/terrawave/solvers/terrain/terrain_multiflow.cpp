#include "terrawave/solvers/terrain/terrain_multiflow.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "terrawave/solvers/terrain/dinf_steps.hpp"
#include "terrawave/solvers/terrain/host_copies.hpp"
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

}  // namespace

template <class T>
void dinf_angles(const par::Queue& queue, const Grid& grid, View<const T> z,
                 View<const std::uint8_t> state, View<double> angles) {
  check(grid);
  if (grid.connectivity == Connectivity::d4)
    throw InputError("D-infinity needs eight neighbours: choose D8 connectivity");
  const Buffer<double> width(queue, grid.dx);
  par::dispatch(queue, [&](const auto& exec) {
    steps::steepest_facets(exec, {view_of(grid, {}), width.cview(), grid.dy}, z, state, angles);
  });
  queue.synchronize();
}

void dinf_fractions(const par::Queue& queue, const Grid& grid, View<const double> angles,
                    View<double> fractions) {
  check(grid);
  const Buffer<double> width(queue, grid.dx);
  par::dispatch(queue, [&](const auto& exec) {
    steps::split_angles(exec, {view_of(grid, {}), width.cview(), grid.dy}, angles, fractions);
  });
  queue.synchronize();
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
  if (exponent != 1)
    par::dispatch(queue,
                  [&](const auto& exec) { steps::raise(exec, grid.cells(), exponent, fractions); });
  par::dispatch(queue, [&](const auto& exec) { steps::normalise(exec, grid.cells(), fractions); });
  queue.synchronize();
}

template <class T>
void drained_fractions(const par::Queue& queue, const Grid& grid, View<const T> z,
                       View<const std::uint8_t> state, View<const Direction> direction,
                       MultiRule rule, double exponent, View<double> fractions) {
  multiflow_fractions(queue, grid, z, state, rule, exponent, fractions);
  par::dispatch(queue, [&](const auto& exec) { steps::follow_single(exec, direction, fractions); });
  queue.synchronize();
}

void fraction_receivers(const par::Queue& queue, View<const double> fractions,
                        View<std::uint8_t> gives) {
  par::dispatch(queue, [&](const auto& exec) { steps::mark_receivers(exec, fractions, gives); });
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
    steps::multiflow_peel(exec, view_of(grid, {}), fractions, state, weights, out, left.view());
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

#define TERRAWAVE_FOR(T)                                                                        \
  template void multiflow_fractions(const par::Queue&, const Grid&, View<const T>,              \
                                    View<const std::uint8_t>, MultiRule, double, View<double>); \
  template void drained_fractions(const par::Queue&, const Grid&, View<const T>,                \
                                  View<const std::uint8_t>, View<const Direction>, MultiRule,   \
                                  double, View<double>);                                        \
  template void dinf_angles(const par::Queue&, const Grid&, View<const T>,                      \
                            View<const std::uint8_t>, View<double>);                            \
  template Index repair_fraction_loops(const par::Queue&, const Grid&, View<const T>,           \
                                       View<const std::uint8_t>, View<double>);
TERRAWAVE_FOR(std::uint8_t)
TERRAWAVE_FOR(std::int16_t)
TERRAWAVE_FOR(std::uint16_t)
TERRAWAVE_FOR(std::int32_t)
TERRAWAVE_FOR(float)
TERRAWAVE_FOR(double)
#undef TERRAWAVE_FOR

}  // namespace terrawave::terrain
