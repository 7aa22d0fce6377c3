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
// The kernel is written against a `Lane` (thread number, barrier, shuffles, copies), so that tests
// run the same text on the CPU (tests/unit/fdtd).
#pragma once

#include "terrawave/solvers/fdtd/cuda/march_layers.hpp"

namespace terrawave::fdtd::march {

// kBody: Tile::body.
template <class Lane, class Real, int T, int W, int R, int kBody>
class March {
 public:
  static constexpr int kRows = W * R, kThreads = 32 * W;
  static constexpr bool kLayers = (kBody & kNeedsLayers) != 0;
  static constexpr bool kEvents = (kBody & kNeedsEvents) != 0;
  // Tiles with layers stand at walls; knowing those, their planes are mostly of one class.
  static constexpr bool kWalls = kLayers;
  // Planes of one class have a way of their own; where axes meet, it would be too much code.
  static constexpr bool kSplit = kBody == 0 || serves_one_axis(kBody);
  static constexpr unsigned kBytes = sizeof(Real);
  using Memory = Shared<Real, T, W, R>;

  // psi: the tile's store, in shared memory or in memory.
  TW_LANE March(Lane& l, const Args<Real>& args, const Tile& tile, Memory& shared, Pair<Real>* psi)
      : lane_(l),
        a(args),
        s(shared),
        my(place_of(l.thread(), tile)),
        layers_(l, args, tile, shared, psi, my),
        z0(tile.z0),
        z1(tile.z1) {
    if (lane_.thread() == 0) s.tile = tile;
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
        if ((my.in >> r & 1) == 0) continue;
        const Pair<Real> p = *pair_at(a.from.f[f] + plane, my.at[r]);
        e[0].v[r][0][f] = p.x;
        e[0].v[r][1][f] = p.y;
      }
    }
    fetch(first);
    if constexpr (kLayers) layers_.clear();
    lane_.sync();
    if constexpr (kLayers) layers_.fetch(first, 0);
    publish_e(0, e[0]);
    if (s.uniform[0] == kMixed) {
      std::uint16_t fresh[R] = {};
      load_classes(first, fresh);
      keep_classes(0, fresh);
    }
    lane_.sync();

