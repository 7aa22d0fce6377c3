#include "terrawave/solvers/terrain/terrain_routing.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "terrawave/solvers/terrain/cpu/cpu_flats.hpp"
#include "terrawave/solvers/terrain/cpu/cpu_labels.hpp"
#include "terrawave/solvers/terrain/cpu/cpu_peel.hpp"
#include "terrawave/solvers/terrain/cpu/cpu_receivers.hpp"
#include "terrawave/solvers/terrain/cpu/cpu_route.hpp"

namespace terrawave::terrain {
namespace {

void check(const Grid& grid) {
  grid.check();
  require(grid.cells() <= std::numeric_limits<std::int32_t>::max(),
          "a raster of 2^31 or more cells is routed in tiles");
}

[[noreturn]] void refuse_loop(const par::Queue& queue, const Grid& grid,
                              const Receivers& receivers) {
  constexpr std::size_t kNamed = 8;
  const std::vector<Index> loop = find_loop(queue, grid, receivers);
  require(!loop.empty(), "accumulate: cells were left over without a loop");
  std::string cells;
  for (std::size_t i = 0; i < std::min(loop.size(), kNamed); ++i)
    cells += (i > 0 ? " -> " : "") + std::string("(") + std::to_string(loop[i] / grid.cols) + ", " +
             std::to_string(loop[i] % grid.cols) + ")";
  if (loop.size() > kNamed) cells += " -> ...";
  throw InputError("flow directions form a loop of " + std::to_string(loop.size()) +
                   " cells (row, column): " + cells +
                   "; expected directions without loops. Repair them (the lowest cell of each "
                   "loop becomes a pit) or correct the raster");
}

}  // namespace

template <class T>
Receivers steepest_receivers(const par::Queue& queue, const Grid& grid, par::View<const T> z,
                             par::View<const std::uint8_t> state, FlatRule flats) {
  check(grid);
  Receivers receivers{par::Buffer<Direction>(queue, grid.cells()), {}};
  cpu::steepest_receivers(queue, grid, z, state, flats, receivers.direction.view());
  return receivers;
}

Index count_pits(const par::Queue& queue, const Receivers& receivers,
                 par::View<const std::uint8_t> state) {
  const par::LaunchScope open(queue);
  const par::View<const Direction> direction = receivers.direction.view();
  Index pits = 0;
#pragma omp parallel for schedule(static) num_threads(queue.threads()) reduction(+ : pits)
  for (Index c = 0; c < direction.size; ++c)
    if (direction[c] == kRoot && !is_base(state[c])) ++pits;
  return pits - Index(receivers.jumps.size());
}

template <class V>
void accumulate(const par::Queue& queue, const Grid& grid, const Receivers& receivers,
                par::View<const V> weights, par::View<V> out, Combine combine) {
  check(grid);
  const Index finished = cpu::accumulate(queue, grid, receivers, weights, out, combine);
  Index data = 0;
  {
    const par::LaunchScope open(queue);
    const par::View<const Direction> direction = receivers.direction.view();
#pragma omp parallel for schedule(static) num_threads(queue.threads()) reduction(+ : data)
    for (Index c = 0; c < direction.size; ++c) data += direction[c] != kNoDirection;
  }
  if (finished != data) refuse_loop(queue, grid, receivers);
}

void label_basins(const par::Queue& queue, const Grid& grid, const Receivers& receivers,
                  par::View<std::int32_t> labels) {
  check(grid);
  if (!cpu::label_roots(queue, grid, receivers.direction.view(), receivers.jumps, labels))
    refuse_loop(queue, grid, receivers);
}

template <class T>
void fill(const par::Queue& queue, const Grid& grid, par::View<const T> z,
          par::View<const std::uint8_t> state, par::View<T> filled) {
  check(grid);
  cpu::fill(queue, grid, z, state, filled);
}

template <class T>
Index resolve_flats(const par::Queue& queue, const Grid& grid, par::View<const T> z,
                    par::View<const std::uint8_t> state, par::View<Direction> direction) {
  check(grid);
  return cpu::resolve_flats(queue, grid, z, state, direction);
}

template <class T>
Routed route(const par::Queue& queue, const Grid& grid, par::View<const T> z,
             par::View<const std::uint8_t> state, RouteMode mode, bool flats) {
  check(grid);
  if (mode == RouteMode::fill) {
    par::Buffer<T> filled(queue, grid.cells());
    const RouteStats stats = cpu::fill(queue, grid, z, state, filled.view());
    Routed routed{steepest_receivers(queue, grid, filled.cview(), state,
                                     flats ? FlatRule::leave : FlatRule::by_index),
                  stats};
    const par::View<Direction> direction = routed.receivers.direction.view();
    if (flats) {
      cpu::resolve_flats(queue, grid, filled.cview(), state, direction);
      cpu::drain_by_index(queue, grid, filled.cview(), state, direction);
    } else {
      cpu::leave_depressions(queue, grid, filled.cview(), state, false, routed.receivers);
    }
    return routed;
  }
  Routed routed{
      steepest_receivers(queue, grid, z, state, flats ? FlatRule::leave : FlatRule::by_index), {}};
  if (flats) {
    const par::View<Direction> direction = routed.receivers.direction.view();
    cpu::resolve_flats(queue, grid, z, state, direction);
    cpu::drain_by_index(queue, grid, z, state, direction);
  }
  routed.stats =
      cpu::leave_depressions(queue, grid, z, state, mode == RouteMode::jump, routed.receivers);
  return routed;
}

template void accumulate(const par::Queue&, const Grid&, const Receivers&,
                         par::View<const std::int64_t>, par::View<std::int64_t>, Combine);
template void accumulate(const par::Queue&, const Grid&, const Receivers&, par::View<const double>,
                         par::View<double>, Combine);
template Receivers steepest_receivers(const par::Queue&, const Grid&, par::View<const std::uint8_t>,
                                      par::View<const std::uint8_t>, FlatRule);
template Receivers steepest_receivers(const par::Queue&, const Grid&, par::View<const std::int16_t>,
                                      par::View<const std::uint8_t>, FlatRule);
template Receivers steepest_receivers(const par::Queue&, const Grid&,
                                      par::View<const std::uint16_t>, par::View<const std::uint8_t>,
                                      FlatRule);
template Receivers steepest_receivers(const par::Queue&, const Grid&, par::View<const std::int32_t>,
                                      par::View<const std::uint8_t>, FlatRule);
template Receivers steepest_receivers(const par::Queue&, const Grid&, par::View<const float>,
                                      par::View<const std::uint8_t>, FlatRule);
template Receivers steepest_receivers(const par::Queue&, const Grid&, par::View<const double>,
                                      par::View<const std::uint8_t>, FlatRule);
template void fill(const par::Queue&, const Grid&, par::View<const std::uint8_t>,
                   par::View<const std::uint8_t>, par::View<std::uint8_t>);
template void fill(const par::Queue&, const Grid&, par::View<const std::int16_t>,
                   par::View<const std::uint8_t>, par::View<std::int16_t>);
template void fill(const par::Queue&, const Grid&, par::View<const std::uint16_t>,
                   par::View<const std::uint8_t>, par::View<std::uint16_t>);
template void fill(const par::Queue&, const Grid&, par::View<const std::int32_t>,
                   par::View<const std::uint8_t>, par::View<std::int32_t>);
template void fill(const par::Queue&, const Grid&, par::View<const float>,
                   par::View<const std::uint8_t>, par::View<float>);
template void fill(const par::Queue&, const Grid&, par::View<const double>,
                   par::View<const std::uint8_t>, par::View<double>);
template Index resolve_flats(const par::Queue&, const Grid&, par::View<const std::uint8_t>,
                             par::View<const std::uint8_t>, par::View<Direction>);
template Index resolve_flats(const par::Queue&, const Grid&, par::View<const std::int16_t>,
                             par::View<const std::uint8_t>, par::View<Direction>);
template Index resolve_flats(const par::Queue&, const Grid&, par::View<const std::uint16_t>,
                             par::View<const std::uint8_t>, par::View<Direction>);
template Index resolve_flats(const par::Queue&, const Grid&, par::View<const std::int32_t>,
                             par::View<const std::uint8_t>, par::View<Direction>);
template Index resolve_flats(const par::Queue&, const Grid&, par::View<const float>,
                             par::View<const std::uint8_t>, par::View<Direction>);
template Index resolve_flats(const par::Queue&, const Grid&, par::View<const double>,
                             par::View<const std::uint8_t>, par::View<Direction>);
template Routed route(const par::Queue&, const Grid&, par::View<const std::uint8_t>,
                      par::View<const std::uint8_t>, RouteMode, bool);
template Routed route(const par::Queue&, const Grid&, par::View<const std::int16_t>,
                      par::View<const std::uint8_t>, RouteMode, bool);
template Routed route(const par::Queue&, const Grid&, par::View<const std::uint16_t>,
                      par::View<const std::uint8_t>, RouteMode, bool);
template Routed route(const par::Queue&, const Grid&, par::View<const std::int32_t>,
                      par::View<const std::uint8_t>, RouteMode, bool);
template Routed route(const par::Queue&, const Grid&, par::View<const float>,
                      par::View<const std::uint8_t>, RouteMode, bool);
template Routed route(const par::Queue&, const Grid&, par::View<const double>,
                      par::View<const std::uint8_t>, RouteMode, bool);

}  // namespace terrawave::terrain
