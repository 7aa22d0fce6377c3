#include "terrawave/solvers/terrain/loop_steps.hpp"

#include "terrawave/par/algorithms.hpp"
#include "terrawave/par/launch.hpp"

namespace terrawave::terrain::steps {
namespace {

using par::Buffer;
using par::Range1;
using par::View;

struct FollowDirections {
  GridView grid;
  View<const Direction> direction;
  View<const Link> by_root;
  View<std::int32_t> next;
  TW_FUNCTION void operator()(Index c) const {
    const Direction d = direction[c];
    Index to = -1;
    if (d < kNeighbours) {
      to = grid.neighbour(c, d);
    } else if (d != kNoDirection && by_root.size > 0) {
      const Index at = partition_point(by_root.size, [&](Index i) { return by_root[i].root < c; });
      if (at < by_root.size && by_root[at].root == c) to = by_root[at].target;
    }
    next[c] = std::int32_t(to);
  }
};
struct FollowDonors {
  GridView grid;
  View<const double> fractions;
  View<const std::uint8_t> left;
  View<std::int32_t> next;
  TW_FUNCTION void operator()(Index c) const {
    Index to = -1;
    for (int k = 0; k < kNeighbours && left[c] != 0 && to < 0; ++k) {
      const Index d = grid.neighbour(c, k);
      if (d >= 0 && left[d] != 0 && fractions[opposite(k) * left.size + d] > 0) to = d;
    }
    next[c] = std::int32_t(to);
  }
};

// Takes away what leads into loops or ends, from the cells that nothing leads to: the cells of
// loops wait for ever.
constexpr std::int32_t kSource = -1;
struct CountLeaders {
  View<const std::int32_t> next;
  View<std::int32_t> waiting;
  TW_FUNCTION void operator()(Index c) const {
    if (next[c] >= 0) atomics::add(&waiting[next[c]], 1);
  }
};
struct MarkSources {
  View<std::int32_t> waiting;
  TW_FUNCTION void operator()(Index c) const {
    if (waiting[c] == 0) waiting[c] = kSource;
  }
};
struct TakeAway {
  View<const std::int32_t> next;
  View<std::int32_t> waiting;
  TW_FUNCTION void operator()(Index source) const {
    if (atomics::load(&waiting[source]) != kSource) return;
    for (Index c = next[source]; c >= 0; c = next[c])
      if (atomics::add(&waiting[c], -1) != 1) return;
  }
};
struct FlagWaiting {
  View<const std::int32_t> waiting;
  View<std::uint8_t> flags;
  TW_FUNCTION std::int64_t operator()(Index c) const {
    flags[c] = waiting[c] > 0 ? 1 : 0;
    return flags[c];
  }
};
struct Place {
  View<const std::int32_t> cell;
  View<std::int32_t> place;
  TW_FUNCTION void operator()(Index i) const { place[cell[i]] = std::int32_t(i); }
};
struct Begin {
  View<const std::int32_t> cell, next_cell, place;
  View<std::int32_t> next, ahead, least, lowest;
  TW_FUNCTION void operator()(Index i) const {
    next[i] = ahead[i] = place[next_cell[cell[i]]];
    least[i] = lowest[i] = cell[i];
  }
};

// Each cell knows what is best of twice as many cells as before.
template <class T>
struct LookAhead {
  View<const T> z;
  View<const std::int32_t> ahead, least, lowest;
  View<std::int32_t> further, least_there, lowest_there;
  TW_FUNCTION bool lower(std::int32_t a, std::int32_t b) const {
    if (z.size == 0) return a < b;
    const double za = loop_height(double(z[a]));
    const double zb = loop_height(double(z[b]));
    return za < zb || (za == zb && a < b);
  }
  TW_FUNCTION void operator()(Index i) const {
    const std::int32_t a = ahead[i];
    further[i] = ahead[a];
    least_there[i] = least[a] < least[i] ? least[a] : least[i];
    lowest_there[i] = lower(lowest[a], lowest[i]) ? lowest[a] : lowest[i];
  }
};

struct FlagLeast {
  View<const std::int32_t> cell, least;
  View<std::uint8_t> flags;
  TW_FUNCTION std::int64_t operator()(Index i) const {
    flags[i] = cell[i] == least[i] ? 1 : 0;
    return flags[i];
  }
};
struct Gather {
  View<const std::int32_t> places, values;
  View<std::int32_t> out;
  TW_FUNCTION void operator()(Index i) const { out[i] = values[places[i]]; }
};

struct MakeRoots {
  View<const std::int32_t> cells;
  View<Direction> direction;
  TW_FUNCTION void operator()(Index i) const { direction[cells[i]] = kRoot; }
};
struct EmptyShares {
  View<const std::int32_t> cells;
  View<double> fractions;
  TW_FUNCTION void operator()(Index i) const {
    for (Index k = 0; k < kNeighbours; ++k)
      fractions[k * (fractions.size / kNeighbours) + cells[i]] = 0;
  }
};

struct MeasurePieces {
  TileOrigin tile;
  View<const std::int32_t> next;
  View<const double> z;
  View<const std::int32_t> starts;
  View<LoopPiece> pieces;

