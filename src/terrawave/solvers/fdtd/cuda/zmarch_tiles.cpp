#include "terrawave/solvers/fdtd/cuda/zmarch_tiles.hpp"

#include <algorithm>
#include <functional>

#include "terrawave/solvers/fdtd/cuda/overlap.hpp"

namespace terrawave::fdtd::zmarch {
namespace {

struct Column {
  Index x, y;
  bool full;
};

std::vector<Tile> tiles_of(const std::vector<Column>& columns, const std::vector<Index>& z_cuts,
                           const std::function<bool(const Column&, Index, Index)>& is_full) {
  std::vector<Tile> tiles;
  for (std::size_t p = 0; p + 1 < z_cuts.size(); ++p)
    for (std::size_t c = 0; c < columns.size(); ++c) {
      Tile t;
      t.x = std::int32_t(columns[c].x);
      t.y = std::int32_t(columns[c].y);
      t.z0 = std::int32_t(z_cuts[p]);
      t.z1 = std::int32_t(z_cuts[p + 1]);
      t.column = std::int32_t(c);
      t.full = is_full(columns[c], z_cuts[p], z_cuts[p + 1]) ? 1 : 0;
      tiles.push_back(t);
    }
  const auto cost = [](const Tile& t) { return (t.z1 - t.z0) * (t.full != 0 ? 2 : 1); };
  std::stable_sort(tiles.begin(), tiles.end(), [&](const Tile& a, const Tile& b) {
    return a.full != b.full ? a.full > b.full : cost(a) > cost(b);
  });
  return tiles;
}

tiling::TileBox box_of(const Tile& t, int steps, Index rows) {
  return {t.x, t.y, t.z0 - steps, rows, t.z1 - t.z0 + 2 * steps};
}

void place_tile_events(Plan& plan, const HostEvents& events, int rows_per_thread) {
  const int t = plan.steps;
  for (Tile& tile : plan.tiles) {
    const auto owned = [&](Index dx, Index dy, const Event& e) {
      return dx >= kRim && dx < kTileWidth - kRim && dy >= t && dy < plan.rows - t &&
             e.z >= tile.z0 && e.z < tile.z1;
    };
    tile.events = tiling::place_events(box_of(tile, t, plan.rows), events, rows_per_thread, owned,
                                       plan.offsets, plan.list);
  }
}

}  // namespace

template <class Real>
Plan make_plan(const Medium<Real>& medium, const HostClasses& edges, bool faces,
               const HostEvents& events, int steps, int warps, int rows_per_thread,
               int multiprocessors, const std::optional<Brick>& overlap) {
  const Layout& l = medium.layout;
  Plan plan;
  plan.steps = steps;
  plan.rows = warps * rows_per_thread;
  const Index owned_rows = plan.rows - 2 * steps;
  // Rows of the arrays start on whole chunks; tiles keep pairs of entries together.
  const Index x_low = l.update_low[0] / kRim * kRim;
  std::vector<Column> columns;
  for (Index y = l.update_low[1]; y < l.update_high[1]; y += owned_rows)
    for (Index x = x_low; x < l.update_high[0]; x += kOwnedWidth) {
      const Index tx = x - kRim, ty = y - steps;
      const bool full = faces || edges.ids.size() > 256 ||
                        tiling::meets(medium.axis[0].slab, tx, tx + kTileWidth) ||
                        tiling::meets(medium.axis[1].slab, ty, ty + plan.rows);
      columns.push_back({tx, ty, full});
    }
  const auto planes = static_cast<std::size_t>(l.size[2]);
  plan.uniform.resize(columns.size() * planes);
  for (std::size_t c = 0; c < columns.size(); ++c)
    tiling::classify_column(plan.uniform.data() + c * planes, l, edges, columns[c].x, columns[c].y,
                            plan.rows);
  const auto is_full = [&](const Column& c, Index z0, Index z1) {
    if (c.full || tiling::meets(medium.axis[2].slab, z0 - steps, z1 + steps)) return true;
    for (const auto& list : events.events)
      for (const Event& e : list)
        if (e.x >= c.x && e.x < c.x + kTileWidth && e.y >= c.y && e.y < c.y + plan.rows &&
            e.z >= z0 - steps && e.z < z1 + steps)
          return true;
    return false;
  };
  double best = -1;
  for (Index pieces = 1; pieces <= 16; ++pieces) {
    auto tiles =
        tiles_of(columns,
                 tiling::cut_at_ghosts(tiling::z_cuts(l, medium.axis[2].slab, steps, pieces, true),
                                       l, steps, overlap),
                 is_full);
    std::vector<double> costs;
    for (const Tile& t : tiles)
      costs.push_back((t.z1 - t.z0 + 2.0 * steps + 3) * (t.full != 0 ? 1.7 : 1.0));
    const double time = tiling::makespan(costs, std::max(multiprocessors, 1));
    if (best < 0 || time < 0.99 * best) {
      best = time;
      plan.tiles = std::move(tiles);
    }
  }
  plan.inner = tiling::inner_first(plan.tiles, l, overlap,
                                   [&](const Tile& t) { return box_of(t, steps, plan.rows); });
  for (Tile& t : plan.tiles)
    if (t.full != 0) t.ring = plan.full++;
  place_tile_events(plan, events, rows_per_thread);
  return plan;
}

template Plan make_plan(const Medium<float>&, const HostClasses&, bool, const HostEvents&, int, int,
                        int, int, const std::optional<Brick>&);
template Plan make_plan(const Medium<double>&, const HostClasses&, bool, const HostEvents&, int,
                        int, int, int, const std::optional<Brick>&);

}  // namespace terrawave::fdtd::zmarch
