// Regions in tiles: basins, lakes, watersheds of pour points.
#include <algorithm>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "terrawave/io/atomic_file.hpp"
#include "terrawave/solvers/terrain/product_network.hpp"
#include "terrawave/solvers/terrain/product_sums.hpp"
#include "terrawave/solvers/terrain/tiled_climbs.hpp"
#include "terrawave/solvers/terrain/tiled_makers.hpp"
#include "terrawave/solvers/terrain/tiled_write.hpp"

namespace terrawave::terrain {
namespace {

using nlohmann::json;

// Cells and areas of the labels in the store, on the root; `none` is no label.
std::map<std::int32_t, RegionSize> sizes_of(TiledSession& session, const char* name, Index none) {
  struct One {
    Index label = 0;
    std::int64_t cells = 0;
    FixedSum area;
  };
  const std::vector<double>& row_area = session.reader().metric().area;
  const double largest = *std::max_element(row_area.begin(), row_area.end());
  std::map<Index, std::pair<std::int64_t, OrderlessSum>> here;
  for_tiles(session, [&](std::size_t, Index tile) {
    const auto label = session.store().get<Index>(tile, name);
    const domain::Window w = session.tiling().window(tile);
    for (Index i = 0; i < w.size(); ++i) {
      if (label[std::size_t(i)] == none) continue;
      auto& [cells, area] =
          here.try_emplace(label[std::size_t(i)], 0, OrderlessSum(largest)).first->second;
      ++cells;
      area.add(row_area[std::size_t(w.row + i / w.cols)]);
    }
  });
  std::vector<One> mine;
  for (auto& [label, size] : here) mine.push_back({label, size.first, size.second.parts()});
  std::map<std::int32_t, RegionSize> sizes;
  std::map<std::int32_t, OrderlessSum> areas;
  for (const One& one : gather_values(session.comm(), mine)) {
    const auto label = std::int32_t(one.label);
    sizes[label].cells += one.cells;
    FixedSum& sum = areas.try_emplace(label, largest).first->second.parts();
    sum = sum + one.area;
  }
  for (auto& [label, sum] : areas) sizes[label].area = sum.value();
  return sizes;
}

// The labels in the store as a raster on the root.
domain::Raster gather_labels(TiledSession& session, const char* name) {
  if (session.info().size() >= (Index(1) << 31))
    throw InputError(session.info().name +
                     ": error: regions as polygons need fewer than 2^31 cells; write a raster");
  domain::Raster labels =
      gather_tiles(session, domain::CellType::i32, [&](std::size_t, Index tile) {
        return as_type(domain::CellType::i32, session.store().get<Index>(tile, name));
      });
  labels.info.nodata.reset();
  return labels;
}

// The best place of each point among all ranks' tiles.
std::vector<SnapPlace> snap_places(TiledSession& session, Index radius,
                                   const std::vector<PourPoint>& points) {
  const Index cols = session.info().cols;
  std::vector<SnapPlace> best(points.size());
  for_tiles(session, [&](std::size_t, Index tile) {
    const domain::Window w = session.tiling().window(tile);
    std::vector<double> all;
    std::vector<Direction> direction;
    for (std::size_t k = 0; k < points.size(); ++k) {
      const Index row = points[k].cell / cols;
      const Index col = points[k].cell % cols;
      for (Index r = std::max(w.row, row - radius); r <= std::min(w.row + w.rows - 1, row + radius);
           ++r)
        for (Index c = std::max(w.col, col - radius);
             c <= std::min(w.col + w.cols - 1, col + radius); ++c) {
          if (all.empty()) {
            all = tile_amounts(session, tile);
            direction = tile_directions(session, tile);
          }
          const auto i = std::size_t((r - w.row) * w.cols + c - w.col);
          if (direction[i] == kNoDirection) continue;
          const SnapPlace here = {r * cols + c, all[i],
                                  (r - row) * (r - row) + (c - col) * (c - col)};
          if (here.better(best[k])) best[k] = here;
        }
    }
  });
  for (const comm::Bytes& bytes : session.comm().all_gather(to_bytes(best))) {
    const auto theirs = from_bytes<SnapPlace>(bytes);
    for (std::size_t k = 0; k < best.size(); ++k)
      if (theirs[k].better(best[k])) best[k] = theirs[k];
  }
  return best;
}

// "watershed" in the store: the first `id` on the way down, 0 where there is none.
void find_watersheds(TiledSession& session, const std::map<Index, Index>& id) {
  const auto bits = [&](std::size_t m) { return session.bits(m); };
  if (session.queue().kernels()) {
    const auto own = [&](std::size_t m) {
      const TileShape shape = session.reader().shape(session.rings().tile(m));
      std::vector<Index> labels(std::size_t(shape.inside.size()), 0);
      for (const auto& [cell, label] : id)
        if (session.tiling().tile_of(cell) == session.rings().tile(m))
          labels[std::size_t(shape.inside_of(shape.around_at(cell)))] = label;
      return labels;
    };
    const auto fixed = [&](std::size_t m) {
      std::vector<std::uint8_t> marks;
      for (const Index label : own(m)) marks.push_back(label > 0 ? 1 : 0);
      return marks;
    };
    return tiled_climbs<Index>(session.queue(), session.rings(), session.store(), "watershed",
                               {bits, own, fixed});
  }
  const auto marks = [&](std::size_t m) {
    return [&id, shape = session.reader().shape(session.rings().tile(m))](Index a) {
      const auto at = id.find(shape.global(a));
      return at == id.end() ? Index{0} : at->second;
    };
  };
  sweep_up<Index>(session.rings(), session.store(), "watershed", bits, Index{0}, marks,
                  [&](std::size_t m) {
                    return [mark = marks(m)](Index a, Hop, Index below) {
                      const Index own = mark(a);
                      return own > 0 ? own : below;
                    };
                  });
}

}  // namespace

Made make_tiled_basins(TiledSession& session, const Step& step) {
  session.label();
  Index basins = 0;
  for_tiles(session, [&](std::size_t, Index tile) {
    const auto label = session.store().get<Index>(tile, "basins");
    const TileShape shape = session.reader().shape(tile);
    for (Index i = 0; i < shape.inside.size(); ++i)
      basins += label[std::size_t(i)] == shape.global(shape.around_of(i)) ? 1 : 0;
  });
  basins = session.comm().sum(basins);
  if (io::is_vector_name(step.out)) {
    const domain::Raster labels = gather_labels(session, "basins");
    const auto sizes = sizes_of(session, "basins", -1);
    together(session.comm(), [&] {
      if (session.comm().is_root()) write_basins(step.out, labels, sizes);
    });
  } else {
    const domain::CellType type = index_type(session);
    write_tiles(session, step.out, type, -1.0, [&](std::size_t, Index tile) {
      return as_type(type, session.store().get<Index>(tile, "basins"));
    });
  }
  return made({{"basins", basins}}, fmt::format("{} basins", basins));
}

Made make_tiled_lakes(TiledSession& session, const Step& step) {
  Lakes lakes;
  lakes.lakes = find_lakes_tiled(session);
  double volume = 0;
  double deepest = 0;
  for (const Lake& lake : lakes.lakes) {
    volume += lake.volume;
    deepest = std::max(deepest, lake.depth);
  }
  if (step.out.ends_with(".csv"))
    together(session.comm(), [&] {
      if (session.comm().is_root()) io::write_text(step.out, lake_table_csv(lakes, session.info()));
    });
  else
    write_tiles(session, step.out, domain::CellType::i32, -1.0, [&](std::size_t, Index tile) {
      auto id = session.store().get<Index>(tile, "lakes");
      const std::vector<Direction> direction = tile_directions(session, tile);
      for (std::size_t i = 0; i < id.size(); ++i)
        if (direction[i] == kNoDirection) id[i] = -1;
      return as_type(domain::CellType::i32, id);
    });
  const std::size_t count = lakes.lakes.size();
  return made({{"lakes", count}, {"volume", volume}, {"max_depth", deepest}},
              fmt::format("{} lakes, deepest {}", count, deepest));
}

Made make_tiled_watershed(TiledSession& session, const Step& step) {
  session.accumulate();
  std::vector<PourPoint> points;
  together(session.comm(),
           [&] { points = read_pour_points(step.points, session.info(), step.layer); });
  const std::vector<SnapPlace> places = snap_places(session, step.snap, points);
  settle_pour_points(places, session.info(), points);
  std::map<Index, Index> id;
  for (std::size_t k = 0; k < points.size(); ++k) id[points[k].cell] = Index(k) + 1;
  find_watersheds(session, id);
  auto sizes = sizes_of(session, "watershed", 0);
  json facts = json::array();
  std::string text;
  std::vector<double> accumulation;
  for (std::size_t k = 0; k < points.size(); ++k) {
    const Index row = points[k].cell / session.info().cols;
    const Index col = points[k].cell % session.info().cols;
    const auto at = sizes.find(std::int32_t(k) + 1);
    const std::int64_t cells = at == sizes.end() ? 0 : at->second.cells;
    accumulation.push_back(places[k].amount);
    facts.push_back(
        {{"id", k + 1}, {"name", points[k].name}, {"row", row}, {"col", col}, {"cells", cells}});
    text += fmt::format("{}{} ({}): row {}, column {}, {} cells", k == 0 ? "" : "\n", k + 1,
                        points[k].name, row, col, cells);
  }
  if (io::is_vector_name(step.out)) {
    const domain::Raster labels = gather_labels(session, "watershed");
    together(session.comm(), [&] {
      if (session.comm().is_root()) write_watersheds(step.out, labels, sizes, points, accumulation);
    });
  } else {
    write_tiles(session, step.out, domain::CellType::i32, 0.0, [&](std::size_t, Index tile) {
      return as_type(domain::CellType::i32, session.store().get<Index>(tile, "watershed"));
    });
  }
  return made({{"watersheds", facts}}, text);
}

}  // namespace terrawave::terrain
