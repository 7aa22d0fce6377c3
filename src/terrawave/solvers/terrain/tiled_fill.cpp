// Barnes (2016), "Parallel priority-flood depression filling for trillion cell digital elevation
// models": tiles label what drains to each rim cell; the graph of labels is flooded from the ocean.
#include <algorithm>
#include <map>
#include <queue>

#include "terrawave/par/buffer.hpp"
#include "terrawave/solvers/terrain/tiled_graph.hpp"
#include "terrawave/solvers/terrain/tiled_routing.hpp"

namespace terrawave::terrain {
namespace {

// Where the waters of two labels meet inside one tile, and across its sides.
template <class T>
std::vector<SpillEdge> label_graph(const Block<T>& block, Index map_cols) {
  constexpr Index none = -2;
  const Grid& g = block.grid;
  std::vector<Index> label(std::size_t(g.cells()), none);
  std::vector<double> level(std::size_t(g.cells()), 0);
  using Entry = std::pair<double, Index>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
  std::map<std::pair<Index, Index>, double> edges;
  const auto meet = [&](Index a, Index b, double height) {
    const auto [at, fresh] = edges.emplace(std::minmax(a, b), height);
    if (!fresh) at->second = std::min(at->second, height);
  };
  const auto seed = [&](Index a, Index id) {
    label[std::size_t(a)] = id;
    level[std::size_t(a)] = double(block.z[std::size_t(a)]);
    open.emplace(level[std::size_t(a)], a);
  };
  for (const Index i : rim_positions(block.inside)) {
    const Index a = block.around_of(i);
    if (!is_data(block.state[std::size_t(a)])) continue;
    const Index cell = block.global(a, map_cols);
    seed(a, cell);
    if (is_base(block.state[std::size_t(a)])) meet(kOcean, cell, double(block.z[std::size_t(a)]));
    for (int k = 0; k < kNeighbours; ++k) {
      const Index n = g.neighbour(a, k);
      if (n >= 0 && !block.is_inside(n) && is_data(block.state[std::size_t(n)]))
        meet(cell, block.global(n, map_cols),
             std::max(double(block.z[std::size_t(a)]), double(block.z[std::size_t(n)])));
    }
  }
  for (Index i = 0; i < block.inside.size(); ++i) {
    const Index a = block.around_of(i);
    if (label[std::size_t(a)] == none && is_base(block.state[std::size_t(a)])) seed(a, kOcean);
  }
  while (!open.empty()) {
    const Index a = open.top().second;
    open.pop();
    for (int k = 0; k < kNeighbours; ++k) {
      const Index n = g.neighbour(a, k);
      if (n < 0 || !block.is_inside(n) || !is_data(block.state[std::size_t(n)])) continue;
      if (label[std::size_t(n)] == none) {
        label[std::size_t(n)] = label[std::size_t(a)];
        level[std::size_t(n)] = std::max(level[std::size_t(a)], double(block.z[std::size_t(n)]));
        open.emplace(level[std::size_t(n)], n);
      } else if (label[std::size_t(n)] != label[std::size_t(a)]) {
        meet(label[std::size_t(n)], label[std::size_t(a)],
             std::max(level[std::size_t(a)], level[std::size_t(n)]));
      }
    }
  }
  std::vector<SpillEdge> list;
  for (const auto& [labels, height] : edges) list.push_back({labels.first, labels.second, height});
  return list;
}

struct Level {
  Index cell = 0;
  double height = 0;
};

std::vector<comm::Bytes> solve_levels(const Tiling& tiling, const std::vector<comm::Bytes>& all) {
  std::vector<SpillEdge> edges;
  for (const comm::Bytes& bytes : all) {
    const auto part = from_bytes<SpillEdge>(bytes);
    edges.insert(edges.end(), part.begin(), part.end());
  }
  std::vector<std::vector<Level>> levels(std::size_t(tiling.tiles()));
  for (const auto& [cell, height] : spill_levels(edges))
    levels[std::size_t(tiling.tile_of(cell))].push_back({cell, height});
  std::vector<comm::Bytes> replies;
  for (const auto& list : levels) replies.push_back(to_bytes(list));
  return replies;
}

// The tile flooded from its rim at the known levels and from its own base cells.
template <class T>
std::vector<T> flood_tile(const par::Queue& queue, const Block<T>& block,
                          const std::vector<Level>& levels, Index map_cols) {
  Grid g = block.grid;
  g.rows = block.inside.rows;
  g.cols = block.inside.cols;
  if (g.dx.size() > 1) g.dx.resize(std::size_t(g.rows));  // fill needs no metric
  std::vector<T> z = block.cut(block.z);
  std::vector<std::uint8_t> state = block.cut(block.state);
  for (const Level& level : levels) {
    const Index i = (level.cell / map_cols - block.inside.row) * g.cols + level.cell % map_cols -
                    block.inside.col;
    if (T(level.height) > z[std::size_t(i)]) z[std::size_t(i)] = T(level.height + 0.0);
    state[std::size_t(i)] = std::uint8_t(CellState::outlet);
  }
  const std::vector<T> ground = block.cut(block.z);
  const par::Buffer<T> heights(queue, z);
  const par::Buffer<std::uint8_t> states(queue, state);
  par::Buffer<T> filled(queue, heights.size());
  fill<T>(queue, g, heights.cview(), states.cview(), filled.view());
  std::vector<T> out = filled.download();
  for (std::size_t i = 0; i < out.size(); ++i)
    if (!is_data(state[i])) out[i] = ground[i];
  return out;
}

}  // namespace

template <class T>
void tiled_fill(comm::Comm& comm, const par::Queue& queue, BlockReader& reader,
                const TakeTile<T>& take) {
  const Tiling& tiling = reader.tiling();
  const std::vector<Index> mine = tiles_of_rank(tiling, comm);
  std::vector<comm::Bytes> summaries;
  together(comm, [&] {
    for (const Index tile : mine)
      summaries.push_back(to_bytes(label_graph(reader.read<T>(tile), tiling.cols)));
  });
  const std::vector<comm::Bytes> replies =
      ask_root(comm, tiling, summaries, [&](const auto& all) { return solve_levels(tiling, all); });
  together(comm, [&] {
    for (std::size_t m = 0; m < mine.size(); ++m)
      take(mine[m],
           flood_tile(queue, reader.read<T>(mine[m]), from_bytes<Level>(replies[m]), tiling.cols));
  });
}

template void tiled_fill(comm::Comm&, const par::Queue&, BlockReader&,
                         const TakeTile<std::uint8_t>&);
template void tiled_fill(comm::Comm&, const par::Queue&, BlockReader&,
                         const TakeTile<std::int16_t>&);
template void tiled_fill(comm::Comm&, const par::Queue&, BlockReader&,
                         const TakeTile<std::uint16_t>&);
template void tiled_fill(comm::Comm&, const par::Queue&, BlockReader&,
                         const TakeTile<std::int32_t>&);
template void tiled_fill(comm::Comm&, const par::Queue&, BlockReader&, const TakeTile<float>&);
template void tiled_fill(comm::Comm&, const par::Queue&, BlockReader&, const TakeTile<double>&);

}  // namespace terrawave::terrain
