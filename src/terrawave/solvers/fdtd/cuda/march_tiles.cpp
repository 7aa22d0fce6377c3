#include "terrawave/solvers/fdtd/cuda/march_tiles.hpp"

#include <algorithm>
#include <array>
#include <tuple>
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

// The range of multiples of `step` around [low, high).
std::pair<Index, Index> widened(Index low, Index high, Index step) {
  if (low >= high) return {0, 0};
  return {low / step * step, (high + step - 1) / step * step};
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

// Bounds of what is not PEC, by direction of the component.
Inside inside_of(const Layout& l, const HostClasses& edges) {
  std::vector<std::uint8_t> not_pec(edges.ids.size());  // bits of components
  for (std::size_t c = 0; c < not_pec.size(); ++c)
    for (std::size_t f = 0; f < 3; ++f)
      if (edges.ids[c][f] != 0) not_pec[c] = std::uint8_t(not_pec[c] | 1u << f);
  std::vector<std::uint8_t> by_x(z(l.size[0])), by_y(z(l.size[1]));
#pragma omp parallel
  {
    std::vector<std::uint8_t> x(by_x.size()), y(by_y.size());
#pragma omp for
    for (Index k = 0; k < l.size[2]; ++k)
      for (Index j = 0; j < l.size[1]; ++j) {
        const std::uint16_t* row = edges.index.data() + l.at(0, j, k);
        std::uint8_t any = 0;
        for (Index i = 0; i < l.size[0]; ++i) {
          const std::uint8_t bits = not_pec[row[i]];
          x[z(i)] = std::uint8_t(x[z(i)] | bits);
          any = std::uint8_t(any | bits);
        }
        y[z(j)] = std::uint8_t(y[z(j)] | any);
      }
#pragma omp critical
    {
      for (std::size_t i = 0; i < x.size(); ++i) by_x[i] = std::uint8_t(by_x[i] | x[i]);
      for (std::size_t j = 0; j < y.size(); ++j) by_y[j] = std::uint8_t(by_y[j] | y[j]);
    }
  }
  const auto bounds = [](const std::vector<std::uint8_t>& bits, unsigned mask, auto& range) {
    range[0] = range[1] = 0;
    for (std::size_t i = 0; i < bits.size(); ++i) {
      if ((bits[i] & mask) == 0) continue;
      if (range[1] == 0) range[0] = std::int32_t(i);
      range[1] = std::int32_t(i) + 1;
    }
  };
  Inside w;
  bounds(by_x, 1u, w.along[0]);
  bounds(by_x, 2u | 4u, w.across[0]);
  bounds(by_y, 2u, w.along[1]);
  bounds(by_y, 1u | 4u, w.across[1]);
  return w;
}

// The class of a plane whose entry inside all walls is of class `whole`, by whether an entry is
// inside along x (bit 0), across x (1), along y (2), across y (3); -1: no such class is in use.
std::array<std::int32_t, 16> classes_at_walls(const HostClasses& edges, std::uint16_t whole) {
  std::array<std::int32_t, 16> out{};
  for (unsigned in = 0; in < 16; ++in) {
    const bool x_along = (in & 1) != 0, x_across = (in & 2) != 0;
    const bool y_along = (in & 4) != 0, y_across = (in & 8) != 0;
    auto ids = edges.ids[whole];
    if (!x_along || !y_across) ids[0] = 0;
    if (!x_across || !y_along) ids[1] = 0;
    if (!x_across || !y_across) ids[2] = 0;
    const auto at = std::find(edges.ids.begin(), edges.ids.end(), ids);
    out[in] = at == edges.ids.end() ? -1 : std::int32_t(at - edges.ids.begin());
  }
  return out;
}

// Class of every plane of a column of tiles, kMixed where entries differ by more than walls.
void classify_column(std::uint16_t* out, const Layout& l, const HostClasses& edges,
                     const Inside& inside, Index x, Index y, Index rows) {
  const auto bits = [&](int axis, Index i) {
    const auto holds = [i](const std::int32_t(&range)[2]) { return i >= range[0] && i < range[1]; };
    return unsigned(holds(inside.along[axis])) | unsigned(holds(inside.across[axis])) << 1;
  };
  std::array<unsigned, kTileWidth> x_bits{};
  std::vector<unsigned> y_bits(z(rows));
  Index whole_x = -1, whole_y = -1;  // an entry inside all walls
  bool walled = false;
  for (Index i = 0; i < kTileWidth; ++i) {
    x_bits[z(i)] = bits(0, x + i);
    if (x_bits[z(i)] == 3) whole_x = x + i;
    walled = walled || x_bits[z(i)] != 3;
  }
  for (Index j = 0; j < rows; ++j) {
    y_bits[z(j)] = bits(1, y + j);
    if (y_bits[z(j)] == 3) whole_y = y + j;
    walled = walled || y_bits[z(j)] != 3;
  }
  std::array<std::int32_t, 16> expected{};
  std::int32_t known = -1;
  for (Index k = 0; k < l.size[2]; ++k) {
    out[k] = kMixed;
    if (whole_x < 0 || whole_y < 0) continue;
    const std::uint16_t whole = edges.index[z(l.at(whole_x, whole_y, k))];
    if (whole != known) expected = classes_at_walls(edges, whole);
    known = whole;
    bool uniform = true;
    for (Index j = 0; j < rows && uniform; ++j) {
      const bool row_in = y + j >= 0 && y + j < l.size[1];
      for (Index i = 0; i < kTileWidth; ++i) {
        const bool in = row_in && x + i >= 0 && x + i < l.size[0];
        const std::int32_t at = in ? edges.index[z(l.at(x + i, y + j, k))] : 0;
        uniform = uniform && at == expected[x_bits[z(i)] | y_bits[z(j)] << 2];
      }
    }
    if (uniform) out[k] = std::uint16_t(whole | (walled && whole != 0 ? kWalled : 0));
  }
}

struct Column {
  Index x, y;
  std::int32_t x_low, x_high, y_high;
  std::vector<Index> events;  // their planes, in order
};

// Planes of the events in a column of tiles.
std::vector<Index> event_planes(const HostEvents& events, Index x, Index y, Index rows) {
  std::vector<Index> out;
  for (const auto& list : events.events)
    for (const Event& e : list)
      if (e.x >= x && e.x < x + kTileWidth && e.y >= y && e.y < y + rows) out.push_back(e.z);
  std::sort(out.begin(), out.end());
  return out;
}

// Planes of a plain tile that take as long: fitted to times of the tiles of each body
// (docs/decisions/0026-fdtd-kernels.md).
double cost(const Tile& t, int steps, const Slab& z_slab) {
  const Index low = t.z0 - steps, high = t.z1 + steps;
  const double planes = double(high - low) + 2;
  if (t.body == kNeedsZ) {
    double members = 0;
    for (const auto& [m0, m1] :
         {std::pair(z_slab.low0, z_slab.low1), std::pair(z_slab.high0, z_slab.high1)})
      members += double(std::max<Index>(0, std::min(m1, high) - std::max(m0, low)));
    return planes + 0.7 * members;
  }
  if (t.body == 0) return planes;
  if (t.body == kNeedsX || t.body == kNeedsY) return 1.55 * planes;
  if (t.body == kNeedsLayers) return 3.1 * planes;
  if ((t.body & kNeedsEvents) == 0) return 2.5 * planes;
  return (t.store >= 0 ? 12 : 5) * planes;
}

// Chooses the body of a tile, and where its psi is kept.
void choose_body(Tile& t, bool events, const Shape& shape) {
  const std::int32_t needs = (t.lane1 > t.lane0 ? kNeedsX : 0) | (t.row1 > t.row0 ? kNeedsY : 0) |
                             (t.z_layers != 0 ? kNeedsZ : 0);
  const auto fits = [&](std::int32_t body, int slots) {
    t.body = body;
    t.slots = slots;
    return store_pairs(t, shape.warps * shape.rows) <= shape.room;
  };
  if (!events) {
    // Bodies of one axis have a slot more than steps.
    if (fits(needs, shape.steps + 1)) return;
    if (!serves_one_axis(needs) && fits(needs, shape.steps)) return;
    if (fits(kNeedsLayers, shape.steps)) return;
  }
  // Only the body of events reads psi from memory.
  for (const int slots : {shape.steps, shape.steps + 1})
    if (!fits(kNeedsLayers | kNeedsEvents, slots)) t.store = 0;
}

// The tiles of one way to cut z, longest first.
template <class Real>
std::vector<Tile> tiles_of(const Medium<Real>& medium, const std::vector<Column>& columns,
                           const std::vector<Index>& z_cuts, const Shape& shape) {
  const Index rows = shape.warps * shape.rows;
  const Slab& slab = medium.axis[2].slab;
  std::vector<std::pair<double, Tile>> tiles;
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
      std::tie(t.lane0, t.lane1) = widened(x0 / 2, (x1 + 1) / 2, 2);
      std::tie(t.row0, t.row1) = widened(y0, y1, shape.rows);
      t.z_layers = tiling::meets(slab, low, high) ? 1 : 0;
      const auto event = std::lower_bound(at.events.begin(), at.events.end(), low);
      choose_body(t, event != at.events.end() && *event < high, shape);
      tiles.emplace_back(cost(t, shape.steps, slab), t);
    }
  std::stable_sort(tiles.begin(), tiles.end(),
                   [](const auto& one, const auto& other) { return one.first > other.first; });
  std::vector<Tile> out;
  for (const auto& [time, tile] : tiles) out.push_back(tile);
  return out;
}

