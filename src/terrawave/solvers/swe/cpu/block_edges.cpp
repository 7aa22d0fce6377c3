// Evaluates blocks of cells: the edge formulas in SIMD lanes.
//
// Cells and sums stand as records of eight numbers, one line of the cache in double precision: an
// edge reads and adds whole records, and lanes are filled and emptied by transposing eight of them.
#include <algorithm>

#include "terrawave/par/launch.hpp"
#include "terrawave/solvers/swe/cpu/eight.hpp"
#include "terrawave/solvers/swe/swe_blocks.hpp"

namespace terrawave::swe {
namespace {

constexpr int kGroup = BlockLimits::group;
static_assert(kGroup % 16 == 0);  // whole registers also in single precision

// Eight numbers of a cell: a Flow, or the sum of what its edges add (EdgeFlux: mass1, 1x, 1y,
// mass2, 2x, 2y, speed, nothing).
template <class Real>
struct alignas(8 * sizeof(Real)) Record {
  Real at[kEight];
};

// One number for each edge of a group.
template <class Real>
using Row = Real[kGroup];

template <class Real>
struct FlowRows {
  Row<Real> of[kEight];
  [[gnu::always_inline]] Flow<Real> get(int i) const {
    return {of[0][i], of[1][i], of[2][i], of[3][i], of[4][i], of[5][i], of[6][i], of[7][i]};
  }
};

template <class Real>
struct SideRows {
  Row<Real> h1, h2, u1, u2, t1, t2;
  [[gnu::always_inline]] void put(int i, const Side<Real>& s) {
    h1[i] = s.h1;
    h2[i] = s.h2;
    u1[i] = s.u1;
    u2[i] = s.u2;
    t1[i] = s.t1;
    t2[i] = s.t2;
  }
  [[gnu::always_inline]] Side<Real> get(int i) const {
    return {h1[i], h2[i], u1[i], u2[i], t1[i], t2[i], h1[i] * u1[i], h2[i] * u2[i], 0, 0};
  }
};

// The edges that are evaluated together, and what stands between the parts of edge_flux_plain.
template <class Real>
struct alignas(64) Group {
  FlowRows<Real> left, right;
  Row<Real> nx, ny, length;
  Row<Real> wall;  // 1 or 0
  SideRows<Real> l, r;
  Row<Real> u1, u2, per_depth;  // averages
  Row<Real> Ra, Rb, Rc, Rd;
  Row<Real> mean, S, Q, C4, z, found;
  Row<Real> linear, constant, slope, level, x1, x2, x3, x4;
  Row<Real> mass1, mass2, speed;
  Row<Real> left1x, left1y, left2x, left2y, right1x, right1y, right2x, right2y;

