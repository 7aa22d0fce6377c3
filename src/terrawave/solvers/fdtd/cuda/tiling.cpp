#include "terrawave/solvers/fdtd/cuda/tiling.hpp"

#include <algorithm>
#include <queue>

namespace terrawave::fdtd::tiling {
namespace {

std::size_t z(Index i) { return static_cast<std::size_t>(i); }

}  // namespace

bool meets(const Slab& s, Index low, Index high) {
  const auto overlap = [&](Index a, Index b) { return std::max(a, low) < std::min(b, high); };
  return overlap(s.low0, s.low1) || overlap(s.high0, s.high1);
}

void classify_column(std::uint16_t* out, const Layout& l, const HostClasses& edges, Index x,
                     Index y, Index rows) {
  const bool cut = x + kTileWidth > l.size[0] || y < 0 || y + rows > l.size[1];
  for (Index k = 0; k < l.size[2]; ++k) {
    std::uint16_t first = 0;
    bool uniform = true, fresh = !cut;  // what lies outside is of class 0
    for (Index j = std::max<Index>(y, 0); j < std::min(y + rows, l.size[1]) && uniform; ++j) {
      const std::uint16_t* row = edges.index.data() + l.at(x, j, k);
      if (fresh) {
        first = row[0];
        fresh = false;
      }
      const Index width = std::min<Index>(kTileWidth, l.size[0] - x);
      for (Index i = 0; i < width; ++i)
        if (row[i] != first) uniform = false;
    }
    out[k] = uniform ? first : kMixed;
  }
}

std::vector<Index> z_cuts(const Layout& l, const Slab& slab, int steps, Index pieces, bool apart) {
  const Index low = l.update_low[2], high = l.update_high[2];
  Index a = low, b = high;
  if (apart && slab.low1 > slab.low0) a = std::min(slab.low1 + steps, high);
  if (apart && slab.high1 > slab.high0) b = std::max(slab.high0 - steps, a);
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

std::int32_t place_events(const TileBox& tile, const HostEvents& events, int rows_per_thread,
                          const std::function<bool(Index dx, Index dy, const Event&)>& owned,
                          std::vector<std::int32_t>& offsets, std::vector<TileEvent>& list) {
  std::vector<std::vector<TileEvent>> by_plane[2];
  bool any = false;
  for (std::size_t p = 0; p < 2; ++p) {
    by_plane[p].resize(z(tile.planes));
    for (std::size_t g = 0; g + 1 < events.groups[p].size(); ++g) {
      const Event& e = events.events[p][z(events.groups[p][g])];
      const Index dx = e.x - tile.x, dy = e.y - tile.y, dz = e.z - tile.z;
      if (dx < 0 || dx >= kTileWidth || dy < 0 || dy >= tile.rows || dz < 0 || dz >= tile.planes)
        continue;
      TileEvent te;
      te.group = std::int32_t(g);
      te.thread = std::int32_t(dy / rows_per_thread * 32 + dx / 2);
      te.row = std::int16_t(dy % rows_per_thread);
      te.cell = std::int16_t(dx % 2);
      te.component = std::int16_t(e.component % 3);
      te.owned = owned(dx, dy, e) ? 1 : 0;
      by_plane[p][z(dz)].push_back(te);
      any = true;
    }
  }
  if (!any) return -1;
  const auto first = std::int32_t(offsets.size());
  for (const auto& pass : by_plane) {
    for (const auto& plane : pass) {
      offsets.push_back(std::int32_t(list.size()));
      list.insert(list.end(), plane.begin(), plane.end());
    }
    offsets.push_back(std::int32_t(list.size()));
  }
  return first;
}

}  // namespace terrawave::fdtd::tiling
