// Breaching in one piece.
#include <algorithm>

#include "terrawave/solvers/terrain/breach_steps.hpp"
#include "terrawave/solvers/terrain/terrain_routing.hpp"

namespace terrawave::terrain {
namespace {

using par::Buffer;

steps::ChannelPlace place_of_map(const Grid& grid) {
  steps::ChannelPlace place;
  place.tile = {grid.rows, grid.cols, 0, 0, grid.rows, grid.cols};
  place.rows = grid.rows;
  place.cols = grid.cols;
  place.loop_rows = grid.loop_rows;
  place.loop_cols = grid.loop_cols;
  return place;
}

template <class T>
Buffer<std::int32_t> pits_of(const par::Queue& queue, const Grid& grid,
                             const steps::ChannelGround<T>& on) {
  const Receivers downhill = steepest_receivers<T>(queue, grid, on.z, on.state, FlatRule::by_index);
  return par::dispatch(queue, [&](const auto& exec) {
    Buffer<std::int32_t> pits(queue, steps::count_pits(exec, on, downhill.direction.cview()));
    steps::find_pits(exec, on, downhill.direction.cview(), pits.view());
    return pits;
  });
}

}  // namespace

template <class T>
BreachStats breach(const par::Queue& queue, const Grid& grid, par::View<const T> z,
                   par::View<const std::uint8_t> state, const BreachLimits& limits,
                   par::View<T> cut) {
  const steps::ChannelGround<T> on{place_of_map(grid), z, state};
  const Buffer<std::int32_t> pits = pits_of(queue, grid, on);
  const Routed routed = route<T>(queue, grid, z, state, RouteMode::carve, false);
  Buffer<std::uint64_t> levels(queue, grid.cells());
  levels.fill_bytes(0xff);
  Buffer<steps::Walker> walkers(queue, std::min(pits.size(), steps::kWalkersAtOnce));
  BreachStats stats;
  par::dispatch(queue, [&](const auto& exec) {
    for (Index begin = 0; begin < pits.size(); begin += walkers.size()) {
      const Index count = std::min(walkers.size(), pits.size() - begin);
      const par::View<steps::Walker> some{walkers.view().data, count};
      steps::place_walkers(exec, on, {pits.cview().data + begin, count}, some);
      stats += steps::walk_channels(exec, on, limits, routed.receivers.direction.cview(), some,
                                    levels.view());
    }
    steps::cut_channels(exec, levels.cview(), z, cut);
  });
  queue.synchronize();
  return stats;
}

#define TERRAWAVE_FOR(T)                                                          \
  template BreachStats breach(const par::Queue&, const Grid&, par::View<const T>, \
                              par::View<const std::uint8_t>, const BreachLimits&, par::View<T>);
TERRAWAVE_FOR(std::uint8_t)
TERRAWAVE_FOR(std::int16_t)
TERRAWAVE_FOR(std::uint16_t)
TERRAWAVE_FOR(std::int32_t)
TERRAWAVE_FOR(float)
TERRAWAVE_FOR(double)
#undef TERRAWAVE_FOR

}  // namespace terrawave::terrain
