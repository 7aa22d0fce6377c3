// The routing algorithms built from kernels that run on both backends. The GPU uses these; on the
// host they serve as a second opinion beside cpu/ (same results, tested).
#pragma once

#include "terrawave/solvers/terrain/terrain_routing.hpp"

namespace terrawave::terrain::portable {

template <class T>
void steepest_receivers(const par::Queue& queue, const Grid& grid, par::View<const T> z,
                        par::View<const std::uint8_t> state, FlatRule flats,
                        par::View<Direction> direction);
template <class T>
Index resolve_flats(const par::Queue& queue, const Grid& grid, par::View<const T> z,
                    par::View<const std::uint8_t> state, par::View<Direction> direction);
template <class T>
void drain_by_index(const par::Queue& queue, const Grid& grid, par::View<const T> z,
                    par::View<const std::uint8_t> state, par::View<Direction> direction);
template <class T>
RouteStats fill(const par::Queue& queue, const Grid& grid, par::View<const T> z,
                par::View<const std::uint8_t> state, par::View<T> filled);
template <class T>
RouteStats leave_depressions(const par::Queue& queue, const Grid& grid, par::View<const T> z,
                             par::View<const std::uint8_t> state, bool jump, Receivers& receivers);
// Returns the number of cells finished.
template <class V>
Index accumulate(const par::Queue& queue, const Grid& grid, const Receivers& receivers,
                 par::View<const V> weights, par::View<V> out, Combine combine);
// False when the directions are cyclic.
bool label_roots(const par::Queue& queue, const Grid& grid, const Receivers& receivers,
                 par::View<std::int32_t> labels);
// Roots that are not base cells, and cells with data.
Index count_roots(const par::Queue& queue, par::View<const Direction> direction,
                  par::View<const std::uint8_t> state);
Index count_data(const par::Queue& queue, par::View<const Direction> direction);

}  // namespace terrawave::terrain::portable
