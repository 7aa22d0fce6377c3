// Loops of flow, on both backends: of directions, and of fractions from donor to donor.
//
// `next` is one cell for each cell, or -1; a loop is a set of cells that it leads round.
#pragma once

#include "terrawave/par/exec.hpp"
#include "terrawave/solvers/terrain/device_cells.hpp"
#include "terrawave/solvers/terrain/terrain_routing.hpp"
#include "terrawave/solvers/terrain/tile_end_steps.hpp"

namespace terrawave::terrain::steps {

// The receivers, jumps included; -1 outside the raster.
template <class Exec>
void follow_directions(const Exec& exec, const GridView& grid, par::View<const Direction> direction,
                       par::View<const Link> by_root, par::View<std::int32_t> next);
// Of the cells in `left` the first donor that is left as well.
template <class Exec>
void follow_donors(const Exec& exec, const GridView& grid, par::View<const double> fractions,
                   par::View<const std::uint8_t> left, par::View<std::int32_t> next);

// All cells on loops.
struct Loops {
  par::Buffer<std::int32_t> cell;    // increasing
  par::Buffer<std::int32_t> next;    // place in `cell` of the one that follows
  par::Buffer<std::int32_t> least;   // smallest cell of the loop
  par::Buffer<std::int32_t> lowest;  // its cell of least height (loop_height; ties: the smallest)
};
// In time linear in the cells, and n log n in those on loops. `z` empty: all heights are equal.
template <class Exec, class T>
Loops find_loops(const Exec& exec, par::View<const std::int32_t> next, par::View<const T> z);
// The lowest cell of each loop, in the order of their smallest cells.
template <class Exec>
par::Buffer<std::int32_t> lowest_cells(const Exec& exec, const Loops& loops);
// The loop of the smallest cell of all, from that one on; empty where there is none.
std::vector<Index> first_loop(const Loops& loops);

template <class Exec>
void make_roots(const Exec& exec, par::View<const std::int32_t> cells,
                par::View<Direction> direction);
// Cells that give nothing any more.
template <class Exec>
void empty_shares(const Exec& exec, par::View<const std::int32_t> cells,
                  par::View<double> fractions);

inline constexpr int kNamedPieceCells = int(kNamedLoopCells);
// A loop, or what of it lies between an entry into a tile and the way out. Cells are linear indices
// of the map.
struct LoopPiece {
  Index loop = -1, turn = 0;  // -1: all of a loop
  Index length = 0;
  Index least = 0, before = 0;  // the smallest cell, and the cells before it
  double height = 0;            // loop_height of the lowest cell
  Index lowest = 0;
  Index first[kNamedPieceCells] = {};       // from the begin
  Index from_least[kNamedPieceCells] = {};  // from the smallest cell
};
// From each of these cells of a tile along `next` until -1 or round the loop. Pieces keep their
// `loop` and `turn`. `z` may be empty.
template <class Exec>
void measure_pieces(const Exec& exec, const TileOrigin& tile, par::View<const std::int32_t> next,
                    par::View<const double> z, par::View<const std::int32_t> starts,
                    par::View<LoopPiece> pieces);

}  // namespace terrawave::terrain::steps
