// Breaching: channels along the carve paths, on the host.
#include <algorithm>

#include "terrawave/solvers/terrain/host_copies.hpp"
#include "terrawave/solvers/terrain/terrain_routing.hpp"

namespace terrawave::terrain {

template <class T>
BreachStats breach(const par::Queue& queue, const Grid& grid, par::View<const T> z,
                   par::View<const std::uint8_t> state, const BreachLimits& limits,
                   par::View<T> cut) {
  const std::vector<T> ground = to_host(queue, z);
  const std::vector<std::uint8_t> states = to_host(queue, state);
  const std::vector<Direction> steepest =
      steepest_receivers<T>(queue, grid, z, state, FlatRule::by_index).direction.download();
  const std::vector<Direction> way =
      route<T>(queue, grid, z, state, RouteMode::carve, false).receivers.direction.download();
  std::vector<T> lowered = ground;
  BreachStats stats;
  std::vector<Index> path;
  for (Index pit = 0; pit < grid.cells(); ++pit) {
    const auto p = std::size_t(pit);
    if (steepest[p] != kRoot || is_base(states[p])) continue;
    // From the pit to the first lower or base cell; `path` holds what lies between.
    path.clear();
    Index c = pit;
    while (way[std::size_t(c)] < kNeighbours) {
      c = grid.neighbour(c, way[std::size_t(c)]);
      if (ground[std::size_t(c)] < ground[p] || is_base(states[std::size_t(c)])) break;
      path.push_back(c);
    }
    const bool arrived = ground[std::size_t(c)] < ground[p] || is_base(states[std::size_t(c)]);
    // Of the two zeros the positive one, so that it does not matter which pit cuts a cell first.
    const T level = T(std::max(ground[p], ground[std::size_t(c)]) + T(0));
    Index length = 0;
    double depth = 0;
    for (const Index i : path)
      if (ground[std::size_t(i)] > level) {
        ++length;
        depth = std::max(depth, double(ground[std::size_t(i)]) - double(level));
      }
    const bool short_enough = limits.max_length == 0 || length <= limits.max_length;
    const bool shallow = limits.max_depth == 0 || depth <= limits.max_depth;
    // Below a base cell that keeps its height, a pond is left.
    if (!arrived || !short_enough || !shallow || level > ground[p]) ++stats.remaining;
    if (!arrived || !short_enough || !shallow) continue;
    if (level == ground[p]) ++stats.breached;
    for (const Index i : path) lowered[std::size_t(i)] = std::min(lowered[std::size_t(i)], level);
  }
  to_device(queue, lowered, cut);
  return stats;
}

template BreachStats breach(const par::Queue&, const Grid&, par::View<const std::uint8_t>,
                            par::View<const std::uint8_t>, const BreachLimits&,
                            par::View<std::uint8_t>);
template BreachStats breach(const par::Queue&, const Grid&, par::View<const std::int16_t>,
                            par::View<const std::uint8_t>, const BreachLimits&,
                            par::View<std::int16_t>);
template BreachStats breach(const par::Queue&, const Grid&, par::View<const std::uint16_t>,
                            par::View<const std::uint8_t>, const BreachLimits&,
                            par::View<std::uint16_t>);
template BreachStats breach(const par::Queue&, const Grid&, par::View<const std::int32_t>,
                            par::View<const std::uint8_t>, const BreachLimits&,
                            par::View<std::int32_t>);
template BreachStats breach(const par::Queue&, const Grid&, par::View<const float>,
                            par::View<const std::uint8_t>, const BreachLimits&, par::View<float>);
template BreachStats breach(const par::Queue&, const Grid&, par::View<const double>,
                            par::View<const std::uint8_t>, const BreachLimits&, par::View<double>);

}  // namespace terrawave::terrain
