// Directions over the flats of one tile with a ring of its neighbours' cells, on both backends.
// Steps from the low edge and from higher ground spread inside the tile, level by level, from its
// own cells and from what the ring shows.
#pragma once

#include "terrawave/par/exec.hpp"
#include "terrawave/solvers/terrain/device_cells.hpp"
#include "terrawave/solvers/terrain/tile_place.hpp"

namespace terrawave::terrain::steps {

// Memory of the queue's device, one element for each cell of the block.
struct TileFlat {
  TilePlace at;
  par::View<std::uint8_t> same;  // neighbours in the same flat, a bit each; 0 in the ring
  par::View<std::uint8_t> edge;  // the first neighbour of equal height that drains, or kRoot
};

// Cells that a search has reached; only entries from `begin` on are still to spread from.
struct StepList {
  par::View<std::int32_t> cells;
  par::View<std::int32_t> count;  // its length, and two numbers of a search's own
};

// Steps of ring cells that changed, by rising steps. The cells are on the queue's device.
struct RingSteps {
  par::View<const std::int32_t> cells;
  std::vector<std::int32_t> steps;
};

// Number of the tile's cells that are stuck: no lower neighbour, no base cell.
template <class Exec>
Index count_stuck(const Exec& exec, const TilePlace& at, par::View<const Direction> direction,
                  par::View<const std::uint8_t> state);

// Finds the flats out of the directions of the block (FlatRule::leave): fills `flat`, sets the
// steps of all cells to 0 and those of the first cells to 1, and lists these.
template <class Exec, class T>
void find_flats(const Exec& exec, const TileFlat& flat, bool diagonals, par::View<const T> z,
                par::View<const std::uint8_t> state, par::View<const Direction> direction,
                par::View<std::int32_t> toward, par::View<std::int32_t> away, const StepList& low,
                const StepList& high);

// Spreads from the listed cells, all at step 1, and empties the list.
template <class Exec>
void spread_first(const Exec& exec, const TileFlat& flat, par::View<std::int32_t> steps,
                  const StepList& list);

// Spreads from ring cells whose steps have sunk (or have become known).
template <class Exec>
void spread_ring(const Exec& exec, const TileFlat& flat, par::View<std::int32_t> steps,
                 const StepList& list, const RingSteps& ring);

// Takes over the ring's steps.
template <class Exec>
void set_steps(const Exec& exec, par::View<const std::int32_t> cells,
               par::View<const std::int32_t> values, par::View<std::int32_t> steps);

// The steps of some cells.
template <class Exec>
void look_at_steps(const Exec& exec, par::View<const std::int32_t> cells,
                   par::View<const std::int32_t> steps, par::View<std::int32_t> values);

// Directions of the tile's cells that the low edge reaches: on the edge to the cell that drains,
// elsewhere to the first neighbour of least key 2 * toward - away. `direction`: of the tile.
template <class Exec>
void choose_steps(const Exec& exec, const TileFlat& flat, par::View<const std::int32_t> toward,
                  par::View<const std::int32_t> away, par::View<Direction> direction);

// A block in its map, whose opposite edges may meet.
struct BlockOrigin {
  Index row = 0, col = 0;    // of the block's first cell; may lie beyond a looped edge
  Index rows = 0, cols = 0;  // of the map
};

// Stuck cells of the tile drain to the first neighbour of equal height that is a base cell or has a
// smaller linear index in the map. `direction`: of the tile.
template <class Exec, class T>
void drain_in_order(const Exec& exec, const TilePlace& at, const BlockOrigin& origin,
                    bool diagonals, par::View<const T> z, par::View<const std::uint8_t> state,
                    par::View<Direction> direction);

}  // namespace terrawave::terrain::steps
