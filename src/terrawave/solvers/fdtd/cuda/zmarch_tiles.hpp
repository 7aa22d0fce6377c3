// Tiles of the z-marching kernel, made once on the host.
#pragma once

#include <cstdint>
#include <vector>

#include "terrawave/solvers/fdtd/cuda/tiling.hpp"

namespace terrawave::fdtd::zmarch {

using tiling::kMixed;
using tiling::kMostPlanes;
using tiling::kTileWidth;
using tiling::TileEvent;
inline constexpr int kRim = 4;  // entries along x recomputed on both sides
inline constexpr int kOwnedWidth = kTileWidth - 2 * kRim;

struct Tile {
  std::int32_t x = 0, y = 0;    // local entry of its first column, rim included
  std::int32_t z0 = 0, z1 = 0;  // owned planes
  std::int32_t column = 0;      // number of its (x, y) among all
  std::int32_t full = 0;        // layers, events or magnetic materials somewhere in it
  std::int32_t ring = 0;        // number among full tiles
  std::int32_t events = -1;     // first of its plane offsets of events, or -1
};

struct Plan {
  int steps = 0, rows = 0;  // rows of a tile, rim included
  std::vector<Tile> tiles;  // full ones first, apart for the inner ones and the others
  Index inner = 0;          // how many, the first ones, read no ghosts
  std::int32_t full = 0;    // how many
  std::vector<std::uint16_t>
      uniform;  // column * planes + k: the class of a tile's plane, or kMixed
  // Of tiles with events: per pass (E, H), z1 - z0 + 2 steps + 1 offsets into `list`.
  std::vector<std::int32_t> offsets;
  std::vector<TileEvent> list;
};

// `rows_per_thread` neighbouring rows belong to one warp. `overlap`: the brick whose ghosts travel
// while tiles run, or none.
template <class Real>
Plan make_plan(const Medium<Real>& medium, const HostClasses& edges, bool faces,
               const HostEvents& events, int steps, int warps, int rows_per_thread,
               int multiprocessors, const std::optional<Brick>& overlap);

}  // namespace terrawave::fdtd::zmarch