    // Slots of plane k: of its classes, and of its psi.
    int buffer = 0, slot = 0, psi_slot = 0;
    TW_UNROLL_NOT
    for (int n = 0; n < planes; ++n) {
      const int k = first + n;
      const int next_slot = slot < T ? slot + 1 : 0;
      const int next_psi = layers_.next(psi_slot);
      Cells up, from_below;
      std::uint16_t fresh[R] = {};
      bool mixed_next = false;
      lane_.wait();
      lane_.sync_warp();
      TW_UNROLL
      for (int i = 0; i < R * 3; ++i) {
        const int r = i / 3, f = i % 3;
        const Pair<Real> pe = s.stage[f][my.warp * R + r][my.lane];
        const Pair<Real> ph = s.stage[3 + f][my.warp * R + r][my.lane];
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
        const int psi = layers_.back(psi_slot, t);
        const bool active = layers_.active(m);
        if (active)
          phase_h<kLayers>(t, m, live, psi, e[t], up, from_below, buffer);
        else
          phase_h<false>(t, m, live, psi, e[t], up, from_below, buffer);
        lane_.sync();
        if (t == 0 && n + 1 < planes) {
          fetch(k + 1);
          if (kLayers && layers_.spare()) layers_.fetch(k + 1, next_psi);
          mixed_next = s.uniform[n + 1] == kMixed;
          if (mixed_next) load_classes(k + 1, fresh);
        }
        // E(q + 1) takes the place of E(q), H(q) that of H(q - 1).
        Cells old = e[t];
        const Cells below = h[t];
        e[t] = up;
        h[t] = from_below;
        publish_e(t, e[t]);
        const int plane_class = live ? s.uniform[m] : 0;
        const bool one_class = kSplit && lane_.uniform(plane_class != kMixed);
        if (active && one_class)
          phase_e<kLayers, kOneClass>(t, m, live, mine, psi, plane_class, old, h[t], below, buffer);
        else if (active)
          phase_e<kLayers, kEither>(t, m, live, mine, psi, plane_class, old, h[t], below, buffer);
        else if (one_class)
          phase_e<false, kOneClass>(t, m, live, mine, psi, plane_class, old, h[t], below, buffer);
        else
          phase_e<false, kEither>(t, m, live, mine, psi, plane_class, old, h[t], below, buffer);
        up = old;
        from_below = below;
        buffer ^= 1;
      }
      if (mixed_next) keep_classes(next_slot, fresh);
      // The plane that is done leaves its slot, to all threads of the warp.
      if (kLayers && !layers_.spare() && n + 1 < planes) {
        lane_.sync_warp();
        layers_.fetch(k + 1, next_psi);
      }
      slot = next_slot;
      psi_slot = next_psi;
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

  using Store = Layers<Lane, Real, T, W, R, kBody>;

  Lane& lane_;
  const Args<Real>& a;
  Memory& s;
  Place<Real, R> my;
  Store layers_;
  int z0, z1;

  TW_LANE Place<Real, R> place_of(int thread, const Tile& tile) const {
    const Layout& g = a.m.layout;
    Place<Real, R> p;
    p.lane = thread & 31;
    p.warp = thread >> 5;
    p.ix = tile.x + 2 * p.lane;
    p.jy = tile.y + p.warp * R;
    const bool x_in = p.ix >= 0 && p.ix < int(g.size[0]);
    const bool x_owned =
        p.lane >= tile.x_low && p.lane < tile.x_high && p.ix < int(g.update_high[0]);
    p.in = p.write = 0;
    TW_UNROLL
    for (int r = 0; r < R; ++r) {
      const int j = p.jy + r, local = p.warp * R + r;
      const bool r_in = x_in && j >= 0 && j < int(g.size[1]);
      if (r_in) p.in |= 1u << r;
      if (r_in && x_owned && local >= T && local < tile.y_high && j >= int(g.update_low[1]) &&
          j < int(g.update_high[1]))
        p.write |= 1u << r;
      p.at[r] = r_in ? unsigned(p.ix + int(g.row) * j) * kBytes : 0u;
    }
    p.piece_in = 0;
    TW_UNROLL
    for (int n = 0; n < p.kPieces; ++n) {
      const int r = p.piece_row(n), x = p.piece_x(n), j = p.jy + r;
      const bool inside = r < R && x >= 0 && x < int(g.size[0]) && j >= 0 && j < int(g.size[1]);
      if (inside) p.piece_in |= 1u << n;
      p.piece_at[n] = inside ? unsigned(x + int(g.row) * j) * kBytes : 0u;
    }
    return p;
  }
  TW_LANE static std::uint32_t inside(const Inside& w, int across, int axis, int i) {
    const auto& range = across != 0 ? w.across[axis] : w.along[axis];
    return i >= range[0] && i < range[1] ? 0xffffffffu : 0u;
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
    for (int n = thread; n < planes; n += kThreads) {
      const int u = plane_in(first + n) ? a.uniform[Index(tile.column) * l.size[2] + first + n] : 0;
      const bool walled = u != kMixed && (u & kWalled) != 0;
      s.uniform[n] = std::uint16_t(!walled ? u : (kWalls ? u - kWalled : int(kMixed)));
    }
    if constexpr (kWalls) {
      for (int n = thread; n < 2 * kTileWidth; n += kThreads)
        s.x_inside[n / kTileWidth][n % kTileWidth] =
            inside(a.inside, n / kTileWidth, 0, tile.x + n % kTileWidth);
      for (int n = thread; n < 2 * kRows; n += kThreads)
        s.y_inside[n / kRows][n % kRows] = inside(a.inside, n / kRows, 1, tile.y + n % kRows);
    }
    for (int n = thread; n < a.m.edge_classes * 6; n += kThreads) s.table[n] = a.m.edge_table[n];
    if (Store::has(2))
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
      auto* const e_to = reinterpret_cast<Piece<Real>*>(&s.stage[f][my.warp * R][0]);
      auto* const h_to = reinterpret_cast<Piece<Real>*>(&s.stage[3 + f][my.warp * R][0]);
      TW_UNROLL
      for (int n = 0; n < my.kPieces; ++n) {
        if (my.piece_row(n) >= R) continue;
        const bool in = (my.piece_in >> n & 1) != 0;
        lane_.copy(e_to + my.lane + 32 * n, piece_at(e_from, my.piece_at[n]), in && e_in);
        lane_.copy(h_to + my.lane + 32 * n, piece_at(h_from, my.piece_at[n]), in && h_in);
      }
    }
  }

