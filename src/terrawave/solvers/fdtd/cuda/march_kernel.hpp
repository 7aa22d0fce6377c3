// The marching kernel: T steps per pass over memory. march.hpp says what it does.
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
// of E and the last row of H of every warp pass through shared memory. The next plane, and psi of
// the plane after, come asynchronously into places that only their thread reads.
//
// psi of a plane stays in the tile's store while the plane passes the levels: each level advances
// it in place, the last one writes it out.
//
// The kernel is written against a `Lane` (thread number, barrier, shuffles, copies), so that tests
// run the same text on the CPU (tests/unit/fdtd).
#pragma once

#include "terrawave/solvers/fdtd/cuda/march_args.hpp"

#if defined(__CUDACC__)
#define TW_LANE __device__ __forceinline__
#define TW_UNROLL _Pragma("unroll")
#define TW_UNROLL_NOT _Pragma("unroll 1")
#else
#define TW_LANE inline
#define TW_UNROLL
#define TW_UNROLL_NOT
#endif

namespace terrawave::fdtd::march {

template <class Real, int T, int W, int R>
struct alignas(16) Shared {
  Tile tile;
  static constexpr int kRows = W * R;
  static constexpr int kPlanes = kMostPlanes + 2 * T + 2;
  Pair<Real> e[T][2][W][32];       // Ex, Ez of the first row of each warp
  Pair<Real> h[2][2][W][32];       // Hx, Hz of the last row of each warp
  Pair<Real> stage[6][kRows][32];  // the next plane
  // Weights along the axes: se, sh, ae, be, ah, bh.
  Real x[6][kTileWidth], y[6][kRows], z[6][kPlanes];
  Real table[kMostClasses * 6];
  std::int32_t offsets[2][kPlanes];
  std::uint16_t uniform[kPlanes];
  std::uint8_t z_member[kPlanes];           // whether the plane is in the layers along z
  std::uint16_t classes[T + 1][R][32 * W];  // of mixed planes: of two entries, by plane mod T + 1
};

// kKind: Tile::kind.
template <class Lane, class Real, int T, int W, int R, int kKind>
class March {
 public:
  static constexpr int kRows = W * R, kThreads = 32 * W;
  static constexpr bool kLayers = kKind >= kLayered, kEvents = kKind == kEventful;
  static constexpr unsigned kBytes = sizeof(Real);
  using Memory = Shared<Real, T, W, R>;

  // psi: the tile's store, in shared memory unless its kind is kEventful.
  TW_LANE March(Lane& l, const Args<Real>& args, const Tile& t, Memory& shared, Pair<Real>* psi)
      : lane_(l), a(args), s(shared), store(psi) {
    if (lane_.thread() == 0) s.tile = t;
    const Tile tile = t;
    z0 = tile.z0;
    z1 = tile.z1;
    const Layout& g = a.m.layout;
    lane = lane_.thread() & 31;
    warp = lane_.thread() >> 5;
    ix = tile.x + 2 * lane;
    jy = tile.y + warp * R;
    const bool x_in = ix >= 0 && ix < int(g.size[0]);
    const bool x_owned = lane >= tile.x_low && lane < tile.x_high && ix < int(g.update_high[0]);
    in = write = members = 0;
    const Slab& sx = a.m.axis[0].slab;
    const Slab& sy = a.m.axis[1].slab;
    TW_UNROLL
    for (int r = 0; r < R; ++r) {
      const int j = jy + r, local = warp * R + r;
      const bool r_in = x_in && j >= 0 && j < int(g.size[1]);
      if (r_in) in |= 1u << r;
      if (r_in && sy.holds(j)) members |= 4u << r;
      if (r_in && x_owned && local >= T && local < tile.y_high && j >= int(g.update_low[1]) &&
          j < int(g.update_high[1]))
        write |= 1u << r;
      at[r] = r_in ? unsigned(ix + int(g.row) * j) * kBytes : 0u;
    }
    if (x_in && sx.holds(ix)) members |= 1u;
    if (x_in && sx.holds(ix + 1)) members |= 2u;
    lanes = tile.lane1 - tile.lane0;
    psi_rows = tile.row1 - tile.row0;
    // Where this thread's first row of the first array of the first slot lies in the store.
    place[0] = warp * R * lanes + lane - tile.lane0;
    place[1] = 4 * (T + 1) * kRows * lanes + (warp * R - tile.row0) * 32 + lane;
    place[2] = 4 * (T + 1) * (kRows * lanes + psi_rows * 32) + warp * R * 32 + lane;
  }

