#include "terrawave/solvers/terrain/tiled_span.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "terrawave/par/buffer.hpp"
#include "terrawave/solvers/terrain/tile_basin_steps.hpp"

namespace terrawave::terrain {
namespace {

using par::Buffer;
using steps::BasinList;
using steps::OuterPass;

// What others know of a tile's basins: their ids by number (0: the ocean), and where they lie.
struct FixedBasins {
  std::vector<Index> ids = {kOcean};
  BasinList roots, ring;
};

FixedBasins fixed_basins(const TileShape& shape, const std::vector<std::uint8_t>& state,
                         const TileFlow& flow, const std::vector<Direction>& direction,
                         const std::unordered_map<Index, RimBasin>& ring) {
  FixedBasins fixed;
  std::unordered_map<Index, std::int32_t> number = {{kOcean, 0}};
  const auto number_of = [&](Index id) {
    const auto [at, fresh] = number.emplace(id, std::int32_t(fixed.ids.size()));
    if (fresh) fixed.ids.push_back(id);
    return at->second;
  };
  const auto list = [](BasinList& to, Index cell, std::int32_t basin) {
    to.cells.push_back(std::int32_t(cell));
    to.basins.push_back(basin);
  };
  shape.for_ring([&](Index a) {
    if (is_data(state[std::size_t(a)]))
      list(fixed.ring, a, number_of(ring.at(shape.global(a)).basin));
  });
  std::unordered_set<std::int32_t> seen;
  for (const Index i : rim_positions(shape.inside)) {
    const std::int32_t root = flow.root[std::size_t(i)];
    if (root < 0 || !seen.insert(root).second) continue;
    const Index a = shape.around_of(root);
    if (is_base(state[std::size_t(a)])) continue;  // of the ocean
    const Index target = target_of(shape.tiling, shape.inside, direction, root);
    list(fixed.roots, root, number_of(target >= 0 ? ring.at(target).basin : shape.global(a)));
  }
  return fixed;
}

// Runs run(exec, basins, z) with the basins and heights on the queue's device.
template <class T, class Run>
void with_basins(const par::Queue& queue, const steps::TilePlace& at, const std::vector<T>& z,
                 const std::vector<std::uint8_t>& state, const Buffer<std::int32_t>& root,
                 const FixedBasins& fixed, const Run& run) {
  const Buffer<T> heights(queue, z);
  par::dispatch(queue, [&](const auto& exec) {
    const Buffer<std::uint8_t> states(queue, state);
    const steps::TileBasins basins = steps::number_basins(
        exec, at, root.cview(), states.cview(), Index(fixed.ids.size()), fixed.roots, fixed.ring);
    run(exec, basins, heights.cview());
  });
}

template <class T>
T height_of(const std::vector<T>& z, const OuterPass& pass) {
  return std::max(z[std::size_t(pass.code / 4)], z[std::size_t(pass.other)]);
}

// The passes of the tile as the root wants them, lowest first.
template <class T>
std::vector<PassEdge> edges_of(const Block<T>& block, const TileFlow& flow,
                               const std::vector<Direction>& direction,
                               const std::unordered_map<Index, RimBasin>& ring,
                               const std::vector<Index>& ids, std::vector<OuterPass> outer) {
  std::sort(outer.begin(), outer.end(), [&](const OuterPass& x, const OuterPass& y) {
    const T a = height_of(block.z, x);
    const T b = height_of(block.z, y);
    return a != b ? a < b : x.code < y.code;
  });
  // Where the old flow of the group's basin at the rim leaves the tile; -1: it does not.
  const auto exit_of = [&](Index cell, Index last) -> Index {
    if (!block.is_inside(cell)) return ring.at(block.global(cell)).exit;
    const std::int32_t root = flow.root[std::size_t(block.inside_of(last))];
    const Index target = target_of(block.tiling, block.inside, direction, root);
    return target >= 0 ? 8 * target + direction[std::size_t(root)] : -1;
  };
  std::vector<PassEdge> edges;
  for (const OuterPass& pass : outer) {
    const Index a = pass.code / 4;
    PassEdge edge;
    edge.height = double(height_of(block.z, pass));
    edge.code = 4 * block.global(a) + (pass.code & 3);
    edge.other = block.global(pass.other);
    edge.basin_a = ids[std::size_t(pass.basin_a)];
    edge.basin_b = ids[std::size_t(pass.basin_b)];
    edge.exit_a = exit_of(a, pass.last_a);
    edge.exit_b = exit_of(pass.other, pass.last_b);
    edges.push_back(edge);
  }
  return edges;
}

}  // namespace

template <class T>
TilePasses span_passes(const par::Queue& queue, const Block<T>& block, const TileFlow& flow,
                       const std::vector<Direction>& direction,
                       const std::vector<RimBasin>& known) {
  std::unordered_map<Index, RimBasin> ring;
  for (const RimBasin& entry : known) ring.emplace(entry.cell, entry);
  const FixedBasins fixed = fixed_basins(block, block.state, flow, direction, ring);
  const Buffer<std::int32_t> root(queue, flow.root);
  const steps::TilePlace at = place_of(block);
  TilePasses passes;
  with_basins(queue, at, block.z, block.state, root, fixed,
              [&](const auto& exec, const steps::TileBasins& basins, par::View<const T> z) {
                steps::TileForest forest = steps::span_tile(
                    exec, at, block.grid.connectivity == Connectivity::d8, z, basins);
                passes.inner = steps::inner_ways(exec, at, basins, forest);
                passes.edges =
                    edges_of(block, flow, direction, ring, fixed.ids, std::move(forest.outer));
              });
  return passes;
}

template <class T>
std::vector<SpillEdge> span_levels(const par::Queue& queue, const Block<T>& block) {
  const Grid g = grid_inside(block);
  const std::vector<T> z = block.cut(block.z);
  std::vector<std::uint8_t> state = block.cut(block.state);
  FixedBasins fixed;
  for (const Index i : rim_positions(block.inside)) {
    if (!is_data(state[std::size_t(i)])) continue;
    fixed.roots.cells.push_back(std::int32_t(i));
    fixed.roots.basins.push_back(std::int32_t(fixed.ids.size()));
    fixed.ids.push_back(block.global(block.around_of(i)));
    state[std::size_t(i)] = std::uint8_t(CellState::outlet);
  }
  // Rim cells keep what reaches them. What descends to one is nowhere higher than where it came
  // from, so basins meet at the height of their lowest pass.
  Buffer<std::int32_t> root(queue, g.cells());
  {
    const Buffer<T> heights(queue, z);
    const Buffer<std::uint8_t> states(queue, state);
    const Receivers receivers =
        steepest_receivers<T>(queue, g, heights.cview(), states.cview(), FlatRule::by_index);
    label_basins(queue, g, receivers, root.view());
  }
  const steps::TilePlace at{g.rows, g.cols, 0, 0, g.rows, g.cols};
  std::vector<SpillEdge> list;
  with_basins(
      queue, at, z, state, root, fixed,
      [&](const auto& exec, const steps::TileBasins& basins, par::View<const T> heights) {
        const steps::TileForest forest =
            steps::span_tile(exec, at, g.connectivity == Connectivity::d8, heights, basins);
        for (const OuterPass& pass : forest.outer)
          list.push_back({fixed.ids[std::size_t(pass.basin_a)],
                          fixed.ids[std::size_t(pass.basin_b)], double(height_of(z, pass))});
      });
  return list;
}

std::vector<Direction> carve_by_kernels(const par::Queue& queue, const domain::Window& w,
                                        const Tiling& tiling, const std::vector<Direction>& old,
                                        const std::vector<CarveStart>& starts,
                                        const std::vector<InnerWay>& inner) {
  std::vector<steps::TileCarve> list;
  for (const CarveStart& start : starts) {
    const Index cell =
        (start.cell / tiling.cols - w.row) * w.cols + start.cell % tiling.cols - w.col;
    list.push_back({std::int32_t(cell), start.dir});
  }
  const Buffer<steps::TileCarve> from(queue, list);
  const Buffer<InnerWay> ways(queue, inner);
  const Buffer<Direction> before(queue, old);
  Buffer<Direction> carved(queue, old);
  par::dispatch(queue, [&](const auto& exec) {
    steps::carve_ways(exec, {w.rows, w.cols, 0, 0, w.rows, w.cols}, from.cview(), ways.cview(),
                      before.cview(), carved.view());
  });
  return carved.download();
}

#define TERRAWAVE_FOR(T)                                                                           \
  template TilePasses span_passes<T>(const par::Queue&, const Block<T>&, const TileFlow&,          \
                                     const std::vector<Direction>&, const std::vector<RimBasin>&); \
  template std::vector<SpillEdge> span_levels<T>(const par::Queue&, const Block<T>&);
TERRAWAVE_FOR(std::uint8_t)
TERRAWAVE_FOR(std::int16_t)
TERRAWAVE_FOR(std::uint16_t)
TERRAWAVE_FOR(std::int32_t)
TERRAWAVE_FOR(float)
TERRAWAVE_FOR(double)
#undef TERRAWAVE_FOR

}  // namespace terrawave::terrain
