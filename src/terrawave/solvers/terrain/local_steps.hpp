// Products of a cell and its neighbours alone, on both backends: slope, marks of streams, heights
// above the drainage, rises of a surface.
#pragma once

#include "terrawave/base/exact_sum.hpp"
#include "terrawave/par/exec.hpp"
#include "terrawave/solvers/terrain/device_cells.hpp"

namespace terrawave::terrain::steps {

// Steepest descent to a neighbour, drop / distance; 0 where no neighbour is lower, NaN at nodata.
// `distance`: dx, dy, diagonal, once or for each row.
template <class Exec, class T>
void steepest_slope(const Exec& exec, const GridView& grid, par::View<const double> distance,
                    par::View<const T> z, par::View<const std::uint8_t> state,
                    par::View<double> slope);

// 1 where there is data and the amount reaches the threshold; `data`: states or directions, `hole`
// where there is none. V: int64_t, double.
template <class Exec, class V>
void mark_streams(const Exec& exec, par::View<const V> amount, par::View<const std::uint8_t> data,
                  std::uint8_t hole, double threshold, par::View<std::uint8_t> stream);

// The index of each marked cell that holds data, -1 for the others.
template <class Exec>
void label_marked(const Exec& exec, par::View<const std::uint8_t> marked,
                  par::View<const Direction> direction, par::View<std::int32_t> labels);

// z less z of the cell that `drain` names; NaN where that is -1.
template <class Exec, class T>
void height_above(const Exec& exec, par::View<const T> z, par::View<const std::int32_t> drain,
                  par::View<double> height);

// Where one surface stands above another: at how many cells with data, and by how much at most.
struct Rise {
  std::int64_t cells = 0;
  double most = 0;
};
template <class Exec, class T>
Rise rise_between(const Exec& exec, par::View<const T> low, par::View<const T> high,
                  par::View<const std::uint8_t> state);
// Their sum, in units of what fixed_exponent makes of `most`.
template <class Exec, class T>
FixedSum rise_sum(const Exec& exec, par::View<const T> low, par::View<const T> high,
                  par::View<const std::uint8_t> state, double most);

}  // namespace terrawave::terrain::steps
