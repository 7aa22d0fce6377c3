// Loops inside a tile are found by walking. One that crosses tiles is a loop of rim cells, each
// leading to the cell that its flow enters the next tile by: the root finds these, the tiles
// measure their pieces.
#include "terrawave/solvers/terrain/tiled_loops.hpp"

#include <algorithm>
#include <array>

#include "terrawave/base/error.hpp"
#include "terrawave/solvers/terrain/terrain_routing.hpp"

namespace terrawave::terrain {
namespace {

using Named = std::array<Index, kNamedLoopCells>;

// The flow that enters a tile at a rim cell goes on at `next` in another tile.
struct Passage {
  Index cell = 0;
  Index next = 0;
};
// A passage that belongs to a loop, and its turn there.
struct LoopEntry {
  Index cell = 0;
  Index loop = 0;
  Index turn = 0;
};
// A loop, or what of it lies between an entry into a tile and the way out.
struct LoopPiece {
  Index loop = -1, turn = 0;  // -1: all of a loop
  Index length = 0;
  Index least = 0, before = 0;  // the smallest linear index, and the cells before it
  double height = 0;            // of the lowest cell
  Index lowest = 0;
  Named first{}, from_least{};  // cells from the begin, and from the smallest index
};

class LoopTile {
 public:
  LoopTile(const Tiling& tiling, Index tile, std::vector<Direction> direction)
      : tiling_(tiling), w_(tiling.window(tile)), direction_(std::move(direction)) {}

  std::vector<Direction>& direction() { return direction_; }
  Index global(Index i) const {
    return (w_.row + i / w_.cols) * tiling_.cols + w_.col + i % w_.cols;
  }
  Index position(Index cell) const {
    return (cell / tiling_.cols - w_.row) * w_.cols + cell % tiling_.cols - w_.col;
  }

  // Walks every cell once: loops() and passages() are known then.
  void walk() {
    exit_.assign(direction_.size(), kUnknown);
    std::vector<std::int32_t> way;
    for (Index start = 0; start < w_.size(); ++start) {
      way.clear();
      Index i = start;
      while (i >= 0 && exit_[std::size_t(i)] == kUnknown) {
        exit_[std::size_t(i)] = kOnTheWay;
        way.push_back(std::int32_t(i));
        i = next(i);
      }
      std::int32_t end = kEnds;
      if (i == kLeaves)
        end = way.back();
      else if (i >= 0 && exit_[std::size_t(i)] == kOnTheWay)
        loops_.push_back(i);
      else if (i >= 0)
        end = exit_[std::size_t(i)];
      for (const std::int32_t c : way) exit_[std::size_t(c)] = end;
    }
  }
  const std::vector<Index>& loops() const { return loops_; }  // one cell of each inside the tile
  std::vector<Passage> passages() const {
    std::vector<Passage> found;
    for (const Index i : rim_positions(w_))
      if (const std::int32_t out = exit_[std::size_t(i)]; out >= 0)
        found.push_back({global(i), target(out)});
    return found;
  }

  // From a cell round its loop, or to the way out of the tile.
  LoopPiece piece(Index start, const std::vector<double>& heights) const {
    LoopPiece p;
    p.least = p.lowest = global(start);
    p.height = height(heights, start);
    Index i = start;
    do {
      const Index cell = global(i);
      const double z = height(heights, i);
      if (cell < p.least) {
        p.least = cell;
        p.before = p.length;
      }
      if (z < p.height || (z == p.height && cell < p.lowest)) {
        p.height = z;
        p.lowest = cell;
      }
      if (p.length < kNamedLoopCells) p.first[std::size_t(p.length)] = cell;
      ++p.length;
      i = next(i);
    } while (i >= 0 && i != start);
    i = position(p.least);
    for (Index k = 0; k < std::min(kNamedLoopCells, p.length) && i >= 0; ++k) {
      p.from_least[std::size_t(k)] = global(i);
      i = next(i);
    }
    return p;
  }

 private:
  static constexpr Index kLeaves = -1, kStops = -2;
  static constexpr std::int32_t kEnds = -1, kUnknown = -2, kOnTheWay = -3;

  // The cell that a cell's flow goes to, kLeaves or kStops.
  Index next(Index i) const {
    const Direction d = direction_[std::size_t(i)];
    if (d >= kNeighbours) return kStops;
    const Index r = i / w_.cols + kRowStep[d];
    const Index c = i % w_.cols + kColStep[d];
    return r < 0 || r >= w_.rows || c < 0 || c >= w_.cols ? kLeaves : r * w_.cols + c;
  }
  Index target(Index i) const {
    const Direction d = direction_[std::size_t(i)];
    return tiling_.cell(w_.row + i / w_.cols + kRowStep[d], w_.col + i % w_.cols + kColStep[d]);
  }
  static double height(const std::vector<double>& heights, Index i) {
    return heights.empty() ? 0 : loop_height(heights[std::size_t(i)]);
  }