  [[gnu::always_inline]] Column<Real> column(int i) const {
    return {Real(0.5) * (l.h1[i] + r.h1[i]), Real(0.5) * (l.h2[i] + r.h2[i]), u1[i], u2[i]};
  }
  [[gnu::always_inline]] Resolvent<Real> resolvent(int i) const {
    return {mean[i], S[i], Q[i], C4[i], z[i]};
  }
  [[gnu::always_inline]] EdgeFlux<Real> flux(int i) const {
    return {mass1[i],   mass2[i],   left1x[i],  left1y[i],  left2x[i], left2y[i],
            right1x[i], right1y[i], right2x[i], right2y[i], speed[i]};
  }
  [[gnu::always_inline]] void put(int i, const EdgeFlux<Real>& f) {
    mass1[i] = f.mass1;
    mass2[i] = f.mass2;
    speed[i] = f.speed;
    left1x[i] = f.left1x;
    left1y[i] = f.left1y;
    left2x[i] = f.left2x;
    left2y[i] = f.left2y;
    right1x[i] = f.right1x;
    right1y[i] = f.right1y;
    right2x[i] = f.right2x;
    right2y[i] = f.right2y;
  }
};

// edge_flux_plain in parts, each for edge i.
template <bool kWalls, class Real>
[[gnu::always_inline]] inline void find_sides(const Physics<Real>& physics, Group<Real>& g, int i) {
  const EdgeSides<Real> s(g.left.get(i), g.right.get(i), kWalls && g.wall[i] > Real(0), g.nx[i],
                          g.ny[i]);
  const Vec4<Real> R = residual(physics, s.mean, s.l, s.r);
  g.l.put(i, s.l);
  g.r.put(i, s.r);
  g.u1[i] = s.mean.u1;
  g.u2[i] = s.mean.u2;
  g.per_depth[i] = s.per_depth;
  g.Ra[i] = R.a;
  g.Rb[i] = R.b;
  g.Rc[i] = R.c;
  g.Rd[i] = R.d;
}
template <class Real>
[[gnu::always_inline]] inline void begin(const Physics<Real>& physics, Group<Real>& g, int i) {
  const Resolvent<Real> k = begin_pairs(physics, g.column(i), g.per_depth[i]);
  g.mean[i] = k.mean;
  g.S[i] = k.S;
  g.Q[i] = k.Q;
  g.C4[i] = k.C4;
  g.z[i] = k.z;
}
template <class Real>
[[gnu::always_inline]] inline void solve(Group<Real>& g, int i) {
  Resolvent<Real> k = g.resolvent(i);
  g.found[i] = solve_pairs(k);
  g.z[i] = k.z;
}
template <class Real>
[[gnu::always_inline]] inline void find_pairs(Group<Real>& g, int i) {
  const Pairs<Real> p(g.resolvent(i));
  g.linear[i] = p.linear;
  g.constant[i] = p.constant;
  g.slope[i] = p.slope;
  g.level[i] = p.level;
  g.x1[i] = p.x.x1;
  g.x2[i] = p.x.x2;
  g.x3[i] = p.x.x3;
  g.x4[i] = p.x.x4;
}
template <bool kWalls, class Real>
[[gnu::always_inline]] inline void find_flux(const Physics<Real>& physics, Group<Real>& g, int i) {
  EdgeSides<Real> s;
  s.l = g.l.get(i);
  s.r = g.r.get(i);
  s.mean = g.column(i);
  Pairs<Real> p;
  p.linear = g.linear[i];
  p.constant = g.constant[i];
  p.slope = g.slope[i];
  p.level = g.level[i];
  p.x = {g.x1[i], g.x2[i], g.x3[i], g.x4[i]};
  const Vec4<Real> R{g.Ra[i], g.Rb[i], g.Rc[i], g.Rd[i]};
  g.put(i, finish_plain(physics, s, R, p, g.found[i], kWalls && g.wall[i] > Real(0), g.nx[i],
                        g.ny[i], g.length[i]));
}

// Loops so short that the processor has several of their turns in flight: a single loop would wait
// for the edge's chain of four divisions and four roots.
template <bool kWalls, class Real>
[[gnu::noinline]] void plain(const Physics<Real>& physics, Group<Real>& g) {
#pragma omp simd
  for (int i = 0; i < kGroup; ++i) find_sides<kWalls>(physics, g, i);
#pragma omp simd
  for (int i = 0; i < kGroup; ++i) begin(physics, g, i);
#pragma omp simd
  for (int i = 0; i < kGroup; ++i) solve(g, i);
#pragma omp simd
  for (int i = 0; i < kGroup; ++i) find_pairs(g, i);
#pragma omp simd
  for (int i = 0; i < kGroup; ++i) find_flux<kWalls>(physics, g, i);
}

// The first `count` edges, a multiple of 16.
template <class Real>
[[gnu::always_inline]] inline void find_flux_with_care(const Physics<Real>& physics, Group<Real>& g,
                                                       int i) {
  g.put(i, edge_flux_fixed<Real>(physics, g.left.get(i), g.right.get(i), g.wall[i] > Real(0),
                                 g.nx[i], g.ny[i], g.length[i]));
}
template <class Real>
[[gnu::noinline]] void careful(const Physics<Real>& physics, Group<Real>& g, int count) {
  for (int begin = 0; begin < count; begin += 16) {
#pragma omp simd
    for (int i = begin; i < begin + 16; ++i) find_flux_with_care(physics, g, i);
  }
}

// Evaluates once more, by the general formulas, the edges that the plain ones marked.
template <class Real>
[[gnu::noinline]] void correct(const Physics<Real>& physics, Group<Real>& g) {
  Group<Real> few;
  int from[kGroup];
  int count = 0;
  const auto add = [&](int i) {
    for (int k = 0; k < kEight; ++k) {
      few.left.of[k][count] = g.left.of[k][i];
      few.right.of[k][count] = g.right.of[k][i];
    }
    few.nx[count] = g.nx[i];
    few.ny[count] = g.ny[i];
    few.length[count] = g.length[i];
    few.wall[count] = g.wall[i];
    from[count++] = i;
  };
  for (int i = 0; i < kGroup; ++i)
    if (!(g.speed[i] > Real(0))) add(i);
  const int marked = count;
  while (count % 16 != 0) add(from[0]);
  careful(physics, few, count);
  for (int k = 0; k < marked; ++k) g.put(from[k], few.flux(k));
}

template <class Real>
[[gnu::noinline]] void evaluate(const Physics<Real>& physics, Group<Real>& g, bool walls) {
  if (walls)
    plain<true>(physics, g);
  else
    plain<false>(physics, g);
  int marked = 0;
  for (int i = 0; i < kGroup; ++i) marked += g.speed[i] > Real(0) ? 0 : 1;
  if (marked > 0) correct(physics, g);
}

template <class Real>
struct Block {
  Physics<Real> physics;
  BlockView<Real> plan;
  StateView<Real> state;
  RateView<Real> rates;

