// Lakes over tiles: parts of lakes inside each, joined over the rims.
#include <algorithm>
#include <bit>
#include <numeric>

#include "terrawave/solvers/terrain/host_copies.hpp"
#include "terrawave/solvers/terrain/lake_steps.hpp"
#include "terrawave/solvers/terrain/product_sums.hpp"
#include "terrawave/solvers/terrain/tiled_products.hpp"
#include "terrawave/solvers/terrain/tiled_write.hpp"

namespace terrawave::terrain {
namespace {

// A part of a lake: what lies in one tile. Its name is the linear index of its first cell.
struct Part {
  Index first = 0;
  double level = 0;
  steps::LakeSums sums;
};
struct Touch {
  Index a = 0, b = 0;  // parts that touch across a side
};
struct PartId {
  Index first = 0;
  Index id = 0;
};

// What the store keeps of a tile until the lakes are known: the part of each cell, numbered from 1
// on, 0 on land, and the parts' names in that order.
constexpr const char* kPart = "lakes.part";    // std::int32_t
constexpr const char* kNames = "lakes.first";  // Index

GridView grid_of(const domain::Window& window, const Grid& grid) {
  return {window.rows, window.cols, grid.step(), false, false, {}};
}

// The water over a tile, where kernels read it.
template <class T>
class TileWater {
 public:
  TileWater(const TileQueue& on, Block<T> ground, Block<T> surface)
      : ground_(std::move(ground)),
        surface_(std::move(surface)),
        piece_(steps::lake_piece(on.kernels(), ground_.inside.rows, ground_.inside.cols)),
        z_(on, ground_.z),
        w_(on, surface_.z),
        state_(on, ground_.state) {}
  steps::WaterView<T> view() const {
    return {grid_of(ground_.inside, ground_.grid),
            z_.view(),
            w_.view(),
            state_.view(),
            ground_.row_start(0),
            ground_.around.cols,
            piece_};
  }
  const TileShape& shape() const { return ground_; }
  double level(Index i) const { return double(surface_.z[std::size_t(ground_.around_of(i))]); }

 private:
  Block<T> ground_, surface_;
  Index piece_;
  OnQueue<T> z_, w_;
  OnQueue<std::uint8_t> state_;
};

// Finds the parts of the tiles of this rank; their sums are still missing. Returns the depth of
// the deepest water of all tiles.
template <class T>
double find_parts(TiledSession& session, const Surface<T>& surface, std::vector<Part>& parts) {
  const TileQueue& on = session.queue();
  double deepest = 0;
  for_tiles(session, [&](std::size_t m, Index tile) {
    const TileWater<T> water(on, session.ground<T>(m), surface.block(m));
    FromQueue<std::int32_t> part(on, water.shape().inside.size());
    const steps::LakeList found = par::dispatch(
        on, [&](const auto& exec) { return steps::label_lakes(exec, water.view(), part.view()); });
    deepest = std::max(deepest, found.deepest);
    std::vector<Index> names;
    for (const std::int32_t i : found.first) {
      names.push_back(water.shape().global(water.shape().around_of(i)));
      parts.push_back({names.back(), water.level(i), {}});
    }
    session.store().put(tile, kPart, part.take());
    session.store().put(tile, kNames, std::move(names));
  });
  return session.comm().max(deepest);
}

// Measures them, in the same order.
template <class T>
void measure_parts(TiledSession& session, const Surface<T>& surface,
                   const steps::LakeTerms& largest, std::vector<Part>& parts) {
  const TileQueue& on = session.queue();
  const std::span<const double> row_area = session.reader().metric().area;
  auto next = parts.begin();
  for_tiles(session, [&](std::size_t m, Index tile) {
    const auto count = Index(session.store().look<Index>(tile, kNames).values.size());
    if (count == 0) return;
    const TileWater<T> water(on, session.ground<T>(m), surface.block(m));
    const domain::Window& inside = water.shape().inside;
    const auto looked = session.store().look<std::int32_t>(tile, kPart);
    const OnQueue<std::int32_t> part(on, looked.values);
    const OnQueue<double> area(on,
                               row_area.subspan(std::size_t(inside.row), std::size_t(inside.rows)));
    const std::vector<steps::LakeSums> sums = par::dispatch(on, [&](const auto& exec) {
      return steps::measure_lakes(exec, water.view(), part.view(), count, area.view(), largest);
    });
    for (const steps::LakeSums& held : sums) (next++)->sums = held;
  });
}

// Pairs of parts that touch over the sides of this rank's tiles.
std::vector<Touch> find_touches(TiledSession& session) {
  const Rings& rings = session.rings();
  TileStore& store = session.store();
  RimField<Index> shown(rings, -1);  // names
  const auto show = [&](std::size_t m) {
    const auto part = store.look<std::int32_t>(rings.tile(m), kPart);
    const auto names = store.look<Index>(rings.tile(m), kNames);
    const std::vector<Index> at = rings.rim_positions(m);
    for (std::size_t i = 0; i < at.size(); ++i)
      if (const std::int32_t p = part.values[std::size_t(at[i])]; p > 0)
        shown.rim(m)[i] = names.values[std::size_t(p - 1)];
  };
  for_tiles(session, [&](std::size_t m, Index) { show(m); });
  shown.exchange();
  std::vector<Touch> touches;
  for_tiles(session, [&](std::size_t m, Index tile) {
    const TileShape shape = session.reader().shape(tile);
    const std::vector<Index> at = rings.rim_positions(m), ring_at = rings.ring_positions(m);
    const std::vector<Index> ring = shown.ring(m);
    std::vector<Index> name(std::size_t(shape.around.size()), -1);  // of the ring's cells alone
    for (std::size_t k = 0; k < ring.size(); ++k) name[std::size_t(ring_at[k])] = ring[k];
    for (std::size_t i = 0; i < at.size(); ++i) {
      const Index own = shown.rim(m)[i];
      for (int k = 0; own >= 0 && k < kNeighbours; ++k) {
        const Index n = shape.grid.neighbour(shape.around_of(at[i]), k);
        const Index other = n < 0 ? -1 : name[std::size_t(n)];
        if (other < 0) continue;
        if (touches.empty() || touches.back().a != own || touches.back().b != other)
          touches.push_back({own, other});
      }
    }
  });
  return touches;
}

// Lakes out of parts, and the id of each part's lake.
std::vector<Lake> join_parts(std::vector<Part> parts, const std::vector<Touch>& touches,
                             const steps::LakeTerms& largest, std::vector<PartId>& ids) {
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
      area.emplace_back(largest.area);
      volume.emplace_back(largest.volume);
    }
    const std::size_t k = lake_of[lead];
    const steps::LakeSums& held = parts[i].sums;
    lakes[k].cells += held.cells;
    lakes[k].depth = std::max(lakes[k].depth, std::bit_cast<double>(held.depth));
    area[k].parts() = area[k].parts() + held.area;
    volume[k].parts() = volume[k].parts() + held.volume;
    ids.push_back({parts[i].first, Index(k) + 1});
  }
  for (std::size_t k = 0; k < lakes.size(); ++k) {
    lakes[k].area = area[k].value();
    lakes[k].volume = volume[k].value();
  }
  return lakes;
}