  TW_LANE void run() {
    prepare();
    Cells e[T], h[T];
    TW_UNROLL
    for (int i = 0; i < T * R * 6; ++i)
      e[i / (R * 6)].v[i / 6 % R][i / 3 % 2][i % 3] =
          h[i / (R * 6)].v[i / 6 % R][i / 3 % 2][i % 3] = 0;
    const int first = z0 - T, planes = z1 - z0 + 2 * T - 1;
    // Level 0 starts with E of its first plane; the planes below it only feed rims.
    if (plane_in(first)) {
      const Index plane = a.m.layout.plane * first;
      TW_UNROLL
      for (int i = 0; i < R * 3; ++i) {
        const int r = i / 3, f = i % 3;
        if ((in >> r & 1) == 0) continue;
        const Pair<Real> p = *pair_at(a.from.f[f] + plane, at[r]);
        e[0].v[r][0][f] = p.x;
        e[0].v[r][1][f] = p.y;
      }
    }
    fetch(first);
    lane_.sync();
    if constexpr (kLayers) fetch_psi(first, 0);
    publish_e(0, e[0]);
    if (s.uniform[0] == kMixed) {
      std::uint16_t fresh[R] = {};
      load_classes(first, fresh);
      keep_classes(0, fresh);
    }
    lane_.sync();

    int buffer = 0, slot = 0;  // slot: plane k mod T + 1, counted from the first
    TW_UNROLL_NOT
    for (int n = 0; n < planes; ++n) {
      const int k = first + n;
      const int next_slot = slot < T ? slot + 1 : 0;
      Cells up, from_below;
      std::uint16_t fresh[R] = {};
      bool mixed_next = false;
      lane_.wait();
      TW_UNROLL
      for (int i = 0; i < R * 3; ++i) {
        const int r = i / 3, f = i % 3;
        const Pair<Real> pe = s.stage[f][warp * R + r][lane];
        const Pair<Real> ph = s.stage[3 + f][warp * R + r][lane];
        up.v[r][0][f] = pe.x;
        up.v[r][1][f] = pe.y;
        from_below.v[r][0][f] = ph.x;
        from_below.v[r][1][f] = ph.y;
      }
      TW_UNROLL
      for (int t = 0; t < T; ++t) {
        // Level t has no plane below the tile's first yet; its registers hold what feeds rims.
        const bool live = n >= t;
        const int m = live ? n - t : 0;
        const int mine = slot >= t ? slot - t : slot - t + T + 1;
        phase_h(t, m, live, mine, e[t], up, from_below, buffer);
        lane_.sync();
        if (t == 0 && n + 1 < planes) {
          fetch(k + 1);
          if constexpr (kLayers) fetch_psi(k + 1, next_slot);
          mixed_next = s.uniform[n + 1] == kMixed;
          if (mixed_next) load_classes(k + 1, fresh);
        }
        // E(q + 1) takes the place of E(q), H(q) that of H(q - 1).
        Cells old = e[t];
        const Cells below = h[t];
        e[t] = up;
        h[t] = from_below;
        publish_e(t, e[t]);
        phase_e(t, m, live, mine, old, h[t], below, buffer);
        up = old;
        from_below = below;
        buffer ^= 1;
      }
      if (mixed_next) keep_classes(next_slot, fresh);
      slot = next_slot;
      if (T == 1) lane_.sync();
      const int done = k - T + 1;
      if (done >= z0 && done < z1) put(done, up, h[T - 1]);
    }
    lane_.wait();
  }

