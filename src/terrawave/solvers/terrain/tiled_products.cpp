#include "terrawave/solvers/terrain/tiled_products.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "terrawave/io/atomic_file.hpp"
#include "terrawave/solvers/terrain/product_network.hpp"
#include "terrawave/solvers/terrain/tiled_write.hpp"

namespace terrawave::terrain {
namespace {

using nlohmann::json;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Made made(const json& facts, std::string text) { return {facts.dump(), std::move(text)}; }

// 32 bits where every cell's number fits.
domain::CellType index_type(const TiledSession& session) {
  return session.info().size() < (Index(1) << 31) ? domain::CellType::i32 : domain::CellType::i64;
}
domain::Cells as_type(domain::CellType type, const std::vector<Index>& values) {
  if (type == domain::CellType::i64) return values;
  return std::vector<std::int32_t>(values.begin(), values.end());
}

std::vector<Direction> directions(TiledSession& session, Index tile) {
  return session.store().get<Direction>(tile, "directions");
}

// The accumulation of a tile as doubles.
std::vector<double> amounts(TiledSession& session, Index tile) {
  if (!session.integers()) return session.store().get<double>(tile, "accumulation");
  const auto values = session.store().get<std::int64_t>(tile, "accumulation");
  return {values.begin(), values.end()};
}

// A raster of doubles out of what the store holds under a name; NaN at nodata.
Made real_product(TiledSession& session, const Step& step, const char* name,
                  const std::string& what) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  Index count = 0;
  for_tiles(session, [&](std::size_t, Index tile) {
    for (const double v : session.store().get<double>(tile, name))
      if (!std::isnan(v)) {
        low = std::min(low, v);
        high = std::max(high, v);
        ++count;
      }
  });
  low = session.comm().min(low);
  high = session.comm().max(high);
  count = session.comm().sum(count);
  write_tiles(session, step.out, domain::CellType::f64, nan,
              [&](std::size_t, Index tile) { return session.store().get<double>(tile, name); });
  if (count == 0) return made({{"cells", 0}}, what + ": no cell holds a value");
  return made({{"cells", count}, {"min", low}, {"max", high}},
              fmt::format("{}: {} to {}", what, low, high));
}

template <class T>
Made make_fill_of(TiledSession& session, const Step& step) {
  session.fill();
  Index raised = 0;
  double most = 0;
  const auto for_raises = [&](const auto& take) {
    for_tiles(session, [&](std::size_t m, Index tile) {
      const Block<T> block = session.ground<T>(m);
      const auto filled = session.store().get<T>(tile, "filled");
      for (Index i = 0; i < block.inside.size(); ++i) {
        const auto a = std::size_t(block.around_of(i));
        if (!is_data(block.state[a])) continue;
        const double up = double(filled[std::size_t(i)]) - double(block.z[a]);
        if (up > 0) take(up);
      }
    });
  };
  for_raises([&](double up) {
    ++raised;
    most = std::max(most, up);
  });
  raised = session.comm().sum(raised);
  most = session.comm().max(most);
  OrderlessSum sum(most);
  for_raises([&](double up) { sum.add(up); });
  sum.parts() = session.comm().sum(sum.parts());
  write_tiles(session, step.out, session.info().type, session.info().nodata,
              [&](std::size_t, Index tile) { return session.store().get<T>(tile, "filled"); });
  return made({{"raised_cells", raised}, {"raised_sum", sum.value()}, {"raised_max", most}},
              fmt::format("raised {} cells by at most {}, {} in all", raised, most, sum.value()));
}

Made make_fill(TiledSession& session, const Step& step) {
  return with_height_type(session.info(),
                          [&]<class T>(T) { return make_fill_of<T>(session, step); });
}

Made make_receivers(TiledSession& session, const Step& step) {
  const Index pits = session.route().pits;
  const domain::CellType type = index_type(session);
  write_tiles(session, step.out, type, -1.0, [&](std::size_t, Index tile) {
    const TileShape shape = session.reader().shape(tile);
    const std::vector<Direction> direction = directions(session, tile);
    std::vector<Index> receiver(direction.size(), -1);
    for (Index i = 0; i < shape.inside.size(); ++i) {
      const Direction d = direction[std::size_t(i)];
      if (d == kNoDirection) continue;
      const int k = d < kNeighbours ? d : 0;
      const Index stay = d < kNeighbours ? 1 : 0;
      receiver[std::size_t(i)] =
          session.tiling().cell(shape.inside.row + i / shape.inside.cols + stay * kRowStep[k],
                                shape.inside.col + i % shape.inside.cols + stay * kColStep[k]);
    }
    return as_type(type, receiver);
  });
  return made({{"pits", pits}, {"jumps", 0}},
              fmt::format("{} pits routed, {} of them by jumps", pits, 0));
}

Made make_flow(TiledSession& session, const Step& step) {
  if (session.options().rule == FlowRule::dinf) {
    session.angles();
    return real_product(session, step, "angles", "angles of flow, radians from east");
  }
  if (step.codes == "receivers") return make_receivers(session, step);
  const TiledStats stats = session.route();
  Index roots = 0;
  for_tiles(session, [&](std::size_t, Index tile) {
    for (const Direction d : directions(session, tile)) roots += d == kRoot ? 1 : 0;
  });
  roots = session.comm().sum(roots);
  const Codes codes = *codes_named(step.codes);
  const domain::RasterInfo sample =
      encode_directions({}, session.info(), codes, domain::Window{}).info;
  write_tiles(session, step.out, sample.type, sample.nodata, [&](std::size_t, Index tile) {
    return encode_directions(directions(session, tile), session.info(), codes,
                             session.tiling().window(tile))
        .cells;
  });
  return made(
      {{"roots", roots}, {"pits", stats.pits}, {"undrained", stats.undrained}},
      fmt::format("{} pits routed, {} undrained, {} roots", stats.pits, stats.undrained, roots));
}

template <class V>
V largest_of(TiledSession& session) {
  V most = std::numeric_limits<V>::lowest();
  for_tiles(session, [&](std::size_t, Index tile) {
    const auto all = session.store().get<V>(tile, "accumulation");
    const std::vector<Direction> direction = directions(session, tile);
    for (std::size_t i = 0; i < all.size(); ++i)
      if (direction[i] != kNoDirection) most = std::max(most, all[i]);
  });
  return session.comm().max(most);
}

Made make_accumulation(TiledSession& session, const Step& step) {
  session.accumulate();
  constexpr std::int64_t hole = std::numeric_limits<std::int64_t>::min();
  const bool unit = session.options().weights == "unit";
  const auto done = [&](const auto& most) {
    return made({{"cells", session.valid()}, {"max", most}},
                fmt::format("largest accumulation {}", most));
  };
  if (!session.integers()) {
    write_tiles(session, step.out, domain::CellType::f64, nan, [&](std::size_t, Index tile) {
      auto all = session.store().get<double>(tile, "accumulation");
      const std::vector<Direction> direction = directions(session, tile);
      for (std::size_t i = 0; i < all.size(); ++i)
        if (direction[i] == kNoDirection) all[i] = nan;
      return all;
    });
    return done(largest_of<double>(session));
  }
  const domain::CellType type = unit ? index_type(session) : domain::CellType::i64;
  write_tiles(session, step.out, type, unit ? 0.0 : double(hole), [&](std::size_t, Index tile) {
    auto all = session.store().get<std::int64_t>(tile, "accumulation");
    const std::vector<Direction> direction = directions(session, tile);
    for (std::size_t i = 0; i < all.size() && !unit; ++i)
      if (direction[i] == kNoDirection) all[i] = hole;
    return as_type(type, all);
  });
  return done(largest_of<std::int64_t>(session));
}

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

Made make_basins(TiledSession& session, const Step& step) {
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

// "stream" in the store: 1 where the accumulation reaches the threshold. Returns their number.
Index mark_streams(TiledSession& session, double threshold) {
  session.accumulate();
  Index count = 0;
  for_tiles(session, [&](std::size_t, Index tile) {
    const std::vector<double> all = amounts(session, tile);
    const std::vector<Direction> direction = directions(session, tile);
    std::vector<std::uint8_t> stream(all.size(), 0);
    for (std::size_t i = 0; i < all.size(); ++i)
      stream[i] = direction[i] != kNoDirection && all[i] >= threshold ? 1 : 0;
    count += std::count(stream.begin(), stream.end(), 1);
    session.store().put(tile, "stream", stream);
  });
  return session.comm().sum(count);
}

// Each tile's stream cells, on the root in their order.
std::vector<StreamCell> gather_streams(TiledSession& session) {
  std::vector<StreamCell> mine;
  with_height_type(session.info(), [&]<class T>(T) {
    for_tiles(session, [&](std::size_t m, Index tile) {
      const Block<T> block = session.ground<T>(m);
      const std::vector<double> all = amounts(session, tile);
      const std::vector<Direction> direction = directions(session, tile);
      const auto stream = session.store().get<std::uint8_t>(tile, "stream");
      for (Index i = 0; i < block.inside.size(); ++i) {
        if (stream[std::size_t(i)] == 0) continue;
        const Index a = block.around_of(i);
        StreamCell cell;
        cell.cell = block.global(a);
        if (const Direction d = direction[std::size_t(i)]; d < kNeighbours) {
          const Index row = a / block.around.cols;
          cell.receiver = block.global(neighbour8(block, row, a - row * block.around.cols, d));
          cell.length = block.grid.distance(row, d);
        }
        cell.accumulation = all[std::size_t(i)];
        cell.z = double(block.z[std::size_t(a)]);
        mine.push_back(cell);
      }
    });
  });
  std::vector<StreamCell> cells = gather_values(session.comm(), mine);
  std::sort(cells.begin(), cells.end(),
            [](const StreamCell& a, const StreamCell& b) { return a.cell < b.cell; });
  return cells;
}

Made make_streams(TiledSession& session, const Step& step) {
  const Index count = mark_streams(session, step.threshold);
  if (io::is_vector_name(step.out)) {
    const std::vector<StreamCell> cells = gather_streams(session);
    together(session.comm(), [&] {
      if (session.comm().is_root()) write_network(step.out, session.info(), cells, true);
    });
  } else {
    write_tiles(session, step.out, domain::CellType::u8, 255.0, [&](std::size_t, Index tile) {
      auto stream = session.store().get<std::uint8_t>(tile, "stream");
      const std::vector<Direction> direction = directions(session, tile);
      for (std::size_t i = 0; i < stream.size(); ++i)
        if (direction[i] == kNoDirection) stream[i] = 255;
      return stream;
    });
  }
  return made({{"stream_cells", count}}, fmt::format("{} stream cells", count));
}

Made make_order(TiledSession& session, const Step& step) {
  mark_streams(session, step.threshold);
  const bool shreve = step.kind == "shreve";
  sweep_down<std::int32_t>(
      session.rings(), session.store(), "order", [&](std::size_t m) { return session.bits(m); },
      [&](std::size_t m) {  // begins as the mark of its stream
        const auto stream = session.store().get<std::uint8_t>(session.rings().tile(m), "stream");
        return std::vector<std::int32_t>(stream.begin(), stream.end());
      },
      [shreve](std::size_t) {
        return [shreve](Index, std::int32_t stream, std::span<const Donor<std::int32_t>> donors) {
          std::int32_t sum = 0;
          std::int32_t highest = 0;
          bool twice = false;
          for (const Donor<std::int32_t>& d : donors) {
            sum += d.value;
            if (d.value > 0 && d.value == highest) twice = true;
            if (d.value > highest) {
              highest = d.value;
              twice = false;
            }
          }
          if (stream == 0) return 0;
          return shreve ? std::max(1, sum) : std::max(1, highest + (twice ? 1 : 0));
        };
      });
  std::int64_t most = 0;
  for_tiles(session, [&](std::size_t, Index tile) {
    for (const std::int32_t o : session.store().get<std::int32_t>(tile, "order"))
      most = std::max(most, std::int64_t(o));
  });
  most = session.comm().max(most);
  write_tiles(session, step.out, domain::CellType::i32, -1.0, [&](std::size_t, Index tile) {
    auto order = session.store().get<std::int32_t>(tile, "order");
    const std::vector<Direction> direction = directions(session, tile);
    for (std::size_t i = 0; i < order.size(); ++i)
      if (direction[i] == kNoDirection) order[i] = -1;
    return order;
  });
  return made({{"max", most}}, fmt::format("highest {} order {}", step.kind, most));
}

Made make_length(TiledSession& session, const Step& step) {
  session.route();
  const auto bits = [&](std::size_t m) { return session.bits(m); };
  const auto shape_of = [&](std::size_t m) {
    return session.reader().shape(session.rings().tile(m));
  };
  if (!step.upstream) {
    sweep_up<double>(
        session.rings(), session.store(), "length", bits, nan,
        [](std::size_t) { return [](Index) { return 0.0; }; },
        [&](std::size_t m) {
          return [shape = shape_of(m)](Index a, int k, double below) {
            return shape.grid.distance(a / shape.around.cols, k) + below;
          };
        });
    return real_product(session, step, "length", "way to the outlet");
  }
  sweep_down<double>(
      session.rings(), session.store(), "length", bits,
      [&](std::size_t m) {
        std::vector<double> start;
        for (const Direction d : directions(session, session.rings().tile(m)))
          start.push_back(d == kNoDirection ? nan : 0.0);
        return start;
      },
      [&](std::size_t m) {
        return [shape = shape_of(m)](Index, double longest, std::span<const Donor<double>> donors) {
          for (const Donor<double>& d : donors)
            longest = std::max(
                longest, d.value + shape.grid.distance(d.at / shape.around.cols, opposite(d.k)));
          return longest;
        };
      });
  return real_product(session, step, "length", "longest way from the divide");
}

// The height of the first stream cell on the way down: "drain" in the store.
template <class T>
Made make_hand_of(TiledSession& session, const Step& step) {
  mark_streams(session, step.threshold);
  Surface<T> surface(session.reader(), session.rings(), session.store());
  TiledStats ignored;
  if (step.surface == "filled") surface.fill(session.queue(), ignored);
  struct Marks {
    Block<T> block;
    std::vector<std::uint8_t> stream;
    bool at(Index a) const { return stream[std::size_t(block.inside_of(a))] != 0; }
    double z(Index a) const { return double(block.z[std::size_t(a)]); }
  };
  const auto marks = [&](std::size_t m) {
    return std::make_shared<const Marks>(Marks{
        surface.block(m), session.store().get<std::uint8_t>(session.rings().tile(m), "stream")});
  };
  sweep_up<double>(
      session.rings(), session.store(), "drain", [&](std::size_t m) { return session.bits(m); },
      nan,
      [&](std::size_t m) {
        return [on = marks(m)](Index a) { return on->at(a) ? on->z(a) : nan; };
      },
      [&](std::size_t m) {
        return [on = marks(m)](Index a, int, double below) { return on->at(a) ? on->z(a) : below; };
      });
  for_tiles(session, [&](std::size_t m, Index tile) {
    const Block<T> block = surface.block(m);
    auto height = session.store().get<double>(tile, "drain");
    for (Index i = 0; i < block.inside.size(); ++i)
      height[std::size_t(i)] =
          double(block.z[std::size_t(block.around_of(i))]) - height[std::size_t(i)];
    session.store().put(tile, "drain", height);
  });
  return real_product(session, step, "drain", "height above the nearest stream");
}

Made make_hand(TiledSession& session, const Step& step) {
  return with_height_type(session.info(),
                          [&]<class T>(T) { return make_hand_of<T>(session, step); });
}

Made make_slope(TiledSession& session, const Step& step) {
  with_height_type(session.info(), [&]<class T>(T) {
    for_tiles(session, [&](std::size_t m, Index tile) {
      const Block<T> block = session.ground<T>(m);
      session.store().put(tile, "slope",
                          block.cut(steepest_slope<T>(block.grid, block.z, block.state)));
    });
  });
  return real_product(session, step, "slope", "steepest slope");
}

Made make_lakes(TiledSession& session, const Step& step) {
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
      const std::vector<Direction> direction = directions(session, tile);
      for (std::size_t i = 0; i < id.size(); ++i)
        if (direction[i] == kNoDirection) id[i] = -1;
      return as_type(domain::CellType::i32, id);
    });
  const std::size_t count = lakes.lakes.size();
  return made({{"lakes", count}, {"volume", volume}, {"max_depth", deepest}},
              fmt::format("{} lakes, deepest {}", count, deepest));
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
            all = amounts(session, tile);
            direction = directions(session, tile);
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

Made make_watershed(TiledSession& session, const Step& step) {
  session.accumulate();
  std::vector<PourPoint> points;
  together(session.comm(),
           [&] { points = read_pour_points(step.points, session.info(), step.layer); });
  const std::vector<SnapPlace> places = snap_places(session, step.snap, points);
  settle_pour_points(places, session.info(), points);
  std::map<Index, Index> id;
  for (std::size_t k = 0; k < points.size(); ++k) id[points[k].cell] = Index(k) + 1;
  const auto marks = [&](std::size_t m) {
    return [&id, shape = session.reader().shape(session.rings().tile(m))](Index a) {
      const auto at = id.find(shape.global(a));
      return at == id.end() ? Index{0} : at->second;
    };
  };
  sweep_up<Index>(
      session.rings(), session.store(), "watershed", [&](std::size_t m) { return session.bits(m); },
      Index{0}, marks,
      [&](std::size_t m) {
        return [mark = marks(m)](Index a, int, Index below) {
          const Index own = mark(a);
          return own > 0 ? own : below;
        };
      });
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

Made make_verify(TiledSession& session, const Step& step) {
  return verify_made(verify_tiled(session), [&](const std::string& text) {
    if (!step.out.empty() && session.comm().is_root()) io::write_text(step.out, text);
  });
}

struct Maker {
  const char* op;
  Made (*make)(TiledSession&, const Step&);
};
constexpr Maker makers[] = {
    {"fill", make_fill},     {"flow", make_flow},           {"accumulate", make_accumulation},
    {"basins", make_basins}, {"streams", make_streams},     {"order", make_order},
    {"length", make_length}, {"hand", make_hand},           {"slope", make_slope},
    {"lakes", make_lakes},   {"watershed", make_watershed}, {"verify", make_verify}};

}  // namespace

std::string why_not_tiled(const Step& step, const FlowOptions& options) {
  bool known = false;
  for (const Maker& maker : makers) known = known || step.op == maker.op;
  if (!known) return "channels and jumps cross tiles; make this product in one piece";
  if (options.mode == RouteMode::jump && options.depressions)
    return "--mode jump: jumps cross tiles in one step; use carve or fill";
  return "";
}

Made make_tiled_product(TiledSession& session, const Step& step) {
  for (const Maker& maker : makers)
    if (step.op == maker.op) return maker.make(session, step);
  throw LogicError("no such product in tiles");
}

Maps tiled_maps(TiledSession& session, int pixels) {
  Maps maps;
  maps.info = session.info();
  maps.valid = session.valid();
  const Thinning t(maps.info, pixels);
  maps.thinning = t;
  const bool single = session.options().single_receiver();
  session.accumulate();
  if (single) session.label();
  // The least of doubles stands for nothing, so that the largest over ranks is what there is.
  constexpr double none = std::numeric_limits<double>::lowest();
  std::vector<double> z(std::size_t(t.pixels()), none), rivers = z, basin = z;
  with_height_type(session.info(), [&]<class T>(T) {
    for_tiles(session, [&](std::size_t m, Index tile) {
      const Block<T> block = session.ground<T>(m);
      const std::vector<double> all = amounts(session, tile);
      const auto label = single ? session.store().get<Index>(tile, "basins") : std::vector<Index>();
      for (Index i = 0; i < block.inside.size(); ++i) {
        const auto a = std::size_t(block.around_of(i));
        if (!is_data(block.state[a])) continue;
        const Index row = block.inside.row + i / block.inside.cols;
        const Index col = block.inside.col + i % block.inside.cols;
        const auto x = int(col / t.each);
        const auto y = int(row / t.each);
        const auto p = std::size_t(y) * std::size_t(t.width) + std::size_t(x);
        rivers[p] = std::max(rivers[p], all[std::size_t(i)]);
        if (row != t.middle_row(y) || col != t.middle_col(x)) continue;
        z[p] = double(block.z[a]);
        if (single) basin[p] = double(label[std::size_t(i)]);
      }
    });
  });
  for (std::vector<double>* values : {&z, &rivers, &basin})
    session.comm().max(std::span<double>(*values));
  const auto or_nan = [&](double v) { return v == none ? nan : v; };
  for (std::size_t p = 0; p < z.size(); ++p) {
    maps.z.push_back(or_nan(z[p]));
    maps.accumulation.push_back(or_nan(rivers[p]));
    if (rivers[p] > maps.most) maps.most = rivers[p];
    if (single) maps.basin.push_back(basin[p] == none ? -1 : Index(basin[p]));
  }
  const TileShape shape = session.reader().shape(0);
  maps.dy = shape.grid.dy;
  for (int y = 0; y < t.height; ++y)
    maps.dx.push_back(
        std::max(session.reader().metric().dx[std::size_t(t.middle_row(y))], 1e-6 * maps.dy));
  if (single && session.options().mode == RouteMode::carve) maps.lakes = find_lakes_tiled(session);
  return maps;
}

}  // namespace terrawave::terrain
