// Breaching as it is defined: pit by pit on one thread, against that on a queue's device.
#pragma once

#include <algorithm>

#include <gtest/gtest.h>

#include "reference/terrain_run.hpp"

namespace terrawave::terrain::reference {

template <class T>
std::vector<T> slow_breach(const Dem<T>& dem, const BreachLimits& limits, BreachStats& stats) {
  const par::Queue one = par::Queue::host(1);
  const OnDevice<T> on(one, dem);
  const std::vector<Direction> steepest = on.steepest(FlatRule::by_index);
  const std::vector<Direction> way =
      on.routed(RouteMode::carve, false).receivers.direction.download();
  const auto ground = [&](Index c) { return dem.z[std::size_t(c)]; };
  const auto base = [&](Index c) { return is_base(dem.state[std::size_t(c)]); };
  std::vector<T> lowered = dem.z;
  for (Index pit = 0; pit < dem.grid.cells(); ++pit) {
    if (steepest[std::size_t(pit)] != kRoot || base(pit)) continue;
    // From the pit to the first lower or base cell; `path` holds what lies between.
    std::vector<Index> path;
    Index c = pit;
    while (way[std::size_t(c)] < kNeighbours) {
      c = dem.grid.neighbour(c, way[std::size_t(c)]);
      if (ground(c) < ground(pit) || base(c)) break;
      path.push_back(c);
    }
    const bool arrived = ground(c) < ground(pit) || base(c);
    // Of the two zeros the positive one, so that it does not matter which pit cuts a cell first.
    const T level = T(std::max(ground(pit), ground(c)) + T(0));
    Index length = 0;
    double depth = 0;
    for (const Index i : path)
      if (ground(i) > level) {
        ++length;
        depth = std::max(depth, double(ground(i)) - double(level));
      }
    const bool short_enough = limits.max_length == 0 || length <= limits.max_length;
    const bool shallow = limits.max_depth == 0 || depth <= limits.max_depth;
    // Below a base cell that keeps its height, a pond is left.
    if (!arrived || !short_enough || !shallow || level > ground(pit)) ++stats.remaining;
    if (!arrived || !short_enough || !shallow) continue;
    if (level == ground(pit)) ++stats.breached;
    for (const Index i : path) lowered[std::size_t(i)] = std::min(lowered[std::size_t(i)], level);
  }
  return lowered;
}

// Every raster with and without limits.
template <class T>
void compare_breach(Random& random, const Dem<T>& dem, const par::Queue& queue) {
  const OnDevice<T> on(queue, dem);
  for (const BreachLimits& limits :
       {BreachLimits{}, BreachLimits{1 + random.below(8), 0}, BreachLimits{0, random.unit() * 4},
        BreachLimits{1 + random.below(8), random.unit() * 4}}) {
    BreachStats expected;
    const std::vector<T> cut = slow_breach(dem, limits, expected);
    par::Buffer<T> out(queue, dem.grid.cells());
    const BreachStats found =
        breach<T>(queue, dem.grid, on.z.cview(), on.state.cview(), limits, out.view());
    EXPECT_EQ(found.breached, expected.breached);
    EXPECT_EQ(found.remaining, expected.remaining);
    EXPECT_TRUE(same_bytes(out.download(), cut))
        << dem.grid.rows << " x " << dem.grid.cols << ", at most " << limits.max_length
        << " cells, depth " << limits.max_depth;
  }
}

template <class T>
void compare_random_breaches(std::uint64_t seed, const par::Queue& queue, int count) {
  Random random(seed);
  for (int i = 0; i < count && !testing::Test::HasFailure(); ++i) {
    SCOPED_TRACE(i);
    compare_breach(random, random_dem<T>(random, i % 20 == 9 ? 90 : 14), queue);
  }
}

inline void compare_random_breaches(const par::Queue& queue, int count) {
  compare_random_breaches<std::uint8_t>(81, queue, count);
  compare_random_breaches<std::int16_t>(82, queue, count);
  compare_random_breaches<std::uint16_t>(83, queue, count);
  compare_random_breaches<std::int32_t>(84, queue, count);
  compare_random_breaches<float>(85, queue, count);
  compare_random_breaches<double>(86, queue, count);
}

}  // namespace terrawave::terrain::reference