 private:
  struct Cells {
    Real v[R][2][3];
  };

  Lane& lane_;
  const Args<Real>& a;
  Memory& s;
  Pair<Real>* store;
  int lane, warp, ix, jy, z0, z1;
  int lanes, psi_rows, place[3];  // of the psi store
  unsigned in, write;  // by row: the pair lies in the array; ... and in the tile's owned part
  unsigned members;    // of layers: the pair's entries along x (bits 0, 1), rows (from bit 2)
  unsigned at[R];      // offset of the pair in a plane, bytes

  // The pair at an offset in bytes.
  TW_LANE static const Pair<Real>* pair_at(const Real* plane, unsigned offset) {
    return reinterpret_cast<const Pair<Real>*>(reinterpret_cast<const char*>(plane) + offset);
  }
  TW_LANE static Pair<Real>* pair_at(Real* plane, unsigned offset) {
    return reinterpret_cast<Pair<Real>*>(reinterpret_cast<char*>(plane) + offset);
  }
  TW_LANE bool plane_in(int q) const { return unsigned(q) < unsigned(a.m.layout.size[2]); }

  // Shared tables: weights, updates of the classes, offsets of events; rims start as zeros.
  TW_LANE void prepare() {
    const Layout& l = a.m.layout;
    lane_.sync();
    const Tile& tile = s.tile;
    const int thread = lane_.thread();
    const int planes = tile.z1 - tile.z0 + 2 * T, first = tile.z0 - T;
    const auto weights = [&](int axis, Real* to, int stride, int begin, int count) {
      const AxisWeights<Real>& w = a.m.axis[axis];
      const Real* from[6] = {w.se, w.sh, w.ae, w.be, w.ah, w.bh};
      for (int n = thread; n < count; n += kThreads) {
        const int i = begin + n;
        const bool valid = i >= 0 && i < int(l.size[axis]);
        TW_UNROLL
        for (int q = 0; q < (kLayers ? 6 : 2); ++q)
          to[q * stride + n] = valid ? from[q][i] : Real(0);
      }
    };
    weights(0, s.x[0], kTileWidth, tile.x, kTileWidth);
    weights(1, s.y[0], kRows, tile.y, kRows);
    weights(2, s.z[0], Memory::kPlanes, first, planes);
    for (int n = thread; n < planes; n += kThreads)
      s.uniform[n] = plane_in(first + n) ? a.uniform[Index(tile.column) * l.size[2] + first + n]
                                         : std::uint16_t{0};
    for (int n = thread; n < a.m.edge_classes * 6; n += kThreads) s.table[n] = a.m.edge_table[n];
    if (kLayers)
      for (int n = thread; n < planes; n += kThreads)
        s.z_member[n] = plane_in(first + n) && a.m.axis[2].slab.holds(first + n) ? 1 : 0;
    if (kEvents && tile.events >= 0)
      for (int n = thread; n < 2 * (planes + 1); n += kThreads)
        s.offsets[n / (planes + 1)][n % (planes + 1)] = a.offsets[tile.events + n];
    Pair<Real>* zero = &s.e[0][0][0][0];
    for (int n = thread; n < (T + 2) * W * 64; n += kThreads)
      zero[n] = Pair<Real>{0, 0};  // e and h follow one another
  }

  // Starts fetching E of plane k + 1 and H of plane k.
  TW_LANE void fetch(int k) {
    const Index plane = a.m.layout.plane;
    const bool e_in = plane_in(k + 1), h_in = plane_in(k);
    const Index e_at = e_in ? plane * (k + 1) : 0, h_at = h_in ? plane * k : 0;
    TW_UNROLL
    for (int f = 0; f < 3; ++f) {
      const Real* e_from = a.from.f[f] + e_at;
      const Real* h_from = a.from.f[3 + f] + h_at;
      TW_UNROLL
      for (int r = 0; r < R; ++r) {
        const bool r_in = (in >> r & 1) != 0;
        lane_.copy(&s.stage[f][warp * R + r][lane], pair_at(e_from, at[r]), r_in && e_in);
        lane_.copy(&s.stage[3 + f][warp * R + r][lane], pair_at(h_from, at[r]), r_in && h_in);
      }
    }
  }

