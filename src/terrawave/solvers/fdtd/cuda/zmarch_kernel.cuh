// The z-marching kernel; zmarch.hpp says what it does.
//
// Level t of iteration k turns plane q = k - t from step t to step t + 1:
//   phase H: H(q) of step t (handed over by level t - 1) becomes H(q) of step t + 1, from E(q) of
//            step t (kept in registers; neighbours in x by shuffle, in y through shared memory) and
//            E(q + 1) of step t (just made by level t - 1, or read from memory at level 0);
//   barrier;
//   phase E: E(q) becomes that of step t + 1, from H(q) and H(q - 1) of step t + 1.
// One barrier a level is enough, because H is published in two buffers in turn, and because E(q +
// 1) is published after the barrier that follows the last reading of E(q). A warp holds `R`
// neighbouring rows of 64 entries; a lane two entries of each, so that of a tile only the first row
// of E and the last row of H of every warp pass through shared memory. The next plane is fetched
// asynchronously one iteration ahead into two slots that only their thread reads.
#pragma once

#include <cstdint>

#include "terrawave/par/cuda/check.hpp"
#include "terrawave/solvers/fdtd/cuda/tile_event.hpp"
#include "terrawave/solvers/fdtd/cuda/zmarch_block.cuh"
#include "terrawave/solvers/fdtd/cuda/zmarch_launch.cuh"

namespace terrawave::fdtd::zmarch {

// March of one tile by one block.
template <class Real, int T, int W, int R, bool kFull>
struct March {
  static constexpr int kThreads = 32 * W;
  using Cells = Real[R][2][3];

  const Args<Real>& a;
  const Tile& tile;
  Shared<Real, T, W, R>& s;
  int lane, warp, ix, jy;
  bool in[R];     // the row and the pair lie in the array
  bool write[R];  // ... and in the tile's owned part
  int at[R];      // offset of the pair in a plane
  Real xe[2], xh[2], ye[R], yh[R];
  int z_first;  // plane of s.z[.][0]

  __device__ March(const Args<Real>& args, const Tile& t, Shared<Real, T, W, R>& shared)
      : a(args), tile(t), s(shared) {
    const Layout& l = a.m.layout;
    lane = threadIdx.x & 31;
    warp = threadIdx.x >> 5;
    ix = tile.x + 2 * lane;
    jy = tile.y + warp * R;
    z_first = tile.z0 - T;
    const bool x_in = ix < l.size[0];
    const bool x_owned = lane >= kRim / 2 && lane < 32 - kRim / 2;
#pragma unroll
    for (int c = 0; c < 2; ++c) {
      xe[c] = x_in ? a.m.axis[0].se[ix + c] : Real(0);
      xh[c] = x_in ? a.m.axis[0].sh[ix + c] : Real(0);
    }
#pragma unroll
    for (int r = 0; r < R; ++r) {
      const int j = jy + r, local = warp * R + r;
      const bool y_in = j >= 0 && j < l.size[1];
      in[r] = x_in && y_in;
      write[r] = in[r] && x_owned && local >= T && local < W * R - T && j >= l.update_low[1] &&
                 j < l.update_high[1] && ix < l.update_high[0];
      at[r] = in[r] ? int(ix + l.row * j) : 0;
      ye[r] = y_in ? a.m.axis[1].se[j] : Real(0);
      yh[r] = y_in ? a.m.axis[1].sh[j] : Real(0);
    }
  }

  __device__ bool plane_in(int q) const { return q >= 0 && q < a.m.layout.size[2]; }

