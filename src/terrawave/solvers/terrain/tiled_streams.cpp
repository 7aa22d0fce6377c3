// Along the streams in tiles: marks, network, order, length, height above the drainage.
#include <algorithm>
#include <memory>
#include <span>

#include <fmt/format.h>

#include "terrawave/io/atomic_file.hpp"
#include "terrawave/solvers/terrain/host_copies.hpp"
#include "terrawave/solvers/terrain/local_steps.hpp"
#include "terrawave/solvers/terrain/product_network.hpp"
#include "terrawave/solvers/terrain/tiled_climbs.hpp"
#include "terrawave/solvers/terrain/tiled_jumps.hpp"
#include "terrawave/solvers/terrain/tiled_makers.hpp"
#include "terrawave/solvers/terrain/tiled_sums.hpp"
#include "terrawave/solvers/terrain/tiled_write.hpp"

namespace terrawave::terrain {
namespace {

// "stream" in the store: 1 where the accumulation, of type V, reaches the threshold. Returns the
// number of this rank's cells there.
template <class V>
Index mark_tiles(TiledSession& session, double threshold) {
  const TileQueue& on = session.queue();
  Index count = 0;
  for_tiles(session, [&](std::size_t, Index tile) {
    const auto amounts = session.store().look<V>(tile, "accumulation");
    const auto directions = session.store().look<Direction>(tile, "directions");
    const OnQueue<V> amount(on, amounts.values);
    const OnQueue<Direction> direction(on, directions.values);
    FromQueue<std::uint8_t> marks(on, Index(amounts.values.size()));
    par::dispatch(on, [&](const auto& exec) {
      steps::mark_streams(exec, amount.view(), direction.view(), kNoDirection, threshold,
                          marks.view());
    });
    std::vector<std::uint8_t> stream = marks.take();
    count += std::count(stream.begin(), stream.end(), 1);
    session.store().put(tile, "stream", std::move(stream));
  });
  return count;
}

// For accumulation of either type. Returns the number of all ranks' cells.
Index mark_streams(TiledSession& session, double threshold) {
  session.accumulate();
  return session.comm().sum(session.integers() ? mark_tiles<std::int64_t>(session, threshold)
                                               : mark_tiles<double>(session, threshold));
}

// The heights of a tile; empty where there are none.
std::vector<double> tile_heights(TiledSession& session, std::size_t m) {
  std::vector<double> heights;
  if (!session.has_heights()) return heights;
  with_height_type(session.info(), [&]<class T>(T) {
    const Block<T> block = session.ground<T>(m);
    for (const T z : block.cut(block.z)) heights.push_back(double(z));
  });
  return heights;
}

// Each tile's stream cells, on the root in their order.
std::vector<StreamCell> gather_streams(TiledSession& session) {
  std::vector<StreamCell> mine;
  for_tiles(session, [&](std::size_t m, Index tile) {
    const TileShape shape = session.reader().shape(tile);
    const std::vector<double> z = tile_heights(session, m);
    const std::vector<double> all = tile_amounts(session, tile);
    const std::vector<Direction> direction = tile_directions(session, tile);
    const auto stream = session.store().get<std::uint8_t>(tile, "stream");
    const TileJumps jumps = jumps_of(session.store(), tile);
    for (Index i = 0; i < shape.inside.size(); ++i) {
      if (stream[std::size_t(i)] == 0) continue;
      const Index a = shape.around_of(i);
      StreamCell cell;
      cell.cell = shape.global(a);
      if (const Direction d = direction[std::size_t(i)]; d < kNeighbours) {
        const Index row = a / shape.around.cols;
        cell.receiver = shape.global(neighbour8(shape, row, a - row * shape.around.cols, d));
        cell.length = shape.grid.distance(row, d);
      } else if (const TileJump* jump = jumps.from(cell.cell)) {
        cell.receiver = jump->target;
        cell.length = session.jump_length(jump->root, jump->target);
      }
      cell.accumulation = all[std::size_t(i)];
      if (!z.empty()) cell.z = z[std::size_t(i)];
      mine.push_back(cell);
    }
  });
  std::vector<StreamCell> cells = gather_values(session.comm(), mine);
  std::sort(cells.begin(), cells.end(),
            [](const StreamCell& a, const StreamCell& b) { return a.cell < b.cell; });
  return cells;
}

// "order" in the store, out of "stream".
void find_orders(TiledSession& session, bool shreve) {
  const auto bits = [&](std::size_t m) { return session.bits(m); };
  const auto marks = [&](std::size_t m) {
    const auto stream = session.store().get<std::uint8_t>(session.rings().tile(m), "stream");
    return std::vector<std::int32_t>(stream.begin(), stream.end());
  };
  if (session.queue().kernels()) {
    const auto how = shreve ? steps::TileJoin::shreve : steps::TileJoin::strahler;
    tiled_sums<std::int32_t>(session.queue(), session.rings(), session.store(), "order",
                             {bits, marks, {}, how});
    return;
  }
  sweep_down<std::int32_t>(
      session.rings(), session.store(), "order", bits, marks, [shreve](std::size_t) {
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
}

// "drain" in the store: the height of the first cell of "stream" on the way down.
template <class T>
void find_drains(TiledSession& session, const Surface<T>& surface) {
  const auto bits = [&](std::size_t m) { return session.bits(m); };
  const auto stream = [&](std::size_t m) {
    return session.store().get<std::uint8_t>(session.rings().tile(m), "stream");
  };
  if (session.queue().kernels()) {
    const auto heights = [&](std::size_t m) {
      const Block<T> block = surface.block(m);
      const std::vector<std::uint8_t> marks = stream(m);
      const std::vector<T> z = block.cut(block.z);
      std::vector<double> own(z.size(), kNoValue);
      for (std::size_t i = 0; i < z.size(); ++i)
        if (marks[i] != 0) own[i] = double(z[i]);
      return own;
    };
    return tiled_climbs<double>(session.queue(), session.rings(), session.store(), "drain",
                                {bits, heights, stream});
  }
  struct Marks {
    Block<T> block;
    std::vector<std::uint8_t> stream;
    bool at(Index a) const { return stream[std::size_t(block.inside_of(a))] != 0; }
    double z(Index a) const { return double(block.z[std::size_t(a)]); }
  };
  const auto marks = [&](std::size_t m) {
    return std::make_shared<const Marks>(Marks{surface.block(m), stream(m)});
  };
  sweep_up<double>(
      session.rings(), session.store(), "drain", bits, kNoValue,
      [&](std::size_t m) {
        return [on = marks(m)](Index a) { return on->at(a) ? on->z(a) : kNoValue; };
      },
      [&](std::size_t m) {
        return [on = marks(m)](Index a, Hop, double below) { return on->at(a) ? on->z(a) : below; };
      },
      sizeof(T) + 2);
}

template <class T>
Made make_hand_of(TiledSession& session, const Step& step) {
  mark_streams(session, step.threshold);
  Surface<T> surface(session.reader(), session.rings(), session.store());
  TiledStats ignored;
  if (step.surface == "filled") surface.fill(session.queue(), ignored);
  find_drains(session, surface);
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

// 0, NaN at nodata.
std::vector<double> no_way_yet(TiledSession& session, std::size_t m) {
  std::vector<double> start;
  for (const Direction d : tile_directions(session, session.rings().tile(m)))
    start.push_back(d == kNoDirection ? kNoValue : 0.0);
  return start;
}

// "length" in the store: to the root.
void find_ways_down(TiledSession& session) {
  const auto bits = [&](std::size_t m) { return session.bits(m); };
  if (session.queue().kernels()) {
    const auto zeros = [&](std::size_t m) { return no_way_yet(session, m); };
    const auto jump = [&](const TileJump& j) { return session.jump_length(j.root, j.target); };
    return tiled_climbs<double>(session.queue(), session.rings(), session.store(), "length",
                                {bits, zeros, {}, jump});
  }
  sweep_up<double>(
      session.rings(), session.store(), "length", bits, kNoValue,
      [](std::size_t) { return [](Index) { return 0.0; }; },
      [&](std::size_t m) {
        return [&session, shape = session.reader().shape(session.rings().tile(m))](Index a, Hop hop,
                                                                                   double below) {
          const double way = hop.k >= 0 ? shape.grid.distance(a / shape.around.cols, hop.k)
                                        : session.jump_length(shape.global(a), hop.target);
          return way + below;
        };
      });
}

// "length" in the store: the longest from a divide.
void find_longest_ways(TiledSession& session) {
  const auto bits = [&](std::size_t m) { return session.bits(m); };
  const auto zeros = [&](std::size_t m) { return no_way_yet(session, m); };
  if (session.queue().kernels()) {
    const auto jump = [&](const TileJump& j) { return session.jump_length(j.root, j.target); };
    tiled_sums<double>(session.queue(), session.rings(), session.store(), "length",
                       {bits, zeros, {}, steps::TileJoin::longest, jump});
    return;
  }
  sweep_down<double>(session.rings(), session.store(), "length", bits, zeros, [&](std::size_t m) {
    return [&session, shape = session.reader().shape(session.rings().tile(m))](
               Index a, double longest, std::span<const Donor<double>> donors) {
      for (const Donor<double>& d : donors) {
        const double way = d.k >= 0 ? shape.grid.distance(d.at / shape.around.cols, opposite(d.k))
                                    : session.jump_length(d.root, shape.global(a));
        longest = std::max(longest, d.value + way);
      }
      return longest;
    };
  });
}

}  // namespace

Made make_tiled_streams(TiledSession& session, const Step& step) {
  const Index count = mark_streams(session, step.threshold);
  if (io::is_vector_name(step.out)) {
    const std::vector<StreamCell> cells = gather_streams(session);
    together(session.comm(), [&] {
      if (session.comm().is_root())
        write_network(step.out, session.info(), cells, session.has_heights());
    });
  } else {
    write_tiles(session, step.out, domain::CellType::u8, 255.0, [&](std::size_t, Index tile) {
      auto stream = session.store().get<std::uint8_t>(tile, "stream");
      const std::vector<Direction> direction = tile_directions(session, tile);
      for (std::size_t i = 0; i < stream.size(); ++i)
        if (direction[i] == kNoDirection) stream[i] = 255;
      return stream;
    });
  }
  return made({{"stream_cells", count}}, fmt::format("{} stream cells", count));
}

Made make_tiled_order(TiledSession& session, const Step& step) {
  mark_streams(session, step.threshold);
  find_orders(session, step.kind == "shreve");
  std::int64_t most = 0;
  for_tiles(session, [&](std::size_t, Index tile) {
    for (const std::int32_t o : session.store().get<std::int32_t>(tile, "order"))
      most = std::max(most, std::int64_t(o));
  });
  most = session.comm().max(most);
  write_tiles(session, step.out, domain::CellType::i32, -1.0, [&](std::size_t, Index tile) {
    auto order = session.store().get<std::int32_t>(tile, "order");
    const std::vector<Direction> direction = tile_directions(session, tile);
    for (std::size_t i = 0; i < order.size(); ++i)
      if (direction[i] == kNoDirection) order[i] = -1;
    return order;
  });
  return made({{"max", most}}, fmt::format("highest {} order {}", step.kind, most));
}

Made make_tiled_length(TiledSession& session, const Step& step) {
  session.route();
  if (step.upstream) {
    find_longest_ways(session);
    return real_product(session, step, "length", "longest way from the divide");
  }
  find_ways_down(session);
  return real_product(session, step, "length", "way to the outlet");
}

Made make_tiled_hand(TiledSession& session, const Step& step) {
  session.require_heights();
  return with_height_type(session.info(),
                          [&]<class T>(T) { return make_hand_of<T>(session, step); });
}

}  // namespace terrawave::terrain
