// Any number of ranks, and any number of steps between exchanges, gives the bits of one rank.
#include <gtest/gtest.h>

#include "reference/fdtd_models.hpp"

namespace terrawave::test {
namespace {

using fdtd::Boundary;
using fdtd::Kernel;

std::vector<ModelKind> kinds() {
  constexpr auto pec = Boundary::pec, pmc = Boundary::pmc, per = Boundary::periodic,
                 pml = Boundary::cpml;
  return {{.cells = {40, 13, 12}, .boundary = {pec, pmc, per, per, pmc, pec}, .magnetic = true},
          {.cells = {41, 14, 13}, .boundary = {pml, pml, pml, pml, pml, pml}, .layers = 3},
          {.cells = {36, 11, 30}, .boundary = {per, per, pml, pec, per, per}, .layers = 4}};
}

TEST(FdtdRanks, AnySplitGivesTheBitsOfOneRank) {
  const auto self = comm::make_self();
  std::uint64_t seed = 90;
  for (const ModelKind& kind : kinds()) {
    const fdtd::Model model = random_model(kind, ++seed);
    Bench alone(true, par::Queue::host(1), *self);
    const auto one = fdtd::make_solver(model, alone.context, {.kernel = Kernel::two_pass});
    randomise(*one, seed);
    advance(*one, 13);
    const double energy = one->energy();
    const auto expected_records = one->drain();
    for (const Kernel kernel : {Kernel::two_pass, Kernel::wavefront})
      for (const int steps : {1, 2, 4}) {
        Bench shared(true, par::Queue::host(1));
        const auto solver =
            fdtd::make_solver(model, shared.context, {.kernel = kernel, .steps_per_pass = steps});
        randomise(*solver, seed);
        advance(*solver, 13);
        for (int c = 0; c < 6; ++c) {
          fdtd::Box mine;
          const auto got = solver->owned_values(c, whole(model), mine);
          fdtd::Box found;
          const auto expected = one->owned_values(c, mine, found);
          ASSERT_EQ(got.size(), expected.size());
          EXPECT_TRUE(got.empty() ||
                      std::memcmp(got.data(), expected.data(), got.size() * sizeof(double)) == 0)
              << "component " << c << " T=" << steps << " rank " << world().rank() << " seed "
              << seed;
        }
        EXPECT_EQ(solver->energy(), energy) << "T=" << steps << " seed " << seed;
        const auto records = solver->drain();
        EXPECT_EQ(records.values.size(), expected_records.values.size());
        EXPECT_EQ(std::memcmp(records.values.data(), expected_records.values.data(),
                              records.values.size() * sizeof(double)),
                  0)
            << "T=" << steps << " seed " << seed;
      }
  }
}

}  // namespace
}  // namespace terrawave::test