  TW_FUNCTION Index global(std::int32_t i) const {
    const Index row = row_of(i, tile.width);
    return (tile.row + row) * tile.cols + tile.col + i - row * tile.width;
  }
  TW_FUNCTION double height(std::int32_t i) const { return z.size == 0 ? 0 : loop_height(z[i]); }
  TW_FUNCTION void operator()(Index at) const {
    LoopPiece p = pieces[at];
    const std::int32_t start = starts[at];
    p.length = 0;
    p.least = p.lowest = global(start);
    p.height = height(start);
    std::int32_t least = start;
    for (std::int32_t i = start; i >= 0 && (p.length == 0 || i != start); i = next[i]) {
      const Index cell = global(i);
      const double h = height(i);
      if (cell < p.least) {
        p.least = cell;
        p.before = p.length;
        least = i;
      }
      if (h < p.height || (h == p.height && cell < p.lowest)) {
        p.height = h;
        p.lowest = cell;
      }
      if (p.length < kNamedPieceCells) p.first[p.length] = cell;
      ++p.length;
    }
    for (Index k = 0; k < kNamedPieceCells && k < p.length && least >= 0; ++k) {
      p.from_least[k] = global(least);
      least = next[least];
    }
    pieces[at] = p;
  }
};

}  // namespace

template <class Exec>
void follow_directions(const Exec& exec, const GridView& grid, View<const Direction> direction,
                       View<const Link> by_root, View<std::int32_t> next) {
  par::for_each(exec, Range1{0, next.size}, FollowDirections{grid, direction, by_root, next});
}

template <class Exec>
void follow_donors(const Exec& exec, const GridView& grid, View<const double> fractions,
                   View<const std::uint8_t> left, View<std::int32_t> next) {
  par::for_each(exec, Range1{0, next.size}, FollowDonors{grid, fractions, left, next});
}

template <class Exec, class T>
Loops find_loops(const Exec& exec, View<const std::int32_t> next, View<const T> z) {
  const par::Queue& queue = exec.queue;
  const Range1 all{0, next.size};
  Buffer<std::int32_t> waiting(queue, next.size);
  waiting.fill_bytes(0);
  par::for_each(exec, all, CountLeaders{next, waiting.view()});
  par::for_each(exec, all, MarkSources{waiting.view()});
  par::for_each(exec, all, TakeAway{next, waiting.view()});
  Buffer<std::uint8_t> flags(queue, next.size);
  const Index n = par::reduce_sum(exec, next.size, FlagWaiting{waiting.cview(), flags.view()});
  Loops loops;
  if (n == 0) return loops;
  for (Buffer<std::int32_t>* part : {&loops.cell, &loops.next, &loops.least, &loops.lowest})
    *part = Buffer<std::int32_t>(queue, n);
  par::select_flagged(exec, flags.cview(), loops.cell.view());
  Buffer<std::int32_t> ahead(queue, n), further(queue, n), least(queue, n), lowest(queue, n);
  const Range1 on_loops{0, n};
  par::for_each(exec, on_loops, Place{loops.cell.cview(), waiting.view()});
  par::for_each(exec, on_loops,
                Begin{loops.cell.cview(), next, waiting.cview(), loops.next.view(), ahead.view(),
                      loops.least.view(), loops.lowest.view()});
  for (Index seen = 1; seen < n; seen *= 2) {
    par::for_each(exec, on_loops,
                  LookAhead<T>{z, ahead.cview(), loops.least.cview(), loops.lowest.cview(),
                               further.view(), least.view(), lowest.view()});
    ahead.swap(further);
    loops.least.swap(least);
    loops.lowest.swap(lowest);
  }
  queue.synchronize();
  return loops;
}

template <class Exec>
Buffer<std::int32_t> lowest_cells(const Exec& exec, const Loops& loops) {
  const Index n = loops.cell.size();
  if (n == 0) return {};
  Buffer<std::uint8_t> flags(exec.queue, n);
  const Index count =
      par::reduce_sum(exec, n, FlagLeast{loops.cell.cview(), loops.least.cview(), flags.view()});
  Buffer<std::int32_t> places(exec.queue, count), lowest(exec.queue, count);
  par::select_flagged(exec, flags.cview(), places.view());
  par::for_each(exec, Range1{0, count},
                Gather{places.cview(), loops.lowest.cview(), lowest.view()});
  exec.queue.synchronize();
  return lowest;
}

template <class Exec>
void make_roots(const Exec& exec, View<const std::int32_t> cells, View<Direction> direction) {
  par::for_each(exec, Range1{0, cells.size}, MakeRoots{cells, direction});
}

template <class Exec>
void empty_shares(const Exec& exec, View<const std::int32_t> cells, View<double> fractions) {
  par::for_each(exec, Range1{0, cells.size}, EmptyShares{cells, fractions});
}

template <class Exec>
void measure_pieces(const Exec& exec, const TileOrigin& tile, View<const std::int32_t> next,
                    View<const double> z, View<const std::int32_t> starts, View<LoopPiece> pieces) {
  par::for_each(exec, Range1{0, starts.size}, MeasurePieces{tile, next, z, starts, pieces});
}

template void follow_directions(const par::Exec&, const GridView&, View<const Direction>,
                                View<const Link>, View<std::int32_t>);
template void follow_donors(const par::Exec&, const GridView&, View<const double>,
                            View<const std::uint8_t>, View<std::int32_t>);
template Loops find_loops(const par::Exec&, View<const std::int32_t>, View<const std::uint8_t>);
template Loops find_loops(const par::Exec&, View<const std::int32_t>, View<const std::int16_t>);
template Loops find_loops(const par::Exec&, View<const std::int32_t>, View<const std::uint16_t>);
template Loops find_loops(const par::Exec&, View<const std::int32_t>, View<const std::int32_t>);
template Loops find_loops(const par::Exec&, View<const std::int32_t>, View<const float>);
template Loops find_loops(const par::Exec&, View<const std::int32_t>, View<const double>);
template Buffer<std::int32_t> lowest_cells(const par::Exec&, const Loops&);
template void make_roots(const par::Exec&, View<const std::int32_t>, View<Direction>);
template void empty_shares(const par::Exec&, View<const std::int32_t>, View<double>);
template void measure_pieces(const par::Exec&, const TileOrigin&, View<const std::int32_t>,
                             View<const double>, View<const std::int32_t>, View<LoopPiece>);

}  // namespace terrawave::terrain::steps
