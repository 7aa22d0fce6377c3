// Flow to several receivers: the GPU's bytes equal the CPU's.
#include <cmath>
#include <cstring>

#include <gtest/gtest.h>

#include "device_or_skip.hpp"
#include "reference/terrain_run.hpp"
#include "terrawave/solvers/terrain/terrain_multiflow.hpp"

namespace terrawave::terrain {
namespace {

using namespace reference;

template <class T>
std::vector<double> fractions(const par::Queue& queue, const Dem<T>& d, MultiRule rule,
                              double exponent) {
  const OnDevice<T> on(queue, d);
  par::Buffer<double> f(queue, d.grid.cells() * kNeighbours);
  multiflow_fractions(queue, d.grid, on.z.cview(), on.state.cview(), rule, exponent, f.view());
  return f.download();
}

template <class T>
std::vector<double> angles(const par::Queue& queue, const Dem<T>& d) {
  const OnDevice<T> on(queue, d);
  par::Buffer<double> out(queue, d.grid.cells());
  dinf_angles(queue, d.grid, on.z.cview(), on.state.cview(), out.view());
  return out.download();
}

std::vector<double> shares(const par::Queue& queue, const Grid& grid,
                           const std::vector<double>& angle) {
  const par::Buffer<double> on_queue(queue, angle);
  par::Buffer<double> out(queue, grid.cells() * kNeighbours);
  dinf_fractions(queue, grid, on_queue.cview(), out.view());
  return out.download();
}

std::vector<double> sums(const par::Queue& queue, const Grid& grid,
                         const std::vector<std::uint8_t>& state, const std::vector<double>& f,
                         const std::vector<double>& weights) {
  const par::Buffer<double> on_queue(queue, f), w(queue, weights);
  const par::Buffer<std::uint8_t> states(queue, state);
  par::Buffer<double> out(queue, grid.cells());
  multiflow_accumulate(queue, grid, on_queue.cview(), states.cview(), w.cview(), out.view());
  return out.download();
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

template <class T>
void compare(std::uint64_t seed, int count) {
  const par::Queue gpu = par::Queue::cuda();
  const par::Queue cpu = par::Queue::host(1);
  Random random(seed);
  for (int i = 0; i < count && !testing::Test::HasFailure(); ++i) {
    Dem<T> d = random_dem<T>(random, i % 10 == 0 ? 150 : 20);
    std::vector<double> weights(d.z.size());
    for (double& w : weights) w = random.unit();
    for (const MultiRule rule : {MultiRule::freeman, MultiRule::quinn, MultiRule::dinf}) {
      if (rule == MultiRule::dinf) d.grid.connectivity = Connectivity::d8;
      for (const double exponent : {1.0, 1.1, 37.0}) {
        const auto f = fractions(cpu, d, rule, exponent);
        EXPECT_TRUE(same_bits(fractions(gpu, d, rule, exponent), f)) << "raster " << i;
        for (const auto& w : {std::vector<double>{}, weights})
          EXPECT_TRUE(same_bits(sums(gpu, d.grid, d.state, f, w), sums(cpu, d.grid, d.state, f, w)))
              << "raster " << i;
      }
    }
  }
}

// Angles of all sizes of slopes, and the shares of any angle.
TEST(MultiFlowOnGpu, AnglesAndSharesEqualTheCpu) {
  TW_SKIP_WITHOUT_GPU();
  const par::Queue gpu = par::Queue::cuda();
  const par::Queue cpu = par::Queue::host(1);
  Random random(44);
  for (int i = 0; i < 60 && !testing::Test::HasFailure(); ++i) {
    Dem<double> d = random_dem<double>(random, 200);
    d.grid.connectivity = Connectivity::d8;
    if (i % 2 == 0)
      for (double& z : d.z) z += std::ldexp(random.unit(), int(random.below(40)) - 20);
    const auto expected = angles(cpu, d);
    EXPECT_TRUE(same_bits(angles(gpu, d), expected)) << "raster " << i;
    std::vector<double> any(expected.size());
    for (double& a : any) a = 6.2831853071795862 * random.unit();
    EXPECT_TRUE(same_bits(shares(gpu, d.grid, any), shares(cpu, d.grid, any))) << "raster " << i;
  }
}

TEST(MultiFlowOnGpu, RandomRastersEqualTheCpu) {
  TW_SKIP_WITHOUT_GPU();
  compare<float>(41, 40);
  compare<double>(42, 40);
  compare<std::int16_t>(43, 40);
}

TEST(MultiFlowOnGpu, FractionsInARingAreRefused) {
  TW_SKIP_WITHOUT_GPU();
  const par::Queue gpu = par::Queue::cuda();
  Grid grid;
  grid.rows = 1;
  grid.cols = 2;
  std::vector<double> f(16, 0.0);
  f[0 * 2 + 0] = 1;  // east and back
  f[4 * 2 + 1] = 1;
  EXPECT_THROW(sums(gpu, grid, {0, 0}, f, {}), InputError);
}

}  // namespace
}  // namespace terrawave::terrain
