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
  par::View<std::int32_t> front;                 // of `ready`: entries, and those that are done
  static constexpr std::uint8_t kSource = 255;   // without donors, final after run_sources()
  static constexpr std::uint8_t kOutside = 254;  // nodata, and the ring
  TW_FUNCTION static bool waits(std::uint8_t waiting) { return waiting != 0 && waiting < kOutside; }
};

// A final value that comes in: at a cell of the ring, or at a place among the jumps into the tile.
template <class V>
struct SumEntry {
  std::int32_t at = 0;
  V value{};
};

// Where the cells of a window lie in an array: the first of them, and from row to row and from
// plane to plane (of shares).
struct WindowPlace {
  Index first = 0, row = 0, plane = 0;
};
struct WindowCopy {
  Index rows = 0, cols = 0, planes = 1;
  WindowPlace from, to;
};
template <class Exec, class V>
void copy_window(const Exec& exec, const WindowCopy& copy, par::View<const V> from,
                 par::View<V> to);

// The eight shares of some cells, cell by cell, out of those of all, plane by plane; and back.
template <class Exec>
void shares_at(const Exec& exec, par::View<const std::int32_t> cells, par::View<const double> all,
               par::View<double> some);
template <class Exec>
void set_shares_at(const Exec& exec, par::View<const std::int32_t> cells,
                   par::View<const double> some, par::View<double> all);

// The receivers of each cell out of `all`: those inside the tile that hold data.
template <class Exec>
void inner_receivers(const Exec& exec, const TilePlace& at, par::View<const std::uint8_t> all,
                     par::View<const std::uint8_t> data, par::View<std::uint8_t> gives);

// Sets `waiting`.
template <class Exec, class V>
void count_donors(const Exec& exec, const TileSum<V>& sum, par::View<const std::uint8_t> data);

// Finishes the cells without donors and what waits for nothing else then. Here and below some of
// what is ready may be left in the list, from entry front[1] on.
template <class Exec, class V>
void run_sources(const Exec& exec, const TileSum<V>& sum);

// Lets final values of ring cells in, and goes on from there.
template <class Exec, class V>
void enter_ring(const Exec& exec, const TileSum<V>& sum, par::View<const SumEntry<V>> entries);

// The same for jumps into the tile, by their places.
template <class Exec, class V>
void enter_jumps(const Exec& exec, const TileSum<V>& sum, par::View<const SumEntry<V>> entries);

// Goes on from what is ready, from entry `done` on, while that are few cells at a time: one launch.
template <class Exec, class V>
void run_few(const Exec& exec, const TileSum<V>& sum, Index done);
// Goes on from entries [done, end).
template <class Exec, class V>
void run_many(const Exec& exec, const TileSum<V>& sum, Index done, Index end);

// The values of some of the tile's cells, and whether they are final.
template <class Exec, class V>
void look_at(const Exec& exec, const TileSum<V>& sum, par::View<const std::int32_t> cells,
             par::View<V> values, par::View<std::uint8_t> final);

// How many of the tile's cells wait.
template <class Exec, class V>
Index count_waiting(const Exec& exec, const TileSum<V>& sum);

}  // namespace terrawave::terrain::steps
