// Seeded random rasters: small, full of ties, with nodata holes, closed and looped borders, sinks.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <random>
#include <span>
#include <type_traits>
#include <vector>

#include "terrawave/solvers/terrain/grid.hpp"

namespace terrawave::terrain::reference {

template <class V>
bool same_bytes(const std::vector<V>& a, const std::vector<V>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(V)) == 0);
}

template <class T>
struct Dem {
  Grid grid;
  std::vector<T> z;
  std::vector<std::uint8_t> state;
};

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  Index below(Index n) { return Index(engine_() % std::uint64_t(n)); }
  bool chance(double p) { return double(engine_() >> 11) * 0x1p-53 < p; }
  double unit() { return double(engine_() >> 11) * 0x1p-53; }

 private:
  std::mt19937_64 engine_;
};

// A height out of `levels` ones, spread over T's range so that signs and extremes occur.
template <class T>
T random_height(Random& random, Index levels) {
  const Index level = random.below(levels);
  if constexpr (std::is_floating_point_v<T>) {
    const T h = T(level - levels / 2) * T(0.5);
    return h == 0 && random.chance(0.5) ? -h : h;  // both zeros
  } else if constexpr (std::is_signed_v<T>) {
    return T(level - levels / 2);
  } else {
    return T(level);
  }
}

// `max_side`: largest number of rows and of columns.
template <class T>
Dem<T> random_dem(Random& random, Index max_side) {
  Dem<T> dem;
  Grid& g = dem.grid;
  g.rows = 1 + random.below(max_side);
  g.cols = 1 + random.below(max_side);
  g.connectivity = random.chance(0.5) ? Connectivity::d4 : Connectivity::d8;
  g.loop_cols = random.chance(0.15);
  g.loop_rows = random.chance(0.1);
  g.dy = random.chance(0.5) ? 1.0 : 3.0;
  if (random.chance(0.3)) {
    std::vector<double> widths;
    for (Index row = 0; row < g.rows; ++row) widths.push_back(0.5 + random.unit());
    g.dx = std::move(widths);
  }
  const Index choices[] = {1, 2, 4, 16, 250};
  const Index levels = choices[random.below(5)];
  for (Index i = 0; i < g.cells(); ++i) dem.z.push_back(random_height<T>(random, levels));
  const T hole = std::is_floating_point_v<T> ? std::numeric_limits<T>::quiet_NaN()
                                             : std::numeric_limits<T>::max();
  if (random.chance(0.4)) {
    const double share = random.chance(0.1) ? 0.95 : 0.15;
    for (T& z : dem.z)
      if (random.chance(share)) z = hole;
  }
  Borders borders;
  if (random.chance(0.5)) {
    borders.north = random.chance(0.3);
    borders.south = random.chance(0.3);
    borders.west = random.chance(0.3);
    borders.east = random.chance(0.3);
    borders.nodata_drains = random.chance(0.3);
  }
  dem.state = make_states(g, std::span<const T>(dem.z), std::optional<T>(hole), borders);
  if (random.chance(0.3))
    for (std::uint8_t& s : dem.state)
      if (s == std::uint8_t(CellState::valid) && random.chance(0.05))
        s = std::uint8_t(random.chance(0.5) ? CellState::sink : CellState::outlet);
  return dem;
}

// A random forest as directions on a raster: every cell picks a neighbour that comes earlier in a
// random order, or none. `chance_root`: share of extra roots.
inline std::vector<Direction> random_forest(Random& random, const Grid& g, double chance_root) {
  const Index n = g.cells();
  std::vector<Index> rank(std::size_t(n), 0);
  for (Index i = 0; i < n; ++i) rank[std::size_t(i)] = i;
  for (Index i = n - 1; i > 0; --i)
    std::swap(rank[std::size_t(i)], rank[std::size_t(random.below(i + 1))]);
  std::vector<Direction> direction(std::size_t(n), kRoot);
  for (Index c = 0; c < n; ++c) {
    if (random.chance(chance_root)) continue;
    const int first = int(random.below(kNeighbours));
    for (int j = 0; j < kNeighbours; ++j) {
      const int k = (first + j) % kNeighbours;
      const Index t = g.neighbour(c, k);
      if (t < 0 || rank[std::size_t(t)] >= rank[std::size_t(c)]) continue;
      direction[std::size_t(c)] = Direction(k);
      break;
    }
  }
  return direction;
}

// A wide flat with bumps, of `least` to `least + more` cells a side, that drains to one sink inside
// and to the west; with looped edges and in both connectivities, by `kind`.
inline Dem<std::int16_t> random_plain(Random& random, Index least, Index more, int kind) {
  Dem<std::int16_t> dem;
  dem.grid.rows = least + random.below(more);
  dem.grid.cols = least + random.below(more);
  dem.grid.loop_cols = kind % 3 == 1;
  dem.grid.loop_rows = kind % 3 == 2;
  if (kind % 2 == 1) dem.grid.connectivity = Connectivity::d4;
  dem.z.assign(std::size_t(dem.grid.cells()), 7);
  for (auto& z : dem.z)
    if (random.chance(0.1)) z = std::int16_t(8 + random.below(3));
  Borders borders;
  borders.north = borders.south = borders.east = false;
  dem.state = make_states<std::int16_t>(dem.grid, dem.z, {}, borders);
  dem.state[std::size_t(dem.grid.cells() / 2)] = std::uint8_t(CellState::sink);
  return dem;
}

}  // namespace terrawave::terrain::reference
