#include "terrawave/solvers/terrain/terrain_routing.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "terrawave/solvers/terrain/cpu/cpu_flats.hpp"
#include "terrawave/solvers/terrain/cpu/cpu_labels.hpp"
#include "terrawave/solvers/terrain/cpu/cpu_peel.hpp"
#include "terrawave/solvers/terrain/cpu/cpu_receivers.hpp"
#include "terrawave/solvers/terrain/cpu/cpu_route.hpp"
#include "terrawave/solvers/terrain/portable_routing.hpp"
#if defined(TERRAWAVE_CUDA)
#include "terrawave/solvers/terrain/cuda/flat_search.hpp"
#include "terrawave/solvers/terrain/cuda/tile_accumulate.hpp"
#endif

namespace terrawave::terrain {
namespace {

void check(const Grid& grid) {
  grid.check();
  require(grid.cells() <= std::numeric_limits<std::int32_t>::max(),
          "a raster of 2^31 or more cells is routed in tiles");
}

bool on_host(const par::Queue& queue) { return queue.backend() == par::Backend::host; }

[[noreturn]] void refuse_loop(const par::Queue& queue, const Grid& grid,
                              const Receivers& receivers) {
  const std::vector<Index> loop = find_loop(queue, grid, receivers);
  require(!loop.empty(), "accumulate: cells were left over without a loop");
  std::string cells;
  for (std::size_t i = 0; i < std::min(loop.size(), std::size_t(kNamedLoopCells)); ++i)
    cells += (i > 0 ? " -> " : "") + std::string("(") + std::to_string(loop[i] / grid.cols) + ", " +
             std::to_string(loop[i] % grid.cols) + ")";
  if (Index(loop.size()) > kNamedLoopCells) cells += " -> ...";
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
  if (on_host(queue))
    cpu::steepest_receivers(queue, grid, z, state, flats, receivers.direction.view());
  else
    portable::steepest_receivers(queue, grid, z, state, flats, receivers.direction.view());
  return receivers;
}

Index count_pits(const par::Queue& queue, const Receivers& receivers,
                 par::View<const std::uint8_t> state) {
  return portable::count_roots(queue, receivers.direction.view(), state) -
         Index(receivers.jumps.size());
}

namespace {

// Returns the number of cells finished.
template <class V>
Index accumulate_by_device(const par::Queue& queue, const Grid& grid, const Receivers& receivers,
                           par::View<const V> weights, par::View<V> out, Combine combine) {
  if (on_host(queue)) return cpu::accumulate(queue, grid, receivers, weights, out, combine);
#if defined(TERRAWAVE_CUDA)
  if constexpr (std::is_integral_v<V>)
    if (combine == Combine::sum && receivers.jumps.empty() && cuda::fits_tiles(view_of(grid, {})))
      return cuda::tile_accumulate(queue, view_of(grid, {}), receivers.direction.view(), weights,
                                   out);
#endif
  return portable::accumulate(queue, grid, receivers, weights, out, combine);
}

}  // namespace

template <class V>
void accumulate(const par::Queue& queue, const Grid& grid, const Receivers& receivers,
                par::View<const V> weights, par::View<V> out, Combine combine) {
  check(grid);
  const Index finished = accumulate_by_device(queue, grid, receivers, weights, out, combine);
  if (finished != portable::count_data(queue, receivers.direction.view()))
    refuse_loop(queue, grid, receivers);
}

void label_basins(const par::Queue& queue, const Grid& grid, const Receivers& receivers,
                  par::View<std::int32_t> labels) {
  check(grid);
  const bool complete = on_host(queue) ? cpu::label_roots(queue, grid, receivers.direction.view(),
                                                          receivers.jumps, labels)
                                       : portable::label_roots(queue, grid, receivers, labels);
  if (!complete) refuse_loop(queue, grid, receivers);
}

namespace {

template <class T>
RouteStats fill_by_device(const par::Queue& queue, const Grid& grid, par::View<const T> z,
                          par::View<const std::uint8_t> state, par::View<T> filled) {
  return on_host(queue) ? cpu::fill(queue, grid, z, state, filled)
                        : portable::fill(queue, grid, z, state, filled);
}

template <class T>
RouteStats leave_depressions(const par::Queue& queue, const Grid& grid, par::View<const T> z,
                             par::View<const std::uint8_t> state, bool jump, Receivers& receivers) {
  return on_host(queue) ? cpu::leave_depressions(queue, grid, z, state, jump, receivers)
                        : portable::leave_depressions(queue, grid, z, state, jump, receivers);
}

template <class T>
void drain_flats(const par::Queue& queue, const Grid& grid, par::View<const T> z,
                 par::View<const std::uint8_t> state, par::View<Direction> direction) {
  resolve_flats(queue, grid, z, state, direction);
  if (on_host(queue))
    cpu::drain_by_index(queue, grid, z, state, direction);
  else
    portable::drain_by_index(queue, grid, z, state, direction);
}

}  // namespace

template <class T>
RouteStats fill(const par::Queue& queue, const Grid& grid, par::View<const T> z,
                par::View<const std::uint8_t> state, par::View<T> filled) {
  check(grid);
  return fill_by_device(queue, grid, z, state, filled);
}

template <class T>
Index resolve_flats(const par::Queue& queue, const Grid& grid, par::View<const T> z,
                    par::View<const std::uint8_t> state, par::View<Direction> direction) {
  check(grid);
  if (on_host(queue)) return cpu::resolve_flats(queue, grid, z, state, direction);
#if defined(TERRAWAVE_CUDA)
  if (const auto drained = cuda::resolve_flats(queue, view_of(grid, {}), z, state, direction))
    return *drained;
#endif
  return portable::resolve_flats(queue, grid, z, state, direction);
}

template <class T>
Routed route(const par::Queue& queue, const Grid& grid, par::View<const T> z,
             par::View<const std::uint8_t> state, RouteMode mode, bool flats) {
  check(grid);
  const FlatRule rule = flats ? FlatRule::leave : FlatRule::by_index;
  if (mode != RouteMode::fill) {
    Routed routed{steepest_receivers(queue, grid, z, state, rule), {}};
    if (flats) drain_flats(queue, grid, z, state, routed.receivers.direction.view());
    routed.stats =
        leave_depressions(queue, grid, z, state, mode == RouteMode::jump, routed.receivers);
    return routed;
  }
  par::Buffer<T> filled(queue, grid.cells());
  const RouteStats stats = fill_by_device(queue, grid, z, state, filled.view());
  Routed routed{steepest_receivers(queue, grid, filled.cview(), state, rule), stats};
  if (flats)
    drain_flats(queue, grid, filled.cview(), state, routed.receivers.direction.view());
  else
    leave_depressions(queue, grid, filled.cview(), state, false, routed.receivers);
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
template RouteStats fill(const par::Queue&, const Grid&, par::View<const std::uint8_t>,
                         par::View<const std::uint8_t>, par::View<std::uint8_t>);
template RouteStats fill(const par::Queue&, const Grid&, par::View<const std::int16_t>,
                         par::View<const std::uint8_t>, par::View<std::int16_t>);
template RouteStats fill(const par::Queue&, const Grid&, par::View<const std::uint16_t>,
                         par::View<const std::uint8_t>, par::View<std::uint16_t>);
template RouteStats fill(const par::Queue&, const Grid&, par::View<const std::int32_t>,
                         par::View<const std::uint8_t>, par::View<std::int32_t>);
template RouteStats fill(const par::Queue&, const Grid&, par::View<const float>,
                         par::View<const std::uint8_t>, par::View<float>);
template RouteStats fill(const par::Queue&, const Grid&, par::View<const double>,
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
