// Fourier monitors against their definition.
#include <gtest/gtest.h>

#include "reference/fdtd_dft.hpp"

namespace terrawave::test {
namespace {

TEST(FdtdDft, SumsAreThoseOfTheDefinition) {
  using B = fdtd::Boundary;
  std::uint64_t seed = 3;
  for (const ModelKind& kind :
       {ModelKind{},
        ModelKind{.boundary = {B::periodic, B::periodic, B::cpml, B::cpml, B::pmc, B::pec},
        .layers = 2}})
    for (const bool single : {true, false}) {
      const fdtd::Model model = random_model(kind, ++seed);
      const fdtd::DftCase c = dft_case(model, {3, 2, 0}, {kind.cells[0], 6, 5});
      // Guarded memory: a monitor that reads fields outside of a launch would fault here.
      Bench bench(single, par::Queue::guarded_host(1));
      const auto a = fdtd::make_solver(model, bench.context);
      const auto b = fdtd::make_solver(model, bench.context);
      randomise(*a, seed);
      randomise(*b, seed);
      const auto got = monitored(*a, bench.context.queue, bench.context.comm, c, 21);
      const auto expected = summed(*b, c, 21);
      ASSERT_EQ(got.values.size(), expected.values.size());
      EXPECT_EQ(std::memcmp(got.values.data(), expected.values.data(),
                            got.values.size() * sizeof(double)),
                0);
    }
}

}  // namespace
}  // namespace terrawave::test
