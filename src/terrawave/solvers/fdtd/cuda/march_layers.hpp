// The convolution layers of a tile of the marching kernel.
//
// psi of a plane stays in the tile's store while the plane passes the levels: each level advances
// it in place, the last one writes it out. Every place of the store is read and written by one
// thread only.
//
// Most tiles meet the layers of one axis. Their bodies have a place for every thread, whether its
// entries are members or not, and no branch inside a phase: where weights are zero, and on planes
// beyond the grid, psi is and stays +0. A phase gathers psi of all its rows before it stores any:
// the compiler cannot tell places apart, and would wait for each store before the next load. Tiles
// that meet several axes keep psi of members only, for which their room is small.
#pragma once

#include <bit>

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
  // All bits where components along (0) and across (1) an axis are inside the walls.
  std::uint32_t x_inside[2][kTileWidth], y_inside[2][kRows];
  std::int32_t offsets[2][kPlanes];
  std::uint16_t uniform[kPlanes];
  std::uint8_t z_member[kPlanes];           // whether the plane is in the layers along z
  std::uint16_t classes[T + 1][R][32 * W];  // of mixed planes: of two entries, by plane mod T + 1
};

// The pair at an offset in bytes.
template <class Real>
TW_LANE const Pair<Real>* pair_at(const Real* plane, unsigned offset) {
  return reinterpret_cast<const Pair<Real>*>(reinterpret_cast<const char*>(plane) + offset);
}
template <class Real>
TW_LANE Pair<Real>* pair_at(Real* plane, unsigned offset) {
  return reinterpret_cast<Pair<Real>*>(reinterpret_cast<char*>(plane) + offset);
}

// What one asynchronous copy moves: 16 bytes, which pass the first-level cache by. (Where shared
// memory leaves that little room, smaller copies, which go through it, wait for each other.)
template <class Real>
struct alignas(16) Piece {
  static constexpr int kEntries = 16 / int(sizeof(Real)), kOfRow = kTileWidth / kEntries;
  Real v[kEntries];
};

template <class Real>
TW_LANE const Piece<Real>* piece_at(const Real* plane, unsigned offset) {
  return reinterpret_cast<const Piece<Real>*>(reinterpret_cast<const char*>(plane) + offset);
}

// A thread's place in its tile: a pair of each row, and pieces of its warp's rows to copy.
template <class Real, int R>
struct Place {
  static constexpr int kPieces = (R * Piece<Real>::kOfRow + 31) / 32;
  int lane, warp, ix, jy;
  unsigned in, write;  // by row: the pair lies in the array; ... and in the tile's owned part
  unsigned at[R];      // offset of the pair in a plane, bytes
  unsigned piece_in;   // by piece: it lies in the array
  unsigned piece_at[kPieces];

  // Row of the warp and first entry of this thread's n-th piece.
  TW_LANE int piece_row(int n) const { return (lane + 32 * n) / Piece<Real>::kOfRow; }
  TW_LANE int piece_x(int n) const {
    return ix - 2 * lane + (lane + 32 * n) % Piece<Real>::kOfRow * Piece<Real>::kEntries;
  }
};

// What the layers do to a row in one phase (E or H): by axis, the weights a and b and the two
// terms.
template <class Real>
struct Terms {
  bool in[3];
  Pair<Real> a[3], b[3], psi[3][2];
};

// The bits of p that `mask` (all or none) has.
TW_LANE float with_bits(float p, std::uint32_t mask) {
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(p) & mask);
}
TW_LANE double with_bits(double p, std::uint32_t mask) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(p) &
                               (mask | std::uint64_t{mask} << 32));
}
// p, with the sign bit set where `mask` has it.
TW_LANE float with_sign(float p, std::uint32_t mask) {
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(p) | mask);
}
TW_LANE double with_sign(double p, std::uint32_t mask) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(p) | std::uint64_t{mask} << 32);
}

