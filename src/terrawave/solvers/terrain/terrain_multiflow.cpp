#include "terrawave/solvers/terrain/terrain_multiflow.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "terrawave/solvers/terrain/dinf_steps.hpp"
#include "terrawave/solvers/terrain/loop_steps.hpp"
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

// Sums, and the cells that wait for donors for ever with 1 in `left`. Returns their number.
Index sum_up(const par::Queue& queue, const Grid& grid, View<const double> fractions,
             View<const std::uint8_t> state, View<const double> weights, View<double> out,
             View<std::uint8_t> left) {
  return par::dispatch(queue, [&](const auto& exec) {
    return steps::multiflow_peel(exec, view_of(grid, {}), fractions, state, weights, out, left);
  });
}

// Disjoint loops among the cells that wait: each has a donor that waits as well, so going from
// first donor to first donor comes round.
template <class T>
steps::Loops loops_among(const par::Queue& queue, const Grid& grid, View<const double> fractions,
                         View<const std::uint8_t> left, View<const T> z) {
  Buffer<std::int32_t> next(queue, grid.cells());
  return par::dispatch(queue, [&](const auto& exec) {
    steps::follow_donors(exec, view_of(grid, {}), fractions, left, next.view());
    return steps::find_loops(exec, next.cview(), z);
  });
}

// From cell to donor; empty where there is none.
std::vector<Index> sum_or_find_loop(const par::Queue& queue, const Grid& grid,
                                    View<const double> fractions, View<const std::uint8_t> state,
                                    View<const double> weights, View<double> out) {
  Buffer<std::uint8_t> left(queue, grid.cells());
  if (sum_up(queue, grid, fractions, state, weights, out, left.view()) == 0) return {};
  return steps::first_loop(
      loops_among(queue, grid, fractions, left.cview(), View<const std::uint8_t>{}));
}

}  // namespace

std::vector<Index> find_fraction_loop(const par::Queue& queue, const Grid& grid,
                                      View<const double> fractions,
                                      View<const std::uint8_t> state) {
  check(grid);
  Buffer<double> ignored(queue, grid.cells());
  return sum_or_find_loop(queue, grid, fractions, state, {}, ignored.view());
}

void multiflow_accumulate(const par::Queue& queue, const Grid& grid, View<const double> fractions,
                          View<const std::uint8_t> state, View<const double> weights,
                          View<double> out) {
  check(grid);
  const std::vector<Index> loop = sum_or_find_loop(queue, grid, fractions, state, weights, out);
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
  Buffer<double> ignored(queue, grid.cells());
  Buffer<std::uint8_t> left(queue, grid.cells());
  Index repaired = 0;
  while (sum_up(queue, grid, fractions, state, {}, ignored.view(), left.view()) > 0) {
    const steps::Loops loops = loops_among(queue, grid, fractions, left.cview(), z);
    par::dispatch(queue, [&](const auto& exec) {
      const Buffer<std::int32_t> pits = steps::lowest_cells(exec, loops);
      require(pits.size() > 0, "repair_fraction_loops: cells wait without a loop");
      steps::empty_shares(exec, pits.cview(), fractions);
      repaired += pits.size();
      queue.synchronize();
    });
  }
  return repaired;
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
