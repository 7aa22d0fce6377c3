#include "terrawave/solvers/terrain/tiled_links.hpp"

#include "terrawave/par/buffer.hpp"

namespace terrawave::terrain {
namespace {

Index global(const domain::Window& w, Index map_cols, Index position) {
  return (w.row + position / w.cols) * map_cols + w.col + position % w.cols;
}

// True where the flow of a cell leaves the window.
bool leads_out(const domain::Window& w, const std::vector<Direction>& direction, Index position) {
  const Direction d = direction[std::size_t(position)];
  if (d >= kNeighbours) return false;
  const Index r = position / w.cols + kRowStep[d];
  const Index c = position % w.cols + kColStep[d];
  return r < 0 || r >= w.rows || c < 0 || c >= w.cols;
}

}  // namespace

Index target_of(const Tiling& tiling, const domain::Window& w,
                const std::vector<Direction>& direction, Index position) {
  if (!leads_out(w, direction, position)) return -1;
  const Direction d = direction[std::size_t(position)];
  return tiling.cell(w.row + position / w.cols + kRowStep[d],
                     w.col + position % w.cols + kColStep[d]);
}

TileFlow follow_inside(const par::Queue& queue, const domain::Window& window,
                       Connectivity connectivity, const std::vector<Direction>& direction) {
  TileFlow flow;
  flow.window = window;
  flow.grid.rows = window.rows;
  flow.grid.cols = window.cols;
  flow.grid.connectivity = connectivity;
  flow.inner = direction;
  for (const Index i : rim_positions(window))
    if (leads_out(window, direction, i)) flow.inner[std::size_t(i)] = kRoot;
  const Receivers receivers{par::Buffer<Direction>(queue, flow.inner), {}};
  par::Buffer<std::int32_t> labels(queue, window.size());
  label_basins(queue, flow.grid, receivers, labels.view());
  flow.root = labels.download();
  return flow;
}

std::vector<RimLink> rim_links(const TileFlow& flow, const std::vector<Direction>& direction,
                               const std::vector<std::uint8_t>& base,
                               const std::vector<std::int64_t>& amount, const Tiling& tiling) {
  std::vector<RimLink> links;
  for (const Index i : rim_positions(flow.window)) {
    const std::int32_t root = flow.root[std::size_t(i)];
    if (root < 0) continue;
    RimLink link;
    link.cell = global(flow.window, tiling.cols, i);
    link.root = global(flow.window, tiling.cols, root);
    link.next = target_of(tiling, flow.window, direction, root);
    link.dir = direction[std::size_t(root)];
    link.base = is_base(base[std::size_t(root)]) ? 1 : 0;
    link.amount = amount.empty() ? 0 : amount[std::size_t(root)];
    links.push_back(link);
  }
  return links;
}

}  // namespace terrawave::terrain
