// Directions over flats on CUDA. Replaces steps::resolve_flats, with the same result.
#pragma once

#include <optional>

#include "terrawave/par/queue.hpp"
#include "terrawave/solvers/terrain/device_cells.hpp"

namespace terrawave::terrain::cuda {

// Changes directions as resolve_flats does and returns the number of cells changed; nothing, and
// changes nothing, where neighbours without a lower neighbour differ in height (a drop so small
// that dividing by the distance makes it 0).
template <class T>
std::optional<Index> resolve_flats(const par::Queue& queue, const GridView& grid,
                                   par::View<const T> z, par::View<const std::uint8_t> state,
                                   par::View<Direction> direction);

}  // namespace terrawave::terrain::cuda
