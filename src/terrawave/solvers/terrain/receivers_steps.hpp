// Receivers, flats and basins by kernels that run on both backends.
#pragma once

#include "terrawave/par/exec.hpp"
#include "terrawave/solvers/terrain/device_cells.hpp"
#include "terrawave/solvers/terrain/terrain_routing.hpp"

namespace terrawave::terrain::steps {

template <class Exec, class T>
void steepest_receivers(const Exec& exec, const GridView& grid, par::View<const T> z,
                        par::View<const std::uint8_t> state, FlatRule flats,
                        par::View<Direction> direction);

// See terrain::resolve_flats; frontiers of breadth-first search, one launch per distance.
template <class Exec, class T>
Index resolve_flats(const Exec& exec, const GridView& grid, par::View<const T> z,
                    par::View<const std::uint8_t> state, par::View<Direction> direction);

// FlatRule::by_index for the roots that are not base cells.
template <class Exec, class T>
void drain_by_index(const Exec& exec, const GridView& grid, par::View<const T> z,
                    par::View<const std::uint8_t> state, par::View<Direction> direction);

template <class Exec>
Index count_pits(const Exec& exec, par::View<const Direction> direction,
                 par::View<const std::uint8_t> state);

// Cells with a direction or a root.
template <class Exec>
Index count_data(const Exec& exec, par::View<const Direction> direction);

// The root of each cell by pointer jumping; -1 at nodata. `jumps`: roots with a receiver. False
// when the directions are cyclic.
template <class Exec>
bool label_roots(const Exec& exec, const GridView& grid, par::View<const Direction> direction,
                 par::View<const Link> jumps, par::View<std::int32_t> labels);

}  // namespace terrawave::terrain::steps