  const Tiling& tiling_;
  domain::Window w_;
  std::vector<Direction> direction_;
  std::vector<std::int32_t> exit_;
  std::vector<Index> loops_;
};

// Loops of passages; the entries to each tile, in replies by tile.
std::vector<comm::Bytes> find_crossing(const Tiling& tiling, std::vector<comm::Bytes>& all,
                                       Index& loops) {
  std::vector<Passage> passages = merge_bytes<Passage>(all);
  std::sort(passages.begin(), passages.end(),
            [](const Passage& a, const Passage& b) { return a.cell < b.cell; });
  const auto place = [&](Index cell) {
    const auto at =
        std::lower_bound(passages.begin(), passages.end(), cell,
                         [](const Passage& p, Index wanted) { return p.cell < wanted; });
    return at != passages.end() && at->cell == cell ? at - passages.begin() : std::ptrdiff_t{-1};
  };
  std::vector<std::vector<LoopEntry>> entries(std::size_t(tiling.tiles()));
  std::vector<std::int32_t> walk(passages.size(), 0);
  std::int32_t walks = 0;
  for (std::size_t start = 0; start < passages.size(); ++start) {
    if (walk[start] != 0) continue;
    ++walks;
    auto p = std::ptrdiff_t(start);
    while (p >= 0 && walk[std::size_t(p)] == 0) {
      walk[std::size_t(p)] = walks;
      p = place(passages[std::size_t(p)].next);
    }
    if (p < 0 || walk[std::size_t(p)] != walks) continue;
    auto q = p;
    for (Index turn = 0; turn == 0 || q != p; ++turn) {
      const Index cell = passages[std::size_t(q)].cell;
      entries[std::size_t(tiling.tile_of(cell))].push_back({cell, loops, turn});
      q = place(passages[std::size_t(q)].next);
    }
    ++loops;
  }
  std::vector<comm::Bytes> replies;
  for (const auto& list : entries) replies.push_back(to_bytes(list));
  return replies;
}

// Names the loop with the smallest index: its pieces in flow order.
void name_loop(const std::vector<LoopPiece>& pieces, LoopsFound& found) {
  std::size_t begin = 0;
  for (std::size_t k = 0; k < pieces.size(); ++k)
    if (pieces[k].least < pieces[begin].least) begin = k;
  for (const LoopPiece& p : pieces) found.length += p.length;
  const auto wanted = std::size_t(std::min(found.length, kNamedLoopCells));
  const auto add = [&](const Named& cells, Index count) {
    for (Index k = 0; k < std::min(count, kNamedLoopCells) && found.cells.size() < wanted; ++k)
      found.cells.push_back(cells[std::size_t(k)]);
  };
  add(pieces[begin].from_least, pieces[begin].length - pieces[begin].before);
  for (std::size_t k = 1; k < pieces.size(); ++k) {
    const LoopPiece& p = pieces[(begin + k) % pieces.size()];
    add(p.first, p.length);
  }
  add(pieces[begin].first, pieces[begin].before);
}

// Joins pieces into loops; tells each tile which of its cells are the lowest of a loop.
std::vector<comm::Bytes> join_pieces(const Tiling& tiling, std::vector<comm::Bytes>& all,
                                     LoopsFound& found) {
  std::vector<LoopPiece> pieces = merge_bytes<LoopPiece>(all);
  std::sort(pieces.begin(), pieces.end(), [](const LoopPiece& a, const LoopPiece& b) {
    return a.loop != b.loop ? a.loop < b.loop : a.turn < b.turn;
  });
  std::vector<std::vector<Index>> lowest(std::size_t(tiling.tiles()));
  std::vector<LoopPiece> least;
  const auto smallest = [](const std::vector<LoopPiece>& some) {
    return std::min_element(
               some.begin(), some.end(),
               [](const LoopPiece& a, const LoopPiece& b) { return a.least < b.least; })
        ->least;
  };
  for (std::size_t k = 0; k < pieces.size();) {
    std::vector<LoopPiece> loop = {pieces[k++]};
    if (loop[0].loop >= 0) {
      while (k < pieces.size() && pieces[k].loop == loop[0].loop) loop.push_back(pieces[k++]);
      const LoopPiece& low =
          *std::min_element(loop.begin(), loop.end(), [](const LoopPiece& a, const LoopPiece& b) {
            return a.height != b.height ? a.height < b.height : a.lowest < b.lowest;
          });
      lowest[std::size_t(tiling.tile_of(low.lowest))].push_back(low.lowest);
    }
    if (least.empty() || smallest(loop) < smallest(least)) least = std::move(loop);
  }
  if (!least.empty()) name_loop(least, found);
  std::vector<comm::Bytes> replies;
  for (const auto& list : lowest) replies.push_back(to_bytes(list));
  return replies;
}

// The tiles of this rank while their loops are settled.
class LoopTiles {
 public:
  LoopTiles(const Rings& rings, TileStore& store, const std::string& name, bool repair,
            const ReadHeights& heights)
      : rings_(rings),
        store_(store),
        name_(name),
        repair_(repair),
        heights_(heights),
        own_(rings.count()) {}

