#include "terrawave/solvers/terrain/lake_steps.hpp"

#include "terrawave/par/launch.hpp"

namespace terrawave::terrain::steps {
namespace {

using par::Buffer;
using par::Range1;
using par::Range2;
using par::View;

// Rows in pieces, numbered row by row.
struct Pieces {
  Index rows, cols, piece;
  Index per_row;
  Pieces(Index rows_, Index cols_, Index piece_)
      : rows(rows_), cols(cols_), piece(piece_), per_row((cols_ + piece_ - 1) / piece_) {}
  Index count() const { return rows * per_row; }
  // Calls visit(row, col, cell) along piece i.
  template <class Visit>
  TW_FUNCTION void walk(Index i, const Visit& visit) const {
    const Index row = row_of(i, per_row);
    const Index begin = (i - row * per_row) * piece;
    const Index end = begin + piece < cols ? begin + piece : cols;
    for (Index col = begin; col < end; ++col) visit(row, col, row * cols + col);
  }
};

// While lakes are being found a label below 0 points to a cell of the same lake, of the same index
// (a root) or a smaller one; above 0 it is the id, 0 is land.
TW_FUNCTION std::int32_t pointer_to(Index c) { return std::int32_t(-1 - c); }
TW_FUNCTION Index pointed_to(std::int32_t label) { return -1 - Index(label); }

// Cells on the way end up pointing to the one after the next. Other threads do the same and hang
// roots elsewhere: whatever is read points to a cell of the same lake, nearer to the root.
TW_FUNCTION Index root_of(View<std::int32_t> label, Index c) {
  Index before = c;
  Index here = pointed_to(atomics::load(&label[c]));
  while (true) {
    const std::int32_t next = atomics::load(&label[here]);
    if (pointed_to(next) == here) return here;
    if (before != here) atomics::store(&label[before], next);
    before = here;
    here = pointed_to(next);
  }
}
TW_FUNCTION void join(View<std::int32_t> label, Index a, Index b) {
  Index low = root_of(label, a);
  Index high = root_of(label, b);
  while (low != high) {
    if (high < low) {
      const Index other = low;
      low = high;
      high = other;
    }
    if (atomics::claim(&label[high], pointer_to(high), pointer_to(low))) return;
    high = root_of(label, high);
  }
}

// Returns the depth of the deepest cell of the piece.
template <class T>
struct StartRuns {
  WaterView<T> water;
  Pieces pieces;
  View<std::int32_t> label;
  TW_FUNCTION double operator()(Index i) const {
    double deepest = 0;
    Index run = -1;  // its first cell
    pieces.walk(i, [&](Index row, Index col, Index c) {
      const Index at = water.first + row * water.stride + col;
      if (!water.is_wet(at)) {
        label[c] = 0;
        run = -1;
        return;
      }
      const double depth = water.depth(at);
      deepest = deepest < depth ? depth : deepest;
      if (run < 0) run = c;
      label[c] = pointer_to(run);
    });
    return deepest;
  }
};

// Joins a cell's run to those that it touches in the row above, each pair of runs where they begin
// to touch, and to the piece before; at the map's edge any neighbours.
struct JoinRuns {
  GridView grid;
  Index piece;
  View<std::int32_t> label;
  TW_FUNCTION bool wet(Index c) const { return atomics::load(&label[c]) != 0; }
  TW_FUNCTION void operator()(Index col, Index row) const {
    const Index c = row * grid.cols + col;
    if (!wet(c)) return;
    if (row == 0 || col == 0 || col == grid.cols - 1) {
      for (int k = 0; k < kNeighbours; k += grid.step) {
        const Index n = grid.neighbour(row, col, k);
        if (n >= 0 && wet(n)) join(label, n, c);
      }
      return;
    }
    const Index above = c - grid.cols;
    const bool west = wet(c - 1);
    if (west && col % piece == 0) join(label, c - 1, c);
    if (wet(above)) {
      if (!west || !wet(above - 1)) join(label, above, c);
      return;
    }
    if (grid.step == 2) return;
    if (!west && wet(above - 1)) join(label, above - 1, c);
    if (!wet(c + 1) && wet(above + 1)) join(label, above + 1, c);
  }
};

// Returns whether the cell is a root.
struct PointToRoot {
  View<std::int32_t> label;
  View<std::uint8_t> is_root;
  TW_FUNCTION std::int64_t operator()(Index c) const {
    is_root[c] = 0;
    if (atomics::load(&label[c]) == 0) return 0;
    const Index root = root_of(label, c);
    if (root != c) {
      atomics::store(&label[c], pointer_to(root));
      return 0;
    }
    is_root[c] = 1;
    return 1;
  }
};
struct NumberRoots {
  View<const std::int32_t> first;
  View<std::int32_t> label;
  TW_FUNCTION void operator()(Index k) const { label[first[k]] = std::int32_t(k + 1); }
};
// One step to the root, or a few where another thread has shortened a way by less meanwhile.
struct TakeNumber {
  View<std::int32_t> label;
  TW_FUNCTION void operator()(Index c) const {
    std::int32_t found = label[c];
    if (found >= 0) return;
    while (found < 0) found = atomics::load(&label[pointed_to(found)]);
    atomics::store(&label[c], found);
  }
};

// Sums along pieces; what a lake has there is added to it at once.
template <class T>
struct Measure {
  WaterView<T> water;
  Pieces pieces;
  View<const std::int32_t> id;
  View<const double> row_area;
  double area_scale, volume_scale;
  View<LakeSums> lakes;

