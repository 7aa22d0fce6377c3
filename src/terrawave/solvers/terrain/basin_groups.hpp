// Boruvka over basins: groups of basins join along their lowest passes, on a raster or a tile of
// one.
//
// A pass is known by 4 cell + k: it leads from the cell to neighbour k < 4. Of passes of the same
// height the smallest code is the lowest, so that no two passes are alike.
#pragma once

#include <limits>

#include "terrawave/par/launch.hpp"
#include "terrawave/solvers/terrain/device_cells.hpp"

namespace terrawave::terrain::steps {

inline constexpr std::uint64_t kNoPass = std::numeric_limits<std::uint64_t>::max();

// The cells whose passes are looked at.
struct PassWindow {
  Index top = 0, left = 0;
  Index height = 0, width = 0;
};

// Neighbour k of a cell; `at` is a GridView or a TilePlace.
template <class Place>
TW_FUNCTION Index across(const Place& at, Index cell, int k) {
  const Index row = row_of(cell, at.cols);
  return at.neighbour(row, cell - row * at.cols, k);
}

template <class Place>
struct Groups {
  Place at;
  PassWindow over;
  int step;                                     // 1: D8, 2: D4
  Index fixed;                                  // groups below it do not choose
  par::View<const std::int32_t> labels;         // of cells: basin, or -1
  par::View<std::int32_t> group, link, parent;  // of basins
  par::View<std::uint64_t> height, code;        // of groups: their lowest pass
  par::View<std::uint64_t> pass;                // of basins: to their parent

