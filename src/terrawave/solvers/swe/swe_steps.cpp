#include "terrawave/solvers/swe/swe_steps.hpp"

#include <type_traits>

#include "terrawave/par/launch.hpp"

namespace terrawave::swe {
namespace {

using par::Range1;
using par::View;

template <class Real>
TW_FUNCTION CellState<Real> load(const StateView<Real>& s, Index i) {
  return {s.h1[i], s.q1x[i], s.q1y[i], s.h2[i], s.q2x[i], s.q2y[i], s.bottom[i]};
}

// An edge's two cells.
template <class Real>
struct Pair {
  CellState<Real> left, right;
  bool wall;
  TW_FUNCTION Pair(const MeshView<Real>& mesh, const StateView<Real>& state, Index e) {
    const LocalIndex l = mesh.left[e];
    const LocalIndex named = mesh.right[e];
    wall = named < 0;
    const LocalIndex r = wall ? ~named : named;
    left = load(state, l);
    right = load(state, r);
  }
};

template <class Real>
TW_FUNCTION void store(const EdgeView<Real>& out, Index e, Index edges, const EdgeFlux<Real>& f) {
  const Index r = e + edges;
  out.mass1[e] = f.mass1;
  out.mass2[e] = f.mass2;
  out.speed[e] = f.speed;
  out.x1[e] = f.left1x;
  out.y1[e] = f.left1y;
  out.x2[e] = f.left2x;
  out.y2[e] = f.left2y;
  out.x1[r] = f.right1x;
  out.y1[r] = f.right1y;
  out.x2[r] = f.right2x;
  out.y2[r] = f.right2y;
}

// One edge, written to the edge arrays.
template <class Real>
struct Edge {
  Physics<Real> physics;
  MeshView<Real> mesh;
  StateView<Real> state;
  EdgeView<Real> out;
  TW_FUNCTION void operator()(Index e) const {
    const Pair<Real> p(mesh, state, e);
    store(out, e, mesh.edges,
          edge_flux(physics, p.left, p.right, p.wall, mesh.nx[e], mesh.ny[e], mesh.length[e]));
  }
};

// The same in two passes without a branch, for SIMD lanes: all edges without the entropy fix,
// then those again where it may act.
template <class Real>
struct PlainEdge {
  Physics<Real> physics;
  MeshView<Real> mesh;
  StateView<Real> state;
  EdgeView<Real> out;
  TW_FUNCTION void operator()(Index e) const {
    const Pair<Real> p(mesh, state, e);
    store(out, e, mesh.edges,
          edge_flux_plain(physics, flow_of(p.left), flow_of(p.right), p.wall, mesh.nx[e],
                          mesh.ny[e], mesh.length[e]));
  }
};
template <class Real>
struct NeedsFix {
  EdgeView<Real> out;
  TW_FUNCTION void operator()(Index e) const { out.fix[e] = out.speed[e] > Real(0) ? 0 : 1; }
};
template <class Real>
struct FixedEdge {
  Physics<Real> physics;
  MeshView<Real> mesh;
  StateView<Real> state;
  EdgeView<Real> out;
  Index first;
  TW_FUNCTION void operator()(Index i) const {
    const Index e = first + out.list[i];
    const Pair<Real> p(mesh, state, e);
    store(out, e, mesh.edges,
          edge_flux_fixed(physics, flow_of(p.left), flow_of(p.right), p.wall, mesh.nx[e],
                          mesh.ny[e], mesh.length[e]));
  }
};

// The edge that `named` names (see MeshView::cell_edge), and its place in the momentum arrays.
TW_FUNCTION LocalIndex edge_of(LocalIndex named) { return named < 0 ? ~named : named; }
TW_FUNCTION LocalIndex side_of(LocalIndex named, LocalIndex edges) {
  return named < 0 ? ~named + edges : named;
}

template <class Real>
struct Crossing {
  MeshView<Real> mesh;
  EdgeView<Real> edges;
  View<Real> out;
  TW_FUNCTION void operator()(Index c) const {
    const Index n = mesh.owned;
    const Real sum =
        (edges.speed[edge_of(mesh.cell_edge[c])] + edges.speed[edge_of(mesh.cell_edge[c + n])]) +
        edges.speed[edge_of(mesh.cell_edge[c + 2 * n])];
    out[c] = Real(0.5) * mesh.per_area[c] * sum;
  }
};

template <class Real>
struct Negative {
  View<const Real> value;
  TW_FUNCTION Real operator()(Index i) const { return -value[i]; }
};

template <class Real>
struct EdgeShare {
  Real h1, q1x, q1y, h2, q2x, q2y;
};

template <class Real>
TW_FUNCTION EdgeShare<Real> share(const EdgeView<Real>& e, LocalIndex named, LocalIndex edges) {
  const Real sign = named < 0 ? Real(-1) : Real(1);
  const LocalIndex edge = edge_of(named);
  const LocalIndex at = side_of(named, edges);
  return {sign * e.mass1[edge], sign * e.x1[at], sign * e.y1[at],
          sign * e.mass2[edge], sign * e.x2[at], sign * e.y2[at]};
}
template <class Real>
TW_FUNCTION EdgeShare<Real> share(const EdgeFlux<Real>& f, bool left) {
  const Real sign = left ? Real(1) : Real(-1);
  return {
      sign * f.mass1, sign * (left ? f.left1x : f.right1x), sign * (left ? f.left1y : f.right1y),
      sign * f.mass2, sign * (left ? f.left2x : f.right2x), sign * (left ? f.left2y : f.right2y)};
}

template <class Real>
TW_FUNCTION void add(EdgeShare<Real>& sum, const EdgeShare<Real>& s) {
  sum.h1 += s.h1;
  sum.q1x += s.q1x;
  sum.q1y += s.q1y;
  sum.h2 += s.h2;
  sum.q2x += s.q2x;
  sum.q2y += s.q2y;
}

// d(state)/dt from the sum of the three shares.
template <class Real>
TW_FUNCTION EdgeShare<Real> rate(const EdgeShare<Real>& sum, Real per_area) {
  const Real f = -per_area;
  return {f * sum.h1, f * sum.q1x, f * sum.q1y, f * sum.h2, f * sum.q2x, f * sum.q2y};
}

template <class Real>
TW_FUNCTION void move(const StateView<Real>& s, Index c, const EdgeShare<Real>& rate, Real dt) {
  using std::fma;
  s.h1[c] = fma(dt, rate.h1, s.h1[c]);
  s.q1x[c] = fma(dt, rate.q1x, s.q1x[c]);
  s.q1y[c] = fma(dt, rate.q1y, s.q1y[c]);
  s.h2[c] = fma(dt, rate.h2, s.h2[c]);
  s.q2x[c] = fma(dt, rate.q2x, s.q2x[c]);
  s.q2y[c] = fma(dt, rate.q2y, s.q2y[c]);
}

template <class Real>
struct UpdateFromEdges {
  MeshView<Real> mesh;
  EdgeView<Real> edges;
  StateView<Real> state;
  StepSize<Real> dt;
  TW_FUNCTION void operator()(Index c) const {
    const Index n = mesh.owned;
    const auto count = LocalIndex(mesh.edges);
    EdgeShare<Real> sum{};
    add(sum, share(edges, mesh.cell_edge[c], count));
    add(sum, share(edges, mesh.cell_edge[c + n], count));
    add(sum, share(edges, mesh.cell_edge[c + 2 * n], count));
    move(state, c, rate(sum, mesh.per_area[c]), dt());
  }
};

template <class Real>
struct Cell {
  Physics<Real> physics;
  MeshView<Real> mesh;
  StateView<Real> state;
  RateView<Real> out;
  TW_FUNCTION void operator()(Index c) const {
    EdgeShare<Real> sum{};
    Real speed = 0;
#if defined(__CUDACC__)
#pragma unroll 1
#endif
    for (int k = 0; k < 3; ++k) {
      const LocalIndex named = mesh.cell_edge[c + k * mesh.owned];
      const Index e = edge_of(named);
      const Pair<Real> p(mesh, state, e);
      const EdgeFlux<Real> f =
          edge_flux(physics, p.left, p.right, p.wall, mesh.nx[e], mesh.ny[e], mesh.length[e]);
      add(sum, share(f, named >= 0));
      speed += f.speed;
    }
    const EdgeShare<Real> r = rate(sum, mesh.per_area[c]);
    out.h1[c] = r.h1;
    out.q1x[c] = r.q1x;
    out.q1y[c] = r.q1y;
    out.h2[c] = r.h2;
    out.q2x[c] = r.q2x;
    out.q2y[c] = r.q2y;
    out.crossing[c] = Real(0.5) * mesh.per_area[c] * speed;
  }
};

template <class Real>
struct UpdateFromRates {
  RateView<Real> rates;
  StateView<Real> state;
  StepSize<Real> dt;
  TW_FUNCTION void operator()(Index c) const {
    move(state, c,
         EdgeShare<Real>{rates.h1[c], rates.q1x[c], rates.q1y[c], rates.h2[c], rates.q2x[c],
                         rates.q2y[c]},
         dt());
  }
};

template <class Real>
struct ChooseStep {
  View<const Real> fastest;
  double cfl;
  View<double> stored;
  TW_FUNCTION void operator()(Index) const {
    const double crossing = -double(fastest[0]);
    stored[0] = crossing > 0 ? cfl / crossing : 0;
    stored[1] += stored[0];
  }
};

}  // namespace

template <class Exec, class Real>
void evaluate_edges(const Exec& exec, const Physics<Real>& physics, const MeshView<Real>& mesh,
                    const StateView<Real>& state, const EdgeView<Real>& edges, Range1 range) {
  if constexpr (std::is_same_v<Exec, par::CudaExec>) {
    par::for_each(exec, range, Edge<Real>{physics, mesh, state, edges});
  } else {
    par::for_each_simd(exec, range, PlainEdge<Real>{physics, mesh, state, edges});
    par::for_each_simd(exec, range, NeedsFix<Real>{edges});
    const View<const std::uint8_t> flags{edges.fix.data + range.begin, range.size()};
    const Index n = par::select_flagged(exec, flags, edges.list);
    par::for_each_simd(exec, Range1{0, n},
                       FixedEdge<Real>{physics, mesh, state, edges, range.begin});
  }
}

template <class Exec, class Real>
void find_crossing(const Exec& exec, const MeshView<Real>& mesh, const EdgeView<Real>& edges,
                   View<Real> crossing) {
  par::for_each_simd(exec, Range1{0, mesh.owned}, Crossing<Real>{mesh, edges, crossing});
}

template <class Exec, class Real>
void fastest_crossing(const Exec& exec, View<const Real> crossing, View<Real> out) {
  par::reduce_min_into(exec, crossing.size, Negative<Real>{crossing}, Real(0), out);
}

template <class Exec, class Real>
void choose_step(const Exec& exec, View<const Real> fastest, double cfl, View<double> stored) {
  par::for_each(exec, Range1{0, 1}, ChooseStep<Real>{fastest, cfl, stored});
}

template <class Exec, class Real>
void update_from_edges(const Exec& exec, const MeshView<Real>& mesh, const EdgeView<Real>& edges,
                       const StateView<Real>& state, StepSize<Real> dt) {
  par::for_each_simd(exec, Range1{0, mesh.owned}, UpdateFromEdges<Real>{mesh, edges, state, dt});
}

template <class Exec, class Real>
void evaluate_cells(const Exec& exec, const Physics<Real>& physics, const MeshView<Real>& mesh,
                    const StateView<Real>& state, const RateView<Real>& rates, Range1 range) {
  // On the host blocks of cells do this.
  if constexpr (std::is_same_v<Exec, par::CudaExec>)
    par::for_each(exec, range, Cell<Real>{physics, mesh, state, rates});
  else
    require(false, "evaluate_cells is for GPUs");
}

template <class Exec, class Real>
void update_from_rates(const Exec& exec, const RateView<Real>& rates, const StateView<Real>& state,
                       Index owned, StepSize<Real> dt) {
  par::for_each_simd(exec, Range1{0, owned}, UpdateFromRates<Real>{rates, state, dt});
}

template void evaluate_edges(const par::Exec&, const Physics<float>&, const MeshView<float>&,
                             const StateView<float>&, const EdgeView<float>&, Range1);
template void find_crossing(const par::Exec&, const MeshView<float>&, const EdgeView<float>&,
                            View<float>);
template void fastest_crossing(const par::Exec&, View<const float>, View<float>);
template void choose_step(const par::Exec&, View<const float>, double, View<double>);
template void update_from_edges(const par::Exec&, const MeshView<float>&, const EdgeView<float>&,
                                const StateView<float>&, StepSize<float>);
template void evaluate_cells(const par::Exec&, const Physics<float>&, const MeshView<float>&,
                             const StateView<float>&, const RateView<float>&, Range1);
template void update_from_rates(const par::Exec&, const RateView<float>&, const StateView<float>&,
                                Index, StepSize<float>);
template void evaluate_edges(const par::Exec&, const Physics<double>&, const MeshView<double>&,
                             const StateView<double>&, const EdgeView<double>&, Range1);
template void find_crossing(const par::Exec&, const MeshView<double>&, const EdgeView<double>&,
                            View<double>);
template void fastest_crossing(const par::Exec&, View<const double>, View<double>);
template void choose_step(const par::Exec&, View<const double>, double, View<double>);
template void update_from_edges(const par::Exec&, const MeshView<double>&, const EdgeView<double>&,
                                const StateView<double>&, StepSize<double>);
template void evaluate_cells(const par::Exec&, const Physics<double>&, const MeshView<double>&,
                             const StateView<double>&, const RateView<double>&, Range1);
template void update_from_rates(const par::Exec&, const RateView<double>&, const StateView<double>&,
                                Index, StepSize<double>);

}  // namespace terrawave::swe
