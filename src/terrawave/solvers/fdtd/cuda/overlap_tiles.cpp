#include "terrawave/solvers/fdtd/cuda/overlap.hpp"

namespace terrawave::fdtd::tiling {

std::vector<Index> cut_at_ghosts(std::vector<Index> cuts, const Layout& l, int steps,
                                 const std::optional<Brick>& overlap) {
  if (!overlap) return cuts;
  const auto cut = [&](Index at) {
    const auto place = std::lower_bound(cuts.begin(), cuts.end(), at);
    if (place != cuts.begin() && place != cuts.end() && *place != at) cuts.insert(place, at);
  };
  if (overlap->ghost_low[2]) cut(l.owned_low[2] + steps);
  if (overlap->ghost_high[2]) cut(l.owned_high[2] - steps);
  return cuts;
}

bool reads_ghosts(const Layout& l, const Brick& brick, const TileBox& t) {
  const Index low[3] = {t.x, t.y, t.z};
  const Index high[3] = {t.x + kTileWidth, t.y + t.rows, t.z + t.planes};
  for (std::size_t a = 0; a < 3; ++a)
    if ((brick.ghost_low[a] && low[a] < l.owned_low[a]) ||
        (brick.ghost_high[a] && high[a] > l.owned_high[a]))
      return true;
  return false;
}

}  // namespace terrawave::fdtd::tiling