  // The classes of this thread's entries of a mixed plane.
  TW_LANE void load_classes(int k, std::uint16_t (&fresh)[R]) const {
    TW_UNROLL
    for (int r = 0; r < R; ++r)
      if ((in >> r & 1) != 0 && plane_in(k))
        fresh[r] = *reinterpret_cast<const std::uint16_t*>(a.m.edges.narrow + a.m.layout.plane * k +
                                                           at[r] / kBytes);
  }
  TW_LANE void keep_classes(int slot, const std::uint16_t (&fresh)[R]) {
    TW_UNROLL
    for (int r = 0; r < R; ++r) s.classes[slot][r][lane_.thread()] = fresh[r];
  }

  // This thread's place in the store: array q of an axis, row r.
  template <int kAxis>
  TW_LANE Pair<Real>* psi_place(int slot, int q, int r) const {
    const int n = slot * 4 + q;
    if constexpr (kAxis == 0) return store + (place[0] + (n * kRows + r) * lanes);
    if constexpr (kAxis == 1) return store + (place[1] + (n * psi_rows + r) * 32);
    return store + (place[2] + (n * kRows + r) * 32);
  }
  // Position in the psi arrays of an axis of plane q, and of this thread's pair of row r in it.
  template <int kAxis>
  TW_LANE Index psi_plane(int q) const {
    const Layout& l = a.m.layout;
    const Slab& slab = a.m.axis[kAxis].slab;
    if constexpr (kAxis == 0) return slab.width() * l.size[1] * q;
    if constexpr (kAxis == 1) return l.row * slab.width() * q;
    return l.plane * slab.position(q);
  }
  template <int kAxis>
  TW_LANE unsigned psi_offset(int r) const {
    const Slab& slab = a.m.axis[kAxis].slab;
    const auto position = [&](int i) {
      const int low = int(slab.low_begin), width = int(slab.low_width);
      return i < low + width ? i - low : i - int(slab.high_begin) + width;
    };
    if constexpr (kAxis == 0) return unsigned(position(ix) + int(slab.width()) * (jy + r)) * kBytes;
    if constexpr (kAxis == 1) return unsigned(ix + int(a.m.layout.row) * position(jy + r)) * kBytes;
    return at[r];
  }
  // Whether any entry of this thread's row is a member of an axis' layers; m: plane from the first.
  template <int kAxis>
  TW_LANE bool member(int r, int m) const {
    if ((in >> r & 1) == 0) return false;
    if constexpr (kAxis == 0) return (members & 3u) != 0;
    if constexpr (kAxis == 1) return (members >> (2 + r) & 1) != 0;
    return s.z_member[m] != 0;
  }

  template <int kAxis>
  TW_LANE void fetch_psi_of(int k, int slot) {
    TW_UNROLL
    for (int r = 0; r < R; ++r)
      if (member<kAxis>(r, k - z0 + T)) {
        const unsigned offset = psi_offset<kAxis>(r);
        TW_UNROLL
        for (int q = 0; q < 4; ++q) {
          Pair<Real>* to = psi_place<kAxis>(slot, q, r);
          const Pair<Real>* from =
              pair_at(static_cast<const Real*>(a.from.psi[kAxis][q]) + psi_plane<kAxis>(k), offset);
          if (kEvents && s.tile.store >= 0)
            *to = *from;
          else
            lane_.copy(to, from, true);
        }
      }
  }
  TW_LANE void fetch_psi(int k, int slot) {
    if (!plane_in(k)) return;
    if (lanes > 0) fetch_psi_of<0>(k, slot);
    if (psi_rows > 0) fetch_psi_of<1>(k, slot);
    if (s.z_member[k - z0 + T] != 0) fetch_psi_of<2>(k, slot);
  }

