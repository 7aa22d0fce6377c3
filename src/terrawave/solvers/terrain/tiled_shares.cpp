#include "terrawave/solvers/terrain/tiled_shares.hpp"

#include <algorithm>
#include <limits>
#include <memory>

#include "terrawave/solvers/terrain/codec_angles.hpp"
#include "terrawave/solvers/terrain/tiled_loops.hpp"
#include "terrawave/solvers/terrain/tiled_sums.hpp"

namespace terrawave::terrain {
namespace {

void check_angles(const Rings& rings, io::RasterSource& source) {
  const domain::RasterInfo& info = source.info();
  StrangeAngle first;
  together(rings.comm(), [&] {
    for (const Index tile : rings.tiles()) {
      const domain::Window w = rings.tiling().window(tile);
      const StrangeAngle one = strange_angle(source.read(w), info, w);
      if (one.cell >= 0 && (first.cell < 0 || one.cell < first.cell)) first = one;
    }
  });
  const Index mine = first.cell < 0 ? info.size() : first.cell;
  const Index least = rings.comm().min(mine);
  if (least == info.size()) return;
  const double none = std::numeric_limits<double>::lowest();
  refuse_angle(info, {least, rings.comm().max(mine == least ? first.value : none)});
}

// The tiles' own cells; the rings stay empty.
void keep_shares(const TileShape& shape, const DecodedShares& own, Index tile, TileStore& store) {
  const Index n = shape.around.size();
  std::vector<double> share(std::size_t(kNeighbours * n), 0.0);
  std::vector<std::uint8_t> data(std::size_t(n), 0);
  std::vector<std::uint8_t> gives(std::size_t(n), 0);
  std::vector<Direction> direction;
  for (Index i = 0; i < shape.inside.size(); ++i) {
    const Index a = shape.around_of(i);
    const bool held = is_data(own.states[std::size_t(i)]);
    data[std::size_t(a)] = held ? 1 : 0;
    direction.push_back(held ? kRoot : kNoDirection);
    for (int k = 0; k < kNeighbours; ++k) {
      const double given = own.fractions[std::size_t(k * shape.inside.size() + i)];
      share[std::size_t(k * n + a)] = given;
      if (given > 0) gives[std::size_t(a)] = std::uint8_t(gives[std::size_t(a)] | 1u << k);
    }
  }
  store.put(tile, "fractions", std::move(share));
  store.put(tile, "fractions.gives", gives);
  store.put(tile, "fractions.data", data);
  store.put(tile, "directions", direction);
}

// Returns how many cells gave to beyond the map or to nodata.
Index keep_angles(const par::Queue& queue, const Rings& rings, BlockReader& reader,
                  TileStore& store) {
  Tiling flat = rings.tiling();  // angles lead over no looped edge
  flat.loop_rows = flat.loop_cols = false;
  Index led_out = 0;
  together(rings.comm(), [&] {
    for (const Index tile : rings.tiles()) {
      const domain::Window around = flat.with_halo(tile, 1);
      Grid grid;
      grid.rows = around.rows;
      grid.cols = around.cols;
      grid.dy = reader.height();
      grid.dx.clear();
      for (Index r = 0; r < grid.rows; ++r) grid.dx.push_back(reader.width(around.row + r));
      const DecodedShares own = decode_angles(queue, reader.source().read(around), reader.info(),
                                              grid, around, flat.window(tile));
      led_out += own.led_out;
      keep_shares(reader.shape(tile), own, tile, store);
    }
  });
  return rings.comm().sum(led_out);
}

Index keep_fractions(const Rings& rings, BlockReader& reader, TileStore& store) {
  std::unique_ptr<FractionBands> bands;
  StrangeFractions first;
  const auto read = [&](const domain::Window& window) {
    return bands->values([&](io::RasterSource& band) { return reader.read_from(band, window); });
  };
  together(rings.comm(), [&] {
    bands = std::make_unique<FractionBands>(reader.info().name);
    for (const Index tile : rings.tiles()) {
      const domain::Window w = rings.tiling().window(tile);
      const StrangeFractions one = strange_fractions(read(w), reader.info(), w);
      if (one.cell >= 0 && (first.cell < 0 || one.cell < first.cell)) first = one;
    }
  });
  const Index mine = first.cell < 0 ? reader.info().size() : first.cell;
  const Index least = rings.comm().min(mine);
  Index led_out = 0;
  together(rings.comm(), [&] {
    if (first.cell >= 0 && mine == least) refuse_fractions(reader.info(), first);
    for (const Index tile : rings.tiles()) {
      const TileShape shape = reader.shape(tile);
      const DecodedShares own =
          decode_fractions(read(shape.around), shape.around, shape.inside, false, false);
      led_out += own.led_out;
      keep_shares(shape, own, tile, store);
    }
  });
  return rings.comm().sum(led_out);
}

// The first donor that waits for ever of each cell that does, as a direction.
std::vector<Direction> waiting_donors(const FlowBits& flow,
                                      const std::vector<std::uint8_t>& waiting) {
  const TileShape& shape = flow.shape;
  std::vector<Direction> donor(std::size_t(shape.inside.size()), kNoDirection);
  for (Index i = 0; i < shape.inside.size(); ++i) {
    const Index a = shape.around_of(i);
    if (waiting[std::size_t(a)] == 0) continue;
    const Index row = a / shape.around.cols;
    for (int k = 0; k < kNeighbours && donor[std::size_t(i)] == kNoDirection; ++k) {
      const Index d = neighbour8(shape, row, a - row * shape.around.cols, k);
      if (d >= 0 && waiting[std::size_t(d)] != 0 &&
          (flow.gives[std::size_t(d)] >> opposite(k) & 1) != 0)
        donor[std::size_t(i)] = Direction(k);
    }
  }
  return donor;
}

// "loops.left": 1 for each cell that waits for ever. Returns the number of this rank's.
Index mark_waiting(const TileQueue& queue, const Rings& rings, const BlockReader& reader,
                   TileStore& store) {
  const auto bits = [&](std::size_t m) { return share_bits(rings, reader, store, m); };
  const auto size = [&](std::size_t m) {
    return std::size_t(rings.tiling().window(rings.tile(m)).size());
  };
  if (queue.kernels()) {
    const SumInput<double> input{
        bits, [&](std::size_t m) { return std::vector<double>(size(m), 0.0); },
        [&](std::size_t m) {
          return par::Buffer<double>(queue, store.look<double>(rings.tile(m), "fractions").values);
        }};
    return tiled_sums<double>(queue, rings, store, "loops", input,
                              std::numeric_limits<std::int32_t>::max(), Cycles::left);
  }
  using Mark = std::uint8_t;
  const auto start = [&](std::size_t m) { return std::vector<Mark>(size(m), 0); };
  const auto join = [](std::size_t) {
    return [](Index, Mark, std::span<const Donor<Mark>>) { return Mark{0}; };
  };
  return sweep_down<Mark>(rings, store, "loops", bits, start, join, 0, Cycles::left);
}

// "loops.donor": waiting_donors of the tiles. Returns the number of cells that wait for ever.
Index find_waiting(const TileQueue& queue, const Rings& rings, const BlockReader& reader,
                   TileStore& store) {
  using Mark = std::uint8_t;
  const auto bits = [&](std::size_t m) { return share_bits(rings, reader, store, m); };
  const Index left = rings.comm().sum(mark_waiting(queue, rings, reader, store));
  if (left == 0) return 0;
  RimField<Mark> waits(rings, 0);
  together(rings.comm(), [&] {
    for (std::size_t m = 0; m < rings.count(); ++m)
      waits.take(m, store.get<Mark>(rings.tile(m), "loops.left"));
  });
  waits.exchange();
  together(rings.comm(), [&] {
    for (std::size_t m = 0; m < rings.count(); ++m) {
      const FlowBits flow = bits(m);
      const auto own = store.get<Mark>(rings.tile(m), "loops.left");
      store.put(rings.tile(m), "loops.donor",
                waiting_donors(flow, flow.shape.join(own, waits.ring(m))));
    }
  });
  return left;
}

// Cells that a repair made roots of "loops.donor" give nothing any more.
void empty_roots(const Rings& rings, const BlockReader& reader, TileStore& store) {
  together(rings.comm(), [&] {
    for (const Index tile : rings.tiles()) {
      const TileShape shape = reader.shape(tile);
      const auto donor = store.get<Direction>(tile, "loops.donor");
      std::vector<Index> roots;
      for (Index i = 0; i < shape.inside.size(); ++i)
        if (donor[std::size_t(i)] == kRoot) roots.push_back(shape.around_of(i));
      store.edit<double>(tile, "fractions", [&](std::span<double> share) {
        for (const Index a : roots)
          for (Index k = 0; k < kNeighbours; ++k)
            share[std::size_t(k * shape.around.size() + a)] = 0;
      });
      store.edit<std::uint8_t>(tile, "fractions.gives", [&](std::span<std::uint8_t> gives) {
        for (const Index a : roots) gives[std::size_t(a)] = 0;
      });
    }
  });
}

}  // namespace

void exchange_shares(const Rings& rings, const BlockReader& reader, TileStore& store) {
  RimField<Shares> rims(rings, Shares{});
  together(rings.comm(), [&] {
    for (std::size_t m = 0; m < rings.count(); ++m) {
      const TileShape shape = reader.shape(rings.tile(m));
      const Looked<double> share = store.look<double>(rings.tile(m), "fractions");
      const std::vector<Index> rim = rings.rim_positions(m);
      for (std::size_t r = 0; r < rim.size(); ++r)
        for (Index k = 0; k < kNeighbours; ++k)
          rims.rim(m)[r][std::size_t(k)] =
              share.values[std::size_t(k * shape.around.size() + shape.around_of(rim[r]))];
    }
  });
  rims.exchange();
  together(rings.comm(), [&] {
    for (std::size_t m = 0; m < rings.count(); ++m) {
      const Index tile = rings.tile(m);
      const std::vector<Index> at = rings.ring_positions(m);
      const std::vector<Shares> ring = rims.ring(m);
      store.edit<double>(tile, "fractions", [&](std::span<double> share) {
        const std::size_t n = share.size() / kNeighbours;
        for (std::size_t r = 0; r < at.size(); ++r)
          for (std::size_t k = 0; k < kNeighbours; ++k)
            share[k * n + std::size_t(at[r])] = ring[r][k];
      });
      store.edit<std::uint8_t>(tile, "fractions.gives", [&](std::span<std::uint8_t> gives) {
        for (std::size_t r = 0; r < at.size(); ++r) gives[std::size_t(at[r])] = given_by(ring[r]);
      });
    }
  });
}

FlowBits share_bits(const Rings& rings, const BlockReader& reader, const TileStore& store,
                    std::size_t m) {
  const Index tile = rings.tile(m);
  return {reader.shape(tile), store.get<std::uint8_t>(tile, "fractions.gives"),
          store.get<std::uint8_t>(tile, "fractions.data")};
}

FromStats read_tiled_shares(const TileQueue& queue, const Rings& rings, BlockReader& reader,
                            const DirectionSource& from, TileStore& store) {
  FromStats stats;
  if (from.kind == FromKind::angles) {
    check_angles(rings, reader.source());
    stats.led_out = keep_angles(queue, rings, reader, store);
  } else {
    stats.led_out = keep_fractions(rings, reader, store);
  }
  ReadHeights heights;
  while (true) {
    exchange_shares(rings, reader, store);
    if (find_waiting(queue, rings, reader, store) == 0) return stats;
    if (!from.repair) {
      const LoopsFound found = settle_tiled_loops(queue, rings, store, "loops.donor", false, {});
      refuse_share_loop(reader.info(), from.kind, found.length, found.cells);
    }
    if (!heights && !from.heights.empty())
      together(rings.comm(), [&] { heights = loop_heights(rings, from.heights, reader.info()); });
    stats.repaired += settle_tiled_loops(queue, rings, store, "loops.donor", true, heights).loops;
    empty_roots(rings, reader, store);
  }
}

}  // namespace terrawave::terrain