  // The classes of this thread's entries of a mixed plane.
  TW_LANE void load_classes(int k, std::uint16_t (&fresh)[R]) const {
    TW_UNROLL
    for (int r = 0; r < R; ++r)
      if ((my.in >> r & 1) != 0 && plane_in(k))
        fresh[r] = *reinterpret_cast<const std::uint16_t*>(a.m.edges.narrow + a.m.layout.plane * k +
                                                           my.at[r] / kBytes);
  }
  TW_LANE void keep_classes(int slot, const std::uint16_t (&fresh)[R]) {
    TW_UNROLL
    for (int r = 0; r < R; ++r) s.classes[slot][r][lane_.thread()] = fresh[r];
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

  // The curls, the layers' terms and the updates of a phase, row by row where terms are of one axis
  // at most.
  template <int kFirst, bool kTerms, class Curls, class Derivative, class Update>
  TW_LANE void each_row(Terms<Real, R>& terms, bool live, int t, int m, int psi, const Curls& curls,
                        const Derivative& d, Real (&c)[R][3][2], const Update& update) const {
    if constexpr (kTerms && !Store::kOneAxis) {
      TW_UNROLL
      for (int r = 0; r < R; ++r) curls(r);
      layers_.template add<kFirst>(live, t, m, psi, d, c);
      TW_UNROLL
      for (int r = 0; r < R; ++r) update(r);
    } else {
      TW_UNROLL
      for (int r = 0; r < R; ++r) {
        curls(r);
        if constexpr (kTerms) layers_.template add_row<kFirst>(r, terms, live, t, m, psi, d, c);
        update(r);
      }
    }
  }

  // Phase H of level t: `h` is H(q) of step t on entry, of step t + 1 on return. m: plane from the
  // tile's first one; psi: the slot of its psi.
  template <bool kTerms>
  TW_LANE void phase_h(int t, int m, bool live, int psi, const Cells& e, const Cells& e_up,
                       Cells& h, int buffer) {
    const Real zh = s.z[1][m];
    const int next_warp = my.warp + 1 < W ? my.warp + 1 : my.warp;
    const Pair<Real> ex_next = s.e[t][0][next_warp][my.lane];
    const Pair<Real> ez_next = s.e[t][1][next_warp][my.lane];
    const Pair<Real> xh = *reinterpret_cast<const Pair<Real>*>(&s.x[1][2 * my.lane]);
    const Real sx[2] = {xh.x, xh.y};
    Terms<Real, R> terms;
    if constexpr (kTerms) layers_.template read<2>(terms, m, psi);
    Real right[R][3] = {};  // E of the lane to the right
    const auto above = [&](int r, int f, int i) TW_LAMBDA {
      if (r + 1 < R) return e.v[(r + 1) % R][i][f];
      const Pair<Real>& p = f == 0 ? ex_next : ez_next;
      return i == 0 ? p.x : p.y;
    };
    // The derivative along an axis in the curl of component f, at row r and entry i.
    const auto d = [&](int axis, int f, int r, int i) TW_LAMBDA {
      const int of = 3 - axis - f;  // the component that is differentiated
      if (axis == 0) return (i == 0 ? e.v[r][1][of] : right[r][of]) - e.v[r][i][of];
      if (axis == 1) return above(r, of, i) - e.v[r][i][of];
      return e_up.v[r][i][of] - e.v[r][i][of];
    };
    Real c[R][3][2];
    const auto curls = [&](int r) TW_LAMBDA {
      const Real yh = s.y[1][my.warp * R + r];
      right[r][1] = lane_.down(e.v[r][0][1]);
      right[r][2] = lane_.down(e.v[r][0][2]);
      TW_UNROLL
      for (int i = 0; i < 2; ++i) {
        const Real ey_dz = d(2, 0, r, i), ez_dy = d(1, 0, r, i), ez_dx = d(0, 1, r, i);
        const Real ex_dz = d(2, 1, r, i), ex_dy = d(1, 2, r, i), ey_dx = d(0, 2, r, i);
        c[r][0][i] = curl(ey_dz, zh, ez_dy, yh);
        c[r][1][i] = curl(ez_dx, sx[i], ex_dz, zh);
        c[r][2][i] = curl(ex_dy, yh, ey_dx, sx[i]);
      }
    };
    Cells out;
    const auto update = [&](int r) TW_LAMBDA {
      TW_UNROLL
      for (int n = 0; n < 6; ++n)
        out.v[r][n / 3][n % 3] = fused(a.m.face_b, c[r][n % 3][n / 3], h.v[r][n / 3][n % 3]);
    };
    each_row<2, kTerms>(terms, live, t, m, psi, curls, d, c, update);
    if constexpr (kEvents)
      if (s.tile.events >= 0 && live) apply_events(1, t, m, h, out);
    h = out;
    s.h[buffer][0][my.warp][my.lane] = Pair<Real>{h.v[R - 1][0][0], h.v[R - 1][1][0]};
    s.h[buffer][1][my.warp][my.lane] = Pair<Real>{h.v[R - 1][0][2], h.v[R - 1][1][2]};
  }

  // Phase E of level t: `e` is E(q) of step t on entry, of step t + 1 on return.
  // slot: where the classes of its plane are.
  enum Classes { kOneClass, kEither };
  template <bool kTerms, Classes kClasses>
  TW_LANE void phase_e(int t, int m, bool live, int slot, int psi, int uniform, Cells& e,
                       const Cells& h, const Cells& h_down, int buffer) {
    const bool mixed = kClasses == kEither && uniform == kMixed;
    const Real ze = s.z[0][m];
    const int last_warp = my.warp > 0 ? my.warp - 1 : my.warp;
    const Pair<Real> hx_last = s.h[buffer][0][last_warp][my.lane];
    const Pair<Real> hz_last = s.h[buffer][1][last_warp][my.lane];
    const Pair<Real> xe = *reinterpret_cast<const Pair<Real>*>(&s.x[0][2 * my.lane]);
    const Real sx[2] = {xe.x, xe.y};
    Terms<Real, R> terms;
    if constexpr (kTerms) layers_.template read<0>(terms, m, psi);
    Real left[R][3] = {};  // H of the lane to the left
    const auto below = [&](int r, int f, int i) TW_LAMBDA {
      if (r > 0) return h.v[(r + R - 1) % R][i][f];
      const Pair<Real>& p = f == 0 ? hx_last : hz_last;
      return i == 0 ? p.x : p.y;
    };
    const auto d = [&](int axis, int f, int r, int i) TW_LAMBDA {
      const int of = 3 - axis - f;
      if (axis == 0) return h.v[r][i][of] - (i == 1 ? h.v[r][0][of] : left[r][of]);
      if (axis == 1) return h.v[r][i][of] - below(r, of, i);
      return h.v[r][i][of] - h_down.v[r][i][of];
    };
    Real c[R][3][2];
    const auto curls = [&](int r) TW_LAMBDA {
      const Real ye = s.y[0][my.warp * R + r];
      left[r][1] = lane_.up(h.v[r][1][1]);
      left[r][2] = lane_.up(h.v[r][1][2]);
      TW_UNROLL
      for (int i = 0; i < 2; ++i) {
        const Real hz_dy = d(1, 0, r, i), hy_dz = d(2, 0, r, i), hx_dz = d(2, 1, r, i);
        const Real hz_dx = d(0, 1, r, i), hy_dx = d(0, 2, r, i), hx_dy = d(1, 2, r, i);
        c[r][0][i] = curl(hz_dy, ye, hy_dz, ze);
        c[r][1][i] = curl(hx_dz, ze, hz_dx, sx[i]);
        c[r][2][i] = curl(hy_dx, sx[i], hx_dy, ye);
      }
    };
    const Cells old = e;
    Pair<Real> u[3];
    TW_UNROLL
    for (int f = 0; f < 3; ++f) u[f] = update_of(mixed ? 0 : uniform, f);
    const auto update = [&](int r) TW_LAMBDA {
      const unsigned both = mixed ? s.classes[slot][r][lane_.thread()] : 0u;
      TW_UNROLL
      for (int i = 0; i < 2; ++i) {
        if (mixed) {
          TW_UNROLL
          for (int f = 0; f < 3; ++f) u[f] = update_of(int(i == 0 ? both & 0xff : both >> 8), f);
        }
        TW_UNROLL
        for (int f = 0; f < 3; ++f)
          e.v[r][i][f] = field_next(old.v[r][i][f], u[f].x, u[f].y, c[r][f][i]);
        if constexpr (kWalls) keep_inside(r, i, e.v[r][i]);
      }
    };
    each_row<0, kTerms>(terms, live, t, m, psi, curls, d, c, update);
    if constexpr (kEvents)
      if (s.tile.events >= 0 && live) apply_events(0, t, m, old, e);
  }

  // PEC where the entry is not inside: its class may be that of its plane.
  TW_LANE void keep_inside(int r, int c, Real (&e)[3]) const {
    const std::uint32_t x_along = s.x_inside[0][2 * my.lane + c];
    const std::uint32_t x_across = s.x_inside[1][2 * my.lane + c];
    const std::uint32_t y_along = s.y_inside[0][my.warp * R + r];
    const std::uint32_t y_across = s.y_inside[1][my.warp * R + r];
    e[0] = with_bits(e[0], x_along & y_across);
    e[1] = with_bits(e[1], x_across & y_along);
    e[2] = with_bits(e[2], x_across & y_across);
  }

  // a and b of component f of a class.
  TW_LANE Pair<Real> update_of(int edge_class, int f) const {
    return *reinterpret_cast<const Pair<Real>*>(&s.table[6 * edge_class + 2 * f]);
  }

  TW_LANE void publish_e(int t, const Cells& e) {
    s.e[t][0][my.warp][my.lane] = Pair<Real>{e.v[0][0][0], e.v[0][1][0]};
    s.e[t][1][my.warp][my.lane] = Pair<Real>{e.v[0][0][2], e.v[0][1][2]};
  }

  TW_LANE void put(int q, const Cells& e, const Cells& h) {
    const Index plane = a.m.layout.plane * q;
    TW_UNROLL
    for (int f = 0; f < 3; ++f) {
      Real* e_to = a.to.f[f] + plane;
      Real* h_to = a.to.f[3 + f] + plane;
      TW_UNROLL
      for (int r = 0; r < R; ++r) {
        if ((my.write >> r & 1) == 0) continue;
        lane_.put(pair_at(e_to, my.at[r]), Pair<Real>{e.v[r][0][f], e.v[r][1][f]}, a.stream);
        lane_.put(pair_at(h_to, my.at[r]), Pair<Real>{h.v[r][0][f], h.v[r][1][f]}, a.stream);
      }
    }
  }
};

}  // namespace terrawave::fdtd::march