  // One convolution term of a pair of entries: advances psi and adds it to (or takes it from) the
  // curl.
  template <int kAxis, int q>
  TW_LANE void layer(int t, int plane, int slot, int r, bool m0, bool m1, Pair<Real> wa,
                     Pair<Real> wb, Real d0, Real d1, Real& c0, Real& c1) const {
    Pair<Real>* mine = psi_place<kAxis>(slot, q, r);
    Pair<Real> p = *mine;
    if (m0) p.x = psi_next(p.x, wb.x, wa.x, d0);
    if (m1) p.y = psi_next(p.y, wb.y, wa.y, d1);
    if (t < T - 1)
      *mine = p;
    else if ((write >> r & 1) != 0 && plane >= z0 && plane < z1)
      *pair_at(a.to.psi[kAxis][q] + psi_plane<kAxis>(plane), psi_offset<kAxis>(r)) = p;
    if (m0) c0 = q % 2 == 0 ? c0 + p.x : c0 - p.x;
    if (m1) c1 = q % 2 == 0 ? c1 + p.y : c1 - p.y;
  }
  // Weights a and b of an axis: i = 0 for E, 2 for H.
  template <int kAxis>
  TW_LANE Pair<Real> layer_weights(int i, int r, int m) const {
    if constexpr (kAxis == 0) return Pair<Real>{s.x[i][2 * lane], s.x[i][2 * lane + 1]};
    const Real w = kAxis == 1 ? s.y[i][warp * R + r] : s.z[i][m];
    return Pair<Real>{w, w};
  }

  // Events of a plane on the values that replace `old`.
  TW_LANE void apply_events(int pass, int t, int m, const Cells& old, Cells& value) const {
    const int n1 = s.offsets[pass][m + 1];
    TW_UNROLL_NOT
    for (int n = s.offsets[pass][m]; n < n1; ++n) {
      const TileEvent te = a.list[n];
      if (te.thread != lane_.thread()) continue;
      Real before = 0, linear = 0;
      TW_UNROLL
      for (int i = 0; i < R * 6; ++i)
        if (i == (te.row * 2 + te.cell) * 3 + te.component) {
          before = old.v[i / 6][i / 3 % 2][i % 3];
          linear = value.v[i / 6][i / 3 % 2][i % 3];
        }
      const Real next =
          Lane::template event<Real, T>(a, &a.list[n], pass, t, s.tile.number, before, linear);
      TW_UNROLL
      for (int i = 0; i < R * 6; ++i)
        if (i == (te.row * 2 + te.cell) * 3 + te.component) value.v[i / 6][i / 3 % 2][i % 3] = next;
    }
  }

