// The convolution layers of a tile of the marching kernel.
//
// psi of a plane stays in the tile's store while the plane passes the levels: each level advances
// it in place, the last one writes it out. Asynchronous copies bring it into places of the same
// warp; apart from them, every place is read and written by one thread only.
//
// Most tiles meet the layers of one axis. Their bodies read psi at the start of a phase and have no
// branch inside it: what is no member has weights of zero. Where axes meet, the terms of an axis
// follow those of another, each behind one branch, and read psi there: registers are short.
#pragma once

#include <bit>

#include "terrawave/solvers/fdtd/cuda/march_args.hpp"

#if defined(__CUDACC__)
#define TW_LANE __device__ __forceinline__
#define TW_LAMBDA __attribute__((always_inline))
#define TW_UNROLL _Pragma("unroll")
#define TW_UNROLL_NOT _Pragma("unroll 1")
#else
#define TW_LANE inline
#define TW_LAMBDA
#define TW_UNROLL
#define TW_UNROLL_NOT
#endif

namespace terrawave::fdtd::march {

template <class Real, int T, int W, int R>
struct alignas(16) Shared {
  Tile tile;
  static constexpr int kRows = W * R;
  static constexpr int kPlanes = kMostPlanes + 2 * T + 2;
  Pair<Real> e[T][2][W][32];                   // Ex, Ez of the first row of each warp
  Pair<Real> h[2][2][W][32];                   // Hx, Hz of the last row of each warp
  alignas(16) Pair<Real> stage[6][kRows][32];  // the next plane
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

// What the layers of one axis do in one phase (E or H): psi of both terms and the weights a and b,
// by row.
template <class Real, int R>
struct Terms {
  Pair<Real> psi[R][2], a[R], b[R];
};

// kBody: of kBodies.
template <class Lane, class Real, int T, int W, int R, int kBody>
class Layers {
 public:
  static constexpr int kRows = W * R;
  static constexpr unsigned kBytes = sizeof(Real);
  using Memory = Shared<Real, T, W, R>;
  static constexpr bool has(int axis) { return (kBody >> axis & 1) != 0; }
  static constexpr bool kOneAxis = serves_one_axis(kBody);
  static constexpr int kAxis0 = kBody == kNeedsX ? 0 : (kBody == kNeedsY ? 1 : 2);  // of one

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
    const int x_pairs = has(0) ? 4 * slots * kRows * width() : 0;
    const int y_pairs = has(1) ? 4 * slots * psi_rows * 32 : 0;
    const int z_pairs = has(2) ? 4 * slots * kRows * 32 : 0;
    place[0] = my.warp * R * width() + my.lane - (kOneAxis ? 0 : tile.lane0);
    place[1] = x_pairs + (my.warp * R - tile.row0) * 32 + my.lane;
    place[2] = x_pairs + y_pairs + my.warp * R * 32 + my.lane;
    pairs = x_pairs + y_pairs + z_pairs;
  }

  // Whether the next plane's psi has a slot of its own.
  TW_LANE bool spare() const { return kOneAxis || slots > T; }
  TW_LANE int next(int slot) const { return slot + 1 < slots ? slot + 1 : 0; }
  TW_LANE int back(int slot, int levels) const {
    return slot >= levels ? slot - levels : slot - levels + slots;
  }

  // Before the first fetch, and a barrier: psi of what is no member is and stays +0.
  TW_LANE void clear() {
    for (int n = lane_.thread(); n < pairs; n += 32 * W) store[n] = {0, 0};
  }

  // Starts fetching psi of plane k.
  TW_LANE void fetch(int k, int slot) {
    const bool plane_in = unsigned(k) < unsigned(a.m.layout.size[2]);
    if (!kOneAxis && !plane_in) return;
    if constexpr (has(0)) fetch_pieces<0>(k, slot, plane_in);
    if constexpr (has(1)) fetch_pieces<1>(k, slot, plane_in);
    if constexpr (has(2))
      if (s.z_member[k - z0 + T] != 0) fetch_pieces<2>(k, slot, plane_in);
  }

  // Whether this warp has terms to add on a plane: where it has none, a phase without them serves.
  // m: plane from the tile's first one.
  TW_LANE bool active(int m) const {
    if constexpr (kBody == 0) return false;
    if constexpr (kBody == kNeedsY) return lane_.uniform(y_members != 0);
    if constexpr (kBody == kNeedsZ) return lane_.uniform(s.z_member[m] != 0);
    return true;
  }

