// A way down from each cell on host threads, for callers to whom any will do.
#pragma once

#include "terrawave/solvers/terrain/terrain_routing.hpp"

namespace terrawave::terrain::cpu {

// The lowest neighbour of each cell in the heights' own type, whatever its distance; cells without
// a lower one drain over the plateau so that no loop arises. Roots are those of steepest_receivers
// with FlatRule::by_index, so basins and passes differ but the filled surface does not.
template <class T>
void lowest_neighbours(const par::Queue& queue, const Grid& grid, par::View<const T> z,
                       par::View<const std::uint8_t> state, par::View<Direction> direction);

}  // namespace terrawave::terrain::cpu
