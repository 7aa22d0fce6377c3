// Every primitive of par gives the same bits on the host and on the GPU.
#include <random>

#include <gtest/gtest.h>

#include "cuda_steps.hpp"
#include "device_or_skip.hpp"

namespace terrawave::par::test {
namespace {

TEST(CudaQueue, EveryPrimitiveEqualsTheHost) {
  TW_SKIP_WITHOUT_GPU();
  std::mt19937_64 random(5);
  for (const std::size_t n : {std::size_t(1), std::size_t(255), std::size_t(1000003)}) {
    std::vector<double> values(n);
    std::vector<std::uint64_t> keys(n);
    for (double& v : values) v = std::uniform_real_distribution<double>(-1, 1)(random);
    for (auto& k : keys) k = random() % 100000;
    const auto run = [&](const Queue& queue) {
      return dispatch(queue, [&](const auto& exec) { return run_all(exec, values, keys); });
    };
    EXPECT_TRUE(run(Queue::cuda()) == run(Queue::host())) << n << " elements";
  }
}

}  // namespace
}  // namespace terrawave::par::test