// kBody: of kBodies.
template <class Lane, class Real, int T, int W, int R, int kBody>
class Layers {
 public:
  static constexpr int kRows = W * R, kThreads = 32 * W;
  static constexpr unsigned kBytes = sizeof(Real);
  using Memory = Shared<Real, T, W, R>;
  static constexpr bool has(int axis) { return (kBody >> axis & 1) != 0; }
  static constexpr bool kOneAxis = serves_one_axis(kBody);

  TW_LANE Layers(Lane& l, const Args<Real>& args, const Tile& tile, Memory& shared, Pair<Real>* psi,
                 const Place<Real, R>& p)
      : lane_(l), a(args), s(shared), store(psi), slots(tile.slots), my(p) {
    in_memory = tile.store >= 0;
    z0 = tile.z0;
    z1 = tile.z1;
    lanes = tile.lane1 - tile.lane0;
    psi_rows = tile.row1 - tile.row0;
    const bool x_in = my.ix >= 0 && my.ix < int(a.m.layout.size[0]);
    const Slab& sx = a.m.axis[0].slab;
    const bool m0 = x_in && sx.holds(my.ix), m1 = x_in && sx.holds(my.ix + 1);
    x_sign[0] = m0 ? 0u : kSign;
    x_sign[1] = m1 ? 0u : kSign;
    x_member = m0 || m1;
    y_members = 0;
    TW_UNROLL
    for (int r = 0; r < R; ++r) {
      const bool member = a.m.axis[1].slab.holds(my.jy + r);
      if (member) y_members |= 1u << r;
      y_sign[r] = member ? 0u : kSign;
    }
    // Where this thread's first row of the first array of the first slot lies in the store.
    if constexpr (kOneAxis) {
      place[0] = place[1] = place[2] = l.thread();
    } else {
      const int y_from = 4 * slots * kRows * lanes, z_from = y_from + 4 * slots * psi_rows * 32;
      place[0] = my.warp * R * lanes + my.lane - tile.lane0;
      place[1] = y_from + (my.warp * R - tile.row0) * 32 + my.lane;
      place[2] = z_from + my.warp * R * 32 + my.lane;
    }
  }

  // Whether the next plane's psi has a slot of its own.
  TW_LANE bool spare() const { return kOneAxis || slots > T; }
  TW_LANE int next(int slot) const { return slot + 1 < slots ? slot + 1 : 0; }
  TW_LANE int back(int slot, int levels) const {
    return slot >= levels ? slot - levels : slot - levels + slots;
  }

  // Before the first fetch: psi of entries that are no members.
  TW_LANE void clear() {
    if constexpr (kOneAxis)
      for (int n = 0; n < 4 * slots * R; ++n) store[n * kThreads + my.warp * 32 + my.lane] = {0, 0};
  }

  // Starts fetching psi of plane k.
  TW_LANE void fetch(int k, int slot) {
    const bool plane_in = unsigned(k) < unsigned(a.m.layout.size[2]);
    if (!kOneAxis && !plane_in) return;
    if constexpr (has(0))
      if (kOneAxis || lanes > 0) fetch_axis<0>(k, slot, plane_in);
    if constexpr (has(1))
      if (kOneAxis || psi_rows > 0) fetch_axis<1>(k, slot, plane_in);
    if constexpr (has(2))
      if (s.z_member[k - z0 + T] != 0) fetch_axis<2>(k, slot, plane_in);
  }

  // Whether this warp has terms to add on a plane: where it has none, a phase without them serves.
  // m: plane from the tile's first one.
  TW_LANE bool active(int m) const {
    if constexpr (kBody == 0) return false;
    if constexpr (kBody == kNeedsY) return lane_.uniform(y_members != 0);
    if constexpr (kBody == kNeedsZ) return lane_.uniform(s.z_member[m] != 0);
    return true;
  }

  // kFirst: 0 for E, 2 for H. m: plane from the tile's first one; `live`: it is worked on at all.
  template <int kFirst>
  TW_LANE void gather(Terms<Real>& w, bool live, int slot, int r, int m) const {
    if constexpr (has(0)) gather_axis<0, kFirst>(w, live, slot, r, m);
    if constexpr (has(1)) gather_axis<1, kFirst>(w, live, slot, r, m);
    if constexpr (has(2)) gather_axis<2, kFirst>(w, live, slot, r, m);
  }

