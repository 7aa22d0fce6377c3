// Channels from pits along the carved directions, on both backends.
#pragma once

#include "terrawave/par/exec.hpp"
#include "terrawave/solvers/terrain/device_cells.hpp"
#include "terrawave/solvers/terrain/terrain_routing.hpp"
#include "terrawave/solvers/terrain/tile_place.hpp"

namespace terrawave::terrain::steps {

// On its way down from a pit to the first lower cell or base cell. It goes once to find that cell
// and the channel's height, again to count where a base cell lies above the pit, again to cut.
struct Walker {
  enum Errand : std::int64_t { find, count, cut };
  std::int64_t errand = find;
  Index pit = 0, at = 0;  // linear indices of the map; begins where they are equal; at -1: done
  double ground = 0;      // height of the pit
  double level = 0;       // height of the channel; find: of the pit
  double highest = 0;     // on the way so far
  Index above = 0;        // cells above `level` on the way so far
};
// Walkers that are in memory together, 64 bytes each.
inline constexpr Index kWalkersAtOnce = Index{1} << 17;

// A tile in its block and in the map, or a map that is one tile.
struct ChannelPlace {
  TilePlace tile;
  Index row = 0, col = 0;    // of the tile's first cell in the map
  Index rows = 0, cols = 0;  // of the map
  bool loop_rows = false, loop_cols = false;

  TW_FUNCTION Index global(Index tile_row, Index tile_col) const {
    return (row + tile_row) * cols + col + tile_col;
  }
};

template <class T>
struct ChannelGround {
  ChannelPlace place;
  par::View<const T> z;                 // of the block
  par::View<const std::uint8_t> state;  // of the block
};

// The tile's pits, in order: roots of `downhill` (of the tile) that are no base cells. `pits` holds
// as many places as count_pits says.
template <class Exec, class T>
Index count_pits(const Exec& exec, const ChannelGround<T>& on, par::View<const Direction> downhill);
template <class Exec, class T>
void find_pits(const Exec& exec, const ChannelGround<T>& on, par::View<const Direction> downhill,
               par::View<std::int32_t> pits);
// A walker at each of these pits.
template <class Exec, class T>
void place_walkers(const Exec& exec, const ChannelGround<T>& on, par::View<const std::int32_t> pits,
                   par::View<Walker> walkers);

// Sends walkers, all of them inside the tile, along `way` (directions of the tile) until they are
// done or leave it. `levels`: the tile's lowest channels as ordered heights; all bits where there
// is none.
template <class Exec, class T>
BreachStats walk_channels(const Exec& exec, const ChannelGround<T>& on, const BreachLimits& limits,
                          par::View<const Direction> way, par::View<Walker> walkers,
                          par::View<std::uint64_t> levels);
// Cells that channels have cut.
template <class Exec>
Index count_cut(const Exec& exec, par::View<const std::uint64_t> levels);
// The heights z, those of cut cells sunk to the level of their lowest channel. `cut` may be `z`.
template <class Exec, class T>
void cut_channels(const Exec& exec, par::View<const std::uint64_t> levels, par::View<const T> z,
                  par::View<T> cut);

}  // namespace terrawave::terrain::steps
