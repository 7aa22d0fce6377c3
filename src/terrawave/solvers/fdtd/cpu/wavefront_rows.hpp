// Row updates of the wavefront kernel: the formulas of fdtd_cells.hpp written for SIMD lanes.
#pragma once

#include <cmath>
#include <cstdint>

#include "terrawave/solvers/fdtd/fdtd_cells.hpp"

namespace terrawave::fdtd::wavefront {

// Coefficients of a chunk: six arrays of kChunk.
inline constexpr Index kPattern = 6 * kChunk;
inline constexpr std::uint32_t kGather = 0xffffffff;

// One row (j, k). Pointers are to entry 0 of the row.
template <class Real>
struct Row {
  Real* f[6];
  Index row, plane;
  const Real *sx, *ax, *bx;  // weights along x by entry, of this pass
  Real sy, ay, by, sz, az, bz;
  const std::int32_t* x_member;  // by entry
  // psi of this pass, plus and minus term of the axis, shifted so that entry i is at [i]; x has one
  // shift for the chunks of each range.
  Real *py0, *py1, *pz0, *pz1;
  Real *px0, *px1;
  ClassIndex classes;  // of this row, by entry (gather only, or faces)
  Index first;         // entry 0 of the row in the whole array
  const Real* table;
  const std::uint32_t* pattern;  // by chunk
  const Real* palette;
  Real b;  // ordinary faces
};

// Whether the layers of an axis touch what is updated.
struct Touch {
  bool x, y, z;
};

template <class Real, bool X, bool Y, bool Z, bool Faces>
void h_chunks(const Row<Real>& r, Index chunk0, Index chunk1) {
  const Real* __restrict ex = r.f[0];
  const Real* __restrict ey = r.f[1];
  const Real* __restrict ez = r.f[2];
  Real* __restrict hx = r.f[3];
  Real* __restrict hy = r.f[4];
  Real* __restrict hz = r.f[5];
  const Real* __restrict ex_y = ex + r.row;
  const Real* __restrict ez_y = ez + r.row;
  const Real* __restrict ex_z = ex + r.plane;
  const Real* __restrict ey_z = ey + r.plane;
  const Real* __restrict sx = r.sx;
  const Real* __restrict ax = r.ax;
  const Real* __restrict bx = r.bx;
  const std::int32_t* __restrict member = r.x_member;
  Real* __restrict px0 = r.px0;
  Real* __restrict px1 = r.px1;
  Real* __restrict py0 = r.py0;
  Real* __restrict py1 = r.py1;
  Real* __restrict pz0 = r.pz0;
  Real* __restrict pz1 = r.pz1;
  const Real sy = r.sy, ay = r.ay, by = r.by, sz = r.sz, az = r.az, bz = r.bz, b = r.b;
  const Index end = chunk1 * kChunk;
#pragma omp simd
  for (Index i = chunk0 * kChunk; i < end; ++i) {
    const Real ey_dz = ey_z[i] - ey[i], ez_dy = ez_y[i] - ez[i];
    const Real ez_dx = ez[i + 1] - ez[i], ex_dz = ex_z[i] - ex[i];
    const Real ex_dy = ex_y[i] - ex[i], ey_dx = ey[i + 1] - ey[i];
    Real cx = curl(ey_dz, sz, ez_dy, sy);
    Real cy = curl(ez_dx, sx[i], ex_dz, sz);
    Real cz = curl(ex_dy, sy, ey_dx, sx[i]);
    if constexpr (Z) {
      const Real p = psi_next(pz0[i], bz, az, ey_dz);
      pz0[i] = p;
      cx = cx + p;
    }
    if constexpr (Y) {
      const Real p = psi_next(py1[i], by, ay, ez_dy);
      py1[i] = p;
      cx = cx - p;
    }
    if constexpr (X) {
      const Real p = psi_next(px0[i], bx[i], ax[i], ez_dx);
      px0[i] = p;
      cy = member[i] != 0 ? cy + p : cy;
    }
    if constexpr (Z) {
      const Real p = psi_next(pz1[i], bz, az, ex_dz);
      pz1[i] = p;
      cy = cy - p;
    }
    if constexpr (Y) {
      const Real p = psi_next(py0[i], by, ay, ex_dy);
      py0[i] = p;
      cz = cz + p;
    }
    if constexpr (X) {
      const Real p = psi_next(px1[i], bx[i], ax[i], ey_dx);
      px1[i] = p;
      cz = member[i] != 0 ? cz - p : cz;
    }
    if constexpr (Faces) {
      const Real* t = r.table + 6 * r.classes(r.first + i);
      hx[i] = field_next(hx[i], t[0], t[1], cx);
      hy[i] = field_next(hy[i], t[2], t[3], cy);
      hz[i] = field_next(hz[i], t[4], t[5], cz);
    } else {
      hx[i] = std::fma(b, cx, hx[i]);
      hy[i] = std::fma(b, cy, hy[i]);
      hz[i] = std::fma(b, cz, hz[i]);
    }
  }
}

template <class Real>
inline void gather(const Row<Real>& r, Index chunk, Real* out) {
  for (Index n = 0; n < kChunk; ++n) {
    const Real* t = r.table + 6 * r.classes(r.first + chunk * kChunk + n);
    for (Index q = 0; q < 6; ++q) out[q * kChunk + n] = t[q];
  }
}

template <class Real, bool X, bool Y, bool Z>
void e_chunks(const Row<Real>& r, Index chunk0, Index chunk1) {
  Real* __restrict ex = r.f[0];
  Real* __restrict ey = r.f[1];
  Real* __restrict ez = r.f[2];
  const Real* __restrict hx = r.f[3];
  const Real* __restrict hy = r.f[4];
  const Real* __restrict hz = r.f[5];
  const Real* __restrict hx_y = hx - r.row;
  const Real* __restrict hz_y = hz - r.row;
  const Real* __restrict hx_z = hx - r.plane;
  const Real* __restrict hy_z = hy - r.plane;
  const Real* __restrict sx = r.sx;
  const Real* __restrict ax = r.ax;
  const Real* __restrict bx = r.bx;
  const std::int32_t* __restrict member = r.x_member;
  Real* __restrict px0 = r.px0;
  Real* __restrict px1 = r.px1;
  Real* __restrict py0 = r.py0;
  Real* __restrict py1 = r.py1;
  Real* __restrict pz0 = r.pz0;
  Real* __restrict pz1 = r.pz1;
  const Real sy = r.sy, ay = r.ay, by = r.by, sz = r.sz, az = r.az, bz = r.bz;
  Real gathered[kPattern];
  for (Index c = chunk0; c < chunk1; ++c) {
    const Real* __restrict t = r.palette + Index(r.pattern[c]) * kPattern;
    if (r.pattern[c] == kGather) {
      gather(r, c, gathered);
      t = gathered;
    }
    const Index from = c * kChunk;
#pragma omp simd
    for (Index n = 0; n < kChunk; ++n) {
      const Index i = from + n;
      const Real hz_dy = hz[i] - hz_y[i], hy_dz = hy[i] - hy_z[i];
      const Real hx_dz = hx[i] - hx_z[i], hz_dx = hz[i] - hz[i - 1];
      const Real hy_dx = hy[i] - hy[i - 1], hx_dy = hx[i] - hx_y[i];
      Real cx = curl(hz_dy, sy, hy_dz, sz);
      Real cy = curl(hx_dz, sz, hz_dx, sx[i]);
      Real cz = curl(hy_dx, sx[i], hx_dy, sy);
      if constexpr (Y) {
        const Real p = psi_next(py0[i], by, ay, hz_dy);
        py0[i] = p;
        cx = cx + p;
      }
      if constexpr (Z) {
        const Real p = psi_next(pz1[i], bz, az, hy_dz);
        pz1[i] = p;
        cx = cx - p;
      }
      if constexpr (Z) {
        const Real p = psi_next(pz0[i], bz, az, hx_dz);
        pz0[i] = p;
        cy = cy + p;
      }
      if constexpr (X) {
        const Real p = psi_next(px1[i], bx[i], ax[i], hz_dx);
        px1[i] = p;
        cy = member[i] != 0 ? cy - p : cy;
      }
      if constexpr (X) {
        const Real p = psi_next(px0[i], bx[i], ax[i], hy_dx);
        px0[i] = p;
        cz = member[i] != 0 ? cz + p : cz;
      }
      if constexpr (Y) {
        const Real p = psi_next(py1[i], by, ay, hx_dy);
        py1[i] = p;
        cz = cz - p;
      }
      ex[i] = field_next(ex[i], t[n], t[kChunk + n], cx);
      ey[i] = field_next(ey[i], t[2 * kChunk + n], t[3 * kChunk + n], cy);
      ez[i] = field_next(ez[i], t[4 * kChunk + n], t[5 * kChunk + n], cz);
    }
  }
}

// Picks the instantiation for the layers that touch these chunks.
template <class Real, bool Electric>
void chunks(const Row<Real>& r, Touch touch, bool faces, Index chunk0, Index chunk1) {
  if (chunk1 <= chunk0) return;
  const auto go = [&]<bool X, bool Y, bool Z>() {
    if constexpr (Electric) {
      e_chunks<Real, X, Y, Z>(r, chunk0, chunk1);
    } else {
      if (faces)
        h_chunks<Real, X, Y, Z, true>(r, chunk0, chunk1);
      else
        h_chunks<Real, X, Y, Z, false>(r, chunk0, chunk1);
    }
  };
  switch ((touch.x ? 4 : 0) + (touch.y ? 2 : 0) + (touch.z ? 1 : 0)) {
    case 0:
      return go.template operator()<false, false, false>();
    case 1:
      return go.template operator()<false, false, true>();
    case 2:
      return go.template operator()<false, true, false>();
    case 3:
      return go.template operator()<false, true, true>();
    case 4:
      return go.template operator()<true, false, false>();
    case 5:
      return go.template operator()<true, false, true>();
    case 6:
      return go.template operator()<true, true, false>();
    default:
      return go.template operator()<true, true, true>();
  }
}

}  // namespace terrawave::fdtd::wavefront
