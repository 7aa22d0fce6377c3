// Loops inside a tile are found as in one piece. One that crosses tiles is a loop of rim cells,
// each leading to the cell that its flow enters the next tile by: the root finds these, the tiles
// measure their pieces.
#include "terrawave/solvers/terrain/tiled_loops.hpp"

#include <algorithm>

#include "terrawave/base/error.hpp"
#include "terrawave/solvers/terrain/loop_steps.hpp"
#include "terrawave/solvers/terrain/tiled_links.hpp"

namespace terrawave::terrain {
namespace {

using par::Buffer;
using steps::LoopPiece;

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
// A tile on the queue's device, with the directions inside it.
class LoopTile {
 public:
  // `z`: heights, or empty.
  LoopTile(const par::Queue& queue, const Tiling& tiling, Index tile,
           std::vector<Direction> direction, const std::vector<double>& z)
      : queue_(queue),
        tiling_(tiling),
        tile_(tile),
        w_(tiling.window(tile)),
        direction_(std::move(direction)),
        z_(queue, z),
        next_(queue, w_.size()) {
    Grid grid;
    grid.rows = w_.rows;
    grid.cols = w_.cols;
    const Buffer<Direction> on_device(queue, direction_);
    par::dispatch(queue, [&](const auto& exec) {
      steps::follow_directions(exec, view_of(grid, {}), on_device.cview(), {}, next_.view());
      loops_ = steps::find_loops(exec, next_.cview(), z_.cview());
      lowest_ = steps::lowest_cells(exec, loops_).download();
    });
  }

  // The lowest cell of each loop inside the tile.
  const std::vector<std::int32_t>& lowest() const { return lowest_; }
  // The loop inside the tile of the smallest cell, if any.
  std::vector<LoopPiece> first_loop() const {
    if (lowest_.empty()) return {};
    return measured({loops_.cell.at(0)}, {LoopPiece{}});
  }
  std::vector<LoopPiece> pieces(const std::vector<LoopEntry>& entries) const {
    std::vector<std::int32_t> starts;
    std::vector<LoopPiece> pieces;
    for (const LoopEntry& entry : entries) {
      starts.push_back(position(entry.cell));
      pieces.emplace_back();
      pieces.back().loop = entry.loop;
      pieces.back().turn = entry.turn;
    }
    return measured(starts, pieces);
  }
  // Where the flow of each rim cell goes on in another tile.
  std::vector<Passage> passages() const {
    std::vector<Direction> ends = direction_;
    for (const std::int32_t i : loops_.cell.download()) ends[std::size_t(i)] = kRoot;
    const TileFlow flow = follow_inside(queue_, tiling_, tile_, Connectivity::d8, ends);
    std::vector<Passage> found;
    for (const Index i : rim_positions(w_)) {
      const std::int32_t root = flow.root[std::size_t(i)];
      if (root < 0) continue;
      if (const Index next = target_of(tiling_, w_, ends, root); next >= 0)
        found.push_back({(w_.row + i / w_.cols) * tiling_.cols + w_.col + i % w_.cols, next});
    }
    return found;
  }
  // The directions with these cells as roots.
  std::vector<Direction> with_roots(const std::vector<std::int32_t>& cells) && {
    for (const std::int32_t i : cells) direction_[std::size_t(i)] = kRoot;
    return std::move(direction_);
  }

 private:
  std::int32_t position(Index cell) const {
    return std::int32_t((cell / tiling_.cols - w_.row) * w_.cols + cell % tiling_.cols - w_.col);
  }
  std::vector<LoopPiece> measured(const std::vector<std::int32_t>& starts,
                                  const std::vector<LoopPiece>& pieces) const {
    const Buffer<std::int32_t> from(queue_, starts);
    Buffer<LoopPiece> out(queue_, pieces);
    par::dispatch(queue_, [&](const auto& exec) {
      steps::measure_pieces(exec, {w_.row, w_.col, w_.cols, tiling_.cols}, next_.cview(),
                            z_.cview(), from.cview(), out.view());
    });
    return out.download();
  }

  par::Queue queue_;
  const Tiling& tiling_;
  Index tile_;
  domain::Window w_;
  std::vector<Direction> direction_;
  Buffer<double> z_;
  Buffer<std::int32_t> next_;
  steps::Loops loops_;
  std::vector<std::int32_t> lowest_;
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
  const auto add = [&](const Index* cells, Index count) {
    for (Index k = 0; k < std::min(count, kNamedLoopCells) && found.cells.size() < wanted; ++k)
      found.cells.push_back(cells[k]);
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
  LoopTiles(const par::Queue& queue, const Rings& rings, TileStore& store, const std::string& name,
            bool repair, const ReadHeights& heights)
      : queue_(queue),
        rings_(rings),
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
      passages.push_back(to_bytes(tile.passages()));
      own_[m] = tile.first_loop();
      const std::vector<std::int32_t> lowest = tile.lowest();
      loops += Index(lowest.size());
      if (repair_ && !lowest.empty())
        store_.put(rings_.tile(m), name_, std::move(tile).with_roots(lowest));
    }
    return loops;
  }
  // The pieces of a tile: of the loop inside it that is named first, and of loops that cross it.
  std::vector<LoopPiece> pieces(std::size_t m, const std::vector<LoopEntry>& entries) const {
    std::vector<LoopPiece> found = own_[m];
    if (entries.empty()) return found;
    for (const LoopPiece& piece : read(m).pieces(entries)) found.push_back(piece);
    return found;
  }
  // Of linear indices of the map.
  void make_roots(std::size_t m, const std::vector<Index>& cells) {
    if (!repair_ || cells.empty()) return;
    const domain::Window w = rings_.tiling().window(rings_.tile(m));
    const Index cols = rings_.tiling().cols;
    store_.edit<Direction>(rings_.tile(m), name_, [&](std::span<Direction> direction) {
      for (const Index cell : cells)
        direction[std::size_t((cell / cols - w.row) * w.cols + cell % cols - w.col)] = kRoot;
    });
  }

 private:
  LoopTile read(std::size_t m) const {
    return {queue_, rings_.tiling(), rings_.tile(m), store_.get<Direction>(rings_.tile(m), name_),
            repair_ && heights_ ? heights_(m) : std::vector<double>()};
  }

  par::Queue queue_;
  const Rings& rings_;
  TileStore& store_;
  const std::string& name_;
  bool repair_;
  const ReadHeights& heights_;
  std::vector<std::vector<LoopPiece>> own_;  // of loops inside tiles: the least
};

}  // namespace

LoopsFound settle_tiled_loops(const par::Queue& queue, const Rings& rings, TileStore& store,
                              const std::string& name, bool repair, const ReadHeights& heights) {
  comm::Comm& comm = rings.comm();
  const Tiling& tiling = rings.tiling();
  LoopTiles tiles(queue, rings, store, name, repair, heights);
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
