// Depression routing and filling on host threads.
#pragma once

#include "terrawave/solvers/terrain/terrain_routing.hpp"

namespace terrawave::terrain::cpu {

// See terrain::fill.
template <class T>
RouteStats fill(const par::Queue& queue, const Grid& grid, par::View<const T> z,
                par::View<const std::uint8_t> state, par::View<T> filled);

// Carves or jumps out of the depressions of `receivers`, which hold no loop.
template <class T>
RouteStats leave_depressions(const par::Queue& queue, const Grid& grid, par::View<const T> z,
                             par::View<const std::uint8_t> state, bool jump, Receivers& receivers);

}  // namespace terrawave::terrain::cpu