  // Finds (and repairs) the loops inside tiles; returns their number and the tiles' passages.
  Index settle_inside(std::vector<comm::Bytes>& passages) {
    Index loops = 0;
    for (std::size_t m = 0; m < rings_.count(); ++m) {
      LoopTile tile = read(m);
      tile.walk();
      passages.push_back(to_bytes(tile.passages()));
      loops += Index(tile.loops().size());
      if (tile.loops().empty()) continue;
      const std::vector<double> z = heights(m);
      for (const Index i : tile.loops()) {
        const LoopPiece p = tile.piece(i, z);
        if (own_[m].empty() || p.least < own_[m][0].least) own_[m] = {p};
        if (repair_) tile.direction()[std::size_t(tile.position(p.lowest))] = kRoot;
      }
      if (repair_) store_.put(rings_.tile(m), name_, tile.direction());
    }
    return loops;
  }
  // The pieces of a tile: of the loop inside it that is named first, and of loops that cross it.
  std::vector<LoopPiece> pieces(std::size_t m, const std::vector<LoopEntry>& entries) const {
    std::vector<LoopPiece> found = own_[m];
    if (entries.empty()) return found;
    const LoopTile tile = read(m);
    const std::vector<double> z = heights(m);
    for (const LoopEntry& entry : entries) {
      found.push_back(tile.piece(tile.position(entry.cell), z));
      found.back().loop = entry.loop;
      found.back().turn = entry.turn;
    }
    return found;
  }
  void make_roots(std::size_t m, const std::vector<Index>& cells) {
    if (!repair_ || cells.empty()) return;
    LoopTile tile = read(m);
    for (const Index cell : cells) tile.direction()[std::size_t(tile.position(cell))] = kRoot;
    store_.put(rings_.tile(m), name_, tile.direction());
  }

 private:
  LoopTile read(std::size_t m) const {
    return LoopTile(rings_.tiling(), rings_.tile(m), store_.get<Direction>(rings_.tile(m), name_));
  }
  std::vector<double> heights(std::size_t m) const {
    return repair_ && heights_ ? heights_(m) : std::vector<double>();
  }

  const Rings& rings_;
  TileStore& store_;
  const std::string& name_;
  bool repair_;
  const ReadHeights& heights_;
  std::vector<std::vector<LoopPiece>> own_;  // of loops inside tiles: the least
};

}  // namespace

LoopsFound settle_tiled_loops(const Rings& rings, TileStore& store, const std::string& name,
                              bool repair, const ReadHeights& heights) {
  comm::Comm& comm = rings.comm();
  const Tiling& tiling = rings.tiling();
  LoopTiles tiles(rings, store, name, repair, heights);
  LoopsFound found;
  std::vector<comm::Bytes> summaries;
  together(comm, [&] { found.loops = tiles.settle_inside(summaries); });
  Index crossing = 0;  // on the root
  const std::vector<comm::Bytes> entries =
      ask_root(comm, tiling, std::move(summaries),
               [&](auto& all) { return find_crossing(tiling, all, crossing); });
  found.loops = comm.sum(found.loops + crossing);
  if (found.loops == 0) return found;
  summaries.clear();
  together(comm, [&] {
    for (std::size_t m = 0; m < rings.count(); ++m)
      summaries.push_back(to_bytes(tiles.pieces(m, from_bytes<LoopEntry>(entries[m]))));
  });
  const std::vector<comm::Bytes> lowest =
      ask_root(comm, tiling, std::move(summaries),
               [&](auto& all) { return join_pieces(tiling, all, found); });
  together(comm, [&] {
    for (std::size_t m = 0; m < rings.count(); ++m)
      tiles.make_roots(m, from_bytes<Index>(lowest[m]));
  });
  comm::Bytes named = to_bytes(found.cells);
  comm.broadcast(named, 0);
  found.cells = from_bytes<Index>(named);
  found.length = comm.max(found.length);
  return found;
}

}  // namespace terrawave::terrain
