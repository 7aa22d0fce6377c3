// Ordered sums over tiles by the kernels, with tiles together in patches of random sizes.
#pragma once

#include "reference/tiled_products_compare.hpp"
#include "terrawave/solvers/terrain/tiled_shares.hpp"
#include "terrawave/solvers/terrain/tiled_sums.hpp"

namespace terrawave::terrain::reference {

// The arrays of this rank's tiles, one after another.
template <class V>
std::vector<V> all_tiles(TiledSession& session, const std::string& what) {
  std::vector<V> all;
  for (const Index tile : session.rings().tiles()) {
    const auto part = session.store().get<V>(tile, what);
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

// Sums of random weights, longest ways and orders: patches of any size give the bytes of tiles that
// are each alone, and sums those of the code for host threads.
inline void compare_patches(comm::Comm& comm, Random& random, const TiledCase<float>& c,
                            const Tiling& tiling, const TileQueue& kernels) {
  test::MemorySource source(c.raster);
  TiledSession on_host(comm, par::Queue::host(1), source, c.options, tiling, {}, {});
  on_host.accumulate();
  TiledSession session(comm, kernels, source, c.options, tiling, {}, {});
  const bool single = c.options.single_receiver();
  single ? void(session.route()) : session.fractions();
  const Index most = 1 + random.below(2 * c.raster.info.size());
  const auto both = [&]<class V>(const SumInput<V>& input) {
    tiled_sums<V>(kernels, session.rings(), session.store(), "alone", input, 0);
    tiled_sums<V>(kernels, session.rings(), session.store(), "together", input, most);
    EXPECT_TRUE(same_bytes(all_tiles<V>(session, "alone"), all_tiles<V>(session, "together")))
        << "at most " << most << " cells together";
  };
  const auto weights = [&](std::size_t m) { return session.weights<double>(m); };
  const auto bits = [&](std::size_t m) {
    return single ? session.bits(m) : session.shared_bits(m);
  };
  SumInput<double> sums{bits, weights};
  if (!single)
    sums.shares = [&](std::size_t m) {
      return par::Buffer<double>(
          kernels, session.store().look<double>(session.rings().tile(m), "fractions").values);
    };
  both(sums);
  if (!on_host.integers()) {
    EXPECT_TRUE(same_bytes(all_tiles<double>(on_host, "accumulation"),
                           all_tiles<double>(session, "together")));
  }
  if (!single) return;
  both(SumInput<double>{bits, weights, {}, steps::TileJoin::longest, [&](const TileJump& j) {
                          return session.jump_length(j.root, j.target);
                        }});
  const auto marks = [&](std::size_t m) {
    std::vector<std::int32_t> stream(std::size_t(tiling.window(session.rings().tile(m)).size()));
    for (std::size_t i = 0; i < stream.size(); ++i) stream[i] = (i * 7 + m) % 3 == 0 ? 0 : 1;
    return stream;
  };
  both(SumInput<std::int32_t>{bits, marks, {}, steps::TileJoin::shreve});
}

// One random raster of many tiles, with weights that round.
inline void compare_random_patches(comm::Comm& comm, Random& random, Index max_side,
                                   const TileQueue& kernels) {
  TiledCase<float> c = random_tiled_case<float>(random, max_side);
  domain::RasterInfo& info = c.raster.info;
  locate(info);
  c.options.weights = "area";
  const FlowRule rules[] = {FlowRule::dinf, FlowRule::freeman, FlowRule::quinn};
  if (random.chance(0.6)) c.options.rule = rules[random.below(3)];
  if (!c.options.single_receiver() && c.options.mode == RouteMode::jump)
    c.options.mode = RouteMode::carve;
  const Index rows = 1 + random.below(std::min<Index>(info.rows, 9));
  const Index cols = 1 + random.below(std::min<Index>(info.cols, 9));
  const Tiling tiling = {info.rows, info.cols, rows, cols};
  SCOPED_TRACE(testing::Message() << "tiles " << rows << " x " << cols << " of " << info.rows
                                  << " x " << info.cols << ", rule " << int(c.options.rule)
                                  << (c.options.loop_cols ? ", looped ew" : "")
                                  << (c.options.loop_rows ? ", looped ns" : ""));
  compare_patches(comm, random, c, tiling, kernels);
}

}  // namespace terrawave::terrain::reference
