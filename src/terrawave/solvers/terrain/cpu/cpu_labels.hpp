// Basins on host threads.
#pragma once

#include "terrawave/solvers/terrain/terrain_routing.hpp"

namespace terrawave::terrain::cpu {

inline constexpr std::int32_t kNoBasin = -1;  // nodata

// The root of each cell as a linear index, kNoBasin at nodata. False when the directions are
// cyclic (the labels are then incomplete).
bool label_roots(const par::Queue& queue, const Grid& grid, par::View<const Direction> direction,
                 const std::vector<Link>& jumps, par::View<std::int32_t> labels);

// Dense numbers: all base cells are basin 0, pits are 1, 2, ... by index. Returns the pits.
std::vector<std::int32_t> label_dense(const par::Queue& queue, const Grid& grid,
                                      par::View<const Direction> direction,
                                      par::View<const std::uint8_t> state,
                                      par::View<std::int32_t> labels);

}  // namespace terrawave::terrain::cpu
