#include "terrawave/solvers/terrain/dinf_steps.hpp"

#include <cmath>
#include <limits>

#include "terrawave/base/portable_math.hpp"
#include "terrawave/par/launch.hpp"

namespace terrawave::terrain::steps {
namespace {

using par::Range1;
using par::Range2;
using par::View;
using portable::kHalfPi;

constexpr double kTurn = 4 * kHalfPi;

// Neighbour in the direction of so many eighths of a turn, counter-clockwise from east.
TW_FUNCTION int neighbour_at(int eighths) { return (16 - eighths) % 8; }

// The steepest facet so far: its slope, and its direction as a vector from the cardinal neighbour
// toward the diagonal one.
struct Steepest {
  double slope = 0;
  double across = 0, along = 0;
  int cardinal = 0;  // in eighths of a turn
  bool counter_clockwise = true;

  TW_FUNCTION double angle() const {
    const double r = portable::atan2(across, along);
    const double base = cardinal * (kHalfPi / 2);
    double angle = counter_clockwise ? base + r : base - r;
    if (angle < 0) angle += kTurn;
    return angle < kTurn ? angle : 0.0;  // the addition may round up to a whole turn
  }
};

template <class T>
struct Angles {
  FacetGrid grid;
  View<const T> z;
  View<const std::uint8_t> state;
  View<double> angles;

  // The facet between the neighbours in these directions. A slope that points out of the facet is
  // that along its nearer edge.
  TW_FUNCTION void look(Index row, Index col, int cardinal, int diagonal, Steepest& best) const {
    const Index n1 = grid.cells.neighbour(row, col, neighbour_at(cardinal));
    const Index n2 = grid.cells.neighbour(row, col, neighbour_at(diagonal));
    if (n1 < 0 || n2 < 0 || !is_data(state[n1]) || !is_data(state[n2])) return;
    const double here = double(z[row * grid.cells.cols + col]);
    const double e1 = double(z[n1]);
    const double e2 = double(z[n2]);
    const bool along_x = cardinal % 4 == 0;
    const double d1 = along_x ? grid.width(row) : grid.height;
    const double d2 = along_x ? grid.height : grid.width(row);
    double s1 = (here - e1) / d1;
    double s2 = (e1 - e2) / d2;
    double slope = 0;
    if (s2 < 0) {
      slope = s1;
      s1 = 1;
      s2 = 0;
    } else if (s2 * d1 > s1 * d2) {
      slope = (here - e2) / std::sqrt(d1 * d1 + d2 * d2);
      s1 = d1;
      s2 = d2;
    } else {
      slope = std::sqrt(s1 * s1 + s2 * s2);
    }
    if (slope > best.slope) best = {slope, s2, s1, cardinal, diagonal == (cardinal + 1) % 8};
  }

  TW_FUNCTION void operator()(Index col, Index row) const {
    const Index c = row * grid.cells.cols + col;
    if (state[c] != std::uint8_t(CellState::valid)) {
      angles[c] = is_data(state[c]) ? -1.0 : std::numeric_limits<double>::quiet_NaN();
      return;
    }
    Steepest best;
    for (int facet = 0; facet < 8; ++facet)
      look(row, col, (facet + 1) / 2 * 2 % 8, facet / 2 * 2 + 1, best);
    angles[c] = best.slope > 0 ? best.angle() : -1.0;
  }
};

struct Split {
  FacetGrid grid;
  View<const double> angles;
  View<double> fractions;

  TW_FUNCTION void operator()(Index col, Index row) const {
    const Index cells = grid.cells.rows * grid.cells.cols;
    const Index c = row * grid.cells.cols + col;
    for (int k = 0; k < kNeighbours; ++k) fractions[k * cells + c] = 0;
    double angle = angles[c];
    if (!(angle >= 0)) return;
    if (angle >= kTurn) angle -= kTurn;
    const int quadrant = int(angle / kHalfPi) & 3;
    const double within = angle - quadrant * kHalfPi;  // from one cardinal towards the next
    const bool along_x = quadrant % 2 == 0;
    const double to_diagonal = portable::atan2(along_x ? grid.height : grid.width(row),
                                               along_x ? grid.width(row) : grid.height);
    const bool before = within <= to_diagonal;
    double share = before ? within / to_diagonal : (kHalfPi - within) / (kHalfPi - to_diagonal);
    // An angle along a cell's axis or diagonal may be off by an ulp: it must not leak to a
    // neighbour that lies no lower.
    constexpr double kNothing = 1e-12;
    share = share < kNothing ? 0 : (share > 1 - kNothing ? 1 : share);
    fractions[neighbour_at(2 * quadrant + 1) * cells + c] = share;
    fractions[neighbour_at(2 * quadrant + (before ? 0 : 2)) * cells + c] = 1 - share;
  }
};

}  // namespace

template <class Exec, class T>
void steepest_facets(const Exec& exec, const FacetGrid& grid, View<const T> z,
                     View<const std::uint8_t> state, View<double> angles) {
  par::for_each(exec, Range2{grid.cells.cols, grid.cells.rows}, Angles<T>{grid, z, state, angles});
}

template <class Exec>
void split_angles(const Exec& exec, const FacetGrid& grid, View<const double> angles,
                  View<double> fractions) {
  par::for_each(exec, Range2{grid.cells.cols, grid.cells.rows}, Split{grid, angles, fractions});
}

template void split_angles(const par::Exec&, const FacetGrid&, View<const double>, View<double>);
template void steepest_facets(const par::Exec&, const FacetGrid&, View<const std::uint8_t>,
                              View<const std::uint8_t>, View<double>);
template void steepest_facets(const par::Exec&, const FacetGrid&, View<const std::int16_t>,
                              View<const std::uint8_t>, View<double>);
template void steepest_facets(const par::Exec&, const FacetGrid&, View<const std::uint16_t>,
                              View<const std::uint8_t>, View<double>);
template void steepest_facets(const par::Exec&, const FacetGrid&, View<const std::int32_t>,
                              View<const std::uint8_t>, View<double>);
template void steepest_facets(const par::Exec&, const FacetGrid&, View<const float>,
                              View<const std::uint8_t>, View<double>);
template void steepest_facets(const par::Exec&, const FacetGrid&, View<const double>,
                              View<const std::uint8_t>, View<double>);

}  // namespace terrawave::terrain::steps
