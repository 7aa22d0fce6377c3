// Which tiles of the z-marching kernels can run while ghosts travel. They read one copy of the
// state and write another, so any order is right.
#pragma once

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "terrawave/solvers/fdtd/cuda/tiling.hpp"
#include "terrawave/solvers/fdtd/fdtd_core.hpp"

namespace terrawave::fdtd::tiling {

// Cuts more: what reads ghosts of z apart, where there is an `overlap` with the ghosts of a brick.
// A tile reads `steps` planes on both sides of its own.
std::vector<Index> cut_at_ghosts(std::vector<Index> z_cuts, const Layout& layout, int steps,
                                 const std::optional<Brick>& overlap);

// Whether a tile reads entries that are copies of somebody's.
bool reads_ghosts(const Layout& layout, const Brick& brick, const TileBox& tile);

// Brings the tiles that can run before ghosts arrive to the front, in their order, and gives their
// number: all where there is no `overlap`. box_of(tile) is a TileBox.
template <class Tile, class BoxOf>
Index inner_first(std::vector<Tile>& tiles, const Layout& layout,
                  const std::optional<Brick>& overlap, const BoxOf& box_of) {
  if (!overlap) return Index(tiles.size());
  const auto rest = std::stable_partition(tiles.begin(), tiles.end(), [&](const Tile& t) {
    return !reads_ghosts(layout, *overlap, box_of(t));
  });
  return Index(rest - tiles.begin());
}

// First tile and number of tiles of a launch; the core is the inner tiles.
template <class Plan>
std::pair<Index, Index> launch_of(const Plan& plan, Part part) {
  const auto all = Index(plan.tiles.size());
  if (part == Part::all) return {0, all};
  return part == Part::core ? std::pair(Index{0}, plan.inner)
                            : std::pair(plan.inner, all - plan.inner);
}

}  // namespace terrawave::fdtd::tiling
