// The update formulas of the Yee scheme, shared by every kernel, and the plain data they read.
//
// One arithmetic everywhere: a derivative is a difference d times a weight s (1 / (kappa spacing));
// curl = fma(d1, s1, -(d2 s2)), then + psi1 and - psi2 where the entry lies in a convolution layer;
// new = fma(b, curl, a old). The orders of operations here are what "same bits" rests on.
#pragma once

#include <cmath>
#include <cstdint>

#include "terrawave/base/function.hpp"
#include "terrawave/solvers/fdtd/fdtd_events.hpp"
#include "terrawave/solvers/fdtd/fdtd_layout.hpp"

namespace terrawave::fdtd {

// Weights along one axis by local entry: e at nodes (E updates), h half a cell on (H updates).
// psi <- b psi + a d with a already divided by the spacing.
template <class Real>
struct AxisWeights {
  const Real* se = nullptr;
  const Real* ae = nullptr;
  const Real* be = nullptr;
  const Real* sh = nullptr;
  const Real* ah = nullptr;
  const Real* bh = nullptr;
  Slab slab{};
};

// A class per entry: one byte where there are at most 256 classes, two otherwise.
struct ClassIndex {
  const std::uint8_t* narrow = nullptr;
  const std::uint16_t* wide = nullptr;
  TW_FUNCTION int operator()(Index at) const {
    return narrow != nullptr ? narrow[at] : (wide != nullptr ? wide[at] : 0);
  }
  TW_FUNCTION bool empty() const { return narrow == nullptr && wide == nullptr; }
};

// Everything a kernel reads but does not change. A class is a triple of materials, one for each
// component that starts at a node: tables hold a_x, b_x, a_y, b_y, a_z, b_z per class.
template <class Real>
struct Medium {
  Layout layout{};
  AxisWeights<Real> axis[3];
  ClassIndex edges;
  const Real* edge_table = nullptr;
  ClassIndex faces;  // empty where all faces are of class 0
  const Real* face_table = nullptr;
  Real face_b = 0;      // b of the ordinary face material 0, whose a is 1 unless faces is set
  bool layers = false;  // any convolution layer at all
};

// What a step changes. psi[axis][q]: q = 0, 1 the E components (axis + 2, axis + 1) % 3 whose curl
// holds the derivative along `axis` with + and -; q = 2, 3 the H components (axis + 1, axis + 2)
// % 3.
template <class Real>
struct State {
  Real* f[6] = {};
  Real* psi[3][4] = {};
};

// Position of entry (i, j, k) in the psi arrays of an axis.
TW_FUNCTION Index psi_at(const Layout& l, const Slab& slab, int axis, Index i, Index j, Index k) {
  if (axis == 0) return slab.position(i) + slab.width() * (j + l.size[1] * k);
  if (axis == 1) return i + l.row * (slab.position(j) + slab.width() * k);
  return i + l.row * j + l.plane * slab.position(k);
}
// Entries of one psi array of an axis.
TW_FUNCTION Index psi_count(const Layout& l, const Slab& slab, int axis) {
  return l.count / l.size[axis] * slab.width();
}

template <class Real>
TW_FUNCTION Real curl(Real d1, Real s1, Real d2, Real s2) {
  return fma(d1, s1, -(d2 * s2));
}
template <class Real>
TW_FUNCTION Real psi_next(Real psi, Real b, Real a, Real d) {
  return fma(b, psi, a * d);
}
template <class Real>
TW_FUNCTION Real field_next(Real old, Real a, Real b, Real c) {
  return fma(b, c, a * old);
}

// Curl of component c at one entry with the layers' terms; d1 along axis1, d2 along axis2.
// H: axis1 = c + 2, axis2 = c + 1. E: axis1 = c + 1, axis2 = c + 2.
template <class Real, bool kElectric>
TW_FUNCTION Real curl_at(const Medium<Real>& m, const State<Real>& s, const Index (&at)[3],
                         int axis1, Real d1, int axis2, Real d2) {
  const AxisWeights<Real>& w1 = m.axis[axis1];
  const AxisWeights<Real>& w2 = m.axis[axis2];
  const Index i1 = at[axis1], i2 = at[axis2];
  Real c = kElectric ? curl(d1, w1.se[i1], d2, w2.se[i2]) : curl(d1, w1.sh[i1], d2, w2.sh[i2]);
  if (m.layers && w1.slab.holds(i1)) {
    Real& psi =
        s.psi[axis1][kElectric ? 0 : 2][psi_at(m.layout, w1.slab, axis1, at[0], at[1], at[2])];
    psi = kElectric ? psi_next(psi, w1.be[i1], w1.ae[i1], d1)
                    : psi_next(psi, w1.bh[i1], w1.ah[i1], d1);
    c = c + psi;
  }
  if (m.layers && w2.slab.holds(i2)) {
    Real& psi =
        s.psi[axis2][kElectric ? 1 : 3][psi_at(m.layout, w2.slab, axis2, at[0], at[1], at[2])];
    psi = kElectric ? psi_next(psi, w2.be[i2], w2.ae[i2], d2)
                    : psi_next(psi, w2.bh[i2], w2.ah[i2], d2);
    c = c - psi;
  }
  return c;
}

// H at one entry, all three components.
template <class Real>
TW_FUNCTION void update_h(const Medium<Real>& m, const State<Real>& s, Index i, Index j, Index k) {
  const Layout& l = m.layout;
  const Index n = l.at(i, j, k);
  const Index at[3] = {i, j, k};
  const Real ex = s.f[0][n], ey = s.f[1][n], ez = s.f[2][n];
  const Real cx =
      curl_at<Real, false>(m, s, at, 2, s.f[1][n + l.plane] - ey, 1, s.f[2][n + l.row] - ez);
  const Real cy =
      curl_at<Real, false>(m, s, at, 0, s.f[2][n + 1] - ez, 2, s.f[0][n + l.plane] - ex);
  const Real cz = curl_at<Real, false>(m, s, at, 1, s.f[0][n + l.row] - ex, 0, s.f[1][n + 1] - ey);
  if (m.faces.empty()) {
    s.f[3][n] = fma(m.face_b, cx, s.f[3][n]);
    s.f[4][n] = fma(m.face_b, cy, s.f[4][n]);
    s.f[5][n] = fma(m.face_b, cz, s.f[5][n]);
  } else {
    const Real* t = m.face_table + 6 * m.faces(n);
    s.f[3][n] = field_next(s.f[3][n], t[0], t[1], cx);
    s.f[4][n] = field_next(s.f[4][n], t[2], t[3], cy);
    s.f[5][n] = field_next(s.f[5][n], t[4], t[5], cz);
  }
}

// E at one entry, all three components.
template <class Real>
TW_FUNCTION void update_e(const Medium<Real>& m, const State<Real>& s, Index i, Index j, Index k) {
  const Layout& l = m.layout;
  const Index n = l.at(i, j, k);
  const Index at[3] = {i, j, k};
  const Real hx = s.f[3][n], hy = s.f[4][n], hz = s.f[5][n];
  const Real cx =
      curl_at<Real, true>(m, s, at, 1, hz - s.f[5][n - l.row], 2, hy - s.f[4][n - l.plane]);
  const Real cy = curl_at<Real, true>(m, s, at, 2, hx - s.f[3][n - l.plane], 0, hz - s.f[5][n - 1]);
  const Real cz = curl_at<Real, true>(m, s, at, 0, hy - s.f[4][n - 1], 1, hx - s.f[3][n - l.row]);
  const Real* t = m.edge_table + 6 * m.edges(n);
  s.f[0][n] = field_next(s.f[0][n], t[0], t[1], cx);
  s.f[1][n] = field_next(s.f[1][n], t[2], t[3], cy);
  s.f[2][n] = field_next(s.f[2][n], t[4], t[5], cz);
}

// Events of one pass (E or H), sorted by (z, y, x, component), grouped by entry and component.
struct EventList {
  const Event* events = nullptr;
  const std::int32_t* group = nullptr;  // events of group g: group[g] <= e < group[g + 1]
  std::int32_t groups = 0;
};

// What events read and write besides fields and their states.
struct EventTables {
  EventList list[2];  // 0: E, 1: H
  const double* coefficients = nullptr;
  const double* samples = nullptr;  // row * signals + signal
  std::int32_t signals = 0;
  std::int32_t probes = 0;
  double* records = nullptr;  // row * probes + probe
};

// Applies the events of one group to a value; rows are those of this step. `keeps`: this caller is
// the one that records probes.
template <class Real>
TW_FUNCTION Real apply_group(const EventTables& t, const EventList& list, std::int32_t group,
                             Index sample_row, Index record_row, Real old, Real linear,
                             double* states, bool keeps = true) {
  Real value = linear;
  for (std::int32_t e = list.group[group]; e < list.group[group + 1]; ++e) {
    const Event& event = list.events[e];
    if (event.kind == EventKind::record) {
      if (keeps && event.owned != 0)
        t.records[record_row * t.probes + event.signal] = static_cast<double>(value);
      continue;
    }
    const double sample =
        event.signal >= 0 ? t.samples[sample_row * t.signals + event.signal] : 0.0;
    value = apply_event(event.kind, t.coefficients + event.coefficients, sample, old, value,
                        states + event.state);
  }
  return value;
}

}  // namespace terrawave::fdtd