  // Phase H of level t: `h` is H(q) of step t on entry, of step t + 1 on return. m: plane from the
  // tile's first one; slot: where its psi and classes are.
  TW_LANE void phase_h(int t, int m, bool live, int slot, const Cells& e, const Cells& e_up,
                       Cells& h, int buffer) {
    const Real zh = s.z[1][m];
    const int next_warp = warp + 1 < W ? warp + 1 : warp;
    const Pair<Real> ex_next = s.e[t][0][next_warp][lane];
    const Pair<Real> ez_next = s.e[t][1][next_warp][lane];
    const Pair<Real> xh = *reinterpret_cast<const Pair<Real>*>(&s.x[1][2 * lane]);
    const int q = z0 - T + m;
    const bool layers = kLayers && live && plane_in(q);
    const bool plane_in_z = layers && s.z_member[m] != 0;
    Cells out;
    TW_UNROLL
    for (int r = 0; r < R; ++r) {
      const Real yh = s.y[1][warp * R + r];
      const Real ey_right = lane_.down(e.v[r][0][1]);
      const Real ez_right = lane_.down(e.v[r][0][2]);
      const Real ex_y[2] = {r + 1 < R ? e.v[(r + 1) % R][0][0] : ex_next.x,
                            r + 1 < R ? e.v[(r + 1) % R][1][0] : ex_next.y};
      const Real ez_y[2] = {r + 1 < R ? e.v[(r + 1) % R][0][2] : ez_next.x,
                            r + 1 < R ? e.v[(r + 1) % R][1][2] : ez_next.y};
      const Real sx[2] = {xh.x, xh.y};
      Real cx[2], cy[2], cz[2], ey_dz[2], ez_dy[2], ez_dx[2], ex_dz[2], ex_dy[2], ey_dx[2];
      TW_UNROLL
      for (int c = 0; c < 2; ++c) {
        ey_dz[c] = e_up.v[r][c][1] - e.v[r][c][1];
        ez_dy[c] = ez_y[c] - e.v[r][c][2];
        ez_dx[c] = (c == 0 ? e.v[r][1][2] : ez_right) - e.v[r][c][2];
        ex_dz[c] = e_up.v[r][c][0] - e.v[r][c][0];
        ex_dy[c] = ex_y[c] - e.v[r][c][0];
        ey_dx[c] = (c == 0 ? e.v[r][1][1] : ey_right) - e.v[r][c][1];
        cx[c] = curl(ey_dz[c], zh, ez_dy[c], yh);
        cy[c] = curl(ez_dx[c], sx[c], ex_dz[c], zh);
        cz[c] = curl(ex_dy[c], yh, ey_dx[c], sx[c]);
      }
      if constexpr (kLayers) {
        // In this order every component gets its plus term before its minus term.
        const bool in_y = layers && member<1>(r, m), in_x = layers && member<0>(r, m);
        const bool in_z = plane_in_z && (in >> r & 1) != 0;
        if (in_z)
          layer<2, 2>(t, q, slot, r, true, true, layer_weights<2>(4, r, m),
                      layer_weights<2>(5, r, m), ey_dz[0], ey_dz[1], cx[0], cx[1]);
        if (in_y) {
          const Pair<Real> wa = layer_weights<1>(4, r, m), wb = layer_weights<1>(5, r, m);
          layer<1, 3>(t, q, slot, r, true, true, wa, wb, ez_dy[0], ez_dy[1], cx[0], cx[1]);
          layer<1, 2>(t, q, slot, r, true, true, wa, wb, ex_dy[0], ex_dy[1], cz[0], cz[1]);
        }
        if (in_x) {
          const bool m0 = (members & 1u) != 0, m1 = (members & 2u) != 0;
          const Pair<Real> wa = layer_weights<0>(4, r, m), wb = layer_weights<0>(5, r, m);
          layer<0, 3>(t, q, slot, r, m0, m1, wa, wb, ey_dx[0], ey_dx[1], cz[0], cz[1]);
          layer<0, 2>(t, q, slot, r, m0, m1, wa, wb, ez_dx[0], ez_dx[1], cy[0], cy[1]);
        }
        if (in_z)
          layer<2, 3>(t, q, slot, r, true, true, layer_weights<2>(4, r, m),
                      layer_weights<2>(5, r, m), ex_dz[0], ex_dz[1], cy[0], cy[1]);
      }
      TW_UNROLL
      for (int c = 0; c < 2; ++c) {
        out.v[r][c][0] = fused(a.m.face_b, cx[c], h.v[r][c][0]);
        out.v[r][c][1] = fused(a.m.face_b, cy[c], h.v[r][c][1]);
        out.v[r][c][2] = fused(a.m.face_b, cz[c], h.v[r][c][2]);
      }
    }
    if constexpr (kEvents)
      if (s.tile.events >= 0 && live) apply_events(1, t, m, h, out);
    h = out;
    s.h[buffer][0][warp][lane] = Pair<Real>{h.v[R - 1][0][0], h.v[R - 1][1][0]};
    s.h[buffer][1][warp][lane] = Pair<Real>{h.v[R - 1][0][2], h.v[R - 1][1][2]};
  }

