// Flats on host threads.
#pragma once

#include "terrawave/solvers/terrain/terrain_routing.hpp"

namespace terrawave::terrain::cpu {

// See terrain::resolve_flats.
template <class T>
Index resolve_flats(const par::Queue& queue, const Grid& grid, par::View<const T> z,
                    par::View<const std::uint8_t> state, par::View<Direction> direction);

// Applies FlatRule::by_index to the roots of `direction` that are not base cells.
template <class T>
void drain_by_index(const par::Queue& queue, const Grid& grid, par::View<const T> z,
                    par::View<const std::uint8_t> state, par::View<Direction> direction);

}  // namespace terrawave::terrain::cpu
