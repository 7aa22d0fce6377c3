// Fourier monitors accumulate on the device with the bits of the CPU.
#include <gtest/gtest.h>

#include "device_or_skip.hpp"
#include "reference/fdtd_dft.hpp"

namespace terrawave::test {
namespace {

TEST(FdtdDftCuda, SumsEqualThoseOfTheCpu) {
  TW_SKIP_WITHOUT_GPU();
  const ModelKind kind{.cells = {60, 30, 20}};
  for (const bool single : {true, false}) {
    const fdtd::Model model = random_model(kind, 5);
    const fdtd::DftCase c = dft_case(model, {3, 2, 0}, {57, 30, 11});
    std::vector<double> values[2];
    for (const int cuda : {0, 1}) {
      Bench bench(single, cuda == 1 ? par::Queue::cuda() : par::Queue::host());
      const auto solver = fdtd::make_solver(model, bench.context);
      randomise(*solver, 5);
      values[cuda] = monitored(*solver, bench.context.queue, bench.context.comm, c, 30).values;
    }
    ASSERT_EQ(values[0].size(), values[1].size());
    EXPECT_EQ(std::memcmp(values[0].data(), values[1].data(), values[0].size() * sizeof(double)), 0)
        << (single ? "single" : "double");
  }
}

}  // namespace
}  // namespace terrawave::test