  // Phase E of level t: `e` is E(q) of step t on entry, of step t + 1 on return.
  TW_LANE void phase_e(int t, int m, bool live, int slot, Cells& e, const Cells& h,
                       const Cells& h_down, int buffer) {
    const Real ze = s.z[0][m];
    const int uniform = live ? s.uniform[m] : 0;
    const int last_warp = warp > 0 ? warp - 1 : warp;
    const Pair<Real> hx_last = s.h[buffer][0][last_warp][lane];
    const Pair<Real> hz_last = s.h[buffer][1][last_warp][lane];
    const Pair<Real> xe = *reinterpret_cast<const Pair<Real>*>(&s.x[0][2 * lane]);
    const int q = z0 - T + m;
    const bool layers = kLayers && live && plane_in(q);
    const bool plane_in_z = layers && s.z_member[m] != 0;
    const Cells old = e;
    Pair<Real> u[3];
    TW_UNROLL
    for (int f = 0; f < 3; ++f) u[f] = update_of(uniform != kMixed ? uniform : 0, f);
    TW_UNROLL
    for (int r = 0; r < R; ++r) {
      const Real ye = s.y[0][warp * R + r];
      const Real hy_left = lane_.up(h.v[r][1][1]);
      const Real hz_left = lane_.up(h.v[r][1][2]);
      const Real hx_y[2] = {r > 0 ? h.v[(r + R - 1) % R][0][0] : hx_last.x,
                            r > 0 ? h.v[(r + R - 1) % R][1][0] : hx_last.y};
      const Real hz_y[2] = {r > 0 ? h.v[(r + R - 1) % R][0][2] : hz_last.x,
                            r > 0 ? h.v[(r + R - 1) % R][1][2] : hz_last.y};
      const Real sx[2] = {xe.x, xe.y};
      Real cx[2], cy[2], cz[2], hz_dy[2], hy_dz[2], hx_dz[2], hz_dx[2], hy_dx[2], hx_dy[2];
      TW_UNROLL
      for (int c = 0; c < 2; ++c) {
        hz_dy[c] = h.v[r][c][2] - hz_y[c];
        hy_dz[c] = h.v[r][c][1] - h_down.v[r][c][1];
        hx_dz[c] = h.v[r][c][0] - h_down.v[r][c][0];
        hz_dx[c] = h.v[r][c][2] - (c == 1 ? h.v[r][0][2] : hz_left);
        hy_dx[c] = h.v[r][c][1] - (c == 1 ? h.v[r][0][1] : hy_left);
        hx_dy[c] = h.v[r][c][0] - hx_y[c];
        cx[c] = curl(hz_dy[c], ye, hy_dz[c], ze);
        cy[c] = curl(hx_dz[c], ze, hz_dx[c], sx[c]);
        cz[c] = curl(hy_dx[c], sx[c], hx_dy[c], ye);
      }
      if constexpr (kLayers) {
        const bool in_y = layers && member<1>(r, m), in_x = layers && member<0>(r, m);
        const bool in_z = plane_in_z && (in >> r & 1) != 0;
        if (in_y)
          layer<1, 0>(t, q, slot, r, true, true, layer_weights<1>(2, r, m),
                      layer_weights<1>(3, r, m), hz_dy[0], hz_dy[1], cx[0], cx[1]);
        if (in_z) {
          const Pair<Real> wa = layer_weights<2>(2, r, m), wb = layer_weights<2>(3, r, m);
          layer<2, 1>(t, q, slot, r, true, true, wa, wb, hy_dz[0], hy_dz[1], cx[0], cx[1]);
          layer<2, 0>(t, q, slot, r, true, true, wa, wb, hx_dz[0], hx_dz[1], cy[0], cy[1]);
        }
        if (in_x) {
          const bool m0 = (members & 1u) != 0, m1 = (members & 2u) != 0;
          const Pair<Real> wa = layer_weights<0>(2, r, m), wb = layer_weights<0>(3, r, m);
          layer<0, 1>(t, q, slot, r, m0, m1, wa, wb, hz_dx[0], hz_dx[1], cy[0], cy[1]);
          layer<0, 0>(t, q, slot, r, m0, m1, wa, wb, hy_dx[0], hy_dx[1], cz[0], cz[1]);
        }
        if (in_y)
          layer<1, 1>(t, q, slot, r, true, true, layer_weights<1>(2, r, m),
                      layer_weights<1>(3, r, m), hx_dy[0], hx_dy[1], cz[0], cz[1]);
      }
      const unsigned both = uniform == kMixed ? s.classes[slot][r][lane_.thread()] : 0u;
      TW_UNROLL
      for (int c = 0; c < 2; ++c) {
        if (uniform == kMixed) {
          TW_UNROLL
          for (int f = 0; f < 3; ++f) u[f] = update_of(int(c == 0 ? both & 0xff : both >> 8), f);
        }
        e.v[r][c][0] = field_next(old.v[r][c][0], u[0].x, u[0].y, cx[c]);
        e.v[r][c][1] = field_next(old.v[r][c][1], u[1].x, u[1].y, cy[c]);
        e.v[r][c][2] = field_next(old.v[r][c][2], u[2].x, u[2].y, cz[c]);
      }
    }
    if constexpr (kEvents)
      if (s.tile.events >= 0 && live) apply_events(0, t, m, old, e);
  }

