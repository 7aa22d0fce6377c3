#include "terrawave/solvers/fdtd/cuda/march_tiles.hpp"

#include <algorithm>
#include <utility>

#include "terrawave/solvers/fdtd/cuda/overlap.hpp"

namespace terrawave::fdtd::march {
namespace {

std::size_t z(Index i) { return static_cast<std::size_t>(i); }

// Smallest and largest member of a slab in [low, high), as offsets from `low`; an empty range where
// there is none.
std::pair<Index, Index> hull(const Slab& s, Index low, Index high) {
  Index a = high, b = low;
  for (const auto& [m0, m1] : {std::pair(s.low0, s.low1), std::pair(s.high0, s.high1)}) {
    const Index from = std::max(m0, low), to = std::min(m1, high);
    if (from >= to) continue;
    a = std::min(a, from);
    b = std::max(b, to);
  }
  return a < b ? std::pair(a - low, b - low) : std::pair<Index, Index>(0, 0);
}

// Starts of `own` wide parts that cover [low, high), evenly spread, on multiples of `step` from
// low; the end of the last one comes last.
std::vector<Index> starts(Index low, Index high, Index own, Index step) {
  const Index span = (high - low + step - 1) / step * step;
  const Index parts = std::max<Index>(1, (span + own - 1) / own);
  std::vector<Index> out;
  for (Index p = 0; p < parts; ++p)
    out.push_back(low + (parts > 1 ? (span - own) * p / (parts - 1) / step * step : 0));
  out.push_back(low + std::max(span, std::min(own, span)));
  return out;
}

struct Column {
  Index x, y;
  std::int32_t x_low, x_high, y_high;
};

double cost(const Tile& t, int steps) {
  const double plane = t.kind == kPlain ? 1.0 : (t.kind == kLayered ? 1.5 : 2.5);
  return (t.z1 - t.z0 + 2.0 * steps + 2) * plane;
}

// The tiles of one way to cut z.
template <class Real>
std::vector<Tile> tiles_of(const Medium<Real>& medium, const std::vector<Column>& columns,
                           const std::vector<Index>& z_cuts, const HostEvents& events,
                           const Shape& shape) {
  const Index rows = shape.warps * shape.rows;
  std::vector<Tile> tiles;
  for (std::size_t p = 0; p + 1 < z_cuts.size(); ++p)
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const Column& at = columns[c];
      Tile t;
      t.x = std::int32_t(at.x);
      t.y = std::int32_t(at.y);
      t.x_low = at.x_low;
      t.x_high = at.x_high;
      t.y_high = at.y_high;
      t.z0 = std::int32_t(z_cuts[p]);
      t.z1 = std::int32_t(z_cuts[p + 1]);
      t.column = std::int32_t(c);
      const Index low = t.z0 - shape.steps, high = t.z1 + shape.steps;
      const auto [x0, x1] = hull(medium.axis[0].slab, at.x, at.x + kTileWidth);
      const auto [y0, y1] = hull(medium.axis[1].slab, at.y, at.y + rows);
      t.lane0 = std::int32_t(x0 / 2);
      t.lane1 = std::int32_t((x1 + 1) / 2);
      t.row0 = std::int32_t(y0);
      t.row1 = std::int32_t(y1);
      t.z_layers = tiling::meets(medium.axis[2].slab, low, high) ? 1 : 0;
      if (t.lane1 > t.lane0 || t.row1 > t.row0 || t.z_layers != 0) t.kind = kLayered;
      if (store_pairs(t, shape.steps, int(rows)) > shape.room) t.kind = kEventful;
      for (const auto& list : events.events)
        for (const Event& e : list)
          if (e.x >= at.x && e.x < at.x + kTileWidth && e.y >= at.y && e.y < at.y + rows &&
              e.z >= low && e.z < high)
            t.kind = kEventful;
      tiles.push_back(t);
    }
  std::stable_sort(tiles.begin(), tiles.end(), [&](const Tile& a, const Tile& b) {
    return a.kind != b.kind ? a.kind > b.kind : a.z1 - a.z0 > b.z1 - b.z0;
  });
  return tiles;
}

tiling::TileBox box_of(const Tile& t, const Shape& shape) {
  return {t.x, t.y, t.z0 - shape.steps, shape.warps * shape.rows, t.z1 - t.z0 + 2 * shape.steps};
}

void place_tile_events(Plan& plan, const HostEvents& events, const Shape& shape) {
  const int t = shape.steps;
  for (Tile& tile : plan.tiles) {
    if (tile.kind != kEventful) continue;
    const auto owned = [&](Index dx, Index dy, const Event& e) {
      return dx / 2 >= tile.x_low && dx / 2 < tile.x_high && dy >= t && dy < tile.y_high &&
             e.z >= tile.z0 && e.z < tile.z1;
    };
    tile.events = tiling::place_events(box_of(tile, shape), events, shape.rows, owned, plan.offsets,
                                       plan.list);
  }
}

}  // namespace

