// The same results over tiles in another way: turned, and in other tiles.
#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "terrawave/solvers/terrain/tiled_products.hpp"

namespace terrawave::terrain {
namespace {

// SplitMix64 (Steele, Lea, Flood 2014).
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// A sum over (cell, value), the same for any order and any tiles. Rasters that differ in any byte
// have the same one by chance only, one time in 2^64.
class Digest {
 public:
  template <class V>
  void add(Index cell, const V& value) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    sum_ += mixed(mixed(std::uint64_t(cell)) ^ bits);
  }
  // All ranks together.
  std::uint64_t total(comm::Comm& comm) const {
    const std::int64_t low = comm.sum(std::int64_t(sum_ & 0xffffffffu));
    const std::int64_t high = comm.sum(std::int64_t(sum_ >> 32));
    return (std::uint64_t(high) << 32) + std::uint64_t(low);
  }

 private:
  std::uint64_t sum_ = 0;
};

template <class V>
std::uint64_t digest(TiledSession& session, const char* what) {
  Digest sum;
  for_tiles(session, [&](std::size_t, Index tile) {
    const domain::Window w = session.tiling().window(tile);
    const auto values = session.store().get<V>(tile, what);
    for (Index i = 0; i < w.size(); ++i)
      sum.add((w.row + i / w.cols) * session.tiling().cols + w.col + i % w.cols,
              values[std::size_t(i)]);
  });
  return sum.total(session.comm());
}

// Smaller tiles, so that they need no more memory; of one tile nine.
Tiling other_tiling(const Tiling& tiling) {
  Tiling other = tiling;
  const bool one = tiling.tiles() == 1;
  const auto shorter = [&](Index side) {
    return std::max<Index>(1, one ? (side + 2) / 3 : side - side / 4);
  };
  other.tile_rows = shorter(tiling.tile_rows);
  other.tile_cols = shorter(tiling.tile_cols);
  return other;
}

template <class T>
Check turned_fill(TiledSession& session) {
  session.fill();
  const Tiling straight = other_tiling(session.tiling());
  const Tiling turned = {straight.cols, straight.rows, straight.tile_cols, straight.tile_rows};
  BlockReader reader = BlockReader::turned(session.reader(), turned);
  Digest sum;
  tiled_fill<T>(session.comm(), session.queue(), reader,
                [&](Index tile, const std::vector<T>& part) {
                  const domain::Window w = turned.window(tile);
                  for (Index i = 0; i < w.size(); ++i)
                    sum.add((turned.cols - 1 - w.col - i % w.cols) * turned.rows + turned.rows - 1 -
                                w.row - i / w.cols,
                            part[std::size_t(i)]);
                });
  const bool same = sum.total(session.comm()) == digest<T>(session, "filled");
  return {"fill: the same on the raster turned over its diagonal", same,
          same ? "all cells" : "cells differ"};
}

// Compares what both sessions hold under a name.
template <class V>
Check same_in(TiledSession& session, TiledSession& other, const char* what,
              const std::string& name) {
  const bool same = digest<V>(session, what) == digest<V>(other, what);
  return {name + ": the same in tiles", same,
          same ? fmt::format("{} tiles", other.tiling().tiles()) : "cells differ"};
}

void compare_sums(TiledSession& session, TiledSession& other, std::vector<Check>& checks) {
  session.accumulate();
  other.accumulate();
  checks.push_back(session.integers()
                       ? same_in<std::int64_t>(session, other, "accumulation", "accumulation")
                       : same_in<double>(session, other, "accumulation", "accumulation"));
  if (!session.options().single_receiver()) return;
  session.label();
  other.label();
  checks.push_back(same_in<Index>(session, other, "basins", "basins"));
}

void compare_in_tiles(TiledSession& session, std::vector<Check>& checks) {
  TiledSession other(session.comm(), session.queue(), session.reader().source(), session.options(),
                     other_tiling(session.tiling()), session.store().inside("again"), {});
  session.fill();
  other.fill();
  with_height_type(session.info(), [&]<class T>(T) {
    checks.push_back(same_in<T>(session, other, "filled", "fill"));
  });
  session.route();
  other.route();
  checks.push_back(same_in<Direction>(session, other, "directions", "directions"));
  compare_sums(session, other, checks);
}

}  // namespace

std::vector<Check> verify_tiled_again(TiledSession& session) {
  std::vector<Check> checks;
  if (!session.has_heights() || session.valid() == 0) return checks;
  if (session.options().depressions)
    with_height_type(session.info(),
                     [&]<class T>(T) { checks.push_back(turned_fill<T>(session)); });
  compare_in_tiles(session, checks);
  return checks;
}

std::vector<Check> verify_tiled_again(TiledSession& session, const DirectionSource& from) {
  std::vector<Check> checks;
  if (session.valid() == 0) return checks;
  TiledSession other(session.comm(), session.queue(), session.reader().source(), from,
                     session.options(), other_tiling(session.tiling()),
                     session.store().inside("again"), {});
  if (!from.shares())
    checks.push_back(same_in<Direction>(session, other, "directions", "directions"));
  compare_sums(session, other, checks);
  return checks;
}

}  // namespace terrawave::terrain