  // Shared tables: weights along z, updates of the classes, offsets of events.
  __device__ void prepare() {
    const Layout& l = a.m.layout;
    const AxisWeights<Real>& w = a.m.axis[2];
    const Real* from[6] = {w.se, w.sh, w.ae, w.be, w.ah, w.bh};
    const int planes = tile.z1 - tile.z0 + 2 * T;
    for (int n = threadIdx.x; n < planes; n += kThreads) {
      const int q = z_first + n;
      const bool valid = q >= 0 && q < l.size[2];
#pragma unroll
      for (int i = 0; i < (kFull ? 6 : 2); ++i) s.z[i][n] = valid ? from[i][q] : Real(0);
    }
    for (int n = threadIdx.x; n < planes; n += kThreads) {
      const int q = z_first + n;
      s.uniform[n] = plane_in(q) ? a.uniform[Index(tile.column) * l.size[2] + q] : std::uint16_t{0};
    }
    const int classes = a.m.edges.narrow != nullptr ? a.m.edge_classes : 0;
    for (int n = threadIdx.x; n < classes * 6; n += kThreads) s.table[n] = a.m.edge_table[n];
    if (kFull && tile.events >= 0)
      for (int n = threadIdx.x; n < 2 * (planes + 1); n += kThreads)
        s.offsets[n / (planes + 1)][n % (planes + 1)] = a.offsets[tile.events + n];
    Pair<Real>* zero = &s.e[0][0][0][0];
    for (int n = threadIdx.x; n < T * W * 64 + 2 * W * 64; n += kThreads)
      zero[n] = pair<Real>(0, 0);  // e and h follow one another
  }

  // Starts fetching E of plane k + 1 and H of plane k.
  __device__ void fetch_plane(int k, int slot) {
    const Index plane = a.m.layout.plane;
    const bool e_in = plane_in(k + 1), h_in = plane_in(k);
    const Index e_at = e_in ? plane * (k + 1) : 0, h_at = h_in ? plane * k : 0;
#pragma unroll
    for (int r = 0; r < R; ++r)
#pragma unroll
      for (int c = 0; c < 3; ++c) {
        copy_beside(&s.stage[slot][c][r][threadIdx.x],
                    reinterpret_cast<const Pair<Real>*>(a.from.f[c] + e_at + at[r]), in[r] && e_in);
        copy_beside(&s.stage[slot][3 + c][r][threadIdx.x],
                    reinterpret_cast<const Pair<Real>*>(a.from.f[3 + c] + h_at + at[r]),
                    in[r] && h_in);
      }
    fetch_commit();
  }

  // Keeps the classes of this thread's entries of a mixed plane, two per word.
  __device__ void fetch_classes(int k, int ring) {
#pragma unroll
    for (int r = 0; r < R; ++r) {
      std::uint32_t both = 0;
      if (in[r] && plane_in(k)) {
        const Index n = at[r] + a.m.layout.plane * k;
        if (!kFull || a.m.edges.narrow != nullptr) {
          const auto p = *reinterpret_cast<const uchar2*>(a.m.edges.narrow + n);
          both = p.x | std::uint32_t{p.y} << 16;
        } else {
          const auto p = *reinterpret_cast<const ushort2*>(a.m.edges.wide + n);
          both = p.x | std::uint32_t{p.y} << 16;
        }
      }
      s.classes[ring][r][threadIdx.x] = both;
    }
  }

  // One convolution term of a pair of entries: axis, and which of its four psi arrays.
  template <int kAxis, int kArray>
  __device__ void layer(int t, int q, int r, Real d0, Real d1, Real& c0, Real& c1) const {
    if constexpr (kFull) {
      const Slab& slab = a.m.axis[kAxis].slab;
      const int j = jy + r;
      if (!in[r] || !plane_in(q)) return;
      const bool m0 = kAxis == 0 ? slab.holds(ix) : kAxis == 1 ? slab.holds(j) : slab.holds(q);
      const bool m1 = kAxis == 0 ? slab.holds(ix + 1) : m0;
      if (!m0 && !m1) return;
      constexpr bool kElectric = kArray < 2;
      const AxisWeights<Real>& w = a.m.axis[kAxis];
      const Real* wa = kElectric ? w.ae : w.ah;
      const Real* wb = kElectric ? w.be : w.bh;
      Real a0, a1, b0, b1;
      if constexpr (kAxis == 0) {
        a0 = wa[ix];
        a1 = wa[ix + 1];
        b0 = wb[ix];
        b1 = wb[ix + 1];
      } else {
        a0 = a1 = kAxis == 1 ? wa[j] : s.z[kElectric ? 2 : 4][q - z_first];
        b0 = b1 = kAxis == 1 ? wb[j] : s.z[kElectric ? 3 : 5][q - z_first];
      }
      const Index n = psi_at(a.m.layout, slab, kAxis, ix, j, q);
      Pair<Real>* mine =
          a.ring +
          ((((Index(tile.ring) * 3 + kAxis) * 4 + kArray) * T + (q + 4 * T) % T) * R + r) *
              kThreads +
          threadIdx.x;
      Pair<Real> p =
          t == 0 ? *reinterpret_cast<const Pair<Real>*>(a.from.psi[kAxis][kArray] + n) : *mine;
      if (m0) p.x = psi_next(p.x, b0, a0, d0);
      if (m1) p.y = psi_next(p.y, b1, a1, d1);
      if (t < T - 1)
        *mine = p;
      else if (write[r] && q >= tile.z0 && q < tile.z1)
        *reinterpret_cast<Pair<Real>*>(a.to.psi[kAxis][kArray] + n) = p;
      constexpr bool kPlus = kArray % 2 == 0;
      if (m0) c0 = kPlus ? c0 + p.x : c0 - p.x;
      if (m1) c1 = kPlus ? c1 + p.y : c1 - p.y;
    }
  }

