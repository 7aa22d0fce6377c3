// Products of a cell and its neighbours alone, on both backends: slope, marks of streams, heights
// above the drainage.
#pragma once

#include "terrawave/par/exec.hpp"
#include "terrawave/solvers/terrain/device_cells.hpp"

namespace terrawave::terrain::steps {

// Steepest descent to a neighbour, drop / distance; 0 where no neighbour is lower, NaN at nodata.
// `distance`: dx, dy, diagonal, once or for each row.
template <class Exec, class T>
void steepest_slope(const Exec& exec, const GridView& grid, par::View<const double> distance,
                    par::View<const T> z, par::View<const std::uint8_t> state,
                    par::View<double> slope);

// 1 where there is data and the amount reaches the threshold. V: int64_t, double.
template <class Exec, class V>
void mark_streams(const Exec& exec, par::View<const V> amount, par::View<const std::uint8_t> state,
                  double threshold, par::View<std::uint8_t> stream);

// The index of each marked cell that holds data, -1 for the others.
template <class Exec>
void label_marked(const Exec& exec, par::View<const std::uint8_t> marked,
                  par::View<const Direction> direction, par::View<std::int32_t> labels);

// z less z of the cell that `drain` names; NaN where that is -1.
template <class Exec, class T>
void height_above(const Exec& exec, par::View<const T> z, par::View<const std::int32_t> drain,
                  par::View<double> height);

}  // namespace terrawave::terrain::steps
