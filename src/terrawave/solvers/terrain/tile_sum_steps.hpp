// Sums and other values made from donors along the flow of one tile with a ring of its neighbours'
// cells, on both backends: a cell is computed when all its donors are final, from the same operands
// in the same order as in one piece.
#pragma once

#include "terrawave/par/exec.hpp"
#include "terrawave/solvers/terrain/device_cells.hpp"
#include "terrawave/solvers/terrain/terrain_routing.hpp"
#include "terrawave/solvers/terrain/tile_place.hpp"

namespace terrawave::terrain::steps {

// A jump from a pit of the tile to a cell of the tile; positions in the block.
struct TileLeap {
  std::int32_t root = 0;
  std::int32_t target = 0;
  std::int32_t place = 0;  // among the jumps into the tile
};

// What a cell makes of its own value and those of its donors.
enum class TileJoin : std::uint8_t {
  sum,
  max,
  min,
  longest,   // the longest way: donors' values and the steps from them
  strahler,  // own: 1 in a stream, 0 elsewhere, where the order is 0
  shreve
};
inline TileJoin join_of(Combine combine) {
  return combine == Combine::sum   ? TileJoin::sum
         : combine == Combine::max ? TileJoin::max
                                   : TileJoin::min;
}

// Memory of the queue's device, one element for each cell of the block where nothing else is said.
template <class V>
struct TileSum {
  TilePlace at;
  TileJoin how = TileJoin::sum;
  par::View<const double> distance;        // longest: dx, dy, diagonal of each row, or once
  par::View<const double> leap_length;     // longest: of the jumps into the tile
  par::View<const std::uint8_t> gives;     // receivers inside the tile that hold data, a bit each
  par::View<const double> shares;          // 8 for each cell, by neighbour; empty: one receiver
  par::View<const TileLeap> leaps;         // by root
  par::View<const std::int32_t> landings;  // targets of the jumps into the tile, in order
  par::View<V> jumped;                     // the values of these jumps
  par::View<V> value;
  par::View<std::uint8_t> waiting;               // donors to come, whole words; or one of these
  par::View<std::int32_t> ready;                 // cells whose turn has come; used with shares
  par::View<std::int32_t> count;                 // of `ready`
  static constexpr std::uint8_t kSource = 255;   // without donors, final after run_sources()
  static constexpr std::uint8_t kOutside = 254;  // nodata, and the ring
  static bool waits(std::uint8_t waiting) { return waiting != 0 && waiting < kOutside; }
};

// The receivers of each cell out of `all`: those inside the tile that hold data.
template <class Exec>
void inner_receivers(const Exec& exec, const TilePlace& at, par::View<const std::uint8_t> all,
                     par::View<const std::uint8_t> data, par::View<std::uint8_t> gives);

// Sets `waiting`.
template <class Exec, class V>
void count_donors(const Exec& exec, const TileSum<V>& sum, par::View<const std::uint8_t> data);

// Finishes the cells without donors and all that wait for nothing else then. `taken`: how many of
// `ready` are done.
template <class Exec, class V>
void run_sources(const Exec& exec, const TileSum<V>& sum, Index& taken);

// Lets final values of ring cells in, and goes on from there.
template <class Exec, class V>
void enter_ring(const Exec& exec, const TileSum<V>& sum, par::View<const std::int32_t> cells,
                par::View<const V> values, Index& taken);

// The same for jumps into the tile, by their places.
template <class Exec, class V>
void enter_jumps(const Exec& exec, const TileSum<V>& sum, par::View<const std::int32_t> places,
                 par::View<const V> values, Index& taken);

// The values of some of the tile's cells, and whether they are final.
template <class Exec, class V>
void look_at(const Exec& exec, const TileSum<V>& sum, par::View<const std::int32_t> cells,
             par::View<V> values, par::View<std::uint8_t> final);

}  // namespace terrawave::terrain::steps
