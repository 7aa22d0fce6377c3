// D-infinity (Tarboton 1997) on both backends: angles from heights, shares from angles.
#pragma once

#include "terrawave/par/exec.hpp"
#include "terrawave/solvers/terrain/device_cells.hpp"

namespace terrawave::terrain::steps {

// A raster of eight neighbours with the size of its cells.
struct FacetGrid {
  GridView cells;
  par::View<const double> widths;  // [m], one value or one for each row
  double height;                   // [m]
  TW_FUNCTION double width(Index row) const { return widths[widths.size == 1 ? 0 : row]; }
};

// Angle of the steepest facet in [0, 2 pi), counter-clockwise from east; -1 where none falls, NaN
// for nodata.
template <class Exec, class T>
void steepest_facets(const Exec& exec, const FacetGrid& grid, par::View<const T> z,
                     par::View<const std::uint8_t> state, par::View<double> angles);

// Shares of the two neighbours on both sides of each angle in [0, 2 pi]; none below 0 or for NaN.
template <class Exec>
void split_angles(const Exec& exec, const FacetGrid& grid, par::View<const double> angles,
                  par::View<double> fractions);

}  // namespace terrawave::terrain::steps