tiling::TileBox box_of(const Tile& t, const Shape& shape) {
  return {t.x, t.y, t.z0 - shape.steps, shape.warps * shape.rows, t.z1 - t.z0 + 2 * shape.steps};
}

void place_tile_events(Plan& plan, const HostEvents& events, const Shape& shape) {
  const int t = shape.steps;
  for (Tile& tile : plan.tiles) {
    if ((tile.body & kNeedsEvents) == 0) continue;
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
  require(shape.rim % 4 == 0, "march: copies of 16 bytes start on a multiple of four entries");
  const Index step = 8;  // along x, whole sectors of 32 bytes
  const Index x_low = l.update_low[0] / step * step;
  const auto xs = starts(x_low, l.update_high[0], kTileWidth - 2 * shape.rim, step);
  const auto ys = starts(l.update_low[1], l.update_high[1], rows - 2 * shape.steps, 1);
  std::vector<Column> columns;
  for (std::size_t j = 0; j + 1 < ys.size(); ++j)
    for (std::size_t i = 0; i + 1 < xs.size(); ++i) {
      const Index x = xs[i] - shape.rim, y = ys[j] - shape.steps;
      columns.push_back(
          {x, y, std::int32_t(shape.rim / 2), std::int32_t((xs[i + 1] - xs[i] + shape.rim) / 2),
           std::int32_t(ys[j + 1] - ys[j] + shape.steps), event_planes(events, x, y, rows)});
    }
  plan.inside = inside_of(l, edges);
  plan.uniform.resize(columns.size() * z(l.size[2]));
#pragma omp parallel for schedule(dynamic)
  for (std::size_t c = 0; c < columns.size(); ++c)
    classify_column(plan.uniform.data() + c * z(l.size[2]), l, edges, plan.inside, columns[c].x,
                    columns[c].y, rows);
  double best = -1;
  for (const bool apart : {true, false})
    for (Index pieces = 1; pieces <= 12; ++pieces) {
      auto tiles = tiles_of(
          medium, columns,
          tiling::cut_at_ghosts(tiling::z_cuts(l, medium.axis[2].slab, shape.steps, pieces, apart),
                                l, shape.steps, shape.overlap),
          shape);
      std::vector<double> costs;
      for (const Tile& t : tiles) costs.push_back(cost(t, shape.steps, medium.axis[2].slab));
      const double time = tiling::makespan(costs, std::max(shape.multiprocessors, 1));
      if (best < 0 || time < 0.99 * best) {
        best = time;
        plan.tiles = std::move(tiles);
      }
    }
  plan.inner = tiling::inner_first(plan.tiles, l, shape.overlap,
                                   [&](const Tile& t) { return box_of(t, shape); });
  for (Tile& t : plan.tiles) {
    const std::int64_t pairs = store_pairs(t, int(rows));
    if ((t.body & kNeedsEvents) != 0) t.number = plan.eventful++;
    if (t.store >= 0) {
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
