// Flow and depression routing on one device: host threads or one GPU, by the queue's choice. Every
// result is the same, bit for bit, on any number of threads and on the GPU.
//
// Views point to memory of the queue's device (par::Buffer), one element per cell, row-major.
// Heights are of type T: uint8_t, int16_t, uint16_t, int32_t, float or double; heights of nodata
// cells are never read as numbers. Rasters of 2^31 or more cells are routed in tiles.
//
// Heights are never altered by routing. Ties are settled by published rules:
//   receiver     largest drop * (1 / distance) in double; first of E, SE, S, SW, W, NW, N, NE
//   equal height among cells without a lower neighbour, see FlatRule
//   pass         between two basins: least (max of both heights, 4 * cell + k), where the edge
//                leads from `cell` to its neighbour k of {E, SE, S, SW}
// The lowest passes form the only minimum spanning tree of the basins under that order; it is
// hung from the outlets, and that decides every receiver.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "terrawave/par/buffer.hpp"
#include "terrawave/solvers/terrain/grid.hpp"

namespace terrawave::terrain {

// A receiver that is no neighbour (mode jump): `root` drains to `target`.
struct Link {
  std::int32_t root = 0;
  std::int32_t target = 0;
  bool operator==(const Link&) const = default;
};

// One receiver for each cell.
struct Receivers {
  par::Buffer<Direction> direction;  // 0..7, kRoot, kNoDirection
  std::vector<Link> jumps;           // sorted by root; their roots have direction kRoot
};

// What a cell without a lower neighbour becomes.
enum class FlatRule {
  leave,    // a root: every flat cell without a lower neighbour shows up as a pit
  by_index  // drains to the first neighbour of equal height that is a base cell or has a smaller
            // linear index; roots are then only the base cells and the minima of (height, index)
};

// Steepest descent. Base cells (outlets, kept sinks) are roots.
template <class T>
Receivers steepest_receivers(const par::Queue& queue, const Grid& grid, par::View<const T> z,
                             par::View<const std::uint8_t> state, FlatRule flats);

// Number of roots that are neither outlets nor kept sinks.
Index count_pits(const par::Queue& queue, const Receivers& receivers,
                 par::View<const std::uint8_t> state);

enum class Combine { sum, max, min };

// Value of each cell joined with all values upstream of it. Integers: exact. Doubles: the cell's
// own value first, then its donors' results in the order of neighbours, jumps last (by root).
// `weights` empty: 1 for each cell. Nodata cells become 0. Throws InputError that names the cells
// of a loop when the directions are cyclic. V: int64_t, double.
template <class V>
void accumulate(const par::Queue& queue, const Grid& grid, const Receivers& receivers,
                par::View<const V> weights, par::View<V> out, Combine combine = Combine::sum);

// Linear index of the root that each cell drains to (jumps followed); -1 at nodata. Throws
// InputError when the directions are cyclic.
void label_basins(const par::Queue& queue, const Grid& grid, const Receivers& receivers,
                  par::View<std::int32_t> labels);

struct RouteStats {
  Index pits = 0;       // roots before routing that are not base cells
  Index undrained = 0;  // pits that no base cell can be reached from (all-closed regions)
  int rounds = 0;       // Boruvka rounds
  double bytes = 0;     // working memory at its peak, without inputs and results
};

// The lowest surface that is nowhere below z and from which every cell drains to a base cell
// without climbing: equals priority-flood bit for bit. Cells that no base cell can reach keep z.
template <class T>
RouteStats fill(const par::Queue& queue, const Grid& grid, par::View<const T> z,
                par::View<const std::uint8_t> state, par::View<T> filled);

enum class RouteMode {
  carve,  // receivers of the path from the pass down to the pit are reversed
  jump,   // the pit drains to the far side of its pass directly
  fill    // steepest descent on the filled surface, its flats drained by resolve_flats
};

struct Routed {
  Receivers receivers;
  RouteStats stats;
};

// Receivers by which every cell reaches a base cell along the lowest possible way.
// With `flats`, flat cells that have a low edge drain by resolve_flats before depressions are
// routed (straight rivers over plateaus); without, by FlatRule::by_index (faster).
template <class T>
Routed route(const par::Queue& queue, const Grid& grid, par::View<const T> z,
             par::View<const std::uint8_t> state, RouteMode mode, bool flats = true);

// Directions over flats by integer keys (Barnes, Lehman, Mulla 2014, after Garbrecht and Martz
// 1997): key = 2 * toward + (max_away - away), with `toward` the steps from the low edge and `away`
// the steps from higher ground, both inside the flat. Changes the direction of cells without a
// lower neighbour whose flat has a low edge; leaves all others as they are. Returns the number of
// cells changed.
template <class T>
Index resolve_flats(const par::Queue& queue, const Grid& grid, par::View<const T> z,
                    par::View<const std::uint8_t> state, par::View<Direction> direction);

struct BreachLimits {
  Index max_length = 0;  // cells cut per pit; 0: no limit
  double max_depth = 0;  // height cut off [unit of z]; 0: no limit
};
struct BreachStats {
  Index breached = 0;
  Index remaining = 0;  // pits whose cut would be too long or too deep, or lead to no lower cell
  BreachStats& operator+=(const BreachStats& o) {
    breached += o.breached;
    remaining += o.remaining;
    return *this;
  }
};
// Cuts a channel from each pit along its carve path to the first lower cell (or to a base cell that
// is not higher; base cells are never cut). Cut cells sink to the height of the lowest such pit.
// `cut` may be filled afterwards.
template <class T>
BreachStats breach(const par::Queue& queue, const Grid& grid, par::View<const T> z,
                   par::View<const std::uint8_t> state, const BreachLimits& limits,
                   par::View<T> cut);

// Of the cycles of the directions the one with the smallest index: its cells in flow order from
// that one. Empty where there is none. Jumps are followed.
std::vector<Index> find_loop(const par::Queue& queue, const Grid& grid, const Receivers& receivers);
inline constexpr Index kNamedLoopCells = 8;  // cells of a loop that a message names
// A height as loops compare it: a cell without one is the last to become a root.
TW_FUNCTION double loop_height(double z) { return z != z ? HUGE_VAL : z; }
// Makes the lowest cell (ties: smallest index) of every loop a root. Returns the number of loops.
template <class T>
Index repair_loops(const par::Queue& queue, const Grid& grid, par::View<const T> z,
                   Receivers& receivers);

}  // namespace terrawave::terrain
