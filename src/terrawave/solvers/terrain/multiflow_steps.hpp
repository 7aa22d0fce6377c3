// Fractions of flow to several receivers, and their accumulation, on both backends.
#pragma once

#include "terrawave/par/exec.hpp"
#include "terrawave/solvers/terrain/device_cells.hpp"

namespace terrawave::terrain::steps {

// Slope to each strictly lower neighbour, times its contour length where `contours`; 0 elsewhere.
template <class Exec, class T>
void slopes(const Exec& exec, const GridView& grid, par::View<const T> z,
            par::View<const std::uint8_t> state, bool contours, par::View<double> slope);

// Raises each cell's slopes, divided by its steepest, to `exponent` > 0.
template <class Exec>
void raise(const Exec& exec, Index cells, double exponent, par::View<double> slope);

// Divides each cell's eight values by their sum, taken in the order of neighbours.
template <class Exec>
void normalise(const Exec& exec, Index cells, par::View<double> fractions);

// Cells without a lower neighbour, as on flats, give all to their single direction.
template <class Exec>
void follow_single(const Exec& exec, par::View<const Direction> direction,
                   par::View<double> fractions);

// The neighbours that each cell gives to, a bit each.
template <class Exec>
void mark_receivers(const Exec& exec, par::View<const double> fractions,
                    par::View<std::uint8_t> gives);

// Sums by peeling in the order of neighbours. `left` names the cells that wait for donors for ever
// with 1; returns their number.
template <class Exec>
Index multiflow_peel(const Exec& exec, const GridView& grid, par::View<const double> fractions,
                     par::View<const std::uint8_t> state, par::View<const double> weights,
                     par::View<double> out, par::View<std::uint8_t> left);

}  // namespace terrawave::terrain::steps
