#include "terrawave/solvers/terrain/tile_basin_steps.hpp"

#include <algorithm>

#include "terrawave/solvers/terrain/basin_groups.hpp"

namespace terrawave::terrain::steps {
namespace {

using par::Buffer;
using par::Range1;
using par::Range2;
using par::View;

struct Give {
  View<const std::int32_t> cells, values;
  View<std::int32_t> out;
  TW_FUNCTION void operator()(Index i) const { out[cells[i]] = values[i]; }
};

// Roots that have no number yet: base cells become basin 0, the others are flagged.
struct FindInner {
  TilePlace at;
  View<const std::int32_t> root;
  View<const std::uint8_t> state;
  View<std::int32_t> number;
  View<std::uint8_t> flags;
  TW_FUNCTION void operator()(Index col, Index row) const {
    const Index i = row * at.width + col;
    flags[i] = 0;
    if (root[i] != i || number[i] >= 0) return;
    if (is_base(state[at.cell(row, col)]))
      number[i] = 0;
    else
      flags[i] = 1;
  }
};
struct NumberInner {
  View<const std::int32_t> pits;
  Index fixed;
  View<std::int32_t> number;
  TW_FUNCTION void operator()(Index i) const { number[pits[i]] = std::int32_t(fixed + i); }
};
struct Label {
  TilePlace at;
  View<const std::int32_t> root, number;
  View<std::int32_t> labels;
  TW_FUNCTION void operator()(Index col, Index row) const {
    const std::int32_t r = root[row * at.width + col];
    labels[at.cell(row, col)] = r < 0 ? -1 : number[r];
  }
};

// The pass is listed.
struct HookOuter {
  Groups<TilePlace> on;
  View<std::uint64_t> list;
  View<std::int32_t> count;
  TW_FUNCTION void operator()(Index i) const {
    const Choice chosen = choice_of(on, std::int32_t(i));
    on.link[i] = chosen.to >= 0 ? chosen.to : std::int32_t(i);
    if (chosen.to >= 0) list[atomics::add(&count[0], 1)] = on.code[i];
  }
};
// What the forest is read from.
struct ReadForest {
  TilePlace at;
  Index fixed;
  View<const std::int32_t> labels, group, parent;
  View<const std::uint64_t> pass;
  // Position inside the tile.
  TW_FUNCTION std::int32_t inside(Index cell) const {
    const Index row = row_of(cell, at.cols);
    return std::int32_t((row - at.top) * at.width + cell - row * at.cols - at.left);
  }
};
struct ReadOuter {
  ReadForest on;
  View<const std::uint64_t> list;
  View<OuterPass> out;
  TW_FUNCTION std::int32_t last(Index cell) const {
    for (std::int32_t b = on.labels[cell]; b >= on.fixed; b = on.parent[b])
      cell = exit_of(on.at, on.labels, b, on.pass[b]).outside;
    return std::int32_t(cell);
  }
  TW_FUNCTION void operator()(Index i) const {
    const Index cell = Index(list[i] >> 2);
    const Index other = across(on.at, cell, int(list[i] & 3));
    out[i] = {
        Index(list[i]), std::int32_t(other), on.group[on.labels[cell]], on.group[on.labels[other]],
        last(cell),     last(other)};
  }
};
struct ReadWay {
  ReadForest on;
  View<const std::int32_t> pits;
  View<InnerWay> out;
  TW_FUNCTION void operator()(Index i) const {
    const Index b = on.fixed + i;
    InnerWay way;
    way.pit = -1;  // reaches no fixed basin
    if (on.group[b] < on.fixed) {
      const BasinExit exit = exit_of(on.at, on.labels, std::int32_t(b), on.pass[b]);
      const std::int32_t below = on.parent[b];
      way = {pits[i], on.inside(exit.inside), below >= on.fixed ? pits[below - on.fixed] : -1,
             on.inside(exit.outside), exit.direction};
    }
    out[i] = way;
  }
};

struct Carver {
  TilePlace at;
  View<const InnerWay> ways;
  View<const Direction> old;
  View<Direction> carved;
  View<std::uint8_t> turned;
  // Returns the pit, or -1 where the flow leaves the tile.
  TW_FUNCTION std::int32_t reverse(std::int32_t from, int direction) const {
    Index row = row_of(from, at.width);
    Index col = from - row * at.width;
    auto in = Direction(direction);
    while (row >= 0 && row < at.height && col >= 0 && col < at.width) {
      const Index i = row * at.width + col;
      const Direction was = old[i];
      carved[i] = in;
      if (was >= kNeighbours) return std::int32_t(i);
      in = Direction(opposite(was));
      row += row_step(was);
      col += col_step(was);
    }
    return -1;
  }
  // Where a pit stands in the list; its size: nowhere.
  TW_FUNCTION Index way_of(std::int32_t pit) const {
    if (pit < 0) return ways.size;
    const Index way = partition_point(ways.size, [&](Index i) { return ways[i].pit < pit; });
    return way < ways.size && ways[way].pit == pit ? way : ways.size;
  }
};
// No two starts share a basin, and ways out of inner basins are used by one start at most.
struct CarveStarts {
  Carver on;
  View<const TileCarve> starts;
  TW_FUNCTION void operator()(Index i) const {
    const std::int32_t pit = on.reverse(starts[i].cell, starts[i].dir);
    for (Index w = on.way_of(pit); w < on.ways.size;) {
      const InnerWay& way = on.ways[w];
      on.turned[w] = 1;
      on.reverse(way.across, opposite(way.dir));
      w = on.way_of(way.to);
    }
  }
};
struct CarveOthers {
  Carver on;
  TW_FUNCTION void operator()(Index w) const {
    if (on.turned[w] == 0) on.reverse(on.ways[w].from, on.ways[w].dir);
  }
};

template <class T>
struct IsMinimum {
  TilePlace at;
  int step;
  View<const T> z;
  View<const std::uint8_t> state;
  TW_FUNCTION std::int64_t operator()(Index i) const {
    const Index width = at.width - 2;
    const Index down = row_of(i, width);
    const Index row = at.top + 1 + down;
    const Index col = at.left + 1 + i - down * width;
    const Index c = row * at.cols + col;
    if (state[c] != std::uint8_t(CellState::valid)) return 0;
    for (int k = 0; k < kNeighbours; k += step) {
      const Index n = at.neighbour(row, col, k);
      if (!is_data(state[n])) continue;
      if (z[n] < z[c] || (z[n] == z[c] && (is_base(state[n]) || n < c))) return 0;
    }
    return 1;
  }
};

}  // namespace

template <class Exec>
TileBasins number_basins(const Exec& exec, const TilePlace& at, View<const std::int32_t> root,
                         View<const std::uint8_t> state, Index fixed, const BasinList& roots,
                         const BasinList& ring) {
  const Range2 cells{at.width, at.height};
  TileBasins basins;
  basins.fixed = fixed;
  Buffer<std::int32_t> number(exec.queue, root.size);
  number.fill_bytes(0xff);
  const auto give = [&](const BasinList& list, View<std::int32_t> out) {
    const Buffer<std::int32_t> where(exec.queue, list.cells), what(exec.queue, list.basins);
    par::for_each(exec, Range1{0, where.size()}, Give{where.cview(), what.cview(), out});
    exec.queue.synchronize();
  };
  give(roots, number.view());
  Buffer<std::uint8_t> flags(exec.queue, root.size);
  par::for_each(exec, cells, FindInner{at, root, state, number.view(), flags.view()});
  Buffer<std::int32_t> pits(exec.queue, root.size);
  const Index inner = par::select_flagged(exec, flags.cview(), pits.view());
  Buffer<std::int32_t> few(exec.queue, inner);
  if (inner > 0) exec.queue.impl().copy(few.view().data, pits.view().data, few.bytes());
  basins.pits.swap(few);
  par::for_each(exec, Range1{0, inner}, NumberInner{basins.pits.cview(), fixed, number.view()});
  Buffer<std::int32_t> labels(exec.queue, at.cells());
  labels.fill_bytes(0xff);
  par::for_each(exec, cells, Label{at, root, number.cview(), labels.view()});
  give(ring, labels.view());
  basins.labels.swap(labels);
  return basins;
}

template <class Exec, class T>
TileForest span_tile(const Exec& exec, const TilePlace& at, bool diagonals, View<const T> z,
                     const TileBasins& basins) {
  const Index count = basins.fixed + basins.pits.size();
  Buffer<std::int32_t> group(exec.queue, count), link(exec.queue, count), parent(exec.queue, count);
  Buffer<std::uint64_t> pass(exec.queue, count), height(exec.queue, count), code(exec.queue, count);
  Groups<TilePlace> on{at,
                       {at.top, at.left, at.height, at.width},
                       diagonals ? 1 : 2,
                       basins.fixed,
                       basins.labels.cview(),
                       group.view(),
                       link.view(),
                       parent.view(),
                       height.view(),
                       code.view(),
                       pass.view()};
  par::for_each(exec, Range1{0, count}, StartGroups<TilePlace>{on});
  while (basins.pits.size() > 0 && join_groups(exec, on, z, HookTree<TilePlace>{on}) > 0) {
  }
  Buffer<std::int32_t> inner_group(exec.queue, count);
  inner_group.copy_from(group);

  on.fixed = 0;
  Buffer<std::uint64_t> list(exec.queue, basins.fixed);
  Buffer<std::int32_t> listed(exec.queue, 1);
  listed.fill_bytes(0);
  while (join_groups(exec, on, z, HookOuter{on, list.view(), listed.view()}) > 0) {
  }
  TileForest forest;
  const Index outer = listed.at(0);
  Buffer<OuterPass> found(exec.queue, outer);
  const ReadForest read{
      at, basins.fixed, basins.labels.cview(), inner_group.cview(), parent.cview(), pass.cview()};
  par::for_each(exec, Range1{0, outer}, ReadOuter{read, list.cview(), found.view()});
  forest.outer = found.download();
  forest.group.swap(inner_group);
  forest.parent.swap(parent);
  forest.pass.swap(pass);
  return forest;
}

template <class Exec>
std::vector<InnerWay> inner_ways(const Exec& exec, const TilePlace& at, const TileBasins& basins,
                                 const TileForest& forest) {
  Buffer<InnerWay> out(exec.queue, basins.pits.size());
  const ReadForest read{at,
                        basins.fixed,
                        basins.labels.cview(),
                        forest.group.cview(),
                        forest.parent.cview(),
                        forest.pass.cview()};
  par::for_each(exec, Range1{0, out.size()}, ReadWay{read, basins.pits.cview(), out.view()});
  std::vector<InnerWay> ways = out.download();
  std::erase_if(ways, [](const InnerWay& way) { return way.pit < 0; });
  return ways;
}

template <class Exec>
void carve_ways(const Exec& exec, const TilePlace& at, View<const TileCarve> starts,
                View<const InnerWay> ways, View<const Direction> old, View<Direction> carved) {
  Buffer<std::uint8_t> turned(exec.queue, ways.size);
  turned.fill_bytes(0);
  const Carver on{at, ways, old, carved, turned.view()};
  par::for_each(exec, Range1{0, starts.size}, CarveStarts{on, starts});
  par::for_each(exec, Range1{0, ways.size}, CarveOthers{on});
  exec.queue.synchronize();
}

template <class Exec, class T>
Index count_minima(const Exec& exec, const TilePlace& at, bool diagonals, View<const T> z,
                   View<const std::uint8_t> state) {
  if (at.height < 3 || at.width < 3) return 0;
  return par::reduce_sum(exec, (at.height - 2) * (at.width - 2),
                         IsMinimum<T>{at, diagonals ? 1 : 2, z, state});
}

template TileBasins number_basins(const par::Exec&, const TilePlace&, View<const std::int32_t>,
                                  View<const std::uint8_t>, Index, const BasinList&,
                                  const BasinList&);
template std::vector<InnerWay> inner_ways(const par::Exec&, const TilePlace&, const TileBasins&,
                                          const TileForest&);
template void carve_ways(const par::Exec&, const TilePlace&, View<const TileCarve>,
                         View<const InnerWay>, View<const Direction>, View<Direction>);
#define TERRAWAVE_FOR(T)                                                                 \
  template TileForest span_tile(const par::Exec&, const TilePlace&, bool, View<const T>, \
                                const TileBasins&);                                      \
  template Index count_minima(const par::Exec&, const TilePlace&, bool, View<const T>,   \
                              View<const std::uint8_t>);
TERRAWAVE_FOR(std::uint8_t)
TERRAWAVE_FOR(std::int16_t)
TERRAWAVE_FOR(std::uint16_t)
TERRAWAVE_FOR(std::int32_t)
TERRAWAVE_FOR(float)
TERRAWAVE_FOR(double)
#undef TERRAWAVE_FOR

}  // namespace terrawave::terrain::steps
