// The slides' kernels give the same bits on CPU and GPU.
#include <gtest/gtest.h>

#include "device_or_skip.hpp"
#include "reference/fdtd_models.hpp"
#include "terrawave/solvers/fdtd/slides_kernels.hpp"

namespace terrawave::test {
namespace {

TEST(FdtdSlidesCuda, BothMappingsEqualTheCpu) {
  TW_SKIP_WITHOUT_GPU();
  const fdtd::Model model =
      random_model({.cells = {60, 30, 20}, .magnetic = true, .events = false}, 4);
  for (const auto mapping : {fdtd::SlidesMapping::xyz, fdtd::SlidesMapping::xy}) {
    std::vector<double> values[2];
    for (const int cuda : {0, 1}) {
      const auto queue = cuda == 1 ? par::Queue::cuda() : par::Queue::host();
      fdtd::SlidesSolver<float> slides(queue, model);
      for (int c = 0; c < 6; ++c)
        slides.set_field(c, [=](Index i, Index j, Index k) {
          return noise(7, c, i, j, k) * (c < 3 ? 1.0 : 1.0 / 376.7);
        });
      for (int n = 0; n < 20; ++n) slides.step(mapping);
      for (int c = 0; c < 6; ++c) {
        const auto v = slides.values(c);
        values[cuda].insert(values[cuda].end(), v.begin(), v.end());
      }
    }
    EXPECT_EQ(values[0], values[1]);
  }
}

}  // namespace
}  // namespace terrawave::test
