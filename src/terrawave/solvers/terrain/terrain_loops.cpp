// Loops in directions that came from outside.
#include <algorithm>

#include "terrawave/solvers/terrain/loop_steps.hpp"
#include "terrawave/solvers/terrain/terrain_routing.hpp"

namespace terrawave::terrain {
namespace {

using par::Buffer;

template <class T>
steps::Loops loops_of(const par::Queue& queue, const Grid& grid, const Receivers& receivers,
                      par::View<const T> z) {
  const Buffer<Link> by_root(queue, receivers.jumps);
  Buffer<std::int32_t> next(queue, grid.cells());
  return par::dispatch(queue, [&](const auto& exec) {
    steps::follow_directions(exec, view_of(grid, {}), receivers.direction.cview(), by_root.cview(),
                             next.view());
    return steps::find_loops(exec, next.cview(), z);
  });
}

}  // namespace

std::vector<Index> steps::first_loop(const Loops& loops) {
  std::vector<Index> cells;
  if (loops.cell.size() == 0) return cells;
  const std::vector<std::int32_t> cell = loops.cell.download();
  const std::vector<std::int32_t> next = loops.next.download();
  std::size_t at = 0;
  do {
    cells.push_back(cell[at]);
    at = std::size_t(next[at]);
  } while (at != 0);
  return cells;
}

std::vector<Index> find_loop(const par::Queue& queue, const Grid& grid,
                             const Receivers& receivers) {
  return steps::first_loop(loops_of(queue, grid, receivers, par::View<const std::uint8_t>{}));
}

template <class T>
Index repair_loops(const par::Queue& queue, const Grid& grid, par::View<const T> z,
                   Receivers& receivers) {
  const steps::Loops loops = loops_of(queue, grid, receivers, z);
  const Buffer<std::int32_t> pits = par::dispatch(queue, [&](const auto& exec) {
    Buffer<std::int32_t> lowest = steps::lowest_cells(exec, loops);
    steps::make_roots(exec, lowest.cview(), receivers.direction.view());
    return lowest;
  });
  if (!receivers.jumps.empty()) {
    std::vector<std::int32_t> roots = pits.download();
    std::sort(roots.begin(), roots.end());
    std::erase_if(receivers.jumps, [&](const Link& j) {
      return std::binary_search(roots.begin(), roots.end(), j.root);
    });
  }
  queue.synchronize();
  return pits.size();
}

#define TERRAWAVE_FOR(T) \
  template Index repair_loops(const par::Queue&, const Grid&, par::View<const T>, Receivers&);
TERRAWAVE_FOR(std::uint8_t)
TERRAWAVE_FOR(std::int16_t)
TERRAWAVE_FOR(std::uint16_t)
TERRAWAVE_FOR(std::int32_t)
TERRAWAVE_FOR(float)
TERRAWAVE_FOR(double)
#undef TERRAWAVE_FOR

}  // namespace terrawave::terrain
