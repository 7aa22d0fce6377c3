#include "terrawave/solvers/terrain/cpu/cpu_route.hpp"

#include <algorithm>

#include "terrawave/solvers/terrain/cpu/cpu_descent.hpp"
#include "terrawave/solvers/terrain/cpu/cpu_labels.hpp"
#include "terrawave/solvers/terrain/cpu/cpu_passes.hpp"
#include "terrawave/solvers/terrain/cpu/flow_walk.hpp"

namespace terrawave::terrain::cpu {
namespace {

// The pass of a basin, seen from inside it.
struct Exit {
  Index inside;   // its cell
  Index outside;  // the cell of the other basin
  Direction direction;
};

Exit exit_of(const Grid& grid, Index code, std::int32_t basin, const std::int32_t* labels) {
  const Index cell = code / 4;
  const int k = int(code & 3);
  const Index other = grid.neighbour(cell, k);
  if (labels[cell] == basin) return {cell, other, Direction(k)};
  return {other, cell, Direction(opposite(k))};
}

// Turns the receivers of the path from the pass down to the pit around.
void carve(const Grid& grid, const Exit& exit, Direction* direction) {
  Direction in = exit.direction;
  for (Index c = exit.inside;;) {
    const Direction was = direction[c];
    direction[c] = in;
    if (was == kRoot) return;
    in = Direction(opposite(was));
    c = grid.neighbour(c, was);
  }
}

template <class T>
RouteStats stats_of(const std::vector<std::int32_t>& pits, const std::vector<Pass<T>>& passes) {
  RouteStats stats;
  stats.pits = Index(pits.size());
  constexpr auto kPerBasin = 2 * sizeof(Index) + 8 * sizeof(std::int32_t) + sizeof(T);
  stats.bytes = double(passes.size() * sizeof(Pass<T>)) + double(pits.size() * kPerBasin);
  return stats;
}

}  // namespace

template <class T>
RouteStats fill(const par::Queue& queue, const Grid& grid, par::View<const T> z,
                par::View<const std::uint8_t> state, par::View<T> filled) {
  par::Buffer<std::int32_t> labels(queue, grid.cells());
  BasinTree<T> tree;
  RouteStats stats;
  {
    par::Buffer<Direction> direction(queue, grid.cells());
    lowest_neighbours(queue, grid, z, state, direction.view());
    const auto pits = label_dense(queue, grid, direction.cview(), state, labels.view());
    auto passes = collect_passes(queue, grid, z, labels.cview());
    stats = stats_of(pits, passes);
    stats.bytes += double(labels.bytes() + direction.bytes());
    tree = hang_basins(std::move(passes), stats.pits + 1);
    stats.rounds = tree.rounds;
    stats.undrained = tree.undrained;
  }
  const par::LaunchScope open(queue);
  const std::int32_t* const label = labels.view().data;
  const T* const levels = tree.level.data();
#pragma omp parallel for schedule(static) num_threads(queue.threads())
  for (Index c = 0; c < grid.cells(); ++c) {
    // Basin 0 has the lowest level of all, so it, and nodata, stay as they are.
    const T level = levels[label[c] < 0 ? 0 : label[c]];
    const T height = z[c];
    filled[c] = height < level ? T(level + T(0)) : height;  // never -0
  }
  return stats;
}

template <class T>
RouteStats leave_depressions(const par::Queue& queue, const Grid& grid, par::View<const T> z,
                             par::View<const std::uint8_t> state, bool jump, Receivers& receivers) {
  RouteStats stats;
  par::Buffer<std::int32_t> labels(queue, grid.cells());
  const auto pits = label_dense(queue, grid, receivers.direction.cview(), state, labels.view());
  auto passes = collect_passes(queue, grid, z, labels.cview());
  stats = stats_of(pits, passes);
  stats.bytes += double(labels.bytes());
  const BasinTree<T> tree = hang_basins(std::move(passes), stats.pits + 1);
  stats.rounds = tree.rounds;
  stats.undrained = tree.undrained;
  const par::LaunchScope open(queue);
  const std::int32_t* const label = labels.view().data;
  Direction* const direction = receivers.direction.view().data;
  if (jump) {
    for (Index b = 1; b <= stats.pits; ++b) {
      if (tree.parent[std::size_t(b)] < 0) continue;
      const Exit exit = exit_of(grid, tree.pass[std::size_t(b)], std::int32_t(b), label);
      receivers.jumps.push_back({pits[std::size_t(b - 1)], std::int32_t(exit.outside)});
    }
    return stats;
  }
#pragma omp parallel for schedule(static) num_threads(queue.threads())
  for (Index b = 1; b <= stats.pits; ++b)
    if (tree.parent[std::size_t(b)] >= 0)
      carve(grid, exit_of(grid, tree.pass[std::size_t(b)], std::int32_t(b), label), direction);
  return stats;
}

template RouteStats fill(const par::Queue&, const Grid&, par::View<const std::uint8_t>,
                         par::View<const std::uint8_t>, par::View<std::uint8_t>);
template RouteStats fill(const par::Queue&, const Grid&, par::View<const std::int16_t>,
                         par::View<const std::uint8_t>, par::View<std::int16_t>);
template RouteStats fill(const par::Queue&, const Grid&, par::View<const std::uint16_t>,
                         par::View<const std::uint8_t>, par::View<std::uint16_t>);
template RouteStats fill(const par::Queue&, const Grid&, par::View<const std::int32_t>,
                         par::View<const std::uint8_t>, par::View<std::int32_t>);
template RouteStats fill(const par::Queue&, const Grid&, par::View<const float>,
                         par::View<const std::uint8_t>, par::View<float>);
template RouteStats fill(const par::Queue&, const Grid&, par::View<const double>,
                         par::View<const std::uint8_t>, par::View<double>);
template RouteStats leave_depressions(const par::Queue&, const Grid&, par::View<const std::uint8_t>,
                                      par::View<const std::uint8_t>, bool, Receivers&);
template RouteStats leave_depressions(const par::Queue&, const Grid&, par::View<const std::int16_t>,
                                      par::View<const std::uint8_t>, bool, Receivers&);
template RouteStats leave_depressions(const par::Queue&, const Grid&,
                                      par::View<const std::uint16_t>, par::View<const std::uint8_t>,
                                      bool, Receivers&);
template RouteStats leave_depressions(const par::Queue&, const Grid&, par::View<const std::int32_t>,
                                      par::View<const std::uint8_t>, bool, Receivers&);
template RouteStats leave_depressions(const par::Queue&, const Grid&, par::View<const float>,
                                      par::View<const std::uint8_t>, bool, Receivers&);
template RouteStats leave_depressions(const par::Queue&, const Grid&, par::View<const double>,
                                      par::View<const std::uint8_t>, bool, Receivers&);

}  // namespace terrawave::terrain::cpu
