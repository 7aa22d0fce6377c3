// Routing by carving across tiles: receivers with a ring of neighbours, basins joined over the rim
// graph, the lowest passes of each tile reduced to a forest, one Kruskal on the root, and every
// path reversed in the tiles that it crosses.
#include <algorithm>
#include <unordered_map>

#include "terrawave/base/error.hpp"
#include "terrawave/par/buffer.hpp"
#include "terrawave/solvers/terrain/tiled_links.hpp"
#include "terrawave/solvers/terrain/tiled_routing.hpp"

namespace terrawave::terrain {
namespace {

template <class T>
std::vector<Direction> steepest_in(const par::Queue& queue, const Block<T>& block) {
  const par::Buffer<T> z(queue, block.z);
  const par::Buffer<std::uint8_t> state(queue, block.state);
  const Receivers receivers =
      steepest_receivers<T>(queue, block.grid, z.cview(), state.cview(), FlatRule::by_index);
  return block.cut(receivers.direction.download());
}

// The basin of a rim cell (kOcean where it ends in a base cell).
struct RimBasin {
  Index cell = 0;
  Index basin = 0;
  Index exit = -1;  // 8 * next + dir where its flow leaves its own tile
};

Index basin_of(const RimRoot& root) { return root.base ? kOcean : root.root; }

// For each tile: the basins of its own portals (by their target) and of its ring.
std::vector<comm::Bytes> solve_basins(const BlockReader& reader, RimGraph& rims,
                                      const std::vector<RimLink>& links) {
  const Tiling& tiling = reader.tiling();
  std::vector<std::vector<RimBasin>> known(std::size_t(tiling.tiles()));
  for (const RimLink& link : links) {
    const RimBasin entry = {link.cell, basin_of(rims.end_of(link.cell)),
                            link.next < 0 ? -1 : 8 * link.next + link.dir};
    const Index row = link.cell / tiling.cols;
    const Index col = link.cell % tiling.cols;
    const Index self = tiling.tile_of(link.cell);
    // A rim cell touches at most three other tiles.
    std::vector<Index> told;
    for (int k = 0; k < kNeighbours; ++k) {
      const Index r = row + kRowStep[k];
      const Index c = col + kColStep[k];
      if (r < 0 || r >= tiling.rows || c < 0 || c >= tiling.cols) continue;
      const Index tile = tiling.tile_of(r * tiling.cols + c);
      if (tile == self || std::find(told.begin(), told.end(), tile) != told.end()) continue;
      told.push_back(tile);
      known[std::size_t(tile)].push_back(entry);
    }
  }
  std::vector<comm::Bytes> replies;
  for (const auto& list : known) replies.push_back(to_bytes(list));
  return replies;
}

struct Places {
  std::vector<Index> basin, exit;  // by position in `around`
};

// Basins and exits of a tile's cells and of its ring.
template <class T>
Places place_basins(const Block<T>& block, const TileFlow& flow,
                    const std::vector<Direction>& direction, const std::vector<RimBasin>& known,
                    Index map_cols) {
  std::unordered_map<Index, RimBasin> ring;
  for (const RimBasin& entry : known) ring.emplace(entry.cell, entry);
  Places places;
  places.basin.assign(std::size_t(block.around.size()), kOcean);
  places.exit.assign(std::size_t(block.around.size()), -1);
  for (Index a = 0; a < block.around.size(); ++a) {
    if (block.is_inside(a) || !is_data(block.state[std::size_t(a)])) continue;
    const RimBasin& entry = ring.at(block.global(a, map_cols));
    places.basin[std::size_t(a)] = entry.basin;
    places.exit[std::size_t(a)] = entry.exit;
  }
  for (Index i = 0; i < block.inside.size(); ++i) {
    const std::int32_t root = flow.root[std::size_t(i)];
    if (root < 0) continue;
    const Index a = block.around_of(i);
    const Index target = target_of(block.inside, map_cols, direction, root);
    if (target >= 0) {
      places.basin[std::size_t(a)] = ring.at(target).basin;
      places.exit[std::size_t(a)] = 8 * target + direction[std::size_t(root)];
    } else {
      const Index at = block.around_of(root);
      places.basin[std::size_t(a)] =
          is_base(block.state[std::size_t(at)]) ? kOcean : block.global(at, map_cols);
    }
  }
  return places;
}

// The passes whose first cell lies in the tile, reduced to the lowest forest.
template <class T>
std::vector<PassEdge> tile_passes(const Block<T>& block, const Places& places, Index map_cols) {
  std::vector<PassEdge> edges;
  for (Index i = 0; i < block.inside.size(); ++i) {
    const Index a = block.around_of(i);
    if (!is_data(block.state[std::size_t(a)])) continue;
    for (int k = 0; k < 4; ++k) {
      const Index n = block.grid.neighbour(a, k);
      if (n < 0 || !is_data(block.state[std::size_t(n)]) ||
          places.basin[std::size_t(a)] == places.basin[std::size_t(n)])
        continue;
      PassEdge edge;
      edge.height = std::max(double(block.z[std::size_t(a)]), double(block.z[std::size_t(n)]));
      edge.code = 4 * block.global(a, map_cols) + k;
      edge.other = block.global(n, map_cols);
      edge.basin_a = places.basin[std::size_t(a)];
      edge.basin_b = places.basin[std::size_t(n)];
      edge.exit_a = places.exit[std::size_t(a)];
      edge.exit_b = places.exit[std::size_t(n)];
      edges.push_back(edge);
    }
  }
  return lowest_forest(std::move(edges));
}

std::vector<comm::Bytes> solve_passes(const Tiling& tiling, const RimGraph& rims,
                                      const std::vector<comm::Bytes>& all) {
  std::vector<PassEdge> edges;
  for (const comm::Bytes& bytes : all) {
    const auto part = from_bytes<PassEdge>(bytes);
    edges.insert(edges.end(), part.begin(), part.end());
  }
  std::vector<std::vector<CarveStart>> starts(std::size_t(tiling.tiles()));
  for (const CarveStart& start : carve_starts(lowest_forest(std::move(edges)), rims))
    starts[std::size_t(tiling.tile_of(start.cell))].push_back(start);
  std::vector<comm::Bytes> replies;
  for (const auto& list : starts) replies.push_back(to_bytes(list));
  return replies;
}

// Reverses the old flow from each start down to the pit or out of the tile.
std::vector<Direction> carve_tile(const domain::Window& w, Index map_cols,
                                  const std::vector<Direction>& old,
                                  const std::vector<CarveStart>& starts) {
  std::vector<Direction> carved = old;
  for (const CarveStart& start : starts) {
    Index r = start.cell / map_cols - w.row;
    Index c = start.cell % map_cols - w.col;
    auto in = Direction(start.dir);
    while (r >= 0 && r < w.rows && c >= 0 && c < w.cols) {
      const auto i = std::size_t(r * w.cols + c);
      const Direction was = old[i];
      carved[i] = in;
      if (was >= kNeighbours) break;
      in = Direction(opposite(was));
      r += kRowStep[was];
      c += kColStep[was];
    }
  }
  return carved;
}

}  // namespace

template <class T>
TiledStats tiled_route(comm::Comm& comm, const par::Queue& queue, BlockReader& reader,
                       TileStore& store) {
  const Tiling& tiling = reader.tiling();
  const Connectivity connectivity = reader.options().connectivity();
  const std::vector<Index> mine = tiles_of_rank(tiling, comm);
  TiledStats stats;

  std::vector<comm::Bytes> summaries;
  together(comm, [&] {
    for (const Index tile : mine) {
      const Block<T> block = reader.read<T>(tile);
      const std::vector<Direction> direction = steepest_in(queue, block);
      const std::vector<std::uint8_t> state = block.cut(block.state);
      for (std::size_t i = 0; i < state.size(); ++i)
        stats.pits += direction[i] == kRoot && !is_base(state[i]) ? 1 : 0;
      const TileFlow flow = follow_inside(queue, block.inside, connectivity, direction);
      summaries.push_back(to_bytes(rim_links(flow, direction, state, {}, tiling.cols)));
      store.put(tile, "steepest", direction);
    }
  });
  std::vector<RimLink> links;  // on the root
  RimGraph rims({});
  const std::vector<comm::Bytes> basins =
      ask_root(comm, tiling, summaries, [&](const std::vector<comm::Bytes>& all) {
        for (const comm::Bytes& bytes : all) {
          const auto part = from_bytes<RimLink>(bytes);
          links.insert(links.end(), part.begin(), part.end());
        }
        rims = RimGraph(links);
        return solve_basins(reader, rims, links);
      });

  summaries.clear();
  together(comm, [&] {
    for (std::size_t m = 0; m < mine.size(); ++m) {
      const Block<T> block = reader.read<T>(mine[m]);
      const auto direction = store.get<Direction>(mine[m], "steepest");
      const TileFlow flow = follow_inside(queue, block.inside, connectivity, direction);
      const Places places =
          place_basins(block, flow, direction, from_bytes<RimBasin>(basins[m]), tiling.cols);
      summaries.push_back(to_bytes(tile_passes(block, places, tiling.cols)));
    }
  });
  const std::vector<comm::Bytes> starts = ask_root(
      comm, tiling, summaries, [&](const auto& all) { return solve_passes(tiling, rims, all); });

  Index left = 0;
  together(comm, [&] {
    for (std::size_t m = 0; m < mine.size(); ++m) {
      const domain::Window window = tiling.window(mine[m]);
      const auto old = store.get<Direction>(mine[m], "steepest");
      const std::vector<Direction> carved =
          carve_tile(window, tiling.cols, old, from_bytes<CarveStart>(starts[m]));
      for (std::size_t i = 0; i < old.size(); ++i) left += carved[i] == kRoot ? 1 : 0;
      for (std::size_t i = 0; i < old.size(); ++i)
        left -= old[i] == kRoot ? 1 : 0;  // minus all roots: minus the pits that were routed
      store.put(mine[m], "directions", carved);
    }
  });
  stats.pits = comm.sum(stats.pits);
  stats.undrained = stats.pits + comm.sum(left);
  return stats;
}

template TiledStats tiled_route<std::uint8_t>(comm::Comm&, const par::Queue&, BlockReader&,
                                              TileStore&);
template TiledStats tiled_route<std::int16_t>(comm::Comm&, const par::Queue&, BlockReader&,
                                              TileStore&);
template TiledStats tiled_route<std::uint16_t>(comm::Comm&, const par::Queue&, BlockReader&,
                                               TileStore&);
template TiledStats tiled_route<std::int32_t>(comm::Comm&, const par::Queue&, BlockReader&,
                                              TileStore&);
template TiledStats tiled_route<float>(comm::Comm&, const par::Queue&, BlockReader&, TileStore&);
template TiledStats tiled_route<double>(comm::Comm&, const par::Queue&, BlockReader&, TileStore&);

}  // namespace terrawave::terrain