  TW_FUNCTION void add(std::int32_t lake, const LakeSums& part) const {
    if (lake == 0) return;
    LakeSums& sums = lakes[lake - 1];
    atomics::add(&sums.cells, part.cells);
    atomics::maximum(&sums.depth, part.depth);
    atomics::add(&sums.area.high, part.area.high * part.cells);
    atomics::add(&sums.area.low, part.area.low * part.cells);
    atomics::add(&sums.volume.high, part.volume.high);
    atomics::add(&sums.volume.low, part.volume.low);
  }
  TW_FUNCTION void operator()(Index i) const {
    const double area = row_area[row_of(i, pieces.per_row)];
    LakeSums none;
    none.area = fixed_term(area, area_scale);  // of each cell: they are all alike
    LakeSums part = none;
    std::int32_t lake = 0;
    pieces.walk(i, [&](Index row, Index col, Index c) {
      const std::int32_t here = id[c];
      if (here == 0) return;
      if (here != lake) {
        add(lake, part);
        part = none;
        lake = here;
      }
      const double depth = water.depth(water.first + row * water.stride + col);
      std::uint64_t bits = 0;
      memcpy(&bits, &depth, sizeof bits);
      part.depth = part.depth < bits ? bits : part.depth;
      part.volume = part.volume + fixed_term(area * depth, volume_scale);
      ++part.cells;
    });
    add(lake, part);
  }
};

// Returns the number of exits in the piece.
template <class I>
struct FlagExits {
  LakeExits<I> on;
  Pieces pieces;
  View<std::uint8_t> flag;
  TW_FUNCTION std::int64_t operator()(Index i) const {
    std::int64_t found = 0;
    pieces.walk(i, [&](Index row, Index col, Index c) {
      const Index at = on.first + row * on.grid.cols + col;
      const I here = on.id[at];
      flag[c] = 0;
      if (here == 0 || on.direction[c] >= kNeighbours) return;
      if (on.id[on.grid.neighbour(at, on.direction[c])] == here) return;
      flag[c] = 1;
      ++found;
    });
    return found;
  }
};

struct Rename {
  View<const std::int32_t> id;
  View<const Index> table;
  View<Index> out;
  TW_FUNCTION void operator()(Index c) const { out[c] = table[id[c]]; }
};

// The flagged positions; there are `count`.
template <class Exec>
Buffer<std::int32_t> list_flagged(const Exec& exec, View<const std::uint8_t> flags, Index count) {
  Buffer<std::int32_t> list(exec.queue, count);
  if (count > 0) par::select_flagged(exec, flags, list.view());
  return list;
}

}  // namespace

template <class Exec, class T>
LakeList label_lakes(const Exec& exec, const WaterView<T>& water, View<std::int32_t> id) {
  const GridView& grid = water.grid;
  const Pieces pieces(grid.rows, grid.cols, water.piece);
  LakeList lakes;
  lakes.deepest =
      par::reduce_max(exec, pieces.count(), StartRuns<T>{water, pieces, id}, lakes.deepest);
  par::for_each(exec, Range2{grid.cols, grid.rows}, JoinRuns{grid, water.piece, id});
  Buffer<std::uint8_t> is_root(exec.queue, id.size);
  const Index count = par::reduce_sum(exec, id.size, PointToRoot{id, is_root.view()});
  const Buffer<std::int32_t> first = list_flagged(exec, is_root.cview(), count);
  par::for_each(exec, Range1{0, count}, NumberRoots{first.cview(), id});
  par::for_each(exec, Range1{0, id.size}, TakeNumber{id});
  lakes.first = first.download();
  exec.queue.synchronize();
  return lakes;
}

template <class Exec, class T>
std::vector<LakeSums> measure_lakes(const Exec& exec, const WaterView<T>& water,
                                    View<const std::int32_t> id, Index lakes,
                                    View<const double> row_area, const LakeTerms& largest) {
  const Pieces pieces(water.grid.rows, water.grid.cols, water.piece);
  Buffer<LakeSums> sums(exec.queue, lakes);
  sums.fill_bytes(0);
  par::for_each(exec, Range1{0, lakes > 0 ? pieces.count() : 0},
                Measure<T>{water, pieces, id, row_area, fixed_scale(fixed_exponent(largest.area)),
                           fixed_scale(fixed_exponent(largest.volume)), sums.view()});
  return sums.download();
}

template <class Exec, class I>
std::vector<std::int32_t> lake_exits(const Exec& exec, const LakeExits<I>& lakes) {
  const Pieces pieces(lakes.rows, lakes.cols, lakes.piece);
  Buffer<std::uint8_t> flag(exec.queue, lakes.direction.size);
  const Index count =
      par::reduce_sum(exec, pieces.count(), FlagExits<I>{lakes, pieces, flag.view()});
  return list_flagged(exec, flag.cview(), count).download();
}

template <class Exec>
void rename_lakes(const Exec& exec, View<const std::int32_t> id, View<const Index> table,
                  View<Index> out) {
  par::for_each(exec, Range1{0, id.size}, Rename{id, table, out});
  exec.queue.synchronize();
}

template std::vector<std::int32_t> lake_exits(const par::Exec&, const LakeExits<std::int32_t>&);
template std::vector<std::int32_t> lake_exits(const par::Exec&, const LakeExits<Index>&);
template void rename_lakes(const par::Exec&, View<const std::int32_t>, View<const Index>,
                           View<Index>);
#define TERRAWAVE_FOR(T)                                                                    \
  template LakeList label_lakes(const par::Exec&, const WaterView<T>&, View<std::int32_t>); \
  template std::vector<LakeSums> measure_lakes(const par::Exec&, const WaterView<T>&,       \
                                               View<const std::int32_t>, Index,             \
                                               View<const double>, const LakeTerms&);
TERRAWAVE_FOR(std::uint8_t)
TERRAWAVE_FOR(std::int16_t)
TERRAWAVE_FOR(std::uint16_t)
TERRAWAVE_FOR(std::int32_t)
TERRAWAVE_FOR(float)
TERRAWAVE_FOR(double)
#undef TERRAWAVE_FOR

}  // namespace terrawave::terrain::steps
