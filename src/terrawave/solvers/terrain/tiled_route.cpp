// Routing across tiles: receivers with a ring of neighbours, flats, basins joined over the rim
// graph, the lowest passes of each tile reduced to a forest, one Kruskal on the root, and every
// path reversed in the tiles that it crosses.
#include "terrawave/base/error.hpp"
#include "terrawave/par/buffer.hpp"
#include "terrawave/solvers/terrain/tiled_flats.hpp"
#include "terrawave/solvers/terrain/tiled_jumps.hpp"
#include "terrawave/solvers/terrain/tiled_passes.hpp"
#include "terrawave/solvers/terrain/tiled_routing.hpp"
#include "terrawave/solvers/terrain/tiled_surface.hpp"

namespace terrawave::terrain {
namespace {

Index basin_of(const RimRoot& root) { return root.base ? kOcean : root.root; }

// For each tile: the basins of its ring.
std::vector<comm::Bytes> solve_basins(const Tiling& tiling, RimGraph& rims) {
  std::vector<comm::Bytes> replies;
  for (Index tile = 0; tile < tiling.tiles(); ++tile) {
    std::vector<RimBasin> known;
    for (const Index cell : ring_cells(tiling, tile)) {
      const RimLink* link = rims.find(cell);
      if (link == nullptr) continue;  // nodata
      known.push_back(
          {cell, basin_of(rims.end_of(cell)), link->next < 0 ? -1 : 8 * link->next + link->dir});
    }
    replies.push_back(to_bytes(known));
  }
  return replies;
}

// Starts to the tiles of their cells.
template <class Start>
std::vector<comm::Bytes> by_tile(const Tiling& tiling, const std::vector<Start>& all) {
  std::vector<std::vector<Start>> starts(std::size_t(tiling.tiles()));
  for (const Start& start : all) starts[std::size_t(tiling.tile_of(start.cell))].push_back(start);
  std::vector<comm::Bytes> replies;
  for (const auto& list : starts) replies.push_back(to_bytes(list));
  return replies;
}

std::vector<comm::Bytes> solve_passes(const Tiling& tiling, const RimGraph& rims, bool jump,
                                      std::vector<comm::Bytes>& all) {
  const std::vector<PassEdge> forest = lowest_forest(merge_bytes<PassEdge>(all));
  return jump ? by_tile(tiling, jump_starts(forest)) : by_tile(tiling, carve_starts(forest, rims));
}

Index count_pits(const std::vector<Direction>& direction, const std::vector<std::uint8_t>& state) {
  const Direction* const d = direction.data();
  const std::uint8_t* const s = state.data();
  Index pits = 0;
#pragma omp simd reduction(+ : pits)
  for (Index i = 0; i < Index(state.size()); ++i) pits += int(d[i] == kRoot) & int(!is_base(s[i]));
  return pits;
}

// Steepest descent, flats drained, pits left: "downhill" in the store, and "state", the states of
// the tile's own cells.
template <class T>
Index go_downhill(const TileQueue& queue, const Rings& rings, const FlowOptions& options,
                  const Surface<T>& surface, TileStore& store) {
  Index pits = 0;
  std::vector<std::uint8_t> level(rings.count(), 0);  // tiles that hold flats
  together(rings.comm(), [&] {
    for (std::size_t m = 0; m < rings.count(); ++m) {
      const Block<T> block = surface.block(m);
      const par::Buffer<T> z(queue, block.z);
      const par::Buffer<std::uint8_t> state(queue, block.state);
      const Receivers receivers =
          steepest_receivers<T>(queue, block.grid, z.cview(), state.cview(), FlatRule::leave);
      const std::vector<Direction> direction = receivers.direction.download();
      level[m] = has_flats(block, direction) ? 1 : 0;
      const std::vector<Direction> own = block.cut(direction);
      const std::vector<std::uint8_t> own_state = block.cut(block.state);
      if (level[m] == 0) pits += count_pits(own, own_state);
      store.put(rings.tile(m), "downhill", own);
      store.put(rings.tile(m), "state", own_state);
    }
  });
  const ReadBlock<T> read = [&](std::size_t m) { return surface.block(m); };
  if (options.flats) tiled_resolve_flats<T>(queue, rings, store, level, read);
  together(rings.comm(), [&] {
    for (std::size_t m = 0; m < rings.count(); ++m) {
      if (level[m] == 0) continue;
      auto direction = store.get<Direction>(rings.tile(m), "downhill");
      const auto state = store.get<std::uint8_t>(rings.tile(m), "state");
      const bool stuck = count_pits(direction, state) > 0;
      if (stuck && (!options.flats || options.depressions)) {
        drain_by_map_index(queue, surface.block(m), direction);
        store.put(rings.tile(m), "downhill", direction);
      }
      pits += stuck ? count_pits(direction, state) : 0;
    }
  });
  return rings.comm().sum(pits);
}

// "downhill" is what flow follows.
void keep_downhill(const Rings& rings, TileStore& store) {
  together(rings.comm(), [&] {
    for (const Index tile : rings.tiles()) {
      store.put(tile, "directions", store.get<Direction>(tile, "downhill"));
      store.drop(tile, "downhill");
      store.drop(tile, "state");
    }
  });
}

// Jumps from the pits of "downhill", whose inner basins' ways are in the store. Returns their
// number.
Index link_pits(const TileQueue& queue, const Rings& rings, const FlowOptions& options,
                TileStore& store, const std::vector<comm::Bytes>& starts) {
  const Tiling& tiling = rings.tiling();
  const Index jumps = keep_jumps(rings, store, [&](std::size_t m) {
    const Index tile = rings.tile(m);
    const auto direction = store.get<Direction>(tile, "downhill");
    const TileFlow flow = follow_inside(queue, tiling, tile, options.connectivity(), direction);
    const auto inner = store.get<InnerWay>(tile, "inner");
    store.drop(tile, "inner");
    return jump_tile(flow, tiling, from_bytes<JumpStart>(starts[m]), inner);
  });
  keep_downhill(rings, store);
  return jumps;
}

// Carves "downhill" into "directions", or links its pits. Returns the change of the number of pits
// that drain nowhere.
template <class T>
Index leave_depressions(const TileQueue& queue, const Rings& rings, const FlowOptions& options,
                        const Surface<T>& surface, TileStore& store) {
  comm::Comm& comm = rings.comm();
  const Tiling& tiling = rings.tiling();
  const bool jump = options.mode == RouteMode::jump;
  std::vector<comm::Bytes> summaries;
  together(comm, [&] {
    for (std::size_t m = 0; m < rings.count(); ++m) {
      const Index tile = rings.tile(m);
      const auto direction = store.get<Direction>(tile, "downhill");
      const TileFlow flow = follow_inside(queue, tiling, tile, options.connectivity(), direction);
      const auto state = store.get<std::uint8_t>(tile, "state");
      summaries.push_back(to_bytes(rim_links(flow, direction, state, {}, tiling)));
      store.drop(tile, "state");
    }
  });
  RimGraph rims({});  // on the root
  const std::vector<comm::Bytes> basins =
      ask_root(comm, tiling, std::move(summaries), [&](std::vector<comm::Bytes>& all) {
        rims = RimGraph(merge_bytes<RimLink>(all));
        return solve_basins(tiling, rims);
      });

  summaries.clear();
  together(comm, [&] {
    for (std::size_t m = 0; m < rings.count(); ++m) {
      const Block<T> block = surface.block(m);
      const auto direction = store.get<Direction>(rings.tile(m), "downhill");
      const TileFlow flow =
          follow_inside(queue, tiling, rings.tile(m), options.connectivity(), direction);
      const TilePasses passes =
          tile_passes(queue, block, flow, direction, from_bytes<RimBasin>(basins[m]));
      summaries.push_back(to_bytes(passes.edges));
      store.put(rings.tile(m), "inner", passes.inner);
    }
  });
  const std::vector<comm::Bytes> starts =
      ask_root(comm, tiling, std::move(summaries),
               [&](auto& all) { return solve_passes(tiling, rims, jump, all); });
  if (jump) return -link_pits(queue, rings, options, store, starts);

  Index change = 0;
  together(comm, [&] {
    for (std::size_t m = 0; m < rings.count(); ++m) {
      const Index tile = rings.tile(m);
      const auto old = store.get<Direction>(tile, "downhill");
      const std::vector<Direction> carved =
          carve_tile(queue, tiling.window(tile), tiling, old, from_bytes<CarveStart>(starts[m]),
                     store.get<InnerWay>(tile, "inner"));
      for (std::size_t i = 0; i < old.size(); ++i)
        change += (carved[i] == kRoot ? 1 : 0) - (old[i] == kRoot ? 1 : 0);
      store.drop(tile, "inner");
      store.drop(tile, "downhill");
      store.put(tile, "directions", carved);
    }
  });
  return comm.sum(change);
}

}  // namespace

template <class T>
TiledStats tiled_route(comm::Comm& comm, const TileQueue& queue, BlockReader& reader,
                       TileStore& store) {
  const FlowOptions& options = reader.options();
  const Rings rings(comm, reader.tiling());
  Surface<T> surface(reader, rings, store);
  TiledStats stats;
  const bool fill = options.depressions && options.mode == RouteMode::fill;
  if (fill) surface.fill(queue, stats);
  const Index pits = go_downhill(queue, rings, options, surface, store);
  if (!fill) stats.pits = pits;
  if (!options.depressions || (fill && options.flats)) {
    keep_downhill(rings, store);
    return stats;
  }
  const Index change = leave_depressions(queue, rings, options, surface, store);
  if (!fill) stats.undrained = pits + change;
  return stats;
}

template TiledStats tiled_route<std::uint8_t>(comm::Comm&, const TileQueue&, BlockReader&,
                                              TileStore&);
template TiledStats tiled_route<std::int16_t>(comm::Comm&, const TileQueue&, BlockReader&,
                                              TileStore&);
template TiledStats tiled_route<std::uint16_t>(comm::Comm&, const TileQueue&, BlockReader&,
                                               TileStore&);
template TiledStats tiled_route<std::int32_t>(comm::Comm&, const TileQueue&, BlockReader&,
                                              TileStore&);
template TiledStats tiled_route<float>(comm::Comm&, const TileQueue&, BlockReader&, TileStore&);
template TiledStats tiled_route<double>(comm::Comm&, const TileQueue&, BlockReader&, TileStore&);

}  // namespace terrawave::terrain