  // One term of a pair of entries: advances psi and adds it to (q even) or takes it from the curl.
  // d: the derivative along the axis; t: level; plane: the local plane; `live`: as above.
  template <int kAxis, int q>
  TW_LANE void apply(const Terms<Real>& w, bool live, int t, int plane, int slot, int r,
                     const Real (&d)[2], Real (&c)[2]) const {
    if constexpr (has(kAxis)) {
      if (!kOneAxis && !w.in[kAxis]) return;
      Pair<Real>* const here = psi_place<kAxis>(slot, q, r);
      Pair<Real> p = kOneAxis ? w.psi[kAxis][q % 2] : *here;
      p.x = psi_next(p.x, w.b[kAxis].x, w.a[kAxis].x, d[0]);
      p.y = psi_next(p.y, w.b[kAxis].y, w.a[kAxis].y, d[1]);
      if (t < T - 1) {
        if (live) *here = p;
      } else if (writes<kAxis>(r) && plane >= z0 && plane < z1) {
        *pair_at(a.to.psi[kAxis][q], psi_offset<kAxis>(plane, r)) = p;
      }
      // What is no member has psi of +0; to leave a curl of -0 as it is, add -0.
      if (q % 2 == 0) {
        if (kAxis == 0) p = {with_sign(p.x, x_sign[0]), with_sign(p.y, x_sign[1])};
        if (kAxis == 1 && kOneAxis && R > 1)
          p = {with_sign(p.x, y_sign[r]), with_sign(p.y, y_sign[r])};
        c[0] = c[0] + p.x;
        c[1] = c[1] + p.y;
      } else {
        c[0] = c[0] - p.x;
        c[1] = c[1] - p.y;
      }
    }
  }

 private:
  Lane& lane_;
  const Args<Real>& a;
  Memory& s;
  Pair<Real>* store;
  int slots;
  Place<Real, R> my;
  bool in_memory, x_member;
  int z0, z1;
  int lanes, psi_rows, place[3];
  static constexpr std::uint32_t kSign = 0x80000000u;
  std::uint32_t x_sign[2], y_sign[R];  // the sign bit where an entry or a row is no member
  unsigned y_members;                  // rows

  // Whether this thread's pair of a row holds a member of an axis' layers.
  template <int kAxis>
  TW_LANE bool member(int r, int m) const {
    if ((my.in >> r & 1) == 0) return false;
    if constexpr (kAxis == 0) return x_member;
    if constexpr (kAxis == 1) return (y_members >> r & 1) != 0;
    return s.z_member[m] != 0;
  }
  template <int kAxis>
  TW_LANE bool writes(int r) const {
    return (my.write >> r & 1) != 0 && (kAxis != 0 || x_member) &&
           (kAxis != 1 || (y_members >> r & 1) != 0);
  }

  template <int kAxis, int kFirst>
  TW_LANE void gather_axis(Terms<Real>& w, bool live, int slot, int r, int m) const {
    if constexpr (!kOneAxis) {
      w.in[kAxis] = live && member<kAxis>(r, m);
      if (!w.in[kAxis]) return;
    }
    w.a[kAxis] = weight<kAxis>(kFirst + 2, r, m);
    w.b[kAxis] = weight<kAxis>(kFirst + 3, r, m);
    if constexpr (kOneAxis) {
      w.psi[kAxis][0] = *psi_place<kAxis>(slot, kFirst, r);
      w.psi[kAxis][1] = *psi_place<kAxis>(slot, kFirst + 1, r);
    }
  }
  template <int kAxis>
  TW_LANE Pair<Real> weight(int i, int r, int m) const {
    if constexpr (kAxis == 0) return *reinterpret_cast<const Pair<Real>*>(&s.x[i][2 * my.lane]);
    const Real w = kAxis == 1 ? s.y[i][my.warp * R + r] : s.z[i][m];
    return Pair<Real>{w, w};
  }

