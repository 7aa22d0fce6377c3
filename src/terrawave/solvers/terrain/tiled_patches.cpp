#include "terrawave/solvers/terrain/tiled_patches.hpp"

#include <algorithm>

namespace terrawave::terrain {
namespace {

// The window of the tiles between two corners.
domain::Window united(const domain::Window& first, const domain::Window& last) {
  return {first.row, first.col, last.row + last.rows - first.row, last.col + last.cols - first.col};
}

// The largest rectangle with fewer cells that begins with tile `first` of this rank and takes its
// tiles in their order.
Patch patch_from(const Rings& rings, std::size_t first, Index most_cells) {
  const Tiling& tiling = rings.tiling();
  const auto up_to = [&](std::size_t end) {
    Patch patch;
    patch.tiles = {first, end};
    patch.inside = united(tiling.window(rings.tile(first)), tiling.window(rings.tile(end - 1)));
    patch.around = tiling.widened(patch.inside, 1);
    return patch;
  };
  Patch best = up_to(first + 1);
  const auto across = std::size_t(tiling.across());
  const std::size_t col = std::size_t(rings.tile(first)) % across;
  // To the end of the row of tiles, then row by row where it began with a whole row.
  const std::size_t row_end = first + across - col;
  std::size_t end = first + 2;
  while (end <= (col == 0 ? rings.count() : std::min(row_end, rings.count()))) {
    const Patch more = up_to(end);
    if (more.around.size() >= most_cells) break;
    best = more;
    end += end < row_end ? 1 : across;
  }
  return best;
}

void find_ring(const Rings& rings, Patch& patch) {
  const Tiling& tiling = rings.tiling();
  for (std::size_t m = patch.tiles.first; m < patch.tiles.end; ++m) {
    const domain::Window around = tiling.with_halo(rings.tile(m), 1);
    const domain::Window part = patch.part(tiling.window(rings.tile(m)));
    const std::vector<Index> at = rings.ring_positions(m);
    for (std::size_t k = 0; k < at.size(); ++k) {
      const Index row = around.row + at[k] / around.cols;
      const Index col = around.col + at[k] % around.cols;
      if (row < part.row || row >= part.row + part.rows || col < part.col ||
          col >= part.col + part.cols)
        continue;  // another tile of the patch, or beside it
      patch.ring.push_back(
          {rings.sources(m)[k],
           std::int32_t((row - patch.around.row) * patch.around.cols + col - patch.around.col)});
    }
  }
}

void find_rim(const Rings& rings, const std::vector<std::vector<std::uint8_t>>& shown,
              Patch& patch) {
  for (std::size_t m = patch.tiles.first; m < patch.tiles.end; ++m) {
    const domain::Window w = rings.tiling().window(rings.tile(m));
    const std::vector<Index> rim = rings.rim_positions(m);
    for (std::size_t place = 0; place < rim.size(); ++place) {
      if (shown[m][place] == 0) continue;
      const Index row = w.row + rim[place] / w.cols - patch.around.row;
      const Index col = w.col + rim[place] % w.cols - patch.around.col;
      patch.rim.push_back({m, std::int32_t(place), std::int32_t(row * patch.around.cols + col)});
    }
  }
}

}  // namespace

domain::Window Patch::part(const domain::Window& tile) const {
  const auto end = [](Index begin, Index count) { return begin + count; };
  const Index row = tile.row == inside.row ? around.row : tile.row;
  const Index col = tile.col == inside.col ? around.col : tile.col;
  const bool lowest = end(tile.row, tile.rows) == end(inside.row, inside.rows);
  const bool rightmost = end(tile.col, tile.cols) == end(inside.col, inside.cols);
  return {row, col, (lowest ? end(around.row, around.rows) : end(tile.row, tile.rows)) - row,
          (rightmost ? end(around.col, around.cols) : end(tile.col, tile.cols)) - col};
}

std::vector<Patch> patches_of(const Rings& rings, Index most_cells) {
  std::vector<Patch> patches;
  for (std::size_t first = 0; first < rings.count(); first = patches.back().tiles.end) {
    patches.push_back(patch_from(rings, first, most_cells));
    find_ring(rings, patches.back());
  }
  std::vector<std::vector<std::uint8_t>> shown;  // cells of rims
  for (std::size_t m = 0; m < rings.count(); ++m)
    shown.emplace_back(std::size_t(rings.rim_size(m)), 0);
  const auto show = [&](const Rings::Place& p) {
    if (p.slot >= 0) shown[std::size_t(p.slot)][std::size_t(p.at)] = 1;
  };
  for (const Patch& patch : patches)
    for (const Patch::RingCell& cell : patch.ring) show(cell.from);
  for (const auto& sent : rings.sent())
    for (const Rings::Place& p : sent) show(p);
  for (Patch& patch : patches) find_rim(rings, shown, patch);
  return patches;
}

}  // namespace terrawave::terrain