  // Events of a plane on the values `value` that replace `old`.
  __device__ __noinline__ void apply_events(int pass, int t, int q, const Cells& old,
                                            Cells& value) const {
    if (!kFull || tile.events < 0) return;
    const int n0 = s.offsets[pass][q - z_first], n1 = s.offsets[pass][q - z_first + 1];
    for (int n = n0; n < n1; ++n) {
      const TileEvent te = a.list[n];
      if (te.thread != int(threadIdx.x)) continue;
      Real before = 0, linear = 0;
#pragma unroll
      for (int r = 0; r < R; ++r)
#pragma unroll
        for (int c = 0; c < 2; ++c)
#pragma unroll
          for (int f = 0; f < 3; ++f)
            if (r == te.row && c == te.cell && f == te.component) {
              before = old[r][c][f];
              linear = value[r][c][f];
            }
      const Real next = tiling::tile_event<Real, T>(a, te, pass, t, tile.ring, before, linear);
#pragma unroll
      for (int r = 0; r < R; ++r)
#pragma unroll
        for (int c = 0; c < 2; ++c)
#pragma unroll
          for (int f = 0; f < 3; ++f)
            if (r == te.row && c == te.cell && f == te.component) value[r][c][f] = next;
    }
  }

  // Phase H of level t: `h` is H(q) of step t on entry, of step t + 1 on return.
  __device__ void phase_h(int t, int q, const Cells& e, const Cells& e_up, Cells& h, int buffer) {
    const Real zh = s.z[1][q - z_first];
    const int next_warp = warp + 1 < W ? warp + 1 : warp;
    const Two<Real> ex_next = two<Real>(s.e[t][next_warp][0][lane]);
    const Two<Real> ez_next = two<Real>(s.e[t][next_warp][1][lane]);
    Cells out;
#pragma unroll
    for (int r = 0; r < R; ++r) {
      const Real ey_right = __shfl_down_sync(0xffffffffu, e[r][0][1], 1);
      const Real ez_right = __shfl_down_sync(0xffffffffu, e[r][0][2], 1);
      Real cx[2], cy[2], cz[2], ey_dz[2], ez_dy[2], ez_dx[2], ex_dz[2], ex_dy[2], ey_dx[2];
#pragma unroll
      for (int c = 0; c < 2; ++c) {
        const Real ex_y = r + 1 < R ? e[r + 1 < R ? r + 1 : r][c][0] : ex_next.v[c];
        const Real ez_y = r + 1 < R ? e[r + 1 < R ? r + 1 : r][c][2] : ez_next.v[c];
        ey_dz[c] = e_up[r][c][1] - e[r][c][1];
        ez_dy[c] = ez_y - e[r][c][2];
        ez_dx[c] = (c == 0 ? e[r][1][2] : ez_right) - e[r][c][2];
        ex_dz[c] = e_up[r][c][0] - e[r][c][0];
        ex_dy[c] = ex_y - e[r][c][0];
        ey_dx[c] = (c == 0 ? e[r][1][1] : ey_right) - e[r][c][1];
        cx[c] = curl(ey_dz[c], zh, ez_dy[c], yh[r]);
        cy[c] = curl(ez_dx[c], xh[c], ex_dz[c], zh);
        cz[c] = curl(ex_dy[c], yh[r], ey_dx[c], xh[c]);
      }
      layer<2, 2>(t, q, r, ey_dz[0], ey_dz[1], cx[0], cx[1]);
      layer<1, 3>(t, q, r, ez_dy[0], ez_dy[1], cx[0], cx[1]);
      layer<0, 2>(t, q, r, ez_dx[0], ez_dx[1], cy[0], cy[1]);
      layer<2, 3>(t, q, r, ex_dz[0], ex_dz[1], cy[0], cy[1]);
      layer<1, 2>(t, q, r, ex_dy[0], ex_dy[1], cz[0], cz[1]);
      layer<0, 3>(t, q, r, ey_dx[0], ey_dx[1], cz[0], cz[1]);
#pragma unroll
      for (int c = 0; c < 2; ++c) {
        const Real curls[3] = {cx[c], cy[c], cz[c]};
        if (kFull && !a.m.faces.empty()) {
          const int cls = in[r] && plane_in(q) ? a.m.faces(at[r] + c + a.m.layout.plane * q) : 0;
          const Real* u = a.m.face_table + 6 * cls;
#pragma unroll
          for (int f = 0; f < 3; ++f)
            out[r][c][f] = field_next(h[r][c][f], u[2 * f], u[2 * f + 1], curls[f]);
        } else {
#pragma unroll
          for (int f = 0; f < 3; ++f) out[r][c][f] = fused(a.m.face_b, curls[f], h[r][c][f]);
        }
      }
    }
    if constexpr (kFull)
      if (tile.events >= 0) apply_events(1, t, q, h, out);
#pragma unroll
    for (int r = 0; r < R; ++r)
#pragma unroll
      for (int c = 0; c < 2; ++c)
#pragma unroll
        for (int f = 0; f < 3; ++f) h[r][c][f] = out[r][c][f];
    s.h[buffer][warp][0][lane] = pair<Real>(h[R - 1][0][0], h[R - 1][1][0]);
    s.h[buffer][warp][1][lane] = pair<Real>(h[R - 1][0][2], h[R - 1][1][2]);
  }