  void operator()(Index b) const {
    Record<Real> cell[BlockLimits::slots + 1];
    Record<Real> sum[BlockLimits::slots + 1];
    const LocalIndex first = plan.cell_begin[b], own = plan.cell_begin[b + 1] - first;
    const LocalIndex near = plan.near_begin[b + 1] - plan.near_begin[b];
    const LocalIndex nobody = own + near;
    load_own(cell, first, own);
    load_near(cell + own, plan.near.data + plan.near_begin[b], near);
    cell[nobody] = cell[0];
    std::fill(sum, sum + nobody + 1, Record<Real>{});
    Group<Real> g;
    for (Index k = plan.group_begin[b]; k < plan.group_begin[b + 1]; ++k) {
      const bool walls = fetch(g, cell, k * kGroup);
      evaluate(physics, g, walls);
      add(sum, g, k * kGroup, nobody);
    }
    rates.crossing[b] = finish(sum, first, own);
  }

 private:
  using Eight = typename Lines<Real>::Eight;

  CellState<Real> state_of(Index c) const {
    return {state.h1[c],  state.q1x[c], state.q1y[c],   state.h2[c],
            state.q2x[c], state.q2y[c], state.bottom[c]};
  }
  [[gnu::always_inline]] void load(Record<Real>& r, Index c) const {
    const Flow<Real> f = flow_of(state_of(c));
    r.at[0] = f.h1;
    r.at[1] = f.h2;
    r.at[2] = f.u1x;
    r.at[3] = f.u1y;
    r.at[4] = f.u2x;
    r.at[5] = f.u2y;
    r.at[6] = f.level1;
    r.at[7] = f.level2;
  }
  void load_own(Record<Real>* cell, LocalIndex first, LocalIndex own) const {
#pragma omp simd
    for (LocalIndex i = 0; i < own; ++i) load(cell[i], first + i);
  }
  void load_near(Record<Real>* cell, const LocalIndex* at, LocalIndex count) const {
    for (LocalIndex i = 0; i < count; ++i) load(cell[i], at[i]);
  }

  // Fills the lanes of a group; tells whether a wall is among its edges.
  bool fetch(Group<Real>& g, const Record<Real>* cell, Index first) const {
    const std::uint16_t* const left = plan.left.data + first;
    const std::uint16_t* const right = plan.right.data + first;
    for (int begin = 0; begin < kGroup; begin += kEight) {
      const std::uint16_t* const l = left + begin;
      const std::uint16_t* const r = right + begin;
      fill(g.left, begin, [=](int i) { return cell[l[i]].at; });
      fill(g.right, begin,
           [=](int i) { return cell[r[i] < BlockLimits::outflow ? r[i] : l[i]].at; });
    }
    std::copy_n(plan.nx.data + first, kGroup, g.nx);
    std::copy_n(plan.ny.data + first, kGroup, g.ny);
    std::copy_n(plan.length.data + first, kGroup, g.length);
    int walls = 0;
    for (int i = 0; i < kGroup; ++i) {
      const bool wall = right[i] == BlockLimits::wall;
      g.wall[i] = wall ? Real(1) : Real(0);
      walls += wall ? 1 : 0;
    }
    return walls > 0;
  }
  template <class RecordOf>
  [[gnu::always_inline]] static void fill(FlowRows<Real>& rows, int begin, RecordOf record) {
    using L = Lines<Real>;
    Eight a = L::at(record(0)), b = L::at(record(1)), c = L::at(record(2)), d = L::at(record(3));
    Eight e = L::at(record(4)), f = L::at(record(5)), g = L::at(record(6)), h = L::at(record(7));
    transpose(a, b, c, d, e, f, g, h);
    L::at(rows.of[0] + begin) = a;
    L::at(rows.of[1] + begin) = b;
    L::at(rows.of[2] + begin) = c;
    L::at(rows.of[3] + begin) = d;
    L::at(rows.of[4] + begin) = e;
    L::at(rows.of[5] + begin) = f;
    L::at(rows.of[6] + begin) = g;
    L::at(rows.of[7] + begin) = h;
  }

