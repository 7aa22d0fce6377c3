// Steepest descent on host threads, in SIMD lanes along rows.
#pragma once

#include "terrawave/solvers/terrain/terrain_routing.hpp"

namespace terrawave::terrain::cpu {

// See steepest_receivers. `direction` has one element per cell.
template <class T>
void steepest_receivers(const par::Queue& queue, const Grid& grid, par::View<const T> z,
                        par::View<const std::uint8_t> state, FlatRule flats,
                        par::View<Direction> direction);

}  // namespace terrawave::terrain::cpu
