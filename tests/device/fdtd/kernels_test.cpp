// The CUDA kernels give the bits of the portable kernel on the CPU.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "device_or_skip.hpp"
#include "reference/fdtd_models.hpp"
#include "terrawave/solvers/fdtd/cuda/march.hpp"

namespace terrawave::test {
namespace {

using fdtd::Boundary;
using fdtd::Kernel;

std::vector<ModelKind> kinds() {
  constexpr auto pec = Boundary::pec, pmc = Boundary::pmc, per = Boundary::periodic,
                 pml = Boundary::cpml;
  std::vector<ModelKind> all;
  all.push_back({});
  all.push_back(
      {.cells = {60, 30, 9}, .boundary = {pmc, pec, pec, pmc, pmc, pmc}, .materials = 12});
  all.push_back(
      {.cells = {130, 40, 12}, .boundary = {per, per, per, per, per, per}, .magnetic = true});
  all.push_back(
      {.cells = {150, 70, 60}, .boundary = {pml, pml, pml, pml, pml, pml}, .materials = 2});
  all.push_back(
      {.cells = {48, 66, 12}, .boundary = {pec, pml, per, per, pml, pmc}, .magnetic = true});
  all.push_back({.cells = {70, 33, 230}, .graded = false, .materials = 1, .events = false});
  return all;
}

// What the solver says of its kernels, one per entry of `list`.
std::vector<std::string> compare(const fdtd::Model& model, const std::string& name, bool single,
                                 const std::vector<fdtd::Options>& list, std::int64_t steps) {
  std::vector<std::string> said;
  const auto run = [&](const par::Queue& queue, const fdtd::Options& options) {
    Bench bench(single, queue);
    const auto solver = fdtd::make_solver(model, bench.context, options);
    randomise(*solver, 9);
    advance(*solver, steps);
    said.push_back(fmt::format("{} T={} {}", fdtd::kernel_name(solver->kernel()),
                               solver->steps_per_pass(), solver->kernel_description()));
    return outcome(*solver);
  };
  const Outcome expected = run(par::Queue::host(), {.kernel = Kernel::two_pass});
  for (const fdtd::Options& options : list) {
    const Outcome got = run(par::Queue::cuda(), options);
    std::size_t different = 0, first = expected.values.size();
    for (std::size_t n = 0; n < expected.values.size(); ++n)
      if (std::memcmp(&got.values[n], &expected.values[n], sizeof(double)) != 0) {
        if (different++ == 0) first = n;
      }
    EXPECT_TRUE(got == expected) << name << ", " << fdtd::kernel_name(options.kernel)
                                 << " T=" << options.steps_per_pass << " shape " << options.shape
                                 << (single ? " single" : " double") << ": " << different
                                 << " values differ of " << expected.values.size() << ", first "
                                 << first;
  }
  said.erase(said.begin());
  return said;
}
void compare(int which, bool single, const std::vector<fdtd::Options>& list, std::int64_t steps) {
  const ModelKind kind = kinds()[std::size_t(which)];
  compare(random_model(kind, std::uint64_t(40 + which)), fmt::format("model {}", which), single,
          list, steps);
}

std::vector<fdtd::Options> options_of(bool single) {
  std::vector<fdtd::Options> all{{.kernel = Kernel::two_pass}};
  for (int t = 1; t <= (single ? 4 : 2); ++t)
    all.push_back({.kernel = Kernel::zmarch, .steps_per_pass = t});
  return all;
}

class FdtdCuda : public ::testing::TestWithParam<int> {};

TEST_P(FdtdCuda, EveryKernelEqualsTheCpuInSinglePrecision) {
  TW_SKIP_WITHOUT_GPU();
  compare(GetParam(), true, options_of(true), 17);
}
TEST_P(FdtdCuda, EveryKernelEqualsTheCpuInDoublePrecision) {
  TW_SKIP_WITHOUT_GPU();
  compare(GetParam(), false, options_of(false), 17);
}
// Model 1 has more than 256 classes, models 2 and 4 magnetic faces: those stay with the first
// kernel, whatever shape is asked for.
TEST_P(FdtdCuda, EveryShapeOfBlocksEqualsTheCpu) {
  TW_SKIP_WITHOUT_GPU();
  std::vector<fdtd::Options> all;
  for (int shape = 0; shape < int(fdtd::march_shapes().size()); ++shape)
    all.push_back({.kernel = Kernel::zmarch, .ranks = {0, 0, 0}, .shape = shape});
  compare(GetParam(), true, all, 17);
}
// On grids that are large enough for zmarch; the shapes are those that were measured fastest.
TEST(FdtdCudaAuto, MarchesInTheBestShapeAndEqualsTheCpu) {
  TW_SKIP_WITHOUT_GPU();
  const auto said = [](const ModelKind& kind, bool single) {
    return compare(random_model(kind, 77), "a large model", single, {{}}, 7).front();
  };
  constexpr auto pml = Boundary::cpml;
  EXPECT_EQ(said({.cells = {130, 128, 125}, .materials = 1}, true),
            "zmarch T=3 12 warps of 2 rows, rim 4");
  EXPECT_EQ(said({.cells = {228, 228, 43}, .boundary = {pml, pml, pml, pml, pml, pml}}, true),
            "zmarch T=2 12 warps of 2 rows, rim 4");
  // What zmarch has only its first kernel for is faster in two passes on grids of this size.
  EXPECT_EQ(said({.cells = {130, 128, 125}, .materials = 1, .magnetic = true}, true),
            "two_pass T=1 ");
  EXPECT_EQ(said({.cells = {130, 128, 125}, .materials = 12}, true), "two_pass T=3 ");
  EXPECT_EQ(said({.cells = {130, 128, 125}, .materials = 1}, false), "two_pass T=1 ");
}
INSTANTIATE_TEST_SUITE_P(Models, FdtdCuda, ::testing::Range(0, 6));

}  // namespace
}  // namespace terrawave::test
