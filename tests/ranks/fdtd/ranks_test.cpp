// Any number of ranks, and any number of steps between exchanges, gives the bits of one rank.
#include <gtest/gtest.h>

#include "reference/fdtd_models.hpp"
#include "terrawave/base/error.hpp"

namespace terrawave::test {
namespace {

using fdtd::Boundary;
using fdtd::Kernel;

std::vector<ModelKind> kinds() {
  constexpr auto pec = Boundary::pec, pmc = Boundary::pmc, per = Boundary::periodic,
                 pml = Boundary::cpml;
  return {{.cells = {40, 13, 12}, .boundary = {pec, pmc, per, per, pmc, pec}, .magnetic = true},
          {.cells = {41, 14, 13}, .boundary = {pml, pml, pml, pml, pml, pml}, .layers = 3},
          {.cells = {36, 11, 30}, .boundary = {per, per, pml, pec, per, per}, .layers = 4},
          // Room for a core between ghosts along x, which the wavefront cuts at whole chunks.
          {.cells = {230, 12, 13}, .boundary = {per, per, pml, pec, pec, pml}, .layers = 3}};
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
      for (const int steps : {1, -1, 2, 4, -4}) {
        // Less than 0: without overlap of messages and work.
        Bench shared(true, par::Queue::host(1));
        shared.context.overlap = steps > 0;
        const auto solver = fdtd::make_solver(
            model, shared.context, {.kernel = kernel, .steps_per_pass = std::abs(steps)});
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
        EXPECT_EQ(shared.timers.entries().contains("fdtd work while ghosts travel"),
                  world().size() > 1 && steps > 0)
            << fdtd::kernel_name(kernel) << " T=" << steps;
        const auto records = solver->drain();
        EXPECT_EQ(records.values.size(), expected_records.values.size());
        EXPECT_EQ(std::memcmp(records.values.data(), expected_records.values.data(),
                              records.values.size() * sizeof(double)),
                  0)
            << "T=" << steps << " seed " << seed;
      }
  }
}

// A small grid leaves no room for the ghosts of many steps: fewer are taken, and the log says so; a
// number that the user gave is refused with the one that fits.
TEST(FdtdRanks, SmallGridsTakeFewerStepsPerPass) {
  ModelKind kind{.cells = {9, 7, 11}};
  const fdtd::Model model = random_model(kind, 17);
  const auto self = comm::make_self();
  Bench alone(true, par::Queue::host(1), *self);
  const auto one = fdtd::make_solver(model, alone.context);
  randomise(*one, 5);
  advance(*one, 20);
  std::string said;
  sim::Log log([&](sim::Log::Level, const std::string& text) { said += text; });
  sim::Timers timers;
  sim::Context context{world(), par::Queue::host(1), log, timers, true, true};
  const auto solver = fdtd::make_solver(model, context);
  randomise(*solver, 5);
  advance(*solver, 20);
  for (int c = 0; c < 6; ++c) {
    fdtd::Box mine, found;
    const auto got = solver->owned_values(c, whole(model), mine);
    EXPECT_EQ(got, one->owned_values(c, mine, found)) << c;
  }
  EXPECT_EQ(solver->drain().values, one->drain().values);
  if (world().size() == 5) {
    EXPECT_EQ(said,
              "2 steps per pass instead of 8: the parts of 5 ranks are too small for the ghosts of "
              "more");
    try {
      fdtd::make_solver(model, context, {.steps_per_pass = 4});
      FAIL();
    } catch (const InputError& e) {
      EXPECT_STREQ(e.what(),
                   "the grid of 9 x 7 x 11 cells on 5 ranks leaves room for at most 2 steps per "
                   "pass, found 4: lower fdtd.steps_per_pass, leave it at 0 to let the program "
                   "choose, or use fewer ranks");
    }
  }
}

TEST(FdtdRanks, MoreRanksThanCellsAreRefused) {
  fdtd::Model model;
  model.grid = domain::YeeGrid::uniform({2, 2, 2}, {1e-3, 1e-3, 1e-3});
  model.dt = 0.5 * fdtd::time_step_limit(model);
  Bench shared(true, par::Queue::host(1));
  if (world().size() != 5) {  // 1, 2 and 3 divide into nodes of a cube of 3
    EXPECT_NO_THROW(fdtd::make_solver(model, shared.context));
    return;
  }
  try {
    fdtd::make_solver(model, shared.context);
    FAIL();
  } catch (const InputError& e) {
    EXPECT_STREQ(e.what(),
                 "the grid of 2 x 2 x 2 cells cannot be cut into 5 bricks with at least one cell "
                 "each: use 4 ranks or fewer");
  }
}

}  // namespace
}  // namespace terrawave::test
