// The launches of one step: what kernels see, and the phases in their order.
#pragma once

#include <cstdint>

#include "terrawave/par/exec.hpp"
#include "terrawave/par/range.hpp"
#include "terrawave/solvers/swe/swe_cells.hpp"

namespace terrawave::swe {

// One rank's mesh as kernels read it.
template <class Real>
struct MeshView {
  par::View<const LocalIndex> left;   // [edges] the cell that the normal points out of
  par::View<const LocalIndex> right;  // [edges] the other cell; a free outflow names `left` again,
                                      // a wall ~left
  par::View<const Real> nx, ny;       // [edges] unit normal
  par::View<const Real> length;       // [edges] m
  par::View<const LocalIndex> cell_edge;  // [3 * owned] k-th edge of cell c at k * owned + c: e
                                          // where c is the edge's left cell, ~e where its right
  par::View<const Real> per_area;         // [owned] 1 / area, 1/m^2
  Index owned = 0;
  Index edges = 0;
};

// The state of all local cells, ghosts included.
template <class Real>
struct StateView {
  par::View<Real> h1, q1x, q1y, h2, q2x, q2y;
  par::View<const Real> bottom;
};

// EdgeFlux of every edge. The momentum arrays hold the left sides, then the right sides.
template <class Real>
struct EdgeView {
  par::View<Real> mass1, mass2, speed;  // [edges]
  par::View<Real> x1, y1, x2, y2;       // [2 * edges]
  par::View<std::uint8_t> fix;          // [edges] host only: 1 where the entropy fix may act
  par::View<LocalIndex> list;           // [edges] host only: those edges
};

// d(state)/dt of every owned cell, and the inverse of the time in which its fastest waves cross it.
template <class Real>
struct RateView {
  par::View<Real> h1, q1x, q1y, h2, q2x, q2y;
  par::View<Real> crossing;  // 1/s; on the host one number per block, see swe_blocks.hpp
};

// Every edge of `range` once.
template <class Exec, class Real>
void evaluate_edges(const Exec& exec, const Physics<Real>& physics, const MeshView<Real>& mesh,
                    const StateView<Real>& state, const EdgeView<Real>& edges, par::Range1 range);

// sum of length * speed over a cell's edges / (2 area): written per cell, its maximum left in
// out[0] with the sign turned (0 where nothing moves or there is no cell).
template <class Exec, class Real>
void find_crossing(const Exec& exec, const MeshView<Real>& mesh, const EdgeView<Real>& edges,
                   par::View<Real> crossing);
template <class Exec, class Real>
void fastest_crossing(const Exec& exec, par::View<const Real> crossing, par::View<Real> out);

// The size of a step: a number that the host knows, or one that stands on the device.
template <class Real>
struct StepSize {
  Real value = 0;
  par::View<const double> stored;  // used where it is not empty
  TW_FUNCTION Real operator()() const { return stored.size > 0 ? Real(stored[0]) : value; }
};

// stored[0] = cfl / fastest crossing (0 where nothing moves), stored[1] += stored[0].
template <class Exec, class Real>
void choose_step(const Exec& exec, par::View<const Real> fastest, double cfl,
                 par::View<double> stored);

// Gathers three edges per cell and moves the owned cells on by dt.
template <class Exec, class Real>
void update_from_edges(const Exec& exec, const MeshView<Real>& mesh, const EdgeView<Real>& edges,
                       const StateView<Real>& state, StepSize<Real> dt);

// The fused variant: every cell of `range` evaluates its three edges itself and writes its rates;
// no edge is stored. The same bits.
template <class Exec, class Real>
void evaluate_cells(const Exec& exec, const Physics<Real>& physics, const MeshView<Real>& mesh,
                    const StateView<Real>& state, const RateView<Real>& rates, par::Range1 range);
template <class Exec, class Real>
void update_from_rates(const Exec& exec, const RateView<Real>& rates, const StateView<Real>& state,
                       Index owned, StepSize<Real> dt);

}  // namespace terrawave::swe