// "lakes" in the store: the id of each cell. `ids`: of all parts, by their names.
void name_lakes(TiledSession& session, const std::vector<PartId>& ids) {
  const TileQueue& on = session.queue();
  TileStore& store = session.store();
  for_tiles(session, [&](std::size_t, Index tile) {
    std::vector<Index> table = {0};  // by part
    for (const Index name : store.look<Index>(tile, kNames).values)
      table.push_back(std::lower_bound(ids.begin(), ids.end(), name, [](const PartId& id, Index n) {
                        return id.first < n;
                      })->id);
    const auto part = store.look<std::int32_t>(tile, kPart);
    const OnQueue<std::int32_t> parts(on, part.values);
    const OnQueue<Index> names(on, table);
    FromQueue<Index> id(on, Index(part.values.size()));
    par::dispatch(on, [&](const auto& exec) {
      steps::rename_lakes(exec, parts.view(), names.view(), id.view());
    });
    store.put(tile, "lakes", id.take());
  });
}

// The cells that water of this rank's tiles first reaches outside its lake.
struct Spill {
  Index lake = 0;  // id
  Index cell = 0;
};
std::vector<Spill> find_spills(TiledSession& session) {
  const TileQueue& on = session.queue();
  const auto ring_ids = ring_of<Index>(session, "lakes");
  std::vector<Spill> spills;
  for_tiles(session, [&](std::size_t m, Index tile) {
    if (session.store().look<Index>(tile, kNames).values.empty()) return;
    const TileShape shape = session.reader().shape(tile);
    const std::vector<Index> id =
        shape.join(session.store().get<Index>(tile, "lakes"), ring_ids->ring(m));
    const auto direction = session.store().look<Direction>(tile, "directions");
    const OnQueue<Index> ids(on, id);
    const OnQueue<Direction> directions(on, direction.values);
    const GridView block = grid_of(shape.around, shape.grid);
    const std::vector<std::int32_t> exits = par::dispatch(on, [&](const auto& exec) {
      return steps::lake_exits(
          exec, steps::LakeExits<Index>{
                    block, shape.row_start(0), shape.inside.rows, shape.inside.cols, ids.view(),
                    directions.view(),
                    steps::lake_piece(on.kernels(), shape.inside.rows, shape.inside.cols)});
    });
    for (const std::int32_t exit : exits) {
      const Index a = shape.around_of(exit);
      const Index to = block.neighbour(a, direction.values[std::size_t(exit)]);
      spills.push_back({id[std::size_t(a)], shape.global(to)});
    }
  });
  return gather_values(session.comm(), spills);
}

template <class T>
std::vector<Lake> find_lakes_of(TiledSession& session) {
  comm::Comm& comm = session.comm();
  Surface<T> surface(session.reader(), session.rings(), session.store());
  TiledStats ignored;
  surface.fill(session.queue(), ignored);
  std::vector<Part> parts;
  const double deepest = find_parts(session, surface, parts);
  const steps::LakeTerms largest = lake_terms(session.reader().metric().area, deepest);
  measure_parts(session, surface, largest, parts);
  parts = gather_values(comm, parts);
  const std::vector<Touch> touches = gather_values(comm, find_touches(session));
  std::vector<PartId> ids;
  std::vector<Lake> lakes;
  together(comm, [&] {
    if (comm.is_root()) lakes = join_parts(std::move(parts), touches, largest, ids);
  });
  comm::Bytes bytes = to_bytes(ids);
  comm.broadcast(bytes, 0);
  name_lakes(session, from_bytes<PartId>(bytes));
  for (const Spill& s : find_spills(session)) {
    Index& first = lakes[std::size_t(s.lake - 1)].spill;
    if (first < 0 || s.cell < first) first = s.cell;
  }
  for (const Index tile : session.rings().tiles())
    for (const char* what : {kPart, kNames}) session.store().drop(tile, what);
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
