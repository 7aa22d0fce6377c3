// Lakes in any tiles: every field of the slow ones in one piece.
#include "reference/tiled_lakes_compare.hpp"
#include "scratch_folder.hpp"

namespace terrawave::terrain {
namespace {

using namespace reference;

std::vector<TileQueue> queues() {
  return {TileQueue(par::Queue::host(1)), TileQueue(par::Queue::host(3)),
          TileQueue::with_kernels(par::Queue::host(1)),
          TileQueue::with_kernels(par::Queue::host(2))};
}

TEST(TiledLakes, EqualTheSlowOnesForRandomTilings) {
  const auto self = comm::make_self();
  Random random(101);
  const std::vector<TileQueue> on = queues();
  for (std::size_t i = 0; i < 200 && !HasFailure(); ++i) {
    SCOPED_TRACE(i);
    compare_random_tiled_lakes(*self, random, i % 20 == 9 ? 90 : 18, {}, on[i % on.size()]);
  }
}

TEST(TiledLakes, EqualTheSlowOnesWhenKeptInFiles) {
  const test::ScratchFolder folder;
  const auto self = comm::make_self();
  Random random(102);
  const std::vector<TileQueue> on = queues();
  for (std::size_t i = 0; i < 8 && !HasFailure(); ++i) {
    SCOPED_TRACE(i);
    compare_random_tiled_lakes(*self, random, 14, folder.path() / "tiles", on[i % on.size()]);
  }
}

TEST(TiledLakes, TouchNoDeviceMemoryOutsideLaunches) {
  const auto self = comm::make_self();
  Random random(104);
  const par::Queue guarded = par::Queue::guarded_host(2);
  for (const TileQueue& on : {TileQueue(guarded), TileQueue::with_kernels(guarded)})
    for (int i = 0; i < 3 && !HasFailure(); ++i)
      compare_random_tiled_lakes(*self, random, 14, {}, on);
}

TEST(TiledLakes, HugeWindingLoopedAndOverCorners) {
  const auto self = comm::make_self();
  Random random(103);
  for (const TileQueue& on : queues()) compare_special_tiled_lakes(*self, random, on);
}

}  // namespace
}  // namespace terrawave::terrain
