#include "terrawave/solvers/terrain/basins_steps.hpp"

#include <algorithm>
#include <limits>

#include "terrawave/solvers/terrain/basin_groups.hpp"
#include "terrawave/solvers/terrain/receivers_steps.hpp"

namespace terrawave::terrain::steps {
namespace {

using par::Buffer;
using par::Range1;
using par::Range2;
using par::View;

struct FlagPit {
  View<const Direction> direction;
  View<const std::uint8_t> state;
  View<std::uint8_t> flags;
  TW_FUNCTION void operator()(Index c) const {
    flags[c] = direction[c] == kRoot && !is_base(state[c]) ? 1 : 0;
  }
};

// Basins are written into the labels as -2 - basin while others still look roots up there.
struct NumberBase {
  View<const Direction> direction;
  View<const std::uint8_t> state;
  View<std::int32_t> labels;
  TW_FUNCTION void operator()(Index c) const {
    if (direction[c] == kRoot && is_base(state[c])) labels[c] = -2;
  }
};
struct NumberPit {
  View<const std::int32_t> pits;
  View<std::int32_t> labels;
  TW_FUNCTION void operator()(Index i) const { labels[pits[i]] = std::int32_t(-2 - (i + 1)); }
};
struct LookUpRoot {
  View<std::int32_t> labels;
  TW_FUNCTION void operator()(Index c) const {
    const std::int32_t root = labels[c];
    if (root >= 0) labels[c] = labels[root];  // roots are negative by now and stay as they are
  }
};
struct Decode {
  View<std::int32_t> labels;
  TW_FUNCTION void operator()(Index c) const {
    const std::int32_t code = labels[c];
    labels[c] = code <= -2 ? -2 - code : -1;
  }
};

struct Outside {
  View<const std::int32_t> component;
  TW_FUNCTION std::int64_t operator()(Index i) const { return component[i] != 0 ? 1 : 0; }
};

struct Carve {
  GridView grid;
  View<const std::int32_t> labels, component;
  View<const std::uint64_t> pass;
  View<Direction> direction;
  TW_FUNCTION void operator()(Index b) const {
    if (component[b] != 0) return;
    const BasinExit exit = exit_of(grid, labels, std::int32_t(b), pass[b]);
    Direction in = exit.direction;
    for (Index c = exit.inside;;) {
      const Direction was = direction[c];
      direction[c] = in;
      if (was == kRoot) return;
      in = Direction(opposite(was));
      c = grid.neighbour(c, was);
    }
  }
};

struct JumpOut {
  GridView grid;
  View<const std::int32_t> labels, component, pits;
  View<const std::uint64_t> pass;
  View<Link> links;
  TW_FUNCTION void operator()(Index b) const {
    const bool drained = component[b] == 0;
    links[b - 1] = {
        drained ? pits[b - 1] : -1,
        drained ? std::int32_t(exit_of(grid, labels, std::int32_t(b), pass[b]).outside) : -1};
  }
};

template <class T>
struct FirstLevel {
  GridView grid;
  View<const T> z;
  View<const std::int32_t> component, parent;
  View<const std::uint64_t> pass;
  View<T> level;
  View<std::int32_t> up;
  TW_FUNCTION void operator()(Index b) const {
    up[b] = 0;
    level[b] = std::numeric_limits<T>::lowest();
    if (b == 0 || component[b] != 0) return;
    const Index cell = Index(pass[b] >> 2);
    const T here = z[cell];
    const T there = z[grid.neighbour(cell, int(pass[b] & 3))];
    level[b] = here < there ? there : here;
    up[b] = parent[b];
  }
};
template <class T>
struct DoubleLevel {
  View<const T> level;
  View<const std::int32_t> up;
  View<T> new_level;
  View<std::int32_t> new_up;
  View<std::int32_t> changed;
  TW_FUNCTION void operator()(Index b) const {
    const std::int32_t a = up[b];
    new_level[b] = level[b] < level[a] ? level[a] : level[b];
    new_up[b] = up[a];
    if (a != 0) atomics::store(&changed[0], 1);
  }
};
template <class T>
struct Raise {
  View<const std::int32_t> labels;
  View<const T> level, z;
  View<T> filled;
  TW_FUNCTION void operator()(Index c) const {
    const std::int32_t b = labels[c];
    const bool up = b > 0 && z[c] < level[b];
    filled[c] = up ? T(level[b] + T(0)) : z[c];
  }
};

}  // namespace

template <class Exec, class T>
BasinForest span_basins(const Exec& exec, const GridView& grid, View<const T> z,
                        View<const std::uint8_t> state, View<const Direction> direction) {
  const Index cells = direction.size;
  BasinForest forest;
  forest.labels = Buffer<std::int32_t>(exec.queue, cells);
  require(label_roots(exec, grid, direction, View<const Link>{}, forest.labels.view()),
          "span_basins: receivers with a loop");
  const View<std::int32_t> labels = forest.labels.view();
  RouteStats& stats = forest.stats;
  stats.pits = count_pits(exec, direction, state);
  forest.pits = Buffer<std::int32_t>(exec.queue, stats.pits);
  if (stats.pits > 0) {
    Buffer<std::uint8_t> flags(exec.queue, cells);
    par::for_each(exec, Range1{0, cells}, FlagPit{direction, state, flags.view()});
    par::select_flagged(exec, flags.cview(), forest.pits.view());
  }
  par::for_each(exec, Range1{0, cells}, NumberBase{direction, state, labels});
  par::for_each(exec, Range1{0, stats.pits}, NumberPit{forest.pits.cview(), labels});
  par::for_each(exec, Range1{0, cells}, LookUpRoot{labels});
  par::for_each(exec, Range1{0, cells}, Decode{labels});

  const Index basins = stats.pits + 1;
  forest.component = Buffer<std::int32_t>(exec.queue, basins);
  forest.parent = Buffer<std::int32_t>(exec.queue, basins);
  forest.pass = Buffer<std::uint64_t>(exec.queue, basins);
  Buffer<std::int32_t> link(exec.queue, basins);
  Buffer<std::uint64_t> height(exec.queue, basins), code(exec.queue, basins);
  const Groups<GridView> on{grid,
                            {0, 0, grid.rows, grid.cols},
                            grid.step,
                            1,  // the outside, basin 0, does not choose
                            forest.labels.cview(),
                            forest.component.view(),
                            link.view(),
                            forest.parent.view(),
                            height.view(),
                            code.view(),
                            forest.pass.view()};
  par::for_each(exec, Range1{0, basins}, StartGroups<GridView>{on});
  if (stats.pits > 0) {
    do ++stats.rounds;
    while (join_groups(exec, on, z, HookTree<GridView>{on}) > 0);
  }
  stats.undrained = par::reduce_sum(exec, basins, Outside{on.group});
  stats.bytes =
      double(forest.labels.bytes() + forest.pits.bytes() + link.bytes() + forest.component.bytes() +
             forest.parent.bytes() + forest.pass.bytes() + height.bytes() + code.bytes());
  return forest;
}

template <class Exec>
void carve(const Exec& exec, const GridView& grid, BasinForest& forest, View<Direction> direction) {
  par::for_each(
      exec, Range1{1, forest.pass.size()},
      Carve{grid, forest.labels.cview(), forest.component.cview(), forest.pass.cview(), direction});
}

template <class Exec>
std::vector<Link> jumps(const Exec& exec, const GridView& grid, BasinForest& forest) {
  Buffer<Link> links(exec.queue, forest.pits.size());
  par::for_each(exec, Range1{1, forest.pass.size()},
                JumpOut{grid, forest.labels.cview(), forest.component.cview(), forest.pits.cview(),
                        forest.pass.cview(), links.view()});
  std::vector<Link> found = links.download();
  std::erase_if(found, [](const Link& j) { return j.root < 0; });
  std::sort(found.begin(), found.end(),
            [](const Link& a, const Link& b) { return a.root < b.root; });
  return found;
}

template <class Exec, class T>
void raise(const Exec& exec, const GridView& grid, BasinForest& forest, View<const T> z,
           View<T> filled) {
  const Index basins = forest.pass.size();
  Buffer<T> level(exec.queue, basins), next_level(exec.queue, basins);
  Buffer<std::int32_t> up(exec.queue, basins), next_up(exec.queue, basins);
  Buffer<std::int32_t> changed(exec.queue, 1);
  par::for_each(exec, Range1{0, basins},
                FirstLevel<T>{grid, z, forest.component.cview(), forest.parent.cview(),
                              forest.pass.cview(), level.view(), up.view()});
  do {
    changed.fill_bytes(0);
    par::for_each(exec, Range1{0, basins},
                  DoubleLevel<T>{level.cview(), up.cview(), next_level.view(), next_up.view(),
                                 changed.view()});
    level.swap(next_level);
    up.swap(next_up);
  } while (changed.at(0) != 0);
  par::for_each(exec, Range1{0, z.size}, Raise<T>{forest.labels.cview(), level.cview(), z, filled});
}

template void carve(const par::Exec&, const GridView&, BasinForest&, View<Direction>);
template std::vector<Link> jumps(const par::Exec&, const GridView&, BasinForest&);
template BasinForest span_basins(const par::Exec&, const GridView&, View<const std::uint8_t>,
                                 View<const std::uint8_t>, View<const Direction>);
template BasinForest span_basins(const par::Exec&, const GridView&, View<const std::int16_t>,
                                 View<const std::uint8_t>, View<const Direction>);
template BasinForest span_basins(const par::Exec&, const GridView&, View<const std::uint16_t>,
                                 View<const std::uint8_t>, View<const Direction>);
template BasinForest span_basins(const par::Exec&, const GridView&, View<const std::int32_t>,
                                 View<const std::uint8_t>, View<const Direction>);
template BasinForest span_basins(const par::Exec&, const GridView&, View<const float>,
                                 View<const std::uint8_t>, View<const Direction>);
template BasinForest span_basins(const par::Exec&, const GridView&, View<const double>,
                                 View<const std::uint8_t>, View<const Direction>);
template void raise(const par::Exec&, const GridView&, BasinForest&, View<const std::uint8_t>,
                    View<std::uint8_t>);
template void raise(const par::Exec&, const GridView&, BasinForest&, View<const std::int16_t>,
                    View<std::int16_t>);
template void raise(const par::Exec&, const GridView&, BasinForest&, View<const std::uint16_t>,
                    View<std::uint16_t>);
template void raise(const par::Exec&, const GridView&, BasinForest&, View<const std::int32_t>,
                    View<std::int32_t>);
template void raise(const par::Exec&, const GridView&, BasinForest&, View<const float>,
                    View<float>);
template void raise(const par::Exec&, const GridView&, BasinForest&, View<const double>,
                    View<double>);

}  // namespace terrawave::terrain::steps