bool runs(const HostClasses& edges, const HostClasses& faces) {
  return faces.index.empty() && edges.ids.size() <= std::size_t(kMostClasses);
}

template <class Real>
Plan make_plan(const Medium<Real>& medium, const HostClasses& edges, const HostEvents& events,
               const Shape& shape) {
  const Layout& l = medium.layout;
  Plan plan;
  const Index rows = shape.warps * shape.rows;
  // Along x, whole sectors of 32 bytes where the rim allows it.
  const Index step = shape.rim % 4 == 0 ? 8 : 4;
  const Index x_low = l.update_low[0] / step * step;
  const auto xs = starts(x_low, l.update_high[0], kTileWidth - 2 * shape.rim, step);
  const auto ys = starts(l.update_low[1], l.update_high[1], rows - 2 * shape.steps, 1);
  std::vector<Column> columns;
  for (std::size_t j = 0; j + 1 < ys.size(); ++j)
    for (std::size_t i = 0; i + 1 < xs.size(); ++i) {
      const Index x = xs[i] - shape.rim, y = ys[j] - shape.steps;
      columns.push_back({x, y, std::int32_t(shape.rim / 2),
                         std::int32_t((xs[i + 1] - xs[i] + shape.rim) / 2),
                         std::int32_t(ys[j + 1] - ys[j] + shape.steps)});
    }
  plan.uniform.resize(columns.size() * z(l.size[2]));
#pragma omp parallel for schedule(dynamic)
  for (std::size_t c = 0; c < columns.size(); ++c)
    tiling::classify_column(plan.uniform.data() + c * z(l.size[2]), l, edges, columns[c].x,
                            columns[c].y, rows);
  double best = -1;
  for (const bool apart : {true, false})
    for (Index pieces = 1; pieces <= 12; ++pieces) {
      auto tiles = tiles_of(
          medium, columns,
          tiling::cut_at_ghosts(tiling::z_cuts(l, medium.axis[2].slab, shape.steps, pieces, apart),
                                l, shape.steps, shape.overlap),
          events, shape);
      std::vector<double> costs;
      for (const Tile& t : tiles) costs.push_back(cost(t, shape.steps));
      const double time = tiling::makespan(costs, std::max(shape.multiprocessors, 1));
      if (best < 0 || time < 0.99 * best) {
        best = time;
        plan.tiles = std::move(tiles);
      }
    }
  plan.inner = tiling::inner_first(plan.tiles, l, shape.overlap,
                                   [&](const Tile& t) { return box_of(t, shape); });
  for (Tile& t : plan.tiles) {
    const std::int64_t pairs = store_pairs(t, shape.steps, int(rows));
    if (t.kind == kEventful) t.number = plan.eventful++;
    if (pairs > shape.room) {
      t.store = plan.store;
      plan.store += pairs;
    } else {
      plan.most_pairs = std::max(plan.most_pairs, pairs);
    }
  }
  place_tile_events(plan, events, shape);
  return plan;
}

template Plan make_plan(const Medium<float>&, const HostClasses&, const HostEvents&, const Shape&);
template Plan make_plan(const Medium<double>&, const HostClasses&, const HostEvents&, const Shape&);

}  // namespace terrawave::fdtd::march
