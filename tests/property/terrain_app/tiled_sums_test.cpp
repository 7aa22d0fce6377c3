// Ordered sums over tiles do not depend on which tiles lie in the device's memory together.
#include "reference/tiled_sums_compare.hpp"

namespace terrawave::terrain {
namespace {

void compare(par::Queue queue, std::uint64_t seed, int cases, Index max_side) {
  const auto self = comm::make_self();
  const auto kernels = TileQueue::with_kernels(queue);
  reference::Random random(seed);
  for (int k = 0; k < cases && !testing::Test::HasFailure(); ++k) {
    SCOPED_TRACE(testing::Message() << "case " << k);
    reference::compare_random_patches(*self, random, max_side, kernels);
  }
}

TEST(TiledSums, PatchesOfAnySizeEqualTilesAlone) { compare(par::Queue::host(2), 61, 200, 30); }

TEST(TiledSums, FewPatchesInGuardedMemoryEqualTilesAlone) {
  compare(par::Queue::guarded_host(1), 62, 20, 8);
}

}  // namespace
}  // namespace terrawave::terrain
