// The kernels that the GPU runs, on the host: the same answers as cpu/ and as the references, also
// on memory that faults outside launches.
#include <cstring>

#include <gtest/gtest.h>

#include "reference/terrain_reference.hpp"
#include "reference/terrain_run.hpp"
#include "terrawave/solvers/terrain/peel_steps.hpp"
#include "terrawave/solvers/terrain/portable_routing.hpp"

namespace terrawave::terrain {
namespace {

using namespace reference;

template <class T>
void compare(const Dem<T>& dem, const par::Queue& queue) {
  const par::Queue plain = par::Queue::host(1);
  const OnDevice<T> fast(plain, dem);
  const OnDevice<T> on(queue, dem);
  const Grid& grid = dem.grid;
  par::Buffer<Direction> direction(queue, grid.cells());
  for (const FlatRule rule : {FlatRule::leave, FlatRule::by_index}) {
    portable::steepest_receivers(queue, grid, on.z.cview(), on.state.cview(), rule,
                                 direction.view());
    EXPECT_EQ(direction.download(), fast.steepest(rule));
  }
  par::Buffer<T> filled(queue, grid.cells());
  portable::fill(queue, grid, on.z.cview(), on.state.cview(), filled.view());
  const auto got = filled.download();
  const auto expected = fast.filled();
  EXPECT_EQ(0, std::memcmp(got.data(), expected.data(), got.size() * sizeof(T)));
  for (const bool jump : {false, true}) {
    Receivers receivers =
        steepest_receivers(queue, grid, on.z.cview(), on.state.cview(), FlatRule::leave);
    portable::resolve_flats(queue, grid, on.z.cview(), on.state.cview(),
                            receivers.direction.view());
    portable::drain_by_index(queue, grid, on.z.cview(), on.state.cview(),
                             receivers.direction.view());
    const RouteStats stats =
        portable::leave_depressions(queue, grid, on.z.cview(), on.state.cview(), jump, receivers);
    const Routed routed = fast.routed(jump ? RouteMode::jump : RouteMode::carve, true);
    EXPECT_EQ(receivers.direction.download(), routed.receivers.direction.download());
    EXPECT_EQ(receivers.jumps, routed.receivers.jumps);
    EXPECT_EQ(stats.undrained, routed.stats.undrained);
    EXPECT_EQ(stats.pits, routed.stats.pits);
    par::Buffer<std::int64_t> sums(queue, grid.cells());
    portable::accumulate<std::int64_t>(queue, grid, receivers, {}, sums.view(), Combine::sum);
    EXPECT_EQ(sums.download(), accumulated<std::int64_t>(plain, grid, routed.receivers, {}));
    par::Buffer<std::int32_t> labels(queue, grid.cells());
    EXPECT_TRUE(portable::label_roots(queue, grid, receivers, labels.view()));
    EXPECT_EQ(labels.download(), labelled(plain, grid, routed.receivers));
  }
}

TEST(PortableKernels, EqualTheFastPathOnRandomRasters) {
  Random random(21);
  const par::Queue one = par::Queue::host(1);
  const par::Queue two = par::Queue::host(2);
  for (int i = 0; i < 1500 && !HasFailure(); ++i) {
    SCOPED_TRACE(i);
    const par::Queue& queue = i % 50 == 0 ? two : one;
    compare(random_dem<std::int16_t>(random, 12), queue);
    compare(random_dem<float>(random, 12), queue);
    compare(random_dem<double>(random, 12), queue);
  }
}

TEST(PortableKernels, TouchNoDeviceMemoryOutsideLaunches) {
  Random random(22);
  const par::Queue guarded = par::Queue::guarded_host(1);
  for (int i = 0; i < 20 && !HasFailure(); ++i) {
    const auto dem = random_dem<float>(random, 12);
    compare(dem, guarded);
    const OnDevice<float> on(guarded, dem);
    for (const RouteMode mode : {RouteMode::carve, RouteMode::jump, RouteMode::fill}) {
      const Routed routed = on.routed(mode, true);
      accumulated<std::int64_t>(guarded, dem.grid, routed.receivers, {});
      labelled(guarded, dem.grid, routed.receivers);
    }
  }
}

TEST(RakeCompress, RunsUntilNoDonorIsLeftWithAndWithoutPingPong) {
  Random random(23);
  for (int i = 0; i < 5000 && !HasFailure(); ++i) {
    const par::Queue queue = par::Queue::host(i % 100 == 0 ? 2 : 1);
    Grid grid;
    grid.rows = 1 + random.below(i % 100 == 1 ? 60 : 9);
    grid.cols = 1 + random.below(9);
    const auto direction = random_forest(random, grid, 0.03);
    const auto expected = reference::accumulate<std::int64_t>(grid, direction, {}, {});
    const par::Buffer<Direction> on(queue, direction);
    par::Buffer<std::int64_t> out(queue, grid.cells());
    int rounds[2] = {0, 0};
    for (const bool ping_pong : {false, true}) {
      out.fill_bytes(0x55);
      rounds[ping_pong] =
          par::dispatch(queue, [&](const auto& exec) {
            return steps::rake_compress(exec, view_of(grid, {}), on.cview(), out.view(), ping_pong);
          }).rounds;
      EXPECT_EQ(out.download(), expected) << "forest " << i << ", ping-pong " << ping_pong;
    }
    EXPECT_EQ(rounds[0], rounds[1]);
  }
}

}  // namespace
}  // namespace terrawave::terrain
