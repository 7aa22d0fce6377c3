// Loops as they are defined: by walking, cell by cell, against those found on a queue's device.
#pragma once

#include <algorithm>

#include <gtest/gtest.h>

#include "reference/terrain_run.hpp"
#include "terrawave/solvers/terrain/terrain_multiflow.hpp"

namespace terrawave::terrain::reference {

// The loops that next(c) leads round (-1: nowhere), each in that order from its smallest cell on,
// by their smallest cells.
template <class Next>
std::vector<std::vector<Index>> slow_loops(Index cells, const Next& next) {
  std::vector<std::vector<Index>> loops;
  std::vector<Index> walk(std::size_t(cells), 0);  // number of the walk that came by; 0: none
  Index walks = 0;
  for (Index start = 0; start < cells; ++start) {
    if (walk[std::size_t(start)] != 0) continue;
    ++walks;
    Index c = start;
    for (; c >= 0 && walk[std::size_t(c)] == 0; c = next(c)) walk[std::size_t(c)] = walks;
    if (c < 0 || walk[std::size_t(c)] != walks) continue;
    std::vector<Index> loop = {c};
    for (Index n = next(c); n != c; n = next(n)) loop.push_back(n);
    std::rotate(loop.begin(), std::min_element(loop.begin(), loop.end()), loop.end());
    loops.push_back(loop);
  }
  std::sort(loops.begin(), loops.end());
  return loops;
}

template <class T>
Index slow_lowest(const std::vector<Index>& loop, const std::vector<T>& z) {
  return *std::min_element(loop.begin(), loop.end(), [&](Index a, Index b) {
    const double za = loop_height(double(z[std::size_t(a)]));
    const double zb = loop_height(double(z[std::size_t(b)]));
    return za < zb || (za == zb && a < b);
  });
}

// Names the first loop of the directions, then repairs all.
template <class T>
void compare_loops(const par::Queue& queue, const Grid& grid,
                   const std::vector<Direction>& direction, const std::vector<Link>& jumps,
                   const std::vector<T>& z) {
  const auto loops = slow_loops(grid.cells(), [&](Index c) {
    const Direction d = direction[std::size_t(c)];
    if (d < kNeighbours) return grid.neighbour(c, d);
    for (const Link& j : jumps)
      if (j.root == c && d == kRoot) return Index(j.target);
    return Index{-1};
  });
  Receivers receivers = to_receivers(queue, direction, jumps);
  EXPECT_EQ(find_loop(queue, grid, receivers), loops.empty() ? std::vector<Index>() : loops[0]);
  std::vector<Direction> repaired = direction;
  std::vector<Link> left = jumps;
  for (const auto& loop : loops) {
    const Index pit = slow_lowest(loop, z);
    repaired[std::size_t(pit)] = kRoot;
    std::erase_if(left, [&](const Link& j) { return j.root == pit; });
  }
  const par::Buffer<T> heights(queue, z);
  EXPECT_EQ(repair_loops(queue, grid, heights.cview(), receivers), Index(loops.size()));
  EXPECT_EQ(receivers.direction.download(), repaired);
  EXPECT_EQ(receivers.jumps, left);
  EXPECT_TRUE(find_loop(queue, grid, receivers).empty());
}

// Directions in which `chance_end` of the cells are roots or hold nothing.
inline std::vector<Direction> random_directions(Random& random, const Grid& grid,
                                                double chance_end) {
  std::vector<Direction> direction;
  for (Index c = 0; c < grid.cells(); ++c) {
    if (random.chance(chance_end)) {
      direction.push_back(random.chance(0.5) ? kRoot : kNoDirection);
      continue;
    }
    const Index step = grid.step();
    direction.push_back(Direction(step * random.below(kNeighbours / step)));
  }
  return direction;
}

template <class T>
void compare_random_loops(Random& random, const par::Queue& queue, Index max_side) {
  const Dem<T> dem = random_dem<T>(random, max_side);
  const std::vector<Direction> direction =
      random_directions(random, dem.grid, random.chance(0.5) ? 0.02 : 0.3);
  std::vector<Link> jumps;
  for (Index c = 0; c < dem.grid.cells(); ++c)
    if (direction[std::size_t(c)] == kRoot && random.chance(0.5)) {
      const Index target = random.below(dem.grid.cells());
      if (direction[std::size_t(target)] != kNoDirection)
        jumps.push_back({std::int32_t(c), std::int32_t(target)});
    }
  compare_loops(queue, dem.grid, direction, jumps, dem.z);
}

// The cells that wait for donors for ever: taken away one by one.
inline std::vector<std::uint8_t> slow_waiting(const Grid& grid, const std::vector<double>& share,
                                              const std::vector<std::uint8_t>& state) {
  std::vector<std::uint8_t> left;
  for (const std::uint8_t s : state) left.push_back(is_data(s) ? 1 : 0);
  for (bool again = true; again;) {
    again = false;
    for (Index c = 0; c < grid.cells(); ++c) {
      bool waits = false;
      for (int k = 0; k < kNeighbours; ++k)
        if (const Index d = grid.neighbour(c, k); d >= 0)
          waits = waits || (left[std::size_t(d)] != 0 &&
                            share[std::size_t(opposite(k) * grid.cells() + d)] > 0);
      if (left[std::size_t(c)] == 0 || waits) continue;
      left[std::size_t(c)] = 0;
      again = true;
    }
  }
  return left;
}

inline std::vector<std::vector<Index>> slow_share_loops(const Grid& grid,
                                                        const std::vector<double>& share,
                                                        const std::vector<std::uint8_t>& state) {
  const std::vector<std::uint8_t> left = slow_waiting(grid, share, state);
  return slow_loops(grid.cells(), [&](Index c) {
    for (int k = 0; k < kNeighbours && left[std::size_t(c)] != 0; ++k)
      if (const Index d = grid.neighbour(c, k);
          d >= 0 && left[std::size_t(d)] != 0 &&
          share[std::size_t(opposite(k) * grid.cells() + d)] > 0)
        return d;
    return Index{-1};
  });
}

// Random fractions, mostly with loops: named, and broken round by round.
template <class T>
void compare_random_share_loops(Random& random, const par::Queue& queue, Index max_side) {
  Dem<T> dem = random_dem<T>(random, max_side);
  dem.grid.connectivity = Connectivity::d8;
  const Index n = dem.grid.cells();
  std::vector<double> share(std::size_t(n * kNeighbours), 0.0);
  const double chance = random.chance(0.5) ? 0.1 : 0.25;
  for (Index c = 0; c < n; ++c)
    for (int k = 0; k < kNeighbours; ++k) {
      const Index to = dem.grid.neighbour(c, k);
      if (is_data(dem.state[std::size_t(c)]) && to >= 0 && to != c &&
          is_data(dem.state[std::size_t(to)]) && random.chance(chance))
        share[std::size_t(k * n + c)] = 0.125;
    }
  par::Buffer<double> f(queue, share);
  const OnDevice<T> on(queue, dem);
  auto loops = slow_share_loops(dem.grid, share, dem.state);
  EXPECT_EQ(find_fraction_loop(queue, dem.grid, f.cview(), on.state.cview()),
            loops.empty() ? std::vector<Index>() : loops[0]);
  Index repaired = 0;
  for (; !loops.empty(); loops = slow_share_loops(dem.grid, share, dem.state)) {
    repaired += Index(loops.size());
    for (const auto& loop : loops)
      for (Index k = 0; k < kNeighbours; ++k)
        share[std::size_t(k * n + slow_lowest(loop, dem.z))] = 0;
  }
  EXPECT_EQ(repair_fraction_loops<T>(queue, dem.grid, on.z.cview(), on.state.cview(), f.view()),
            repaired);
  EXPECT_TRUE(same_bytes(f.download(), share));
}

inline void compare_random_loops_of_all_types(Random& random, const par::Queue& queue,
                                              Index max_side) {
  compare_random_loops<std::uint8_t>(random, queue, max_side);
  compare_random_loops<std::int16_t>(random, queue, max_side);
  compare_random_loops<std::uint16_t>(random, queue, max_side);
  compare_random_loops<std::int32_t>(random, queue, max_side);
  compare_random_loops<float>(random, queue, max_side);
  compare_random_loops<double>(random, queue, max_side);
}

}  // namespace terrawave::terrain::reference
