// What a launch of the marching kernel is given, and its tiles: plain data for host and device.
#pragma once

#include <cstdint>

#include "terrawave/solvers/fdtd/cuda/tiling.hpp"
#include "terrawave/solvers/fdtd/fdtd_cells.hpp"

namespace terrawave::fdtd::march {

using tiling::kMixed;
using tiling::kMostPlanes;
using tiling::kTileWidth;
using tiling::TileEvent;
inline constexpr int kMostClasses = 256;

// Two neighbouring entries of a row.
template <class Real>
struct alignas(2 * sizeof(Real)) Pair {
  Real x, y;
};

// What a tile needs beyond fields and classes: bits of the axes whose convolution layers it meets,
// and of events. A body of the kernel is compiled for each of `kBodies`: the fewer terms it knows,
// the fewer instructions stand between two barriers.
enum Needs : std::int32_t {
  kNeedsX = 1,
  kNeedsY = 2,
  kNeedsZ = 4,
  kNeedsLayers = 7,
  kNeedsEvents = 8
};
inline constexpr std::int32_t kBodies[] = {0,
                                           kNeedsX,
                                           kNeedsY,
                                           kNeedsZ,
                                           kNeedsX | kNeedsY,
                                           kNeedsX | kNeedsZ,
                                           kNeedsY | kNeedsZ,
                                           kNeedsLayers,
                                           kNeedsLayers | kNeedsEvents};
constexpr bool serves_one_axis(std::int32_t body) {
  return body == kNeedsX || body == kNeedsY || body == kNeedsZ;
}

// Where, along x and y, entries of a rank can be anything but PEC: components along the axis, and
// across it, from [0] up to [1]. Walls of the grid stand at the ends; beyond them there is nothing.
struct Inside {
  std::int32_t along[2][2] = {}, across[2][2] = {};
};
// Beside the class of a tile's plane: entries that are not inside are PEC, whatever it says.
inline constexpr std::uint16_t kWalled = 0x8000;

struct Tile {
  std::int32_t x = 0, y = 0;  // local entry of its first column, rim included; x is even
  // Lanes x_low <= l < x_high and rows steps <= r < y_high hold owned entries.
  std::int32_t x_low = 0, x_high = 0, y_high = 0;
  std::int32_t z0 = 0, z1 = 0;  // owned planes
  std::int32_t column = 0;      // number of its (x, y) among all
  std::int32_t body = 0;        // of kBodies
  std::int32_t number = 0;      // among tiles with the body of events
  std::int32_t events = -1;     // first of its plane offsets of events, or -1
  // Members of layers: lanes of the x layers (a hull of both sides, from an even lane to an even
  // one, for copies of 16 bytes), rows of the y layers (whole warps), and whether planes of the z
  // layers are among its planes.
  std::int32_t lane0 = 0, lane1 = 0, row0 = 0, row1 = 0, z_layers = 0;
  // Planes whose psi the store holds: steps + 1, so that the next plane comes while this one is
  // worked on, or steps where only that fits.
  std::int32_t slots = 0;
  std::int64_t store = -1;  // its psi store in `Args::store`, or -1: in shared memory
};

// Pairs of a tile's psi store: per array and plane held, a place for each lane, row or plane that
// is a member of the axis.
TW_FUNCTION std::int64_t store_pairs(const Tile& t, int rows) {
  const std::int64_t x = (t.body & kNeedsX) != 0 ? rows * (t.lane1 - t.lane0) : 0;
  const std::int64_t y = (t.body & kNeedsY) != 0 ? 32 * (t.row1 - t.row0) : 0;
  const std::int64_t z = (t.body & kNeedsZ) != 0 ? 32 * rows : 0;
  return 4 * t.slots * (x + y + z);
}

template <class Real>
struct Args {
  Medium<Real> m;
  State<Real> from, to;
  EventTables events;
  const double* states_from;
  double* states_to;
  double* states_scratch;  // `states` per tile with the body of events
  std::int32_t states;
  std::int32_t stream;  // 1: results do not fit the cache: write them past it
  Index sample_row, record_row;
  const Tile* tiles;
  const std::uint16_t*
      uniform;  // column * planes + k: class of a tile's plane (kWalled), or kMixed
  Inside inside;
  const std::int32_t* offsets;
  const TileEvent* list;
  Pair<Real>* store;
};

}  // namespace terrawave::fdtd::march
