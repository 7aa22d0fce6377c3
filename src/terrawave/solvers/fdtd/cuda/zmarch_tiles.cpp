#include "terrawave/solvers/fdtd/cuda/zmarch_tiles.hpp"

#include <algorithm>
#include <functional>
#include <queue>

namespace terrawave::fdtd::zmarch {
namespace {

std::size_t z(Index i) { return static_cast<std::size_t>(i); }

bool meets(const Slab& s, Index low, Index high) {
  const auto overlap = [&](Index a, Index b) { return std::max(a, low) < std::min(b, high); };
  return overlap(s.low0, s.low1) || overlap(s.high0, s.high1);
}

// Class of every plane of a column of tiles, kMixed where its entries differ.
void classify_column(Plan& plan, const Layout& l, const HostClasses& edges, Index x, Index y) {
  for (Index k = 0; k < l.size[2]; ++k) {
    std::uint16_t first = 0;
    bool uniform = true, fresh = true;
    const bool cut = x + kTileWidth > l.size[0] || y < 0 || y + plan.rows > l.size[1];
    if (cut) fresh = false;  // what lies outside is of class 0
    for (Index j = std::max<Index>(y, 0); j < std::min(y + plan.rows, l.size[1]) && uniform; ++j) {
      const std::uint16_t* row = edges.index.data() + l.at(x, j, k);
      if (fresh) {
        first = row[0];
        fresh = false;
      }
      const Index width = std::min<Index>(kTileWidth, l.size[0] - x);
      for (Index i = 0; i < width; ++i)
        if (row[i] != first) uniform = false;
    }
    plan.uniform.push_back(uniform ? first : kMixed);
  }
}

// Ends of the owned z ranges of tiles: layers with their rim apart, the rest in `pieces`.
std::vector<Index> cuts(const Layout& l, const Slab& slab, int steps, Index pieces) {
  const Index low = l.update_low[2], high = l.update_high[2];
  Index a = low, b = high;
  if (slab.low1 > slab.low0) a = std::min(slab.low1 + steps, high);
  if (slab.high1 > slab.high0) b = std::max(slab.high0 - steps, a);
  std::vector<Index> out{low};
  const auto split = [&](Index from, Index to, Index parts) {
    for (Index p = 1; p <= parts; ++p)
      if (const Index end = from + (to - from) * p / parts; end > out.back()) out.push_back(end);
  };
  split(low, a, (a - low + kMostPlanes - 1) / kMostPlanes);
  split(a, b, std::max(pieces, (b - a + kMostPlanes - 1) / kMostPlanes));
  split(b, high, (high - b + kMostPlanes - 1) / kMostPlanes);
  return out;
}

// Time of a pass on `workers` multiprocessors, longest tiles first, in planes of an ordinary tile.
double makespan(const std::vector<double>& costs, int workers) {
  std::priority_queue<double, std::vector<double>, std::greater<>> ends;
  for (int w = 0; w < workers; ++w) ends.push(0);
  double last = 0;
  for (const double c : costs) {
    const double end = ends.top() + c;
    ends.pop();
    ends.push(end);
    last = std::max(last, end);
  }
  return last;
}

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

void place_events(Plan& plan, const HostEvents& events, int warps, int rows_per_thread) {
  const int t = plan.steps;
  for (Tile& tile : plan.tiles) {
    const Index planes = tile.z1 - tile.z0 + 2 * t;
    std::vector<std::vector<TileEvent>> by_plane[2];
    bool any = false;
    for (std::size_t p = 0; p < 2; ++p) {
      by_plane[p].resize(z(planes));
      for (std::size_t g = 0; g + 1 < events.groups[p].size(); ++g) {
        const Event& e = events.events[p][z(events.groups[p][g])];
        const Index dx = e.x - tile.x, dy = e.y - tile.y, dz = e.z - (tile.z0 - t);
        if (dx < 0 || dx >= kTileWidth || dy < 0 || dy >= plan.rows || dz < 0 || dz >= planes)
          continue;
        TileEvent te;
        te.group = std::int32_t(g);
        te.thread = std::int32_t(dy / rows_per_thread * 32 + dx / 2);
        te.row = std::int16_t(dy % rows_per_thread);
        te.cell = std::int16_t(dx % 2);
        te.component = std::int16_t(e.component % 3);
        te.owned = dx >= kRim && dx < kTileWidth - kRim && dy >= t && dy < plan.rows - t &&
                   e.z >= tile.z0 && e.z < tile.z1;
        by_plane[p][z(dz)].push_back(te);
        any = true;
      }
    }
    if (!any) continue;
    tile.events = std::int32_t(plan.offsets.size());
    for (const auto& pass : by_plane) {
      for (const auto& plane : pass) {
        plan.offsets.push_back(std::int32_t(plan.list.size()));
        plan.list.insert(plan.list.end(), plane.begin(), plane.end());
      }
      plan.offsets.push_back(std::int32_t(plan.list.size()));
    }
  }
  (void)warps;
}

}  // namespace

template <class Real>
Plan make_plan(const Medium<Real>& medium, const HostClasses& edges, bool faces,
               const HostEvents& events, int steps, int warps, int rows_per_thread,
               int multiprocessors) {
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
                        meets(medium.axis[0].slab, tx, tx + kTileWidth) ||
                        meets(medium.axis[1].slab, ty, ty + plan.rows);
      columns.push_back({tx, ty, full});
      classify_column(plan, l, edges, tx, ty);
    }
  const auto is_full = [&](const Column& c, Index z0, Index z1) {
    if (c.full || meets(medium.axis[2].slab, z0 - steps, z1 + steps)) return true;
    for (const auto& list : events.events)
      for (const Event& e : list)
        if (e.x >= c.x && e.x < c.x + kTileWidth && e.y >= c.y && e.y < c.y + plan.rows &&
            e.z >= z0 - steps && e.z < z1 + steps)
          return true;
    return false;
  };
  double best = -1;
  for (Index pieces = 1; pieces <= 16; ++pieces) {
    auto tiles = tiles_of(columns, cuts(l, medium.axis[2].slab, steps, pieces), is_full);
    std::vector<double> costs;
    for (const Tile& t : tiles)
      costs.push_back((t.z1 - t.z0 + 2.0 * steps + 3) * (t.full != 0 ? 1.7 : 1.0));
    const double time = makespan(costs, std::max(multiprocessors, 1));
    if (best < 0 || time < 0.99 * best) {
      best = time;
      plan.tiles = std::move(tiles);
    }
  }
  for (Tile& t : plan.tiles)
    if (t.full != 0) t.ring = plan.full++;
  place_events(plan, events, warps, rows_per_thread);
  return plan;
}

template Plan make_plan(const Medium<float>&, const HostClasses&, bool, const HostEvents&, int, int,
                        int, int);
template Plan make_plan(const Medium<double>&, const HostClasses&, bool, const HostEvents&, int,
                        int, int, int);

}  // namespace terrawave::fdtd::zmarch
