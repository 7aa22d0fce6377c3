// Every kernel against the slow reference and against each other, on random models.
#include <map>

#include <gtest/gtest.h>

#include "reference/fdtd_models.hpp"
#include "reference/fdtd_reference.hpp"
#include "terrawave/solvers/fdtd/fdtd_bench.hpp"

namespace terrawave::test {
namespace {

using fdtd::Boundary;
using fdtd::Kernel;

std::vector<ModelKind> kinds() {
  constexpr auto pec = Boundary::pec, pmc = Boundary::pmc, per = Boundary::periodic,
                 pml = Boundary::cpml;
  std::vector<ModelKind> all;
  all.push_back({});
  all.push_back({.boundary = {pmc, pec, pec, pmc, pmc, pmc}});
  all.push_back({.boundary = {per, per, per, per, per, per}, .magnetic = true});
  all.push_back(
      {.cells = {33, 12, 11}, .boundary = {pml, pml, pml, pml, pml, pml}, .materials = 12});
  all.push_back(
      {.cells = {48, 9, 12}, .boundary = {pec, pml, per, per, pml, pmc}, .magnetic = true});
  all.push_back(
      {.cells = {11, 9, 14}, .boundary = {pml, pml, pec, pml, pml, pml}, .graded = false});
  all.push_back({.cells = {70, 5, 6}, .boundary = {pml, pmc, pml, pec, per, per}});
  return all;
}

TEST(FdtdKernels, TwoPassEqualsTheReferenceInDouble) {
  std::uint64_t seed = 11;
  for (const ModelKind& kind : kinds()) {
    const fdtd::Model model = random_model(kind, ++seed);
    FdtdReference reference(model);
    Bench bench(false, par::Queue::guarded_host(1));
    const auto solver = fdtd::make_solver(model, bench.context, {.kernel = Kernel::two_pass});
    randomise(*solver, seed);
    for (int c = 0; c < 6; ++c)
      for (Index k = 0; k < model.extent(2); ++k)
        for (Index j = 0; j < model.extent(1); ++j)
          for (Index i = 0; i < model.extent(0); ++i)
            reference.at(c, i, j, k) =
                fdtd::on_wall(model, c, {i, j, k}) ? 0 : field_noise(seed, c, i, j, k);
    const int steps = 15;
    for (int n = 0; n < steps; ++n) reference.step();
    advance(*solver, steps);
    for (int c = 0; c < 6; ++c) {
      fdtd::Box found;
      const auto values = solver->owned_values(c, whole(model), found);
      double scale = 0, worst = 0;
      std::size_t n = 0;
      for (Index k = 0; k < model.extent(2); ++k)
        for (Index j = 0; j < model.extent(1); ++j)
          for (Index i = 0; i < model.extent(0); ++i, ++n) {
            // Entries that do not exist, and faces behind the last cell, are zero or meaningless.
            bool real = true;
            for (int a = 0; a < 3; ++a) {
              const Index g[3] = {i, j, k};
              const bool cell = c < 3 ? a == c : a != c - 3;
              if (!model.periodic(a) && cell && g[a] >= model.grid.cells(a)) real = false;
            }
            if (!real) continue;
            scale = std::max(scale, std::abs(reference.at(c, i, j, k)));
            worst = std::max(worst, std::abs(values[n] - reference.at(c, i, j, k)));
          }
      // A few hundred roundings per value over the steps.
      EXPECT_LE(worst, 1e-13 * scale) << "component " << c << " seed " << seed;
    }
  }
}

template <class Configure>
void expect_same(const Configure& options_of, const std::vector<ModelKind>& list,
                 std::int64_t steps) {
  std::uint64_t seed = 31;
  for (const ModelKind& kind : list)
    for (const bool single : {true, false}) {
      const fdtd::Model model = random_model(kind, ++seed);
      Bench bench(single, par::Queue::host(1));
      const auto run = [&](const fdtd::Options& options) {
        const auto solver = fdtd::make_solver(model, bench.context, options);
        randomise(*solver, seed);
        advance(*solver, steps);
        return outcome(*solver);
      };
      const Outcome expected = run({.kernel = Kernel::two_pass});
      for (const fdtd::Options& options : options_of())
        EXPECT_TRUE(run(options) == expected)
            << fdtd::kernel_name(options.kernel) << " T=" << options.steps_per_pass << " seed "
            << seed << (single ? " single" : " double");
    }
}

TEST(FdtdKernels, TwoPassDoesNotDependOnStepsBetweenExchanges) {
  expect_same(
      [] { return std::vector<fdtd::Options>{{.kernel = Kernel::two_pass, .steps_per_pass = 3}}; },
      kinds(), 13);
}

TEST(FdtdKernels, WavefrontEqualsTwoPassBitForBit) {
  expect_same(
      [] {
        std::vector<fdtd::Options> all;
        for (const int t : {0, 1, 2, 5})
          all.push_back({.kernel = Kernel::wavefront, .steps_per_pass = t});
        return all;
      },
      kinds(), 16);
}

// Grids that the kernel cuts into several strips and blocks, rows of one entry to many registers,
// and grids smaller than a strip is high or a pass is deep.
std::vector<ModelKind> shapes() {
  constexpr auto pec = Boundary::pec, pmc = Boundary::pmc, per = Boundary::periodic,
                 pml = Boundary::cpml;
  std::vector<ModelKind> all;
  all.push_back({.cells = {5, 70, 90}, .boundary = {pec, pmc, pml, pml, pml, pml}});
  all.push_back({.cells = {17, 40, 75}, .boundary = {pml, pml, pml, pml, pec, pml}});
  all.push_back({.cells = {129, 20, 3}, .boundary = {pml, pml, pmc, pml, pec, pmc}});
  all.push_back({.cells = {31, 2, 2}, .boundary = {pml, pml, pec, pec, pec, pec}});
  all.push_back({.cells = {2, 3, 2}, .boundary = {pec, pmc, pec, pec, pmc, pec}});
  all.push_back({.cells = {1, 1, 1}, .boundary = {pmc, pmc, pmc, pmc, pmc, pmc}, .events = false});
  all.push_back(
      {.cells = {16, 15, 40}, .boundary = {per, per, per, per, pml, pml}, .events = false});
  all.push_back({.cells = {15, 16, 17}, .boundary = {per, per, per, per, per, per}});
  return all;
}

TEST(FdtdKernels, WavefrontEqualsTwoPassOnGridsOfManyShapes) {
  expect_same(
      [] {
        std::vector<fdtd::Options> all;
        for (const int t : {0, 1, 4, 8, 15})
          all.push_back({.kernel = Kernel::wavefront, .steps_per_pass = t});
        return all;
      },
      shapes(), 19);
}

TEST(FdtdKernels, WavefrontEqualsTwoPassWithMorePatternsThanItKeeps) {
  // Random triples of 40 materials, and of magnetic ones: chunks differ nearly everywhere, and the
  // classes need two bytes.
  constexpr auto pec = Boundary::pec, pml = Boundary::cpml;
  std::vector<ModelKind> list;
  list.push_back(
      {.cells = {43, 26, 40}, .boundary = {pml, pec, pml, pml, pec, pec}, .materials = 40});
  list.push_back({.cells = {43, 26, 40},
                  .boundary = {pec, pec, pec, pml, pml, pec},
                  .materials = 35,
                  .magnetic = true});
  expect_same(
      [] {
        return std::vector<fdtd::Options>{{.kernel = Kernel::wavefront},
                                          {.kernel = Kernel::wavefront, .steps_per_pass = 2}};
      },
      list, 9);
}

TEST(FdtdKernels, WavefrontEqualsTwoPassOnEvenGridsOfFewMaterials) {
  // Long runs of one class on a grid without grading: their coefficients stay in registers.
  for (const bool cpml : {false, true})
    for (const bool single : {true, false}) {
      const fdtd::Model model = fdtd::bench_model({"", {150, 30, 28}, cpml, 3});
      Bench bench(single, par::Queue::host(2));
      const auto run = [&](Kernel kernel) {
        const auto solver = fdtd::make_solver(model, bench.context, {.kernel = kernel});
        randomise(*solver, 7);
        advance(*solver, 17);
        return outcome(*solver);
      };
      EXPECT_TRUE(run(Kernel::wavefront) == run(Kernel::two_pass)) << cpml << single;
    }
}

TEST(FdtdKernels, AWallWithNothingBehindItIsLeftOutWithoutChangingABit) {
  // Rows of whole chunks and a wall, from rest: the kernel leaves the wall out until a field is
  // set.
  std::uint64_t seed = 57;
  for (const Boundary end : {Boundary::pec, Boundary::cpml, Boundary::pmc})
    for (const bool single : {true, false}) {
      ModelKind kind{.cells = {32, 11, 12}};
      kind.boundary.fill(Boundary::cpml);
      kind.boundary[1] = end;
      kind.magnetic = !single;
      const fdtd::Model model = random_model(kind, ++seed);
      Bench bench(single, par::Queue::host(1));
      const auto run = [&](Kernel kernel) {
        const auto solver = fdtd::make_solver(model, bench.context, {.kernel = kernel});
        advance(*solver, 25);
        Outcome both = outcome(*solver);
        randomise(*solver, seed);
        advance(*solver, 25);
        const Outcome end_of_run = outcome(*solver);
        both.values.insert(both.values.end(), end_of_run.values.begin(), end_of_run.values.end());
        return both;
      };
      EXPECT_TRUE(run(Kernel::wavefront) == run(Kernel::two_pass)) << int(end) << single;
    }
}

TEST(FdtdKernels, ThreadsDoNotChangeABit) {
  for (const ModelKind& kind : {kinds()[3], shapes()[0]}) {
    const fdtd::Model model = random_model(kind, 5);
    Outcome one;
    for (const int threads : {1, 2, 3, 5}) {
      Bench bench(true, par::Queue::host(threads));
      const auto solver = fdtd::make_solver(model, bench.context, {.kernel = Kernel::wavefront});
      randomise(*solver, 5);
      advance(*solver, 40);
      const Outcome o = outcome(*solver);
      if (threads == 1) one = o;
      EXPECT_TRUE(o == one) << threads;
    }
  }
}

TEST(FdtdKernels, EquallySpacedLinesGiveTheBitsOfAUniformGrid) {
  ModelKind kind{.cells = {21, 13, 17},
                 .boundary = {Boundary::cpml, Boundary::cpml, Boundary::pec, Boundary::pmc,
                              Boundary::cpml, Boundary::pec}};
  kind.graded = false;
  Outcome outcomes[2];
  for (const int graded : {0, 1}) {
    fdtd::Model model = random_model(kind, 3);
    if (graded == 1) {
      // Written out as sums, with the rounding that a user's list of lines would have.
      std::array<std::vector<double>, 3> lines;
      for (std::size_t a = 0; a < 3; ++a)
        for (Index i = 0; i <= kind.cells[a]; ++i) lines[a].push_back(double(i) * 1e-3);
      lines[0].back() = double(kind.cells[0]) * 1e-3;
      model.grid = domain::YeeGrid(lines);
    } else {
      model.grid = domain::YeeGrid::uniform(kind.cells, {1e-3, 1e-3, 1e-3});
    }
    Bench bench(true, par::Queue::host(1));
    const auto solver = fdtd::make_solver(model, bench.context);
    randomise(*solver, 3);
    advance(*solver, 30);
    outcomes[graded] = outcome(*solver);
  }
  EXPECT_TRUE(outcomes[0] == outcomes[1]);
}

TEST(FdtdSolver, ARestartContinuesWithTheSameBits) {
  std::uint64_t seed = 71;
  for (const ModelKind& kind : {kinds()[2], kinds()[3], kinds()[4]}) {
    const fdtd::Model model = random_model(kind, ++seed);
    Bench bench(true, par::Queue::host(1));
    const auto a = fdtd::make_solver(model, bench.context);
    randomise(*a, seed);
    advance(*a, 17);
    (void)a->drain();
    const auto b = fdtd::make_solver(model, bench.context, {.steps_per_pass = 3});
    EXPECT_EQ(a->fingerprint(), b->fingerprint());
    for (const sim::FieldInfo& f : a->fields()) {
      const sim::FieldBlock block = a->save(f.name);
      const std::size_t bytes = block.ids.empty() ? 0 : block.values.size() / block.ids.size();
      b->load(f.name, [&](std::span<const GlobalId> ids) {
        std::map<GlobalId, std::size_t> at;
        for (std::size_t n = 0; n < block.ids.size(); ++n) at[block.ids[n]] = n;
        std::vector<std::byte> values;
        for (const GlobalId id : ids) {
          const auto from = block.values.begin() + std::ptrdiff_t(at.at(id) * bytes);
          values.insert(values.end(), from, from + std::ptrdiff_t(bytes));
        }
        return values;
      });
    }
    advance(*a, 20);
    advance(*b, 20);
    EXPECT_EQ(a->step_count(), b->step_count());
    EXPECT_TRUE(outcome(*a) == outcome(*b)) << seed;
  }
}

}  // namespace
}  // namespace terrawave::test