  TW_FUNCTION bool chooses(std::int32_t g) const { return g >= fixed; }
};

// Every basin is a group of its own.
template <class Place>
struct StartGroups {
  Groups<Place> on;
  TW_FUNCTION void operator()(Index i) const {
    on.group[i] = std::int32_t(i);
    on.parent[i] = -1;
    on.pass[i] = kNoPass;
  }
};

struct OfferHeight {
  par::View<std::uint64_t> height;
  TW_FUNCTION void operator()(std::int32_t g, std::uint64_t h, std::uint64_t) const {
    if (h < atomics::load(&height[g])) atomics::minimum(&height[g], h);
  }
};
struct OfferCode {
  par::View<const std::uint64_t> height;
  par::View<std::uint64_t> code;
  TW_FUNCTION void operator()(std::int32_t g, std::uint64_t h, std::uint64_t pass) const {
    if (h == height[g] && pass < atomics::load(&code[g])) atomics::minimum(&code[g], pass);
  }
};
// Calls offer(group, height, code) for the groups on both sides of each pass from a cell.
template <class T, class Place, class Offer>
struct OfferPasses {
  Groups<Place> on;
  par::View<const T> z;
  Offer offer;
  TW_FUNCTION void operator()(Index window_col, Index window_row) const {
    const Index row = on.over.top + window_row;
    const Index col = on.over.left + window_col;
    const Index c = row * on.at.cols + col;
    const std::int32_t label = on.labels[c];
    if (label < 0) return;
    for (int k = 0; k < 4; k += on.step) {
      const Index n = on.at.neighbour(row, col, k);
      if (n < 0) continue;
      const std::int32_t other = on.labels[n];
      if (other < 0 || other == label) continue;
      const std::int32_t a = on.group[label];
      const std::int32_t b = on.group[other];
      if (a == b) continue;
      const std::uint64_t here = ordered(z[c]);
      const std::uint64_t there = ordered(z[n]);
      const std::uint64_t height = here > there ? here : there;
      const std::uint64_t code = 4 * std::uint64_t(c) + std::uint64_t(k);
      if (on.chooses(a)) offer(a, height, code);
      if (on.chooses(b)) offer(b, height, code);
    }
  }
};

// A choice of a group: the basin on its own side of the pass, the one across, and that one's
// group; -1 where it makes none. Of two groups that chose the same pass the smaller stays.
struct Choice {
  std::int32_t inside = -1, outside = -1, to = -1;
};
template <class Place>
TW_FUNCTION Choice choice_of(const Groups<Place>& on, std::int32_t me) {
  if (on.group[me] != me || !on.chooses(me) || on.code[me] == kNoPass) return {};
  const std::uint64_t code = on.code[me];
  const Index cell = Index(code >> 2);
  Choice chosen{on.labels[cell], on.labels[across(on.at, cell, int(code & 3))], -1};
  if (on.group[chosen.inside] != me) {
    const std::int32_t swapped = chosen.inside;
    chosen.inside = chosen.outside;
    chosen.outside = swapped;
  }
  const std::int32_t to = on.group[chosen.outside];
  if (on.chooses(to) && on.code[to] == code && me < to) return {};
  chosen.to = to;
  return chosen;
}

// The group's tree of basins is turned to hang from the pass.
template <class Place>
struct HookTree {
  Groups<Place> on;
  TW_FUNCTION void operator()(Index i) const {
    const Choice chosen = choice_of(on, std::int32_t(i));
    on.link[i] = chosen.to >= 0 ? chosen.to : std::int32_t(i);
    if (chosen.to < 0) return;
    std::int32_t up = chosen.outside;
    std::uint64_t through = on.code[i];
    for (std::int32_t b = chosen.inside; b >= 0;) {
      const std::int32_t next = on.parent[b];
      const std::uint64_t next_pass = on.pass[b];
      on.parent[b] = up;
      on.pass[b] = through;
      up = b;
      through = next_pass;
      b = next;
    }
  }
};

struct CompressLinks {
  par::View<std::int32_t> link;
  par::View<std::int32_t> changed;
  TW_FUNCTION void operator()(Index i) const {
    const std::int32_t up = atomics::load(&link[i]);
    const std::int32_t upper = atomics::load(&link[up]);
    if (upper == up) return;
    atomics::store(&link[i], upper);
    atomics::store(&changed[0], 1);
  }
};
struct RenameGroup {
  par::View<const std::int32_t> link;
  par::View<std::int32_t> group;
  TW_FUNCTION void operator()(Index i) const { group[i] = link[group[i]]; }
};
struct Hooked {
  par::View<const std::int32_t> link;
  TW_FUNCTION std::int64_t operator()(Index i) const { return link[i] != i ? 1 : 0; }
};

// One round: every group that chooses takes its lowest pass; `hook` links it to the group across.
// Returns how many joined another.
template <class Exec, class T, class Place, class Hook>
Index join_groups(const Exec& exec, const Groups<Place>& on, par::View<const T> z,
                  const Hook& hook) {
  const par::Range1 basins{0, on.link.size};
  const par::Range2 cells{on.over.width, on.over.height};
  exec.queue.impl().fill_bytes(on.height.data, 0xff, std::size_t(on.height.size) * 8);
  exec.queue.impl().fill_bytes(on.code.data, 0xff, std::size_t(on.code.size) * 8);
  par::for_each(exec, cells, OfferPasses<T, Place, OfferHeight>{on, z, {on.height}});
  par::for_each(exec, cells, OfferPasses<T, Place, OfferCode>{on, z, {on.height, on.code}});
  par::for_each(exec, basins, hook);
  const par::View<const std::int32_t> link = on.link;
  const Index hooked = par::reduce_sum(exec, on.link.size, Hooked{link});
  if (hooked == 0) return 0;
  par::Buffer<std::int32_t> changed(exec.queue, 1);
  do {
    changed.fill_bytes(0);
    par::for_each(exec, basins, CompressLinks{on.link, changed.view()});
  } while (changed.at(0) != 0);
  par::for_each(exec, basins, RenameGroup{link, on.group});
  return hooked;
}

// The pass of a basin as seen from inside it.
struct BasinExit {
  Index inside, outside;
  Direction direction;
};
template <class Place>
TW_FUNCTION BasinExit exit_of(const Place& at, par::View<const std::int32_t> labels,
                              std::int32_t basin, std::uint64_t pass) {
  const Index cell = Index(pass >> 2);
  const int k = int(pass & 3);
  const Index other = across(at, cell, k);
  if (labels[cell] == basin) return {cell, other, Direction(k)};
  return {other, cell, Direction(opposite(k))};
}

}  // namespace terrawave::terrain::steps
