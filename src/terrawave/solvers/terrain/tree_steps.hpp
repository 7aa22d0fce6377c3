// Along the trees of single-receiver flow, on both backends: down from the sources, where a cell is
// computed by the thread of its last donor, and up from the roots, path by path.
//
// Paths are Strahler's (1957): a cell of rank r has at most one donor of rank r, its path goes on
// up through the donor of highest rank (the first in the order of neighbours, jumps last), and each
// other donor is the head of a path of its own, of a lower rank than its receiver. So the paths of
// one rank need nothing but those of higher ones, and there are at most log2(cells) + 1 ranks.
#pragma once

#include "terrawave/par/exec.hpp"
#include "terrawave/solvers/terrain/device_cells.hpp"
#include "terrawave/solvers/terrain/terrain_routing.hpp"

namespace terrawave::terrain::steps {

// A jump and its length [unit of dx].
struct Leap {
  std::int32_t root = 0;
  std::int32_t target = 0;
  double length = 0;
};

// Memory of the queue's device, one element for each cell where nothing else is said.
struct TreeView {
  GridView grid;
  par::View<const double> distance;  // dx, dy, diagonal: once, or for each row
  par::View<const Direction> direction;
  par::View<const Leap> by_root, by_target;  // the same jumps in both orders
  par::View<const std::uint8_t> donors;      // bit k: neighbour k drains here
  par::View<const std::uint8_t> path;        // the rank and the flags below; 0 at nodata
  static constexpr std::uint8_t kRank = 31;
  static constexpr std::uint8_t kHead = 32;     // the lowest cell of its path
  static constexpr std::uint8_t kLanding = 64;  // jumps lead here

  // The step to neighbour k, which is one.
  TW_FUNCTION Index beside(Index c, int k) const {
    if (grid.loop_rows || grid.loop_cols) return grid.neighbour(c, k);
    return c + Index(row_step(k)) * grid.cols + col_step(k);
  }
  TW_FUNCTION double length(Index c, int k) const {
    const Index base = distance.size == 3 ? 0 : 3 * row_of(c, grid.cols);
    return distance[base + step_place(k)];
  }
  // First position in by_target of jumps to `c`, or where they would stand; by_root likewise.
  TW_FUNCTION Index first_to(Index c) const {
    return partition_point(by_target.size, [&](Index i) { return by_target[i].target < c; });
  }
  TW_FUNCTION Index first_from(Index c) const {
    return partition_point(by_root.size, [&](Index i) { return by_root[i].root < c; });
  }
};

// Sets tree.donors and the landings of tree.path, through views that may be written to. `only`: of
// the cells marked there, for what follows those alone; empty: of all.
template <class Exec>
void find_donors(const Exec& exec, const TreeView& tree, par::View<const std::uint8_t> only,
                 par::View<std::uint8_t> donors, par::View<std::uint8_t> path);

// Sets the ranks and heads of tree.path. Returns the number of cells finished: less than those with
// data when the directions are cyclic. `waiting`: for this work, whole words; here and below.
template <class Exec>
Index rank_paths(const Exec& exec, const TreeView& tree, par::View<std::uint8_t> path,
                 par::View<std::uint8_t> waiting);
template <class Exec>
int highest_rank(const Exec& exec, const TreeView& tree);

// Longest distance along the flow from a divide; NaN at nodata.
template <class Exec>
void longest_way(const Exec& exec, const TreeView& tree, par::View<std::uint8_t> waiting,
                 par::View<double> out);
// Strahler's or Shreve's order of the cells in `stream`; 0 elsewhere.
template <class Exec>
void stream_order(const Exec& exec, const TreeView& tree, par::View<const std::uint8_t> stream,
                  bool shreve, par::View<std::uint8_t> waiting, par::View<std::int32_t> out);

// Distance along the flow to the root; NaN at nodata. `highest`: as highest_rank returned it.
template <class Exec>
void way_down(const Exec& exec, const TreeView& tree, int highest, par::View<double> out);
// Cells labelled `none` take the label of their receiver, from the roots up.
template <class Exec>
void carry_up(const Exec& exec, const TreeView& tree, int highest, std::int32_t none,
              par::View<std::int32_t> labels);

}  // namespace terrawave::terrain::steps
