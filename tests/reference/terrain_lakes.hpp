// Lakes as they are defined: flooded one by one from their first cells, on one thread.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "reference/terrain_run.hpp"
#include "terrawave/solvers/terrain/product_lakes.hpp"
#include "terrawave/solvers/terrain/product_sums.hpp"

namespace terrawave::terrain::reference {

template <class T>
double water_over(const LakeInput<T>& on, Index i) {
  const auto at = std::size_t(i);
  return is_data(on.state[at]) ? double(on.surface[at]) - double(on.ground[at]) : 0;
}

// The cells of the lake around `first`, which get its id.
template <class T>
std::vector<Index> flood_lake(const Grid& grid, const LakeInput<T>& on, Index first,
                              std::int32_t id, std::vector<std::int32_t>& ids) {
  std::vector<Index> members = {first};
  ids[std::size_t(first)] = id;
  for (std::size_t next = 0; next < members.size(); ++next)
    for (int k = 0; k < kNeighbours; ++k) {
      const Index n = grid.neighbour(members[next], k);
      if (n < 0 || ids[std::size_t(n)] != 0 || water_over(on, n) <= 0) continue;
      ids[std::size_t(n)] = id;
      members.push_back(n);
    }
  return members;
}

template <class T>
Lakes slow_lakes(const Grid& grid, const LakeInput<T>& on) {
  double area = 0, deepest = 0;
  for (const double a : on.row_area) area = std::max(area, a);
  for (Index i = 0; i < grid.cells(); ++i) deepest = std::max(deepest, water_over(on, i));
  Lakes found;
  found.id.assign(std::size_t(grid.cells()), 0);
  for (Index i = 0; i < grid.cells(); ++i) {
    if (found.id[std::size_t(i)] != 0 || water_over(on, i) <= 0) continue;
    const auto id = std::int32_t(found.lakes.size()) + 1;
    Lake lake;
    lake.first = i;
    lake.level = double(on.surface[std::size_t(i)]);
    OrderlessSum areas(area), volumes(area * deepest);
    for (const Index c : flood_lake(grid, on, i, id, found.id)) {
      ++lake.cells;
      lake.depth = std::max(lake.depth, water_over(on, c));
      areas.add(on.row_area[std::size_t(c / grid.cols)]);
      volumes.add(on.row_area[std::size_t(c / grid.cols)] * water_over(on, c));
    }
    lake.area = areas.value();
    lake.volume = volumes.value();
    found.lakes.push_back(lake);
  }
  for (Index i = 0; i < grid.cells(); ++i) {
    const std::int32_t id = found.id[std::size_t(i)];
    const Direction d = on.direction[std::size_t(i)];
    if (id == 0 || d >= kNeighbours) continue;
    const Index to = grid.neighbour(i, d);
    Index& spill = found.lakes[std::size_t(id - 1)].spill;
    if (found.id[std::size_t(to)] != id && (spill < 0 || to < spill)) spill = to;
  }
  return found;
}

inline std::string to_text(const Lake& lake) {
  return testing::PrintToString(std::vector<double>{double(lake.cells), double(lake.first),
                                                    double(lake.spill), lake.level, lake.depth,
                                                    lake.area, lake.volume});
}
// Every field, bit by bit.
inline void expect_same_lakes(const std::vector<Lake>& found, const std::vector<Lake>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t k = 0; k < found.size(); ++k)
    ASSERT_TRUE(found[k] == expected[k])
        << "lake " << k + 1 << ": " << to_text(found[k]) << " instead of " << to_text(expected[k]);
}

// Fills and carves the raster, its rows' cells of different areas, and finds its lakes on `on`.
// Returns their number.
template <class T>
std::size_t compare_lakes(Random& random, const TileQueue& on, const Dem<T>& dem) {
  const par::Queue one = par::Queue::host(1);
  const OnDevice<T> routed(one, dem);
  const std::vector<T> surface = routed.filled();
  const std::vector<Direction> direction =
      routed.routed(RouteMode::carve, random.chance(0.5)).receivers.direction.download();
  std::vector<double> row_area;
  for (Index row = 0; row < dem.grid.rows; ++row) row_area.push_back(1e-3 + 1e6 * random.unit());
  const LakeInput<T> input = {dem.z, surface, dem.state, direction, row_area};
  const Lakes expected = slow_lakes(dem.grid, input);
  const Lakes found = find_lakes(on, dem.grid, input);
  EXPECT_TRUE(found.id == expected.id);
  expect_same_lakes(found.lakes, expected.lakes);
  for (const Lake& lake : found.lakes) EXPECT_GE(lake.spill, 0);
  return found.lakes.size();
}

// Rasters of every type of heights.
inline void compare_random_lakes(Random& random, const TileQueue& on, Index max_side) {
  compare_lakes(random, on, random_dem<std::uint8_t>(random, max_side));
  compare_lakes(random, on, random_dem<std::int16_t>(random, max_side));
  compare_lakes(random, on, random_dem<std::uint16_t>(random, max_side));
  compare_lakes(random, on, random_dem<std::int32_t>(random, max_side));
  compare_lakes(random, on, random_dem<float>(random, max_side));
  compare_lakes(random, on, random_dem<double>(random, max_side));
}

// A basin of one depth with a rim around it: all cells but the rim's are one lake.
inline Dem<float> bowl(Index rows, Index cols, Connectivity connectivity) {
  std::vector<float> z(std::size_t(rows * cols), 1.0F);
  for (Index row = 1; row + 1 < rows; ++row)
    std::fill_n(z.begin() + row * cols + 1, cols - 2, 0.25F);
  return dem<float>(rows, cols, std::move(z), connectivity);
}

// A lake one cell wide that winds through all the raster, to and fro along its rows or its columns.
inline Dem<std::int16_t> winding_lake(Index side, bool along_rows, Connectivity connectivity) {
  std::vector<std::int16_t> z(std::size_t(side * side), 9);
  for (Index a = 1; a + 1 < side; ++a)    // across the lake's arms
    for (Index b = 1; b + 1 < side; ++b)  // along them
      if (a % 2 == 1 || b == (a % 4 == 0 ? 1 : side - 2))
        z[std::size_t(along_rows ? a * side + b : b * side + a)] = std::int16_t(b % 3);
  z[std::size_t(along_rows ? side : 1)] = 5;  // the way out
  return dem<std::int16_t>(side, side, std::move(z), connectivity);
}

// Channels on looped edges, with water on both sides of each.
inline Dem<float> looped_lakes(Index side, Connectivity connectivity) {
  Dem<float> on;
  on.grid.rows = on.grid.cols = side;
  on.grid.connectivity = connectivity;
  on.grid.loop_rows = on.grid.loop_cols = true;
  on.z.assign(std::size_t(side * side), 3.0F);
  for (Index i = 0; i < side; ++i) {
    const bool cut = i % 5 == 4;
    if (cut) continue;
    on.z[std::size_t(i * side)] = on.z[std::size_t(i * side + side - 1)] = 1.0F;
    on.z[std::size_t(i)] = on.z[std::size_t((side - 1) * side + i)] = 0.5F;
  }
  on.state.assign(on.z.size(), std::uint8_t(CellState::valid));
  on.state[on.z.size() / 2 + std::size_t(side / 2)] = std::uint8_t(CellState::sink);
  return on;
}

}  // namespace terrawave::terrain::reference
