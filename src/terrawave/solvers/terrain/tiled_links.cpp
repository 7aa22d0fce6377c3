#include "terrawave/solvers/terrain/tiled_links.hpp"

#include <algorithm>

#include "terrawave/par/buffer.hpp"

namespace terrawave::terrain {
namespace {

bool by_root(const TileJump& a, const TileJump& b) { return a.root < b.root; }
bool by_target(const TileJump& a, const TileJump& b) {
  return a.target != b.target ? a.target < b.target : a.root < b.root;
}

const TileJump* find_jump(const std::vector<TileJump>& jumps, Index root) {
  const auto at = std::lower_bound(jumps.begin(), jumps.end(), TileJump{root, 0}, by_root);
  return at != jumps.end() && at->root == root ? &*at : nullptr;
}

Index global(const domain::Window& w, Index map_cols, Index position) {
  return (w.row + position / w.cols) * map_cols + w.col + position % w.cols;
}

// True where the flow of a cell leaves the window.
bool leads_out(const domain::Window& w, const std::vector<Direction>& direction, Index position) {
  const Direction d = direction[std::size_t(position)];
  if (d >= kNeighbours) return false;
  const Index row = row_of(position, w.cols);
  const Index r = row + kRowStep[d];
  const Index c = position - row * w.cols + kColStep[d];
  return r < 0 || r >= w.rows || c < 0 || c >= w.cols;
}

bool contains(const domain::Window& w, Index map_cols, Index cell) {
  const Index r = cell / map_cols - w.row;
  const Index c = cell % map_cols - w.col;
  return r >= 0 && r < w.rows && c >= 0 && c < w.cols;
}
Index position(const domain::Window& w, Index map_cols, Index cell) {
  return (cell / map_cols - w.row) * w.cols + cell % map_cols - w.col;
}

}  // namespace

const TileJump* TileJumps::from(Index root) const { return find_jump(out, root); }

std::span<const TileJump> TileJumps::into(Index target) const {
  const auto first = std::lower_bound(in.begin(), in.end(), TileJump{-1, target}, by_target);
  auto last = first;
  while (last != in.end() && last->target == target) ++last;
  return {first, last};
}

std::size_t TileJumps::place(const TileJump& jump) const {
  return std::size_t(std::lower_bound(in.begin(), in.end(), jump, by_target) - in.begin());
}

void TileJumps::sort() {
  std::sort(out.begin(), out.end(), by_root);
  std::sort(in.begin(), in.end(), by_target);
}

Index target_of(const Tiling& tiling, const domain::Window& w,
                const std::vector<Direction>& direction, Index position) {
  if (!leads_out(w, direction, position)) return -1;
  const Direction d = direction[std::size_t(position)];
  return tiling.cell(w.row + position / w.cols + kRowStep[d],
                     w.col + position % w.cols + kColStep[d]);
}

Index next_of(const TileFlow& flow, const Tiling& tiling, const std::vector<Direction>& direction,
              Index i) {
  if (!flow.leaps.empty() && direction[std::size_t(i)] == kRoot) {
    const TileJump* leap = find_jump(flow.leaps, global(flow.window, tiling.cols, i));
    return leap != nullptr ? leap->target : -1;
  }
  return target_of(tiling, flow.window, direction, i);
}

TileFlow follow_inside(const par::Queue& queue, const Tiling& tiling, Index tile,
                       Connectivity connectivity, const std::vector<Direction>& direction,
                       const TileJumps& jumps, bool roots) {
  const domain::Window window = tiling.window(tile);
  TileFlow flow;
  flow.window = window;
  flow.grid.rows = window.rows;
  flow.grid.cols = window.cols;
  flow.grid.connectivity = connectivity;
  flow.inner = direction;
  for (const Index i : rim_positions(window))
    if (leads_out(window, direction, i)) flow.inner[std::size_t(i)] = kRoot;
  for (const TileJump& jump : jumps.out)
    if (contains(window, tiling.cols, jump.target))
      flow.jumps.push_back({std::int32_t(position(window, tiling.cols, jump.root)),
                            std::int32_t(position(window, tiling.cols, jump.target))});
    else
      flow.leaps.push_back(jump);
  for (const TileJump& jump : jumps.in)
    if (!contains(window, tiling.cols, jump.root))
      flow.entries.push_back(position(window, tiling.cols, jump.target));
  if (!roots) return flow;
  const Receivers receivers{par::Buffer<Direction>(queue, flow.inner), flow.jumps};
  par::Buffer<std::int32_t> labels(queue, window.size());
  label_basins(queue, flow.grid, receivers, labels.view());
  flow.root = labels.download();
  return flow;
}

std::vector<RimLink> rim_links(const TileFlow& flow, const std::vector<Direction>& direction,
                               const std::vector<std::uint8_t>& base,
                               const std::vector<std::int64_t>& amount, const Tiling& tiling) {
  std::vector<RimLink> links;
  std::vector<Index> cells = rim_positions(flow.window);
  cells.insert(cells.end(), flow.entries.begin(), flow.entries.end());
  for (const TileJump& leap : flow.leaps)
    cells.push_back(position(flow.window, tiling.cols, leap.root));
  std::sort(cells.begin(), cells.end());
  cells.erase(std::unique(cells.begin(), cells.end()), cells.end());
  for (const Index i : cells) {
    const std::int32_t root = flow.root[std::size_t(i)];
    if (root < 0) continue;
    RimLink link;
    link.cell = global(flow.window, tiling.cols, i);
    link.root = global(flow.window, tiling.cols, root);
    link.next = next_of(flow, tiling, direction, root);
    link.dir = direction[std::size_t(root)];
    link.base = is_base(base[std::size_t(root)]) ? 1 : 0;
    link.amount = amount.empty() ? 0 : amount[std::size_t(root)];
    links.push_back(link);
  }
  return links;
}

}  // namespace terrawave::terrain
