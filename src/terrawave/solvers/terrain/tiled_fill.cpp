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

template <class T>
struct Meeting {
  T height{};
  std::int32_t a = 0, b = 0;
};

// Where the waters of two labels meet inside one tile, and across its sides.
template <class T>
std::vector<SpillEdge> label_graph(const Block<T>& block) {
  // A label is the position of a rim cell in `around`, or the ocean.
  constexpr std::int32_t none = -2;
  constexpr std::int32_t ocean = -1;
  const Grid& g = block.grid;
  std::vector<std::int32_t> label(std::size_t(g.cells()), none);
  std::vector<T> level(std::size_t(g.cells()), T(0));
  using Entry = std::pair<T, std::int32_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
  std::map<std::pair<std::int32_t, std::int32_t>, T> edges;
  const auto meet = [&](std::int32_t a, std::int32_t b, T height) {
    const auto [at, fresh] = edges.emplace(std::minmax(a, b), height);
    if (!fresh) at->second = std::min(at->second, height);
  };
  const auto seed = [&](Index a, std::int32_t id) {
    label[std::size_t(a)] = id;
    level[std::size_t(a)] = block.z[std::size_t(a)];
    open.emplace(level[std::size_t(a)], std::int32_t(a));
  };
  std::vector<SpillEdge> list;
  for (const Index i : rim_positions(block.inside)) {
    const Index a = block.around_of(i);
    if (!is_data(block.state[std::size_t(a)])) continue;
    seed(a, std::int32_t(a));
    if (is_base(block.state[std::size_t(a)])) meet(ocean, std::int32_t(a), block.z[std::size_t(a)]);
    for (int k = 0; k < 4; ++k) {  // the other four are those of the tile across
      const Index n = g.neighbour(a, k);
      if (n >= 0 && !block.is_inside(n) && is_data(block.state[std::size_t(n)]))
        list.push_back(
            {block.global(a), block.global(n),
             std::max(double(block.z[std::size_t(a)]), double(block.z[std::size_t(n)]))});
    }
  }
  for (Index i = 0; i < block.inside.size(); ++i) {
    const Index a = block.around_of(i);
    if (label[std::size_t(a)] == none && is_base(block.state[std::size_t(a)])) seed(a, ocean);
  }
  while (!open.empty()) {
    const Index a = open.top().second;
    open.pop();
    for (int k = 0; k < kNeighbours; ++k) {
      const Index n = g.neighbour(a, k);
      if (n < 0 || !block.is_inside(n) || !is_data(block.state[std::size_t(n)])) continue;
      if (label[std::size_t(n)] == none) {
        label[std::size_t(n)] = label[std::size_t(a)];
        level[std::size_t(n)] = std::max(level[std::size_t(a)], block.z[std::size_t(n)]);
        open.emplace(level[std::size_t(n)], std::int32_t(n));
      } else if (label[std::size_t(n)] != label[std::size_t(a)]) {
        meet(label[std::size_t(n)], label[std::size_t(a)],
             std::max(level[std::size_t(a)], level[std::size_t(n)]));
      }
    }
  }
  // Levels follow the lowest spanning forest of the labels: no other meeting matters.
  std::vector<Meeting<T>> meetings;
  for (const auto& [labels, height] : edges)
    meetings.push_back({height, labels.first, labels.second});
  edges.clear();
  std::sort(meetings.begin(), meetings.end(),
            [](const Meeting<T>& x, const Meeting<T>& y) { return x.height < y.height; });
  std::vector<std::int32_t>& joined = label;  // union-find over labels; the ocean comes last
  joined.push_back(std::int32_t(g.cells()));
  for (std::size_t i = 0; i < joined.size(); ++i) joined[i] = std::int32_t(i);
  const auto find = [&](std::int32_t id) {
    auto i = id == ocean ? std::size_t(g.cells()) : std::size_t(id);
    while (joined[i] != std::int32_t(i))
      i = std::size_t(joined[i] = joined[std::size_t(joined[i])]);
    return i;
  };
  const auto node = [&](std::int32_t id) { return id == ocean ? kOcean : block.global(id); };
  for (const Meeting<T>& m : meetings) {
    const std::size_t x = find(m.a);
    const std::size_t y = find(m.b);
    if (x == y) continue;
    joined[x] = std::int32_t(y);
    list.push_back({node(m.a), node(m.b), double(m.height)});
  }
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

// The tile flooded from its rim at the known levels and from its own base cells.
template <class T>
std::vector<T> flood_tile(const par::Queue& queue, const Block<T>& block,
                          const std::vector<Level>& levels, TiledStats& stats) {
  Grid g = block.grid;
  g.rows = block.inside.rows;
  g.cols = block.inside.cols;
  if (g.dx.size() > 1) g.dx.resize(std::size_t(g.rows));  // fill needs no metric
  std::vector<T> z = block.cut(block.z);
  std::vector<std::uint8_t> state = block.cut(block.state);
  for (const Level& level : levels) {
    const Index i = (level.cell / block.tiling.cols - block.inside.row) * g.cols +
                    level.cell % block.tiling.cols - block.inside.col;
    if (T(level.height) > z[std::size_t(i)]) z[std::size_t(i)] = T(level.height + 0.0);
    state[std::size_t(i)] = std::uint8_t(CellState::outlet);
  }
  const std::vector<std::uint8_t> shut = shut_in(block, g, state);
  for (Index i = 0; i < block.inside.size(); ++i) {
    if (!is_pit(block, block.around_of(i))) continue;
    ++stats.pits;
    if (shut[std::size_t(i)] != 0) ++stats.undrained;
  }
  std::vector<T> out;
  {
    const par::Buffer<T> heights(queue, z);
    const par::Buffer<std::uint8_t> states(queue, state);
    par::Buffer<T> filled(queue, heights.size());
    fill<T>(queue, g, heights.cview(), states.cview(), filled.view());
    out = filled.download();
  }
  for (std::size_t i = 0; i < out.size(); ++i)
    if (!is_data(state[i])) out[i] = block.z[std::size_t(block.around_of(Index(i)))];
  return out;
}

}  // namespace

template <class T>
TiledStats tiled_fill(comm::Comm& comm, const par::Queue& queue, BlockReader& reader,
                      const TakeTile<T>& take) {
  const Tiling& tiling = reader.tiling();
  const std::vector<Index> mine = tiles_of_rank(tiling, comm);
  std::vector<comm::Bytes> summaries;
  together(comm, [&] {
    for (const Index tile : mine) summaries.push_back(to_bytes(label_graph(reader.read<T>(tile))));
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

template TiledStats tiled_fill(comm::Comm&, const par::Queue&, BlockReader&,
                               const TakeTile<std::uint8_t>&);
template TiledStats tiled_fill(comm::Comm&, const par::Queue&, BlockReader&,
                               const TakeTile<std::int16_t>&);
template TiledStats tiled_fill(comm::Comm&, const par::Queue&, BlockReader&,
                               const TakeTile<std::uint16_t>&);
template TiledStats tiled_fill(comm::Comm&, const par::Queue&, BlockReader&,
                               const TakeTile<std::int32_t>&);
template TiledStats tiled_fill(comm::Comm&, const par::Queue&, BlockReader&,
                               const TakeTile<float>&);
template TiledStats tiled_fill(comm::Comm&, const par::Queue&, BlockReader&,
                               const TakeTile<double>&);

}  // namespace terrawave::terrain
