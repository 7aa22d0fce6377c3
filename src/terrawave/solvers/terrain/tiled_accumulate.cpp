// Barnes (2017), "Parallel non-divergent flow accumulation for trillion cell digital elevation
// models on desktops or clusters": tiles add up inside, the portal graph adds up across, tiles add
// what enters them.
#include <unordered_map>

#include "terrawave/par/buffer.hpp"
#include "terrawave/solvers/terrain/tile_end_steps.hpp"
#include "terrawave/solvers/terrain/tiled_jumps.hpp"
#include "terrawave/solvers/terrain/tiled_routing.hpp"

namespace terrawave::terrain {
namespace {

// What the root tells a tile: the inflow at a rim cell, and where the flow of a portal's target
// ends.
struct Entry {
  Index cell = 0;
  std::int64_t inflow = 0;
};
struct End {
  Index target = 0;
  Index root = 0;
};

std::vector<std::int64_t> add_up(const par::Queue& queue, const TileFlow& flow,
                                 const std::vector<std::int64_t>& weights) {
  const Receivers receivers{par::Buffer<Direction>(queue, flow.inner), flow.jumps};
  const par::Buffer<std::int64_t> weight(queue, weights);
  par::Buffer<std::int64_t> out(queue, flow.window.size());
  accumulate<std::int64_t>(queue, flow.grid, receivers, weight.cview(), out.view());
  return out.download();
}

std::vector<std::int64_t> weights_of(Index tile, const ReadWeights& weights,
                                     const std::vector<Direction>& direction) {
  if (weights) return weights(tile);
  std::vector<std::int64_t> w(direction.size(), 1);
  for (std::size_t i = 0; i < w.size(); ++i)
    if (direction[i] == kNoDirection) w[i] = 0;
  return w;
}

std::vector<comm::Bytes> solve_inflow(const Tiling& tiling, std::vector<comm::Bytes>& all) {
  RimGraph rims(merge_bytes<RimLink>(all));
  std::vector<std::vector<Entry>> entries(std::size_t(tiling.tiles()));
  std::vector<std::vector<End>> ends(std::size_t(tiling.tiles()));
  for (const auto& [cell, amount] : rims.inflow())
    entries[std::size_t(tiling.tile_of(cell))].push_back({cell, amount});
  for (const RimLink& link : rims.links())
    if (link.next >= 0)
      ends[std::size_t(tiling.tile_of(link.cell))].push_back(
          {link.next, rims.end_of(link.next).root});
  std::vector<comm::Bytes> replies;
  for (std::size_t t = 0; t < entries.size(); ++t) {
    comm::Bytes bytes = to_bytes(std::vector<Index>{Index(entries[t].size())});
    const comm::Bytes first = to_bytes(entries[t]);
    const comm::Bytes second = to_bytes(ends[t]);
    bytes.insert(bytes.end(), first.begin(), first.end());
    bytes.insert(bytes.end(), second.begin(), second.end());
    replies.push_back(std::move(bytes));
  }
  return replies;
}

// The linear index of the cell where each cell's flow ends; `end`: of the targets of portals.
std::vector<Index> end_cells(const par::Queue& queue, const TileFlow& flow, const Tiling& tiling,
                             const std::vector<Direction>& direction,
                             const std::unordered_map<Index, Index>& end) {
  const domain::Window& w = flow.window;
  std::vector<std::int32_t> portals;
  std::vector<Index> ends;
  const auto list = [&](Index root) {
    const Index target = next_of(flow, tiling, direction, root);
    if (target < 0 || flow.root[std::size_t(root)] != std::int32_t(root)) return;
    portals.push_back(std::int32_t(root));
    ends.push_back(end.at(target));
  };
  for (const Index i : rim_positions(w))
    if (direction[std::size_t(i)] < kNeighbours) list(i);
  for (const TileJump& leap : flow.leaps)
    list((leap.root / tiling.cols - w.row) * w.cols + leap.root % tiling.cols - w.col);
  const par::Buffer<std::int32_t> root(queue, flow.root);
  par::Buffer<Index> out(queue, w.size());
  par::dispatch(queue, [&](const auto& exec) {
    steps::end_cells(exec, {w.row, w.col, w.cols, tiling.cols}, root.cview(), portals, ends,
                     out.view());
  });
  return out.download();
}

}  // namespace

void tiled_accumulate(comm::Comm& comm, const par::Queue& queue, BlockReader& reader,
                      TileStore& store, const ReadWeights& weights,
                      const TakeTile<std::int64_t>& take_accumulation,
                      const TakeTile<Index>& take_basins) {
  const Tiling& tiling = reader.tiling();
  const Connectivity connectivity = reader.options().connectivity();
  const std::vector<Index> mine = tiles_of_rank(tiling, comm);
  std::vector<comm::Bytes> summaries;
  together(comm, [&] {
    for (const Index tile : mine) {
      const auto direction = store.get<Direction>(tile, "directions");
      const TileFlow flow =
          follow_inside(queue, tiling, tile, connectivity, direction, jumps_of(store, tile));
      // Without weights each cell counts 1, which needs no array.
      const auto amount =
          add_up(queue, flow, weights ? weights(tile) : std::vector<std::int64_t>());
      const std::vector<std::uint8_t> no_base(direction.size(), 0);
      summaries.push_back(to_bytes(rim_links(flow, direction, no_base, amount, tiling)));
    }
  });
  const std::vector<comm::Bytes> replies = ask_root(
      comm, tiling, std::move(summaries), [&](auto& all) { return solve_inflow(tiling, all); });
  together(comm, [&] {
    for (std::size_t m = 0; m < mine.size(); ++m) {
      const domain::Window window = tiling.window(mine[m]);
      const auto direction = store.get<Direction>(mine[m], "directions");
      const TileFlow flow = follow_inside(queue, tiling, mine[m], connectivity, direction,
                                          jumps_of(store, mine[m]), bool(take_basins));
      const std::span<const std::byte> reply = replies[m];
      const auto count = std::size_t(from_bytes<Index>(reply.first(sizeof(Index)))[0]);
      const auto entries = from_bytes<Entry>(reply.subspan(sizeof(Index), count * sizeof(Entry)));
      const auto ends = from_bytes<End>(reply.subspan(sizeof(Index) + count * sizeof(Entry)));
      if (take_accumulation) {
        std::vector<std::int64_t> w = weights_of(mine[m], weights, direction);
        for (const Entry& e : entries)
          w[std::size_t((e.cell / tiling.cols - window.row) * window.cols + e.cell % tiling.cols -
                        window.col)] += e.inflow;
        take_accumulation(mine[m], add_up(queue, flow, w));
      }
      if (!take_basins) continue;
      std::unordered_map<Index, Index> end;
      for (const End& e : ends) end.emplace(e.target, e.root);
      take_basins(mine[m], end_cells(queue, flow, tiling, direction, end));
    }
  });
}

}  // namespace terrawave::terrain
