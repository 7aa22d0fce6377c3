// Row updates of the wavefront kernel: the formulas of fdtd_cells.hpp for registers of entries.
//
// The H and the E update of a row are one loop: what the E update of an entry needs of its own row
// has just been computed, and no later H update of the row needs the E that it replaces.
#pragma once

#include <algorithm>
#include <cstdint>

#include "terrawave/solvers/fdtd/cpu/lanes.hpp"
#include "terrawave/solvers/fdtd/fdtd_cells.hpp"

namespace terrawave::fdtd::wavefront {

// Updates of kChunk neighbouring entries: a_x b_x a_y b_y a_z b_z, an array of kChunk each.
template <class Real>
struct alignas(64) Pattern {
  Real at[6 * kChunk];
};

// Patterns of edges or of faces.
template <class Real>
struct Patterns {
  static constexpr std::uint32_t kLookUp = 0xffffffff;  // not kept: look the classes up
  const Real* palette = nullptr;                        // Pattern after Pattern
  const std::uint32_t* place = nullptr;  // by chunk of the whole array: where in the palette
  ClassIndex classes;
  const Real* table = nullptr;
};

// Weights of one axis for a pass at one entry.
template <class Real>
struct Weights {
  Real s, a, b;
};

// One row (j, k) for both passes. [0]: E pass, [1]: H pass.
template <class Real>
struct Row {
  Real* f[6];   // at entry 0 of the row
  Index first;  // entry 0 of the row in the whole array
  Index row, plane;
  const Real *sx[2], *ax[2], *bx[2];  // weights along x by entry
  const Flag<Real>* x_member;         // by entry: in a layer of x
  Weights<Real> y[2], z[2];
  // psi, plus and minus term of each axis, shifted so that entry i is at [i].
  Real *px[2][2], *py[2][2], *pz[2][2];
  Patterns<Real> patterns[2];
  // By chunk of the row: so many chunks from here on share one class of edges and one weight along
  // x, and their pattern is kept.
  const std::uint8_t* plain;
  Real face_b;           // ordinary faces
  const Real* ahead[2];  // rows that a later sweep will need, at entry 0: brought closer meanwhile
};

// What the update of a register's entries multiplies with: coefficients of E from a pattern and
// weights along x, by entry.
template <class Real>
struct Mixed {
  using L = Lanes<Real>;
  const Real *pattern, *e_weights, *h_weights;
  auto operator()(Index q) const { return L::load(pattern + q * kChunk); }
  auto e_weight(Index i) const { return L::load(e_weights + i); }
  auto h_weight(Index i) const { return L::load(h_weights + i); }
};
// The same where all entries of a run of chunks share them: eight registers instead of eight loads.
template <class Real>
struct Plain {
  using V = typename Lanes<Real>::V;
  V held[6], es, hs;
  V operator()(Index q) const { return held[q]; }
  V e_weight(Index) const { return es; }
  V h_weight(Index) const { return hs; }
};

enum class Pass : std::uint8_t { electric, magnetic, both };

// Coefficients of a chunk whose pattern is not kept; fills `out` and gives it.
template <class Real>
[[gnu::noinline, gnu::cold]] const Real* look_up(const Patterns<Real>& p, Index at, Real* out) {
  for (Index n = 0; n < kChunk; ++n) {
    const Real* t = p.table + 6 * Index(p.classes(at + n));
    for (Index q = 0; q < 6; ++q) out[q * kChunk + n] = t[q];
  }
  return out;
}

// Updates entries [from, to), whole chunks. X, Y, Z: layers of which axes touch them.
template <class Real, Pass kPass, bool X, bool Y, bool Z, bool Faces>
[[gnu::noinline]] void update_cells(const Row<Real>& r, Index from, Index to) {
  using L = Lanes<Real>;
  using V = typename L::V;
  constexpr bool kH = kPass != Pass::electric, kE = kPass != Pass::magnetic;
  Real *const pex = r.f[0], *const pey = r.f[1], *const pez = r.f[2];
  Real *const phx = r.f[3], *const phy = r.f[4], *const phz = r.f[5];
  const Real *const hsx = r.sx[1], *const esx = r.sx[0];
  const Index row = r.row, plane = r.plane;
  const V hsy = L::all(r.y[1].s), hsz = L::all(r.z[1].s), face_b = L::all(r.face_b);
  const V esy = L::all(r.y[0].s), esz = L::all(r.z[0].s);
  const V hay = L::all(r.y[1].a), hby = L::all(r.y[1].b), haz = L::all(r.z[1].a),
          hbz = L::all(r.z[1].b);
  const V eay = L::all(r.y[0].a), eby = L::all(r.y[0].b), eaz = L::all(r.z[0].a),
          ebz = L::all(r.z[0].b);
  const auto curl = [](V d1, V s1, V d2, V s2) { return L::fms(d1, s1, L::mul(d2, s2)); };
  // Advances a term of the layers and gives its new value.
  const auto advance = [](Real* at, V b, V a, V d) {
    const V p = L::fma(b, L::load(at), L::mul(a, d));
    L::store(at, p);
    return p;
  };
  V ey = L::load(pey + from), ez = L::load(pez + from);
  V hy_before = L::load(phy + from - L::width), hz_before = L::load(phz + from - L::width);
  // One register of entries; t: coefficients of E, tf of H.
  const auto update = [&](Index i, const auto& t, const Real* tf) __attribute__((always_inline)) {
    const V ex = L::load(pex + i);
    V hx = L::load(phx + i), hy = L::load(phy + i), hz = L::load(phz + i);
    V ey_next = ey, ez_next = ez;
    typename L::M member{};
    if constexpr (X) member = L::load_flags(r.x_member + i);
    if constexpr (kH) {
      ey_next = L::load(pey + i + L::width);
      ez_next = L::load(pez + i + L::width);
      const V ey_dz = L::sub(L::load(pey + i + plane), ey);
      const V ez_dy = L::sub(L::load(pez + i + row), ez);
      const V ez_dx = L::sub(L::up(ez, ez_next), ez);
      const V ex_dz = L::sub(L::load(pex + i + plane), ex);
      const V ex_dy = L::sub(L::load(pex + i + row), ex);
      const V ey_dx = L::sub(L::up(ey, ey_next), ey);
      const V sx = t.h_weight(i);
      V cx = curl(ey_dz, hsz, ez_dy, hsy);
      V cy = curl(ez_dx, sx, ex_dz, hsz);
      V cz = curl(ex_dy, hsy, ey_dx, sx);
      if constexpr (Z) cx = L::add(cx, advance(r.pz[1][0] + i, hbz, haz, ey_dz));
      if constexpr (Y) cx = L::sub(cx, advance(r.py[1][1] + i, hby, hay, ez_dy));
      if constexpr (X) {
        const V a = L::load(r.ax[1] + i), b = L::load(r.bx[1] + i);
        cy = L::add_where(member, cy, advance(r.px[1][0] + i, b, a, ez_dx));
      }
      if constexpr (Z) cy = L::sub(cy, advance(r.pz[1][1] + i, hbz, haz, ex_dz));
      if constexpr (Y) cz = L::add(cz, advance(r.py[1][0] + i, hby, hay, ex_dy));
      if constexpr (X) {
        const V a = L::load(r.ax[1] + i), b = L::load(r.bx[1] + i);
        cz = L::sub_where(member, cz, advance(r.px[1][1] + i, b, a, ey_dx));
      }
      if constexpr (Faces) {
        hx = L::fma(L::load(tf + kChunk), cx, L::mul(L::load(tf), hx));
        hy = L::fma(L::load(tf + 3 * kChunk), cy, L::mul(L::load(tf + 2 * kChunk), hy));
        hz = L::fma(L::load(tf + 5 * kChunk), cz, L::mul(L::load(tf + 4 * kChunk), hz));
      } else {
        hx = L::fma(face_b, cx, hx);
        hy = L::fma(face_b, cy, hy);
        hz = L::fma(face_b, cz, hz);
      }
      L::store(phx + i, hx);
      L::store(phy + i, hy);
      L::store(phz + i, hz);
    }
    if constexpr (kE) {
      if constexpr (!kH) {
        ey = L::load(pey + i);
        ez = L::load(pez + i);
      }
      const V hz_dy = L::sub(hz, L::load(phz + i - row));
      const V hy_dz = L::sub(hy, L::load(phy + i - plane));
      const V hx_dz = L::sub(hx, L::load(phx + i - plane));
      const V hz_dx = L::sub(hz, L::down(hz_before, hz));
      const V hy_dx = L::sub(hy, L::down(hy_before, hy));
      const V hx_dy = L::sub(hx, L::load(phx + i - row));
      const V sx = t.e_weight(i);
      V cx = curl(hz_dy, esy, hy_dz, esz);
      V cy = curl(hx_dz, esz, hz_dx, sx);
      V cz = curl(hy_dx, sx, hx_dy, esy);
      if constexpr (Y) cx = L::add(cx, advance(r.py[0][0] + i, eby, eay, hz_dy));
      if constexpr (Z) cx = L::sub(cx, advance(r.pz[0][1] + i, ebz, eaz, hy_dz));
      if constexpr (Z) cy = L::add(cy, advance(r.pz[0][0] + i, ebz, eaz, hx_dz));
      if constexpr (X) {
        const V a = L::load(r.ax[0] + i), b = L::load(r.bx[0] + i);
        cy = L::sub_where(member, cy, advance(r.px[0][1] + i, b, a, hz_dx));
        cz = L::add_where(member, cz, advance(r.px[0][0] + i, b, a, hy_dx));
      }
      if constexpr (Y) cz = L::sub(cz, advance(r.py[0][1] + i, eby, eay, hx_dy));
      L::store(pex + i, L::fma(t(1), cx, L::mul(t(0), ex)));
      L::store(pey + i, L::fma(t(3), cy, L::mul(t(2), ey)));
      L::store(pez + i, L::fma(t(5), cz, L::mul(t(4), ez)));
      hy_before = hy;
      hz_before = hz;
    }
    ey = ey_next;
    ez = ez_next;
  };
  alignas(64) Real scratch[2][6 * kChunk];
  const std::uint32_t* const e_places = kE ? r.patterns[0].place + r.first / kChunk : nullptr;
  const std::uint32_t* const h_places =
      kH && Faces ? r.patterns[1].place + r.first / kChunk : nullptr;
  const Real *const e_palette = r.patterns[0].palette, *const h_palette = r.patterns[1].palette;
  const Real *const ahead0 = r.ahead[0], *const ahead1 = r.ahead[1];
  constexpr bool kPlain = kE && !X && !Faces;
  const auto fetch = [&](Index i) __attribute__((always_inline)) {
    __builtin_prefetch(ahead0 + i, 0, 2);
    __builtin_prefetch(ahead1 + i, 0, 2);
  };
  for (Index i = from; i < to;) {
    if constexpr (kPlain) {
      if (const Index run = r.plain[std::size_t(i) / kChunk]; run > 0) {
        const Index end = std::min(to, i + run * kChunk);
        const Real* const p = e_palette + e_places[std::size_t(i) / kChunk];
        const auto held = [p](Index q) { return L::load(p + q * kChunk); };
        const Plain<Real> plain{{held(0), held(1), held(2), held(3), held(4), held(5)},
                                L::load(esx + i),
                                L::load(hsx + i)};
#pragma GCC unroll 1
        for (; i < end; i += L::width) {
          fetch(i);
          update(i, plain, nullptr);
        }
        continue;
      }
    }
    const Real* te = nullptr;
    const Real* tf = nullptr;
    if constexpr (kE) {
      const std::uint32_t place = e_places[std::size_t(i) / kChunk];
      if (place != Patterns<Real>::kLookUp) [[likely]]
        te = e_palette + place;
      else
        te = look_up(r.patterns[0], r.first + i, scratch[0]);
    }
    if constexpr (kH && Faces) {
      const std::uint32_t place = h_places[std::size_t(i) / kChunk];
      if (place != Patterns<Real>::kLookUp) [[likely]]
        tf = h_palette + place;
      else
        tf = look_up(r.patterns[1], r.first + i, scratch[1]);
    }
    fetch(i);
    for (Index n = 0; n < kChunk; n += L::width, i += L::width)
      update(i, Mixed<Real>{kE ? te + n : te, esx, hsx}, kH && Faces ? tf + n : tf);
  }
}

// Picks the instantiation for the layers that touch these entries.
template <class Real, Pass kPass, bool Faces>
void update_range(const Row<Real>& r, bool x, bool y, bool z, Index from, Index to) {
  if (to <= from) return;
  switch ((x ? 4 : 0) + (y ? 2 : 0) + (z ? 1 : 0)) {
    case 0:
      return update_cells<Real, kPass, false, false, false, Faces>(r, from, to);
    case 1:
      return update_cells<Real, kPass, false, false, true, Faces>(r, from, to);
    case 2:
      return update_cells<Real, kPass, false, true, false, Faces>(r, from, to);
    case 3:
      return update_cells<Real, kPass, false, true, true, Faces>(r, from, to);
    case 4:
      return update_cells<Real, kPass, true, false, false, Faces>(r, from, to);
    case 5:
      return update_cells<Real, kPass, true, false, true, Faces>(r, from, to);
    case 6:
      return update_cells<Real, kPass, true, true, false, Faces>(r, from, to);
    default:
      return update_cells<Real, kPass, true, true, true, Faces>(r, from, to);
  }
}

}  // namespace terrawave::fdtd::wavefront