  // A body of one axis reads psi at the start of a phase. kFirst: 0 for E, 2 for H.
  template <int kFirst>
  TW_LANE void read(Terms<Real, R>& w, int m, int slot) const {
    if constexpr (kOneAxis) read_axis<kAxis0, kFirst, kFirst + 1>(w, m, slot);
  }
  // The layers' terms of a plane: advances psi and adds it to the curls c[row][component][entry],
  // or takes it from them; every component gets its plus term before its minus term. t: level;
  // `live`: the plane is worked on at all; d(axis, component, row, entry): the derivative along
  // `axis` in the curl of `component`. Of one axis, row by row:
  template <int kFirst, class Derivative>
  TW_LANE void add_row(int r, Terms<Real, R>& w, bool live, int t, int m, int slot,
                       const Derivative& d, Real (&c)[R][3][2]) const {
    if constexpr (kOneAxis) add_axis<kAxis0, kFirst, kFirst + 1>(r, w, live, t, m, slot, d, c);
  }
  // Of several axes, axis by axis:
  template <int kFirst, class Derivative>
  TW_LANE void add(bool live, int t, int m, int slot, const Derivative& d,
                   Real (&c)[R][3][2]) const {
    if (!live || unsigned(z0 - T + m) >= unsigned(a.m.layout.size[2])) return;
    if constexpr (kFirst == 0) {
      read_and_add<1, 0, 0>(t, m, slot, d, c);
      read_and_add<2, 0, 1>(t, m, slot, d, c);
      read_and_add<0, 0, 1>(t, m, slot, d, c);
      read_and_add<1, 1, 1>(t, m, slot, d, c);
    } else {
      read_and_add<2, 2, 2>(t, m, slot, d, c);
      read_and_add<1, 2, 3>(t, m, slot, d, c);
      read_and_add<0, 2, 3>(t, m, slot, d, c);
      read_and_add<2, 3, 3>(t, m, slot, d, c);
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
  int lanes, psi_rows, pairs, place[3];
  static constexpr std::uint32_t kSign = 0x80000000u;
  std::uint32_t x_sign[2], y_sign[R];  // the sign bit where an entry or a row is no member
  unsigned y_members;                  // rows

  // Terms kLow to kHigh of an axis, where a warp has any; along x, where a thread has any.
  template <int kAxis, int kLow, int kHigh, class Derivative>
  TW_LANE void read_and_add(int t, int m, int slot, const Derivative& d, Real (&c)[R][3][2]) const {
    if constexpr (has(kAxis)) {
      if (kAxis == 0 && !x_member) return;
      if (kAxis == 1 && !lane_.uniform(y_members != 0)) return;
      if (kAxis == 2 && !lane_.uniform(s.z_member[m] != 0)) return;
      Terms<Real, R> w;
      read_axis<kAxis, kLow, kHigh>(w, m, slot);
      TW_UNROLL
      for (int r = 0; r < R; ++r) add_axis<kAxis, kLow, kHigh>(r, w, true, t, m, slot, d, c);
    }
  }

  // All psi of a phase are read before any is stored: the compiler cannot tell places apart, and
  // would wait for each store before the next load.
  template <int kAxis, int kLow, int kHigh>
  TW_LANE void read_axis(Terms<Real, R>& w, int m, int slot) const {
    constexpr int kFirst = kLow / 2 * 2;
    TW_UNROLL
    for (int r = 0; r < R; ++r) {
      w.a[r] = weight<kAxis>(kFirst + 2, r, m);
      w.b[r] = weight<kAxis>(kFirst + 3, r, m);
      TW_UNROLL
      for (int q = kLow; q <= kHigh; ++q) w.psi[r][q % 2] = *psi_place<kAxis>(slot, q, r);
    }
  }

  template <int kAxis, int kLow, int kHigh, class Derivative>
  TW_LANE void add_axis(int r, Terms<Real, R>& w, bool live, int t, int m, int slot,
                        const Derivative& d, Real (&c)[R][3][2]) const {
    TW_UNROLL
    for (int q = kLow; q <= kHigh; ++q) {
      // Of E, q = 0 is the plus term of component axis + 2; of H, q = 2 that of axis + 1.
      const int f = (kAxis + ((q % 2 == 0) == (kLow >= 2) ? 1 : 2)) % 3;
      Pair<Real>& psi = w.psi[r][q % 2];
      psi.x = psi_next(psi.x, w.b[r].x, w.a[r].x, d(kAxis, f, r, 0));
      psi.y = psi_next(psi.y, w.b[r].y, w.a[r].y, d(kAxis, f, r, 1));
      if (t < T - 1 && live && (kAxis != 0 || x_member)) *psi_place<kAxis>(slot, q, r) = psi;
      if (q % 2 == 0) {
        c[r][f][0] = c[r][f][0] + signed_zero<kAxis>(psi.x, r, 0);
        c[r][f][1] = c[r][f][1] + signed_zero<kAxis>(psi.y, r, 1);
      } else {
        c[r][f][0] = c[r][f][0] - psi.x;
        c[r][f][1] = c[r][f][1] - psi.y;
      }
    }
    const int plane = z0 - T + m;
    if (t < T - 1 || plane < z0 || plane >= z1 || (my.write >> r & 1) == 0 ||
        (kAxis == 0 && !x_member) || (kAxis == 1 && (y_members >> r & 1) == 0))
      return;
    const unsigned at = psi_offset<kAxis>(plane, my.ix, my.jy + r, my.at[r]);
    TW_UNROLL
    for (int q = kLow; q <= kHigh; ++q) *pair_at(a.to.psi[kAxis][q], at) = w.psi[r][q % 2];
  }
  // What is no member has psi of +0; to leave a curl of -0 as it is, add -0.
  template <int kAxis>
  TW_LANE Real signed_zero(Real psi, int r, int i) const {
    if (kAxis == 0) return with_sign(psi, x_sign[i]);
    if (kAxis == 1 && R > 1) return with_sign(psi, y_sign[r]);
    return psi;
  }

  template <int kAxis>
  TW_LANE Pair<Real> weight(int i, int r, int m) const {
    if constexpr (kAxis == 0) return *reinterpret_cast<const Pair<Real>*>(&s.x[i][2 * my.lane]);
    const Real w = kAxis == 1 ? s.y[i][my.warp * R + r] : s.z[i][m];
    return Pair<Real>{w, w};
  }

  // Lanes that have places: all in a body of one axis.
  TW_LANE int width() const { return kOneAxis ? 32 : lanes; }

  // This thread's place in the store: array q of an axis, row r of its warp.
  template <int kAxis>
  TW_LANE Pair<Real>* psi_place(int slot, int q, int r) const {
    const int n = slot * 4 + q;
    if constexpr (kAxis == 0) return store + (place[0] + (n * kRows + r) * width());
    if constexpr (kAxis == 1) return store + (place[1] + (n * psi_rows + r) * 32);
    return store + (place[2] + (n * kRows + r) * 32);
  }
  // Where entry (x, y) of plane q lies in the psi arrays of an axis, in bytes: less than 2^32
  // (Marcher asks for it). in_plane: its offset in a plane.
  template <int kAxis>
  TW_LANE unsigned psi_offset(int q, int x, int y, unsigned in_plane) const {
    const Layout& l = a.m.layout;
    const Slab& slab = a.m.axis[kAxis].slab;
    const auto position = [&](int i) TW_LAMBDA {
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
      const int lane = (x - my.ix) / 2;  // from this thread's own
      bool stored = (my.piece_in >> n & 1) != 0;
      if (kAxis == 0) {
        const int from = place[0] - my.warp * R * width() + lane;
        stored = stored && from >= 0 && from < width() && a.m.axis[0].slab.stores(x);
      }
      if (kAxis == 1) stored = stored && a.m.axis[1].slab.holds(y);
      if (!stored) continue;
      const unsigned offset = plane_in ? psi_offset<kAxis>(k, x, y, my.piece_at[n]) : 0u;
      TW_UNROLL
      for (int q = 0; q < 4; ++q) {
        auto* const to = reinterpret_cast<Piece<Real>*>(psi_place<kAxis>(slot, q, r) + lane);
        const auto* const from = piece_at(static_cast<const Real*>(a.from.psi[kAxis][q]), offset);
        if ((kBody & kNeedsEvents) != 0 && in_memory)
          *to = *from;
        else
          lane_.copy(to, from, plane_in);
      }
    }
  }
};

}  // namespace terrawave::fdtd::march