  // Adds what a group's edges give, edge by edge.
  void add(Record<Real>* sum, const Group<Real>& g, Index first, LocalIndex nobody) const {
    using L = Lines<Real>;
    for (int begin = 0; begin < kGroup; begin += kEight) {
      const std::uint16_t* const left = plan.left.data + first + begin;
      const std::uint16_t* const right = plan.right.data + first + begin;
      const Eight m1 = L::at(g.mass1 + begin), m2 = L::at(g.mass2 + begin);
      const Eight speed = L::at(g.speed + begin);
      Eight l[kEight] = {m1,
                         L::at(g.left1x + begin),
                         L::at(g.left1y + begin),
                         m2,
                         L::at(g.left2x + begin),
                         L::at(g.left2y + begin),
                         speed,
                         Eight{}};
      Eight r[kEight] = {-m1,
                         -L::at(g.right1x + begin),
                         -L::at(g.right1y + begin),
                         -m2,
                         -L::at(g.right2x + begin),
                         -L::at(g.right2y + begin),
                         speed,
                         Eight{}};
      transpose(l[0], l[1], l[2], l[3], l[4], l[5], l[6], l[7]);
      transpose(r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7]);
      for (int i = 0; i < kEight; ++i) {
        L::at(sum[left[i]].at) += l[i];
        L::at(sum[right[i] < BlockLimits::outflow ? right[i] : nobody].at) += r[i];
      }
    }
  }

  // Writes the rates; returns the fastest crossing.
  Real finish(const Record<Real>* sum, LocalIndex first, LocalIndex own) const {
    using L = Lines<Real>;
    Eight fastest{};
    LocalIndex i = 0;
    for (; i + kEight <= own; i += kEight) {
      Eight a = L::at(sum[i].at), b = L::at(sum[i + 1].at), c = L::at(sum[i + 2].at),
            d = L::at(sum[i + 3].at), e = L::at(sum[i + 4].at), f = L::at(sum[i + 5].at),
            speed = L::at(sum[i + 6].at), none = L::at(sum[i + 7].at);
      transpose(a, b, c, d, e, f, speed, none);
      const Index at = first + i;
      const Eight per_area = L::any(plan.per_area.data + at);
      L::any(rates.h1.data + at) = -per_area * a;
      L::any(rates.q1x.data + at) = -per_area * b;
      L::any(rates.q1y.data + at) = -per_area * c;
      L::any(rates.h2.data + at) = -per_area * d;
      L::any(rates.q2x.data + at) = -per_area * e;
      L::any(rates.q2y.data + at) = -per_area * f;
      const Eight crossing = Real(0.5) * per_area * speed;
      fastest = fastest < crossing ? crossing : fastest;
    }
    Real most = 0;
    for (int k = 0; k < kEight; ++k) most = larger(most, fastest[k]);
    for (; i < own; ++i) {
      const Real* const s = sum[i].at;
      const Index at = first + i;
      const Real f = -plan.per_area[at];
      rates.h1[at] = f * s[0];
      rates.q1x[at] = f * s[1];
      rates.q1y[at] = f * s[2];
      rates.h2[at] = f * s[3];
      rates.q2x[at] = f * s[4];
      rates.q2y[at] = f * s[5];
      most = larger(most, Real(0.5) * plan.per_area[at] * s[6]);
    }
    return most;
  }
};

}  // namespace

template <class Real>
void evaluate_blocks(const par::HostExec& exec, const Physics<Real>& physics,
                     const BlockView<Real>& blocks, const StateView<Real>& state,
                     const RateView<Real>& rates, par::Range1 range) {
  par::for_each(exec, range, Block<Real>{physics, blocks, state, rates});
}

template void evaluate_blocks(const par::HostExec&, const Physics<float>&, const BlockView<float>&,
                              const StateView<float>&, const RateView<float>&, par::Range1);
template void evaluate_blocks(const par::HostExec&, const Physics<double>&,
                              const BlockView<double>&, const StateView<double>&,
                              const RateView<double>&, par::Range1);

}  // namespace terrawave::swe
