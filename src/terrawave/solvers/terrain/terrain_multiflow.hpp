// Flow to several receivers at once: D-infinity and multiple flow direction.
#pragma once

#include <cstdint>
#include <vector>

#include "terrawave/par/buffer.hpp"
#include "terrawave/solvers/terrain/grid.hpp"

namespace terrawave::terrain {

enum class MultiRule {
  freeman,  // s^p over strictly lower neighbours (Freeman 1991; p about 1.1)
  quinn,  // (L s)^p with contour lengths 1/2 and sqrt(2)/4 (Quinn 1991; p = 1; Holmgren 1994: 4-6)
  dinf    // steepest of eight triangular facets (Tarboton 1997); p is not used
};

// Fraction of its flow that each cell gives to neighbour k: fractions[k * cells + cell]. They add
// up to 1 (or all are 0: a root). D4 grids are refused for dinf.
template <class T>
void multiflow_fractions(const par::Queue& queue, const Grid& grid, par::View<const T> z,
                         par::View<const std::uint8_t> state, MultiRule rule, double exponent,
                         par::View<double> fractions);

// The same, where cells without a lower neighbour give all to their single direction.
template <class T>
void drained_fractions(const par::Queue& queue, const Grid& grid, par::View<const T> z,
                       par::View<const std::uint8_t> state, par::View<const Direction> direction,
                       MultiRule rule, double exponent, par::View<double> fractions);

// The neighbours that each cell gives to, a bit each.
void fraction_receivers(const par::Queue& queue, par::View<const double> fractions,
                        par::View<std::uint8_t> gives);

// D-infinity angle of each cell, counter-clockwise from east in radians [0, 2 pi), -1 where the
// cell has no lower facet, NaN at nodata.
template <class T>
void dinf_angles(const par::Queue& queue, const Grid& grid, par::View<const T> z,
                 par::View<const std::uint8_t> state, par::View<double> angles);

// Fractions of D-infinity from given angles (T8-like rasters of other tools).
void dinf_fractions(const par::Queue& queue, const Grid& grid, par::View<const double> angles,
                    par::View<double> fractions);

// out = weight + sum over donors of fraction * out(donor), donors in the order of neighbours: a
// cell is summed when all its donors are final. `weights` empty: 1 for each cell with data.
// Throws InputError naming cells and length of a loop when the fractions are cyclic.
void multiflow_accumulate(const par::Queue& queue, const Grid& grid,
                          par::View<const double> fractions, par::View<const std::uint8_t> state,
                          par::View<const double> weights, par::View<double> out);

// Every cell that waits for donors for ever has a first such donor, and following these leads into
// loops. Of those the one with the smallest index: its cells from that one, each fed by the next.
// Empty where there is none.
std::vector<Index> find_fraction_loop(const par::Queue& queue, const Grid& grid,
                                      par::View<const double> fractions,
                                      par::View<const std::uint8_t> state);

// Makes the lowest cell (ties: smallest index) of every such loop a root, until none is left.
// Returns the number of cells that became roots.
template <class T>
Index repair_fraction_loops(const par::Queue& queue, const Grid& grid, par::View<const T> z,
                            par::View<const std::uint8_t> state, par::View<double> fractions);

}  // namespace terrawave::terrain
