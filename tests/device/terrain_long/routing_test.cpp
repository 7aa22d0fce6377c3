// As many random rasters and forests on the GPU as the property tests hold against the slow
// references on the CPU. Most share a raster: one by one, their launches would take minutes.
#include <gtest/gtest.h>

#include "device_or_skip.hpp"
#include "reference/terrain_gpu.hpp"

namespace terrawave::terrain {
namespace {

using namespace reference;

template <class T>
class ManyRastersOnGpu : public testing::Test {};
using Types =
    testing::Types<std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, float, double>;
TYPED_TEST_SUITE(ManyRastersOnGpu, Types);

// 10^4 over all types.
TYPED_TEST(ManyRastersOnGpu, EqualTheCpu) {
  TW_SKIP_WITHOUT_GPU();
  const par::Queue gpu = par::Queue::cuda();
  const par::Queue cpu = par::Queue::host();
  compare_random<TypeParam>(101, 131);
  Random random(103);
  for (int sheet = 0; sheet < 6 && !this->HasFailure(); ++sheet)
    compare_rasters<TypeParam>(random, 16, gpu, cpu);
}

// 10^5: small, middling, large, and large ones with looped edges.
TEST(ManyForestsOnGpu, AddUp) {
  TW_SKIP_WITHOUT_GPU();
  const par::Queue gpu = par::Queue::cuda();
  const par::Queue cpu = par::Queue::host();
  Random random(102);
  int forests = 0;
  const auto sheets = [&](int count, Index slot, Index across) {
    for (int n = 0; n < count && !HasFailure(); ++n) {
      SCOPED_TRACE(testing::Message() << "sheet " << n << " of slots of " << slot);
      compare_forests(random, slot, across, gpu, cpu);
      forests += int(across * across);
    }
  };
  sheets(20, 16, 64);
  sheets(24, 40, 25);
  sheets(32, 160, 8);
  for (; forests < 100000 && !HasFailure(); ++forests) {
    SCOPED_TRACE(testing::Message() << "forest " << forests);
    compare_forest(random, gpu, cpu);
  }
  EXPECT_EQ(forests, 100000);
}

}  // namespace
}  // namespace terrawave::terrain
