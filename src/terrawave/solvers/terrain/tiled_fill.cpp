// Barnes (2016), "Parallel priority-flood depression filling for trillion cell digital elevation
// models": tiles tell at what level the waters of their rim cells meet; that graph is flooded from
// the ocean. The meetings are the lowest passes between basins, as in one piece, instead of a
// priority-flood's: no queue, and threads share the work.
#include <algorithm>

#include "terrawave/par/buffer.hpp"
#include "terrawave/solvers/terrain/cpu/cpu_descent.hpp"
#include "terrawave/solvers/terrain/cpu/cpu_labels.hpp"
#include "terrawave/solvers/terrain/cpu/cpu_passes.hpp"
#include "terrawave/solvers/terrain/host_copies.hpp"
#include "terrawave/solvers/terrain/tile_basin_steps.hpp"
#include "terrawave/solvers/terrain/tiled_graph.hpp"
#include "terrawave/solvers/terrain/tiled_routing.hpp"
#include "terrawave/solvers/terrain/tiled_span.hpp"

namespace terrawave::terrain {
namespace {

// Levels across the tile's sides.
template <class T>
void add_sides(const Block<T>& block, std::vector<SpillEdge>& list) {
  for (const Index i : rim_positions(block.inside)) {
    const Index a = block.around_of(i);
    if (!is_data(block.state[std::size_t(a)])) continue;
    const auto z = double(block.z[std::size_t(a)]);
    if (is_base(block.state[std::size_t(a)])) list.push_back({kOcean, block.global(a), z});
    for (int k = 0; k < 4; ++k) {  // the other four are those of the tile across
      const Index n = block.grid.neighbour(a, k);
      if (n >= 0 && !block.is_inside(n) && is_data(block.state[std::size_t(n)]))
        list.push_back(
            {block.global(a), block.global(n), std::max(z, double(block.z[std::size_t(n)]))});
    }
  }
}

// Basins of a tile whose rim cells keep what reaches them: basin 0 are the base cells inside, the
// others have a pit or a rim cell each. What descends to a rim cell is nowhere higher than where it
// came from, so two basins join at the height of their lowest pass.
template <class T>
std::vector<cpu::Pass<T>> join_basins(const par::Queue& host, const Block<T>& block,
                                      std::vector<std::int32_t>& pits) {
  const Grid g = grid_inside(block);
  const par::Buffer<T> z(host, block.cut(block.z));
  std::vector<std::uint8_t> state = block.cut(block.state);
  for (const Index i : rim_positions(block.inside))
    if (is_data(state[std::size_t(i)])) state[std::size_t(i)] = std::uint8_t(CellState::outlet);
  par::Buffer<std::uint8_t> states(host, state);
  par::Buffer<Direction> direction(host, g.cells());
  cpu::lowest_neighbours(host, g, z.cview(), states.cview(), direction.view());
  for (const Index i : rim_positions(block.inside))
    if (is_data(state[std::size_t(i)])) state[std::size_t(i)] = std::uint8_t(CellState::valid);
  states.upload(state);
  par::Buffer<std::int32_t> labels(host, g.cells());
  pits = cpu::label_dense(host, g, direction.cview(), states.cview(), labels.view());
  auto passes = cpu::collect_passes(host, g, z.cview(), labels.cview());
  int rounds = 0;
  return cpu::lowest_passes(passes, Index(pits.size()) + 1, rounds);
}

// Where the waters of two rim cells, or of one and the ocean, meet inside the tile, and across its
// sides: levels follow the lowest spanning forest of the basins, and pits are left out of it.
template <class T>
std::vector<SpillEdge> label_graph(const TileQueue& queue, const Block<T>& block) {
  if (queue.kernels()) {
    std::vector<SpillEdge> spanned = span_levels(queue, block);
    add_sides(block, spanned);
    return spanned;
  }
  std::vector<std::int32_t> pits;
  auto forest = join_basins(queue, block, pits);
  std::sort(forest.begin(), forest.end(), [](const auto& x, const auto& y) { return x.before(y); });
  std::vector<SpillEdge> list;
  list.reserve(forest.size());
  // A member of each group that the ocean or another tile knows; -1 where all are pits.
  constexpr Index unknown = -2;
  std::vector<Index> member(pits.size() + 1, unknown);
  std::vector<std::int32_t> joined(member.size());
  for (std::size_t b = 0; b < joined.size(); ++b) joined[b] = std::int32_t(b);
  member[0] = kOcean;
  for (std::size_t b = 1; b < member.size(); ++b) {
    const Index row = row_of(pits[b - 1], block.inside.cols);
    const Index col = pits[b - 1] - row * block.inside.cols;
    const bool on_rim =
        row == 0 || col == 0 || row + 1 == block.inside.rows || col + 1 == block.inside.cols;
    if (on_rim) member[b] = (block.inside.row + row) * block.tiling.cols + block.inside.col + col;
  }
  const auto find = [&](std::int32_t b) {
    while (joined[std::size_t(b)] != b)
      b = joined[std::size_t(b)] = joined[std::size_t(joined[std::size_t(b)])];
    return std::size_t(b);
  };
  for (const cpu::Pass<T>& pass : forest) {
    const std::size_t x = find(pass.lower_basin);
    const std::size_t y = find(pass.upper_basin);
    joined[x] = std::int32_t(y);
    if (member[x] != unknown && member[y] != unknown)
      list.push_back({member[x], member[y], double(pass.height)});
    if (member[y] == unknown) member[y] = member[x];
  }
  add_sides(block, list);
  return list;
}

struct Level {
  Index cell = 0;
  double height = 0;
};

std::vector<comm::Bytes> solve_levels(const Tiling& tiling, std::vector<comm::Bytes>& all) {
  const auto edges = merge_bytes<SpillEdge>(all);
  std::vector<std::vector<Level>> levels(std::size_t(tiling.tiles()));
  for (const auto& [cell, height] : spill_levels(edges))
    levels[std::size_t(tiling.tile_of(cell))].push_back({cell, height});
  std::vector<comm::Bytes> replies;
  for (const auto& list : levels) replies.push_back(to_bytes(list));
  return replies;
}

// Cells that water cannot leave: no base cell and no rim cell with a level can be reached from
// them.
template <class T>
std::vector<std::uint8_t> shut_in(const Block<T>& block, const Grid& g,
                                  const std::vector<std::uint8_t>& state) {
  std::vector<std::uint8_t> shut(state.size(), 0);
  std::vector<Index> open;
  for (std::size_t i = 0; i < state.size(); ++i) {
    shut[i] = is_data(state[i]) && !is_base(state[i]) ? 1 : 0;
    if (is_base(state[i])) open.push_back(Index(i));
  }
  if (Index(open.size()) == block.inside.size()) return shut;
  while (!open.empty()) {
    const Index i = open.back();
    open.pop_back();
    for (int k = 0; k < kNeighbours; ++k) {
      const Index n = g.neighbour(i, k);
      if (n < 0 || shut[std::size_t(n)] == 0) continue;
      shut[std::size_t(n)] = 0;
      open.push_back(n);
    }
  }
  return shut;
}

// A minimum of (height, linear index).
template <class T>
bool is_pit(const Block<T>& block, Index a) {
  if (block.state[std::size_t(a)] != std::uint8_t(CellState::valid)) return false;
  for (int k = 0; k < kNeighbours; ++k) {
    const Index n = block.grid.neighbour(a, k);
    if (n < 0 || !is_data(block.state[std::size_t(n)])) continue;
    const T mine = block.z[std::size_t(a)];
    const T theirs = block.z[std::size_t(n)];
    if (theirs < mine) return false;
    if (theirs == mine &&
        (is_base(block.state[std::size_t(n)]) || block.global(n) < block.global(a)))
      return false;
  }
  return true;
}

// Calls visit(i) for each pit of the tile. Away from the rim the order of cells in the block is
// that of the map; there each cell is looked at.
template <class T, class Visit>
void for_pits(const par::Queue& queue, const Block<T>& block, const Visit& visit) {
  const par::Queue host = host_of(queue);
  const par::Buffer<T> z(host, block.z);
  const par::Buffer<std::uint8_t> state(host, block.state);
  par::Buffer<Direction> lowest(host, block.around.size());
  cpu::lowest_neighbours(host, block.grid, z.cview(), state.cview(), lowest.view());
  const std::vector<Direction> direction = lowest.download();
  const domain::Window& w = block.inside;
  for (const Index i : rim_positions(w))
    if (is_pit(block, block.around_of(i))) visit(i);
  for (Index r = 1; r + 1 < w.rows; ++r) {
    const Index start = block.row_start(r);
    for (Index c = 1; c + 1 < w.cols; ++c) {
      const auto a = std::size_t(start + c);
      if (direction[a] == kRoot && !is_base(block.state[a])) visit(r * w.cols + c);
    }
  }
}

template <class T>
Index count_pits(const TileQueue& queue, const Block<T>& block) {
  Index pits = 0;
  if (!queue.kernels()) {
    for_pits(queue, block, [&](Index) { ++pits; });
    return pits;
  }
  for (const Index i : rim_positions(block.inside))
    pits += is_pit(block, block.around_of(i)) ? 1 : 0;
  const par::Buffer<T> z(queue, block.z);
  const par::Buffer<std::uint8_t> state(queue, block.state);
  return pits + par::dispatch(queue, [&](const auto& exec) {
           return steps::count_minima(exec, place_of(block),
                                      block.grid.connectivity == Connectivity::d8, z.cview(),
                                      state.cview());
         });
}

// The tile flooded from its rim at the known levels and from its own base cells.
template <class T>
std::vector<T> flood_tile(const TileQueue& queue, const Block<T>& block,
                          const std::vector<Level>& levels, TiledStats& stats) {
  const Grid g = grid_inside(block);
  const std::vector<T> ground = block.cut(block.z);
  std::vector<T> z = ground;
  std::vector<std::uint8_t> state = block.cut(block.state);
  for (const Level& level : levels) {
    const Index row = level.cell / block.tiling.cols;
    const Index i =
        (row - block.inside.row) * g.cols + level.cell - row * block.tiling.cols - block.inside.col;
    if (T(level.height) > z[std::size_t(i)]) z[std::size_t(i)] = T(level.height + 0.0);
    state[std::size_t(i)] = std::uint8_t(CellState::outlet);
  }
  const par::Buffer<T> heights(queue, z);
  const par::Buffer<std::uint8_t> states(queue, state);
  par::Buffer<T> filled(queue, heights.size());
  const RouteStats flood = fill<T>(queue, g, heights.cview(), states.cview(), filled.view());
  filled.download(z);
  for (std::size_t i = 0; i < z.size(); ++i)
    if (!is_data(state[i])) z[i] = ground[i];
  stats.pits += count_pits(queue, block);
  if (flood.undrained == 0) return z;
  const std::vector<std::uint8_t> shut = shut_in(block, g, state);
  for_pits(queue, block, [&](Index i) { stats.undrained += shut[std::size_t(i)]; });
  return z;
}

}  // namespace

template <class T>
TiledStats tiled_fill(comm::Comm& comm, const TileQueue& queue, BlockReader& reader,
                      const TakeTile<T>& take) {
  const Tiling& tiling = reader.tiling();
  const std::vector<Index> mine = tiles_of_rank(tiling, comm);
  std::vector<comm::Bytes> summaries;
  together(comm, [&] {
    for (const Index tile : mine)
      summaries.push_back(to_bytes(label_graph(queue, reader.read<T>(tile))));
  });
  const std::vector<comm::Bytes> replies = ask_root(
      comm, tiling, std::move(summaries), [&](auto& all) { return solve_levels(tiling, all); });
  TiledStats stats;
  together(comm, [&] {
    for (std::size_t m = 0; m < mine.size(); ++m)
      take(mine[m],
           flood_tile(queue, reader.read<T>(mine[m]), from_bytes<Level>(replies[m]), stats));
  });
  stats.pits = comm.sum(stats.pits);
  stats.undrained = comm.sum(stats.undrained);
  return stats;
}

template TiledStats tiled_fill(comm::Comm&, const TileQueue&, BlockReader&,
                               const TakeTile<std::uint8_t>&);
template TiledStats tiled_fill(comm::Comm&, const TileQueue&, BlockReader&,
                               const TakeTile<std::int16_t>&);
template TiledStats tiled_fill(comm::Comm&, const TileQueue&, BlockReader&,
                               const TakeTile<std::uint16_t>&);
template TiledStats tiled_fill(comm::Comm&, const TileQueue&, BlockReader&,
                               const TakeTile<std::int32_t>&);
template TiledStats tiled_fill(comm::Comm&, const TileQueue&, BlockReader&, const TakeTile<float>&);
template TiledStats tiled_fill(comm::Comm&, const TileQueue&, BlockReader&,
                               const TakeTile<double>&);

}  // namespace terrawave::terrain