  // a and b of component f of a class.
  TW_LANE Pair<Real> update_of(int edge_class, int f) const {
    return *reinterpret_cast<const Pair<Real>*>(&s.table[6 * edge_class + 2 * f]);
  }

  TW_LANE void publish_e(int t, const Cells& e) {
    s.e[t][0][warp][lane] = Pair<Real>{e.v[0][0][0], e.v[0][1][0]};
    s.e[t][1][warp][lane] = Pair<Real>{e.v[0][0][2], e.v[0][1][2]};
  }

  TW_LANE void put(int q, const Cells& e, const Cells& h) {
    const Index plane = a.m.layout.plane * q;
    TW_UNROLL
    for (int f = 0; f < 3; ++f) {
      Real* e_to = a.to.f[f] + plane;
      Real* h_to = a.to.f[3 + f] + plane;
      TW_UNROLL
      for (int r = 0; r < R; ++r) {
        if ((write >> r & 1) == 0) continue;
        lane_.put(pair_at(e_to, at[r]), Pair<Real>{e.v[r][0][f], e.v[r][1][f]}, a.stream);
        lane_.put(pair_at(h_to, at[r]), Pair<Real>{h.v[r][0][f], h.v[r][1][f]}, a.stream);
      }
    }
  }
};

// One event group, wherever a Lane runs it: `before` the value before the step, `linear` the plain
// update's; the states of a tile's events live in its scratch from level to level.
template <class Real, int T>
TW_FUNCTION Real tile_event(const Args<Real>& a, const TileEvent& te, int pass, int t, int number,
                            Real before, Real linear) {
  double* states = a.states_scratch + Index(number) * a.states;
  const EventList& list = a.events.list[pass];
  const int e0 = list.group[te.group], e1 = list.group[te.group + 1];
  if (t == 0)
    for (int e = e0; e < e1; ++e)
      for (int i = 0; i < event_states(list.events[e].kind); ++i)
        states[list.events[e].state + i] = a.states_from[list.events[e].state + i];
  const Real next = apply_group(a.events, list, te.group, a.sample_row + t, a.record_row + t,
                                before, linear, states, te.owned != 0);
  if (t == T - 1 && te.owned != 0)
    for (int e = e0; e < e1; ++e)
      for (int i = 0; i < event_states(list.events[e].kind); ++i)
        a.states_to[list.events[e].state + i] = states[list.events[e].state + i];
  return next;
}

}  // namespace terrawave::fdtd::march
