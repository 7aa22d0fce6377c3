// As many random rasters and forests on the GPU as the property tests hold against the slow
// references on the CPU. Minutes, most of them launches.
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
  compare_random<TypeParam>(101, 1667);
}

TEST(ManyForestsOnGpu, AddUp) {
  TW_SKIP_WITHOUT_GPU();
  const par::Queue gpu = par::Queue::cuda();
  const par::Queue cpu = par::Queue::host(1);
  Random random(102);
  for (int i = 0; i < 100000 && !HasFailure(); ++i) {
    SCOPED_TRACE(testing::Message() << "forest " << i);
    compare_forest(random, gpu, cpu);
  }
}

}  // namespace
}  // namespace terrawave::terrain
