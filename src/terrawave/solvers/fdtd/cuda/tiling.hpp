// What the tiles of both z-marching kernels have in common. Plain data for host and device; the
// functions run on the host, once, in tiling.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "terrawave/solvers/fdtd/fdtd_setup.hpp"

namespace terrawave::fdtd::tiling {

inline constexpr int kTileWidth = 64;    // entries along x: two per lane
inline constexpr int kMostPlanes = 192;  // owned planes of a tile at most
inline constexpr std::uint16_t kMixed = 0xffff;

// One event group of one tile.
struct TileEvent {
  std::int32_t group = 0;   // in the rank's list of the pass
  std::int32_t thread = 0;  // that holds its entry
  std::int16_t row = 0, cell = 0, component = 0, owned = 0;
};

// Whether a member of the slab lies in [low, high).
bool meets(const Slab& slab, Index low, Index high);

// Class of every plane of a column of tiles with `rows` rows, kMixed where its entries differ;
// `out` has a place for each of the layout's planes.
void classify_column(std::uint16_t* out, const Layout& layout, const HostClasses& edges, Index x,
                     Index y, Index rows);

// Ends of the owned z ranges of tiles: the layers with their rim apart where `apart`, the rest in
// `pieces`.
std::vector<Index> z_cuts(const Layout& layout, const Slab& slab, int steps, Index pieces,
                          bool apart);

// Time of a pass on `workers` multiprocessors that take the tiles in order, in planes of a plain
// tile.
double makespan(const std::vector<double>& costs, int workers);

// Where a tile lies, rim included: `planes` planes from z, `rows` rows from y.
struct TileBox {
  Index x, y, z, rows, planes;
};

// The event groups inside a tile, by pass (E, H) and plane: planes + 1 offsets a pass, appended to
// `offsets`, into `list`. Returns the tile's first offset, or -1 where it has no event.
std::int32_t place_events(const TileBox& tile, const HostEvents& events, int rows_per_thread,
                          const std::function<bool(Index dx, Index dy, const Event&)>& owned,
                          std::vector<std::int32_t>& offsets, std::vector<TileEvent>& list);

}  // namespace terrawave::fdtd::tiling
