#include "terrawave/solvers/terrain/product_tree.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "terrawave/base/error.hpp"
#include "terrawave/par/buffer.hpp"
#include "terrawave/solvers/terrain/cpu/cpu_labels.hpp"
#include "terrawave/solvers/terrain/cpu/cpu_tree.hpp"
#include "terrawave/solvers/terrain/local_steps.hpp"

namespace terrawave::terrain {
namespace {

using par::Buffer;
using steps::Leap;

[[noreturn]] void refuse_loop(const Grid& grid, const std::vector<Index>& loop) {
  require(!loop.empty(), "FlowTree: cells were left over without a loop");
  std::string list;
  for (std::size_t k = 0; k < std::min(loop.size(), std::size_t(kNamedLoopCells)); ++k)
    list += fmt::format(" (row {}, column {})", loop[k] / grid.cols, loop[k] % grid.cols);
  throw InputError(fmt::format(
      "the directions run in a loop of {} cells:{}{}; repair them with terrain codes --repair",
      loop.size(), list, loop.size() > std::size_t(kNamedLoopCells) ? " ..." : ""));
}

// The straight line.
double jump_length(const Grid& grid, const Link& jump) {
  const Index row = jump.root / grid.cols;
  const auto rows = double(jump.target / grid.cols - row);
  const auto cols = double(jump.target % grid.cols - jump.root % grid.cols);
  return std::hypot(rows * grid.dy, cols * grid.width(row));
}

std::vector<Link> by_root(std::vector<Link> jumps) {
  std::sort(jumps.begin(), jumps.end(),
            [](const Link& a, const Link& b) { return a.root < b.root; });
  return jumps;
}
std::vector<Leap> leaps(const Grid& grid, const std::vector<Link>& jumps) {
  std::vector<Leap> all;
  for (const Link& jump : jumps) all.push_back({jump.root, jump.target, jump_length(grid, jump)});
  return all;
}
// And by root among those to one cell.
std::vector<Leap> by_target(std::vector<Leap> all) {
  std::stable_sort(all.begin(), all.end(),
                   [](const Leap& a, const Leap& b) { return a.target < b.target; });
  return all;
}

// For what a descent counts while it works.
Buffer<std::uint8_t> counters(const FlowTree& tree) {
  return {tree.queue(), (tree.cells() + 3) / 4 * 4};  // whole words
}

}  // namespace

FlowTree::FlowTree(const TileQueue& on, const Grid& grid, std::span<const Direction> direction,
                   std::vector<Link> jumps)
    : on_(on),
      grid_(grid),
      direction_(direction.begin(), direction.end()),
      jumps_(by_root(std::move(jumps))),
      on_device_(on, direction_),
      distance_(on, step_lengths(grid)),
      by_root_(on, leaps(grid, jumps_)),
      by_target_(on, by_target(leaps(grid, jumps_))),
      donors_(on, on.kernels() ? cells() : 0),
      path_(on, on.kernels() ? cells() : 0) {
  require(cells() == grid.cells() && grid.cells() < (Index(1) << 31),
          "FlowTree: sizes differ, or too large");
  if (!(on.kernels() ? lay_paths() : ends()))
    refuse_loop(grid_, find_loop(on, grid_, {Buffer<Direction>(on, direction_), jumps_}));
}

// Returns whether all cells are part of one.
bool FlowTree::lay_paths() {
  Buffer<std::uint8_t> waiting = counters(*this);
  const Index finished = par::dispatch(on_, [&](const auto& exec) {
    steps::find_donors(exec, view(), {}, donors_.view(), path_.view());
    const Index done = steps::rank_paths(exec, view(), path_.view(), waiting.view());
    highest_rank_ = steps::highest_rank(exec, view());
    return done;
  });
  return finished == cells() - std::count(direction_.begin(), direction_.end(), kNoDirection);
}

// Whether the flow from each cell comes to an end.
bool FlowTree::ends() const {
  Buffer<std::int32_t> labels(on_, cells());
  return cpu::label_roots(on_, grid_, on_device_.view(), jumps_, labels.view());
}

steps::TreeView FlowTree::view() const {
  return {view_of(grid_, {}), distance_.view(), on_device_.view(), by_root_.view(),
          by_target_.view(),  donors_.view(),   path_.view()};
}

std::int32_t FlowTree::receiver(Index cell) const {
  const Direction d = direction_[std::size_t(cell)];
  if (d == kNoDirection) return -1;
  if (d < kNeighbours) return std::int32_t(grid_.neighbour(cell, d));
  const auto at = std::lower_bound(jumps_.begin(), jumps_.end(), cell,
                                   [](const Link& j, Index root) { return j.root < root; });
  return at != jumps_.end() && at->root == cell ? at->target : std::int32_t(cell);
}

double FlowTree::step_length(Index cell) const {
  const Direction d = direction_[std::size_t(cell)];
  if (d < kNeighbours) return grid_.distance(cell / grid_.cols, d);
  const std::int32_t target = receiver(cell);
  return target < 0 || target == cell ? 0 : jump_length(grid_, {std::int32_t(cell), target});
}

std::vector<double> length_downstream(const FlowTree& tree) {
  const TileQueue& on = tree.queue();
  FromQueue<double> length(on, tree.cells());
  if (on.kernels())
    par::dispatch(on, [&](const auto& exec) {
      steps::way_down(exec, tree.view(), tree.highest_rank(), length.view());
    });
  else
    cpu::way_down(on, tree.grid(), tree.view(), length.view());
  return length.take();
}

std::vector<double> length_upstream(const FlowTree& tree) {
  const TileQueue& on = tree.queue();
  FromQueue<double> length(on, tree.cells());
  if (on.kernels()) {
    Buffer<std::uint8_t> waiting = counters(tree);
    par::dispatch(on, [&](const auto& exec) {
      steps::longest_way(exec, tree.view(), waiting.view(), length.view());
    });
    return length.take();
  }
  cpu::longest_way(on, tree.grid(), tree.jumps(), tree.view(), length.view());
  return length.take();
}

namespace {

std::vector<std::int32_t> stream_order(const FlowTree& tree, std::span<const std::uint8_t> stream,
                                       bool shreve) {
  const TileQueue& on = tree.queue();
  const OnQueue<std::uint8_t> marks(on, stream);
  FromQueue<std::int32_t> order(on, tree.cells());
  Buffer<std::uint8_t> waiting = counters(tree);
  // Host threads have not found the donors yet.
  const Index missing = on.kernels() ? 0 : tree.cells();
  Buffer<std::uint8_t> donors(on, missing), path(on, missing);
  steps::TreeView view = tree.view();
  par::dispatch(on, [&](const auto& exec) {
    if (missing > 0) {
      view.donors = donors.cview();
      view.path = path.cview();
      steps::find_donors(exec, view, marks.view(), donors.view(), path.view());
    }
    steps::stream_order(exec, view, marks.view(), shreve, waiting.view(), order.view());
  });
  return order.take();
}

// Carries labels up in place.
void carry_up(const FlowTree& tree, std::int32_t none, par::View<std::int32_t> labels) {
  const TileQueue& on = tree.queue();
  if (on.kernels())
    par::dispatch(on, [&](const auto& exec) {
      steps::carry_up(exec, tree.view(), tree.highest_rank(), none, labels);
    });
  else
    cpu::carry_up(on, tree.grid(), tree.view(), none, labels);
}

// The first marked cell on the way down of each cell.
void find_drains(const FlowTree& tree, std::span<const std::uint8_t> marked,
                 par::View<std::int32_t> drain) {
  const TileQueue& on = tree.queue();
  const OnQueue<std::uint8_t> marks(on, marked);
  par::dispatch(on, [&](const auto& exec) {
    steps::label_marked(exec, marks.view(), tree.view().direction, drain);
  });
  carry_up(tree, -1, drain);
  on.queue().synchronize();  // before the marks go
}

}  // namespace

std::vector<std::int32_t> strahler_order(const FlowTree& tree,
                                         std::span<const std::uint8_t> stream) {
  return stream_order(tree, stream, false);
}

std::vector<std::int32_t> shreve_order(const FlowTree& tree, std::span<const std::uint8_t> stream) {
  return stream_order(tree, stream, true);
}

std::vector<std::int32_t> first_label_downstream(const FlowTree& tree,
                                                 std::vector<std::int32_t> labels,
                                                 std::int32_t none) {
  FromQueue<std::int32_t> carried(tree.queue(), std::move(labels));
  carry_up(tree, none, carried.view());
  return carried.take();
}

std::vector<std::int32_t> first_marked_downstream(const FlowTree& tree,
                                                  std::span<const std::uint8_t> marked) {
  FromQueue<std::int32_t> drain(tree.queue(), tree.cells());
  find_drains(tree, marked, drain.view());
  return drain.take();
}

template <class T>
std::vector<double> height_above_drainage(const FlowTree& tree, std::span<const T> z,
                                          std::span<const std::uint8_t> stream) {
  const TileQueue& on = tree.queue();
  Buffer<std::int32_t> drain(on, tree.cells());
  find_drains(tree, stream, drain.view());
  const OnQueue<T> heights(on, z);
  FromQueue<double> height(on, tree.cells());
  par::dispatch(on, [&](const auto& exec) {
    steps::height_above(exec, heights.view(), drain.cview(), height.view());
  });
  return height.take();
}

template <class T>
std::vector<double> steepest_slope(const TileQueue& on, const Grid& grid, std::span<const T> z,
                                   std::span<const std::uint8_t> state) {
  const Buffer<double> distance(on, step_lengths(grid));
  const OnQueue<T> heights(on, z);
  const OnQueue<std::uint8_t> states(on, state);
  FromQueue<double> slope(on, grid.cells());
  par::dispatch(on, [&](const auto& exec) {
    steps::steepest_slope(exec, view_of(grid, {}), distance.cview(), heights.view(), states.view(),
                          slope.view());
  });
  return slope.take();
}

#define TERRAWAVE_FOR(T)                                                                     \
  template std::vector<double> height_above_drainage<T>(const FlowTree&, std::span<const T>, \
                                                        std::span<const std::uint8_t>);      \
  template std::vector<double> steepest_slope<T>(                                            \
      const TileQueue&, const Grid&, std::span<const T>, std::span<const std::uint8_t>);
TERRAWAVE_FOR(std::uint8_t)
TERRAWAVE_FOR(std::int16_t)
TERRAWAVE_FOR(std::uint16_t)
TERRAWAVE_FOR(std::int32_t)
TERRAWAVE_FOR(float)
TERRAWAVE_FOR(double)
#undef TERRAWAVE_FOR

}  // namespace terrawave::terrain
