// Products of heights and flow in tiles: filled surface, directions, accumulation, slope.
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "terrawave/solvers/terrain/product_sums.hpp"
#include "terrawave/solvers/terrain/tiled_jumps.hpp"
#include "terrawave/solvers/terrain/tiled_makers.hpp"
#include "terrawave/solvers/terrain/tiled_write.hpp"

namespace terrawave::terrain {
namespace {

template <class T>
Made make_fill_of(TiledSession& session, const Step& step) {
  session.fill();
  Index raised = 0;
  double most = 0;
  for_tiles(session, [&](std::size_t m, Index tile) {
    const Block<T> block = session.ground<T>(m);
    const auto filled = session.store().get<T>(tile, "filled");
    std::vector<double> raises;
    for (Index r = 0; r < block.inside.rows; ++r) {
      const T* const up = filled.data() + r * block.inside.cols;
      const T* const z = block.z.data() + block.row_start(r);
      const std::uint8_t* const state = block.state.data() + block.row_start(r);
      for (Index c = 0; c < block.inside.cols; ++c)
        if (up[c] > z[c] && is_data(state[c])) raises.push_back(double(up[c]) - double(z[c]));
    }
    raised += Index(raises.size());
    for (const double up : raises) most = std::max(most, up);
    session.store().put(tile, "raises", raises);
  });
  raised = session.comm().sum(raised);
  most = session.comm().max(most);
  OrderlessSum sum(most);
  for_tiles(session, [&](std::size_t, Index tile) {
    for (const double up : session.store().get<double>(tile, "raises")) sum.add(up);
    session.store().drop(tile, "raises");
  });
  sum.parts() = session.comm().sum(sum.parts());
  write_tiles(session, step.out, session.info().type, session.info().nodata,
              [&](std::size_t, Index tile) { return session.store().get<T>(tile, "filled"); });
  return made({{"raised_cells", raised}, {"raised_sum", sum.value()}, {"raised_max", most}},
              fmt::format("raised {} cells by at most {}, {} in all", raised, most, sum.value()));
}

template <class T>
Made make_breach_of(TiledSession& session, const Step& step) {
  const BreachStats stats = session.breach(step.op == "carve" ? BreachLimits{} : step.breach);
  Index lowered = 0;
  double most = 0;
  for_tiles(session, [&](std::size_t m, Index tile) {
    const Block<T> block = session.ground<T>(m);
    const auto cut = session.store().get<T>(tile, "breached");
    for (Index i = 0; i < block.inside.size(); ++i) {
      const auto a = std::size_t(block.around_of(i));
      if (!is_data(block.state[a])) continue;
      const double down = double(block.z[a]) - double(cut[std::size_t(i)]);
      if (down > 0) ++lowered;
      most = std::max(most, down);
    }
  });
  lowered = session.comm().sum(lowered);
  most = session.comm().max(most);
  write_tiles(session, step.out, session.info().type, session.info().nodata,
              [&](std::size_t, Index tile) { return session.store().get<T>(tile, "breached"); });
  return breach_made(stats, lowered, most);
}

Made make_receivers(TiledSession& session, const Step& step) {
  const Index pits = session.route().pits;
  const domain::CellType type = index_type(session);
  Index jumps = 0;
  for_tiles(session, [&](std::size_t, Index tile) {
    jumps += Index(jumps_of(session.store(), tile).out.size());
  });
  jumps = session.comm().sum(jumps);
  write_tiles(session, step.out, type, -1.0, [&](std::size_t, Index tile) {
    const TileShape shape = session.reader().shape(tile);
    const std::vector<Direction> direction = tile_directions(session, tile);
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
    for (const TileJump& jump : jumps_of(session.store(), tile).out)
      receiver[std::size_t(shape.inside_of(shape.around_at(jump.root)))] = jump.target;
    return as_type(type, receiver);
  });
  return made({{"pits", pits}, {"jumps", jumps}},
              fmt::format("{} pits routed, {} of them by jumps", pits, jumps));
}

// Takes in the largest of a tile's values with data.
template <class V>
void take_largest(const std::vector<V>& values, const std::vector<Direction>& direction, V& most) {
  for (std::size_t i = 0; i < values.size(); ++i)
    if (direction[i] != kNoDirection) most = std::max(most, values[i]);
}

}  // namespace

Made make_tiled_fill(TiledSession& session, const Step& step) {
  session.require_heights();
  return with_height_type(session.info(),
                          [&]<class T>(T) { return make_fill_of<T>(session, step); });
}

Made make_tiled_breach(TiledSession& session, const Step& step) {
  session.require_heights();
  return with_height_type(session.info(),
                          [&]<class T>(T) { return make_breach_of<T>(session, step); });
}

void write_codes(TiledSession& session, const Step& step) {
  const Codes codes = *codes_named(step.codes);
  const domain::RasterInfo sample =
      encode_directions({}, session.info(), codes, domain::Window{}).info;
  write_tiles(session, step.out, sample.type, sample.nodata, [&](std::size_t, Index tile) {
    return encode_directions(tile_directions(session, tile), session.info(), codes,
                             session.tiling().window(tile))
        .cells;
  });
}

namespace {

Made make_fractions(TiledSession& session, const Step& step) {
  session.fractions();
  TileStore& store = session.store();
  write_tile_bands(session, step.out, kNeighbours, domain::CellType::f64, kNoValue,
                   [&](int band, std::size_t, Index tile) -> domain::Cells {
                     const TileShape shape = session.reader().shape(tile);
                     const auto share = store.get<double>(tile, "fractions");
                     const auto data = store.get<std::uint8_t>(tile, "fractions.data");
                     const Index first = Index(band - 1) * shape.around.size();
                     std::vector<double> own(std::size_t(shape.inside.size()), kNoValue);
                     for (Index i = 0; i < shape.inside.size(); ++i)
                       if (const Index a = shape.around_of(i); data[std::size_t(a)] != 0)
                         own[std::size_t(i)] = share[std::size_t(first + a)];
                     return own;
                   });
  Index roots = 0;
  for_tiles(session, [&](std::size_t m, Index) {
    const FlowBits flow = session.shared_bits(m);
    for (Index i = 0; i < flow.shape.inside.size(); ++i) {
      const auto a = std::size_t(flow.shape.around_of(i));
      roots += flow.data[a] != 0 && flow.gives[a] == 0 ? 1 : 0;
    }
  });
  return fractions_made(session.valid(), session.comm().sum(roots));
}

}  // namespace

Made make_tiled_flow(TiledSession& session, const Step& step) {
  if (writes_fractions(session.options())) return make_fractions(session, step);
  if (session.options().rule == FlowRule::dinf) {
    session.angles();
    return real_product(session, step, "angles", "angles of flow, radians from east");
  }
  if (step.op == "jump" || step.codes == "receivers") return make_receivers(session, step);
  const TiledStats stats = session.route();
  Index roots = 0;
  for_tiles(session, [&](std::size_t, Index tile) {
    for (const Direction d : tile_directions(session, tile)) roots += d == kRoot ? 1 : 0;
  });
  roots = session.comm().sum(roots);
  write_codes(session, step);
  return made(
      {{"roots", roots}, {"pits", stats.pits}, {"undrained", stats.undrained}},
      fmt::format("{} pits routed, {} undrained, {} roots", stats.pits, stats.undrained, roots));
}

Made make_tiled_accumulation(TiledSession& session, const Step& step) {
  session.accumulate();
  constexpr std::int64_t hole = std::numeric_limits<std::int64_t>::min();
  const bool unit = session.options().weights == "unit";
  const auto done = [&](auto most) {
    most = session.comm().max(most);
    return made({{"cells", session.valid()}, {"max", most}},
                fmt::format("largest accumulation {}", most));
  };
  if (!session.integers()) {
    double most = std::numeric_limits<double>::lowest();
    write_tiles(session, step.out, domain::CellType::f64, kNoValue, [&](std::size_t, Index tile) {
      auto all = session.store().get<double>(tile, "accumulation");
      const std::vector<Direction> direction = tile_directions(session, tile);
      take_largest(all, direction, most);
      for (std::size_t i = 0; i < all.size(); ++i)
        if (direction[i] == kNoDirection) all[i] = kNoValue;
      return all;
    });
    return done(most);
  }
  const domain::CellType type = unit ? index_type(session) : domain::CellType::i64;
  std::int64_t most = std::numeric_limits<std::int64_t>::lowest();
  write_tiles(session, step.out, type, unit ? 0.0 : double(hole), [&](std::size_t, Index tile) {
    auto all = session.store().get<std::int64_t>(tile, "accumulation");
    const std::vector<Direction> direction = tile_directions(session, tile);
    take_largest(all, direction, most);
    for (std::size_t i = 0; i < all.size() && !unit; ++i)
      if (direction[i] == kNoDirection) all[i] = hole;
    return as_type(type, all);
  });
  return done(most);
}

Made make_tiled_slope(TiledSession& session, const Step& step) {
  session.require_heights();
  with_height_type(session.info(), [&]<class T>(T) {
    for_tiles(session, [&](std::size_t m, Index tile) {
      const Block<T> block = session.ground<T>(m);
      session.store().put(
          tile, "slope",
          block.cut(steepest_slope<T>(session.queue(), block.grid, block.z, block.state)));
    });
  });
  return real_product(session, step, "slope", "steepest slope");
}

}  // namespace terrawave::terrain
