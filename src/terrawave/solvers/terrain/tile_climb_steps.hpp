// Values of one tile's cells from those of their receivers, on both backends: path by path of
// tree_steps.hpp, as far up as what the tile's surroundings have shown allows.
#pragma once

#include "terrawave/par/exec.hpp"
#include "terrawave/solvers/terrain/tree_steps.hpp"

namespace terrawave::terrain::steps {

// Memory of the queue's device, one element for each cell of the tile.
template <class V>
struct TileClimb {
  TreeView tree;  // of the tile alone: flow that leaves it ends at roots
  // Cells that keep their own value; the others take that of their receiver. Empty: values are
  // lengths of ways, and grow by each step.
  par::View<const std::uint8_t> fixed;
  par::View<V> value;
  par::View<std::uint8_t> known;
  static constexpr std::uint8_t kHead = 1;  // a path's lowest cell, whose path is to be climbed
  static constexpr std::uint8_t kDone = 2;
};

// Receivers' values for cells whose receiver lies outside the tile.
template <class V>
struct FromBelow {
  par::View<const std::int32_t> cells;
  par::View<const V> below;
  par::View<const double> length;  // of the steps
};

// Roots keep their values. `leaves`: cells whose flow leaves the tile, which are none; ascending.
template <class Exec, class V>
void open_roots(const Exec& exec, const TileClimb<V>& climb, par::View<const std::int32_t> leaves);

template <class Exec, class V>
void enter_from_below(const Exec& exec, const TileClimb<V>& climb, const FromBelow<V>& from);

// Climbs the paths whose receivers are known. `highest`: the highest rank of the tree's paths.
template <class Exec, class V>
void climb_paths(const Exec& exec, const TileClimb<V>& climb, int highest);

// The values of some cells, and whether they are known.
template <class Exec, class V>
void look_at_climb(const Exec& exec, const TileClimb<V>& climb, par::View<const std::int32_t> cells,
                   par::View<V> values, par::View<std::uint8_t> known);

}  // namespace terrawave::terrain::steps
