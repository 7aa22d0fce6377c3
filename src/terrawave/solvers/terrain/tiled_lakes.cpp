// Lakes over tiles: parts of lakes inside each, joined over the rims.
#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_map>

#include "terrawave/solvers/terrain/product_sums.hpp"
#include "terrawave/solvers/terrain/tiled_products.hpp"
#include "terrawave/solvers/terrain/tiled_write.hpp"

namespace terrawave::terrain {
namespace {

struct LakeScale {
  double area = 0;
  double depth = 0;
  double volume() const { return area * depth; }
};

// A part of a lake: what lies in one tile. Its name is the linear index of its first cell.
struct Part {
  Index first = 0;
  Index cells = 0;
  double level = 0, depth = 0;
  FixedSum area, volume;
};
struct Touch {
  Index a = 0, b = 0;  // parts that touch across a side
};
struct PartId {
  Index first = 0;
  Index id = 0;
};

// Depth of water over the cells of a tile (its ring included where the ring's surface is known).
template <class T>
struct Water {
  Block<T> ground, surface;
  double operator()(Index a) const {
    return is_data(ground.state[std::size_t(a)])
               ? double(surface.z[std::size_t(a)]) - double(ground.z[std::size_t(a)])
               : 0;
  }
};

// The part of each cell of the tile by its first cell, -1 on land.
template <class T>
std::vector<Index> parts_of(const Water<T>& water, const std::vector<double>& row_area,
                            const LakeScale& scale, std::vector<Part>& parts) {
  const Block<T>& g = water.ground;
  std::vector<Index> part(std::size_t(g.inside.size()), -1);
  std::vector<Index> open;
  for (Index i = 0; i < g.inside.size(); ++i) {
    const Index start = g.around_of(i);
    if (part[std::size_t(i)] >= 0 || !(water(start) > 0)) continue;
    Part lake;
    lake.first = g.global(start);
    lake.level = double(water.surface.z[std::size_t(start)]);
    OrderlessSum area(scale.area), volume(scale.volume());
    open.assign(1, start);
    part[std::size_t(i)] = lake.first;
    while (!open.empty()) {
      const Index a = open.back();
      open.pop_back();
      const double depth = water(a);
      const double size = row_area[std::size_t(g.global(a) / g.tiling.cols)];
      ++lake.cells;
      lake.depth = std::max(lake.depth, depth);
      area.add(size);
      volume.add(size * depth);
      for (int k = 0; k < kNeighbours; ++k) {
        const Index n = g.grid.neighbour(a, k);
        if (n < 0 || !g.is_inside(n) || !(water(n) > 0)) continue;
        Index& there = part[std::size_t(g.inside_of(n))];
        if (there >= 0) continue;
        there = lake.first;
        open.push_back(n);
      }
    }
    lake.area = area.parts();
    lake.volume = volume.parts();
    parts.push_back(lake);
  }
  return part;
}

// Lakes out of parts, and the id of each part's lake.
std::vector<Lake> join_parts(std::vector<Part> parts, const std::vector<Touch>& touches,
                             const LakeScale& scale, std::vector<PartId>& ids) {
  std::sort(parts.begin(), parts.end(),
            [](const Part& a, const Part& b) { return a.first < b.first; });
  const auto number = [&](Index first) {
    return std::size_t(
        std::lower_bound(parts.begin(), parts.end(), first,
                         [](const Part& p, Index wanted) { return p.first < wanted; }) -
        parts.begin());
  };
  std::vector<std::size_t> joined(parts.size());
  std::iota(joined.begin(), joined.end(), std::size_t{0});
  const auto find = [&](std::size_t i) {
    while (joined[i] != i) i = joined[i] = joined[joined[i]];
    return i;
  };
  for (const Touch& t : touches) {
    const std::size_t a = find(number(t.a));
    const std::size_t b = find(number(t.b));
    joined[std::max(a, b)] = std::min(a, b);  // the part with the first cell leads
  }
  std::vector<Lake> lakes;
  std::vector<OrderlessSum> area, volume;
  std::vector<std::size_t> lake_of(parts.size(), 0);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::size_t lead = find(i);
    if (lead == i) {
      lake_of[i] = lakes.size();
      lakes.emplace_back();
      lakes.back().first = parts[i].first;
      lakes.back().level = parts[i].level;
      lakes.back().spill = -1;
      area.emplace_back(scale.area);
      volume.emplace_back(scale.volume());
    }
    const std::size_t k = lake_of[lead];
    lakes[k].cells += parts[i].cells;
    lakes[k].depth = std::max(lakes[k].depth, parts[i].depth);
    area[k].parts() = area[k].parts() + parts[i].area;
    volume[k].parts() = volume[k].parts() + parts[i].volume;
    ids.push_back({parts[i].first, Index(k) + 1});
  }
  for (std::size_t k = 0; k < lakes.size(); ++k) {
    lakes[k].area = area[k].value();
    lakes[k].volume = volume[k].value();
  }
  return lakes;
}

template <class T>
LakeScale scale_of(TiledSession& session, Surface<T>& surface) {
  LakeScale scale;
  for (const double area : session.reader().metric().area) scale.area = std::max(scale.area, area);
  for_tiles(session, [&](std::size_t m, Index) {
    const Water<T> water{session.ground<T>(m), surface.block(m)};
    for (Index i = 0; i < water.ground.inside.size(); ++i)
      scale.depth = std::max(scale.depth, water(water.ground.around_of(i)));
  });
  scale.depth = session.comm().max(scale.depth);
  return scale;
}

template <class T>
std::vector<Lake> find_lakes_of(TiledSession& session) {
  comm::Comm& comm = session.comm();
  const Rings& rings = session.rings();
  TileStore& store = session.store();
  Surface<T> surface(session.reader(), rings, store);
  TiledStats ignored;
  surface.fill(session.queue(), ignored);
  const LakeScale scale = scale_of(session, surface);

  std::vector<Part> parts;
  RimField<Index> shown(rings, -1);
  for_tiles(session, [&](std::size_t m, Index tile) {
    const Water<T> water{session.ground<T>(m), surface.block(m)};
    const std::vector<Index> part = parts_of(water, session.reader().metric().area, scale, parts);
    shown.take(m, part);
    store.put(tile, "lakes.part", part);
  });
  shown.exchange();
  std::vector<Touch> touches;
  for_tiles(session, [&](std::size_t m, Index tile) {
    TileShape shape = session.reader().shape(tile);
    const std::vector<Index> part = shape.join(store.get<Index>(tile, "lakes.part"), shown.ring(m));
    for (const Index i : rings.rim_positions(m)) {
      const Index a = shape.around_of(i);
      if (part[std::size_t(a)] < 0) continue;
      for (int k = 0; k < kNeighbours; ++k) {
        const Index n = shape.grid.neighbour(a, k);
        if (n < 0 || shape.is_inside(n) || part[std::size_t(n)] < 0) continue;
        const Touch touch = {part[std::size_t(a)], part[std::size_t(n)]};
        if (touches.empty() || touches.back().a != touch.a || touches.back().b != touch.b)
          touches.push_back(touch);
      }
    }
  });
  parts = gather_values(comm, parts);
  touches = gather_values(comm, touches);
  std::vector<PartId> ids;
  std::vector<Lake> lakes;
  together(comm, [&] {
    if (comm.is_root()) lakes = join_parts(std::move(parts), touches, scale, ids);
  });
  comm::Bytes bytes = to_bytes(ids);
  comm.broadcast(bytes, 0);
  ids = from_bytes<PartId>(bytes);

  RimField<Index> ring_ids(rings, 0);
  for_tiles(session, [&](std::size_t m, Index tile) {
    auto part = store.get<Index>(tile, "lakes.part");
    store.drop(tile, "lakes.part");
    for (Index& p : part)
      p = p < 0 ? 0
                : std::lower_bound(ids.begin(), ids.end(), p, [](const PartId& id, Index wanted) {
                    return id.first < wanted;
                  })->id;
    ring_ids.take(m, part);
    store.put(tile, "lakes", part);
  });
  ring_ids.exchange();
  // The one way out of each lake.
  std::vector<Touch> spills;  // lake, cell
  for_tiles(session, [&](std::size_t m, Index tile) {
    const FlowBits flow = session.bits(m);
    const std::vector<Index> id =
        flow.shape.join(store.get<Index>(tile, "lakes"), ring_ids.ring(m));
    for (Index i = 0; i < flow.shape.inside.size(); ++i) {
      const auto a = std::size_t(flow.shape.around_of(i));
      if (id[a] == 0 || flow.gives[a] == 0) continue;
      const Index row = Index(a) / flow.shape.around.cols;
      const Index to = neighbour8(flow.shape, row, Index(a) - row * flow.shape.around.cols,
                                  std::countr_zero(flow.gives[a]));
      if (id[std::size_t(to)] != id[a]) spills.push_back({id[a], flow.shape.global(to)});
    }
  });
  for (const Touch& s : gather_values(comm, spills)) {
    Index& best = lakes[std::size_t(s.a - 1)].spill;
    if (best < 0 || s.b < best) best = s.b;
  }
  return lakes;
}

}  // namespace

std::vector<Lake> find_lakes_tiled(TiledSession& session) {
  require(session.options().mode == RouteMode::carve, "lakes are drained by carving");
  session.require_heights();
  session.route();
  session.fill();
  return with_height_type(session.info(), [&]<class T>(T) { return find_lakes_of<T>(session); });
}

}  // namespace terrawave::terrain
