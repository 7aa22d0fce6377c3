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

// What a tile needs; each kind is a body of its own.
enum Kind : std::int32_t {
  kPlain,    // fields and classes
  kLayered,  // and convolution layers, psi in shared memory
  kEventful  // and events, psi wherever there is room
};

struct Tile {
  std::int32_t x = 0, y = 0;  // local entry of its first column, rim included; x is even
  // Lanes x_low <= l < x_high and rows steps <= r < y_high hold owned entries.
  std::int32_t x_low = 0, x_high = 0, y_high = 0;
  std::int32_t z0 = 0, z1 = 0;  // owned planes
  std::int32_t column = 0;      // number of its (x, y) among all
  std::int32_t kind = kPlain;
  std::int32_t number = 0;   // among eventful tiles
  std::int32_t events = -1;  // first of its plane offsets of events, or -1
  // Members of layers: lanes of the x layers, rows of the y layers (a hull of both sides), and
  // whether planes of the z layers are among its planes.
  std::int32_t lane0 = 0, lane1 = 0, row0 = 0, row1 = 0, z_layers = 0;
  std::int64_t store = -1;  // its psi store in `Args::store`, or -1: in shared memory
};

// Pairs of a tile's psi store: per array and plane in flight, the lanes, rows or planes that are
// members; T planes are in flight and one is being fetched.
TW_FUNCTION std::int64_t store_pairs(const Tile& t, int steps, int rows) {
  return std::int64_t{4} * (steps + 1) *
         (rows * (t.lane1 - t.lane0) + 32 * (t.row1 - t.row0) + (t.z_layers != 0 ? 32 * rows : 0));
}

template <class Real>
struct Args {
  Medium<Real> m;
  State<Real> from, to;
  EventTables events;
  const double* states_from;
  double* states_to;
  double* states_scratch;  // `states` per eventful tile
  std::int32_t states;
  std::int32_t stream;  // 1: results do not fit the cache: write them past it
  Index sample_row, record_row;
  const Tile* tiles;
  const std::uint16_t* uniform;  // column * planes + k: class of a tile's plane, or kMixed
  const std::int32_t* offsets;
  const TileEvent* list;
  Pair<Real>* store;
};

}  // namespace terrawave::fdtd::march