  // This thread's place in the store: array q of an axis, row r.
  template <int kAxis>
  TW_LANE Pair<Real>* psi_place(int slot, int q, int r) const {
    if constexpr (kOneAxis)
      return store + (place[kAxis] + slot * (4 * R * kThreads)) + (q * R + r) * kThreads;
    const int n = slot * 4 + q;
    if constexpr (kAxis == 0) return store + (place[0] + (n * kRows + r) * lanes);
    if constexpr (kAxis == 1) return store + (place[1] + (n * psi_rows + r) * 32);
    return store + (place[2] + (n * kRows + r) * 32);
  }
  // Where this thread's pair of row r of plane q lies in the psi arrays of an axis, in bytes: less
  // than 2^32 (Marcher asks for it).
  template <int kAxis>
  TW_LANE unsigned psi_offset(int q, int r) const {
    return psi_offset<kAxis>(q, my.ix, my.jy + r, my.at[r]);
  }
  template <int kAxis>
  TW_LANE unsigned psi_offset(int q, int x, int y, unsigned in_plane) const {
    const Layout& l = a.m.layout;
    const Slab& slab = a.m.axis[kAxis].slab;
    const auto position = [&](int i) {
      const int low = int(slab.low_begin), width = int(slab.low_width);
      return unsigned(i < low + width ? i - low : i - int(slab.high_begin) + width);
    };
    const unsigned width = unsigned(slab.width());
    if constexpr (kAxis == 0)
      return (position(x) + width * unsigned(y)) * kBytes +
             width * unsigned(l.size[1]) * kBytes * unsigned(q);
    if constexpr (kAxis == 1)
      return (unsigned(x) + unsigned(l.row) * position(y)) * kBytes +
             unsigned(l.row) * width * kBytes * unsigned(q);
    return in_plane + unsigned(l.plane) * kBytes * position(q);
  }

  // Pieces of the warp's rows, into the places of all its threads.
  template <int kAxis>
  TW_LANE void fetch_pieces(int k, int slot, bool plane_in) {
    TW_UNROLL
    for (int n = 0; n < my.kPieces; ++n) {
      const int r = my.piece_row(n), x = my.piece_x(n), y = my.jy + r;
      bool stored = (my.piece_in >> n & 1) != 0;
      if (kAxis == 0) stored = stored && a.m.axis[0].slab.stores(x);
      if (kAxis == 1) stored = stored && a.m.axis[1].slab.holds(y);
      if (!stored) continue;
      const unsigned offset = plane_in ? psi_offset<kAxis>(k, x, y, my.piece_at[n]) : 0u;
      const int at = (place[kAxis] - my.lane + slot * (4 * R * kThreads) + r * kThreads) +
                     (x - my.ix + 2 * my.lane) / 2;
      TW_UNROLL
      for (int q = 0; q < 4; ++q)
        lane_.copy(reinterpret_cast<Piece<Real>*>(store + at + q * R * kThreads),
                   piece_at(static_cast<const Real*>(a.from.psi[kAxis][q]), offset), plane_in);
    }
  }
  template <int kAxis>
  TW_LANE void fetch_axis(int k, int slot, bool plane_in) {
    if constexpr (kOneAxis)
      fetch_pieces<kAxis>(k, slot, plane_in);
    else
      fetch_members<kAxis>(k, slot, plane_in);
  }
  // This thread's members.
  template <int kAxis>
  TW_LANE void fetch_members(int k, int slot, bool plane_in) {
    TW_UNROLL
    for (int r = 0; r < R; ++r) {
      if (!member<kAxis>(r, k - z0 + T)) continue;
      const unsigned offset = plane_in ? psi_offset<kAxis>(k, r) : 0u;
      TW_UNROLL
      for (int q = 0; q < 4; ++q) {
        Pair<Real>* to = psi_place<kAxis>(slot, q, r);
        const Pair<Real>* from = pair_at(static_cast<const Real*>(a.from.psi[kAxis][q]), offset);
        if ((kBody & kNeedsEvents) != 0 && in_memory)
          *to = *from;
        else
          lane_.copy(to, from, plane_in);
      }
    }
  }
};

}  // namespace terrawave::fdtd::march