  // Phase E of level t: `e` is E(q) of step t on entry, of step t + 1 on return.
  __device__ void phase_e(int t, int q, Cells& e, const Cells& h, const Cells& h_down, int buffer,
                          int ring, bool live) {
    const Real ze = s.z[0][q - z_first];
    const int last_warp = warp > 0 ? warp - 1 : warp;
    const Two<Real> hx_last = two<Real>(s.h[buffer][last_warp][0][lane]);
    const Two<Real> hz_last = two<Real>(s.h[buffer][last_warp][1][lane]);
    Cells curls, out;
#pragma unroll
    for (int r = 0; r < R; ++r) {
      const Real hy_left = __shfl_up_sync(0xffffffffu, h[r][1][1], 1);
      const Real hz_left = __shfl_up_sync(0xffffffffu, h[r][1][2], 1);
      Real cx[2], cy[2], cz[2], hz_dy[2], hy_dz[2], hx_dz[2], hz_dx[2], hy_dx[2], hx_dy[2];
#pragma unroll
      for (int c = 0; c < 2; ++c) {
        const Real hx_y = r > 0 ? h[r > 0 ? r - 1 : r][c][0] : hx_last.v[c];
        const Real hz_y = r > 0 ? h[r > 0 ? r - 1 : r][c][2] : hz_last.v[c];
        hz_dy[c] = h[r][c][2] - hz_y;
        hy_dz[c] = h[r][c][1] - h_down[r][c][1];
        hx_dz[c] = h[r][c][0] - h_down[r][c][0];
        hz_dx[c] = h[r][c][2] - (c == 1 ? h[r][0][2] : hz_left);
        hy_dx[c] = h[r][c][1] - (c == 1 ? h[r][0][1] : hy_left);
        hx_dy[c] = h[r][c][0] - hx_y;
        cx[c] = curl(hz_dy[c], ye[r], hy_dz[c], ze);
        cy[c] = curl(hx_dz[c], ze, hz_dx[c], xe[c]);
        cz[c] = curl(hy_dx[c], xe[c], hx_dy[c], ye[r]);
      }
      layer<1, 0>(t, q, r, hz_dy[0], hz_dy[1], cx[0], cx[1]);
      layer<2, 1>(t, q, r, hy_dz[0], hy_dz[1], cx[0], cx[1]);
      layer<2, 0>(t, q, r, hx_dz[0], hx_dz[1], cy[0], cy[1]);
      layer<0, 1>(t, q, r, hz_dx[0], hz_dx[1], cy[0], cy[1]);
      layer<0, 0>(t, q, r, hy_dx[0], hy_dx[1], cz[0], cz[1]);
      layer<1, 1>(t, q, r, hx_dy[0], hx_dy[1], cz[0], cz[1]);
#pragma unroll
      for (int c = 0; c < 2; ++c) {
        curls[r][c][0] = cx[c];
        curls[r][c][1] = cy[c];
        curls[r][c][2] = cz[c];
      }
    }
    const int uniform = live ? s.uniform[q - z_first] : 0;
    if (uniform != kMixed) {
      const Real* u = s.table + 6 * uniform;
      if constexpr (kFull)
        if (a.m.edges.narrow == nullptr) u = a.m.edge_table + 6 * uniform;
#pragma unroll
      for (int f = 0; f < 3; ++f) {
        const Real ca = u[2 * f], cb = u[2 * f + 1];
#pragma unroll
        for (int r = 0; r < R; ++r)
#pragma unroll
          for (int c = 0; c < 2; ++c) out[r][c][f] = field_next(e[r][c][f], ca, cb, curls[r][c][f]);
      }
    } else {
#pragma unroll
      for (int r = 0; r < R; ++r)
#pragma unroll
        for (int c = 0; c < 2; ++c) {
          const std::uint32_t both = s.classes[ring][r][threadIdx.x];
          const int n = 6 * int(c == 0 ? both & 0xffff : both >> 16);
          const Real* u = s.table + n;
          if constexpr (kFull)
            if (a.m.edges.narrow == nullptr) u = a.m.edge_table + n;
#pragma unroll
          for (int f = 0; f < 3; ++f)
            out[r][c][f] = field_next(e[r][c][f], u[2 * f], u[2 * f + 1], curls[r][c][f]);
        }
    }
    if constexpr (kFull)
      if (tile.events >= 0) apply_events(0, t, q, e, out);
#pragma unroll
    for (int r = 0; r < R; ++r)
#pragma unroll
      for (int c = 0; c < 2; ++c)
#pragma unroll
        for (int f = 0; f < 3; ++f) e[r][c][f] = out[r][c][f];
  }

  __device__ void publish_e(int t, const Cells& e) {
    s.e[t][warp][0][lane] = pair<Real>(e[0][0][0], e[0][1][0]);
    s.e[t][warp][1][lane] = pair<Real>(e[0][0][2], e[0][1][2]);
  }

  __device__ void run() {
    prepare();
    Real e[T][R][2][3], h[T][R][2][3];
#pragma unroll
    for (int t = 0; t < T; ++t)
#pragma unroll
      for (int r = 0; r < R; ++r)
#pragma unroll
        for (int c = 0; c < 2; ++c)
#pragma unroll
          for (int f = 0; f < 3; ++f) e[t][r][c][f] = h[t][r][c][f] = 0;
    const int first = tile.z0 - T, last = tile.z1 + T - 2;
    // Level 0 starts with E of its first plane; the planes below it only feed rims.
#pragma unroll
    for (int r = 0; r < R; ++r)
      if (in[r] && plane_in(first))
#pragma unroll
        for (int f = 0; f < 3; ++f) {
          const auto p =
              *reinterpret_cast<const Pair<Real>*>(a.from.f[f] + a.m.layout.plane * first + at[r]);
          e[0][r][0][f] = p.x;
          e[0][r][1][f] = p.y;
        }
    fetch_plane(first, 0);
    __syncthreads();
    publish_e(0, e[0]);
    if (s.uniform[0] == kMixed) fetch_classes(first, 0);
    __syncthreads();

    int buffer = 0, slot = 0, ring = 0;  // ring: slot of plane k's classes
#pragma unroll 1
    for (int k = first; k <= last; ++k) {
      fetch_plane(k + 1, slot ^ 1);
      const int next_ring = ring < T ? ring + 1 : 0;
      if (k < last && s.uniform[k + 1 - z_first] == kMixed) fetch_classes(k + 1, next_ring);
      fetch_wait<1>();
      Cells e_up, h_in;
#pragma unroll
      for (int r = 0; r < R; ++r)
#pragma unroll
        for (int f = 0; f < 3; ++f) {
          const Pair<Real> pe = s.stage[slot][f][r][threadIdx.x];
          const Pair<Real> ph = s.stage[slot][3 + f][r][threadIdx.x];
          e_up[r][0][f] = pe.x;
          e_up[r][1][f] = pe.y;
          h_in[r][0][f] = ph.x;
          h_in[r][1][f] = ph.y;
        }
      slot ^= 1;
#pragma unroll
      for (int t = 0; t < T; ++t) {
        const int q = k - t;
        // Level t has no plane below the tile's first yet; its registers hold zeros.
        const int plane = q >= first ? q : first;
        phase_h(t, plane, e[t], e_up, h_in, buffer);
        __syncthreads();
        Cells e_new, h_old;
#pragma unroll
        for (int r = 0; r < R; ++r)
#pragma unroll
          for (int c = 0; c < 2; ++c)
#pragma unroll
            for (int f = 0; f < 3; ++f) {
              e_new[r][c][f] = e[t][r][c][f];
              h_old[r][c][f] = h[t][r][c][f];
            }
        phase_e(t, plane, e_new, h_in, h_old, buffer, ring >= t ? ring - t : ring - t + T + 1,
                q >= first);
        publish_e(t, e_up);
        buffer ^= 1;
#pragma unroll
        for (int r = 0; r < R; ++r)
#pragma unroll
          for (int c = 0; c < 2; ++c)
#pragma unroll
            for (int f = 0; f < 3; ++f) {
              e[t][r][c][f] = e_up[r][c][f];
              h[t][r][c][f] = h_in[r][c][f];
              e_up[r][c][f] = e_new[r][c][f];
              h_in[r][c][f] = h_old[r][c][f];
            }
      }
      ring = next_ring;
      if (T == 1) __syncthreads();
      const int done = k - T + 1;
      if (done >= tile.z0 && done < tile.z1) {
#pragma unroll
        for (int r = 0; r < R; ++r) {
          if (!write[r]) continue;
          const Index n = a.m.layout.plane * done + at[r];
#pragma unroll
          for (int f = 0; f < 3; ++f) {
            __stcs(reinterpret_cast<Pair<Real>*>(a.to.f[f] + n),
                   pair<Real>(e_up[r][0][f], e_up[r][1][f]));
            __stcs(reinterpret_cast<Pair<Real>*>(a.to.f[3 + f] + n),
                   pair<Real>(h[T - 1][r][0][f], h[T - 1][r][1][f]));
          }
        }
      }
    }
    fetch_wait<0>();
  }
};

template <class Real, int T, int W, int R>
__global__ void __launch_bounds__(32 * W, 1)
    zmarch_kernel(const __grid_constant__ Args<Real> args) {
  extern __shared__ __align__(16) unsigned char memory[];
  auto& shared = *reinterpret_cast<Shared<Real, T, W, R>*>(memory);
  const Tile& tile = args.tiles[blockIdx.x];
  if (tile.full != 0)
    March<Real, T, W, R, true>(args, tile, shared).run();
  else
    March<Real, T, W, R, false>(args, tile, shared).run();
}

template <class Real, int T>
void prepare_kernel() {
  constexpr int W = Shape<Real, T>::warps, R = Shape<Real, T>::rows;
  par::cuda::check(cudaFuncSetAttribute(zmarch_kernel<Real, T, W, R>,
                                        cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        int(sizeof(Shared<Real, T, W, R>))),
                   "raising the shared memory of a kernel");
}

template <class Real, int T>
void launch_kernel(const Args<Real>& args, unsigned blocks, cudaStream_t stream) {
  constexpr int W = Shape<Real, T>::warps, R = Shape<Real, T>::rows;
  zmarch_kernel<Real, T, W, R><<<blocks, 32 * W, sizeof(Shared<Real, T, W, R>), stream>>>(args);
  par::cuda::check(cudaGetLastError(), "launching the z-marching kernel");
}

}  // namespace terrawave::fdtd::zmarch
