// The slides' kernels do the same as two_pass, to rounding: they fold spacings into coefficients.
#include <gtest/gtest.h>

#include "reference/fdtd_models.hpp"
#include "terrawave/solvers/fdtd/slides_kernels.hpp"

namespace terrawave::test {
namespace {

TEST(FdtdSlides, BothMappingsEqualTwoPassToRounding) {
  using B = fdtd::Boundary;
  std::uint64_t seed = 21;
  for (const ModelKind& kind :
       {ModelKind{.events = false},
        ModelKind{.boundary = {B::pmc, B::pec, B::pec, B::pmc, B::pmc, B::pec},
        .magnetic = true,
        .events = false}}) {
    const fdtd::Model model = random_model(kind, ++seed);
    Bench bench(false, par::Queue::guarded_host(1));
    const auto solver = fdtd::make_solver(model, bench.context, {.kernel = fdtd::Kernel::two_pass});
    randomise(*solver, seed);
    advance(*solver, 15);
    std::vector<double> mappings[2];
    for (const auto mapping : {fdtd::SlidesMapping::xyz, fdtd::SlidesMapping::xy}) {
      fdtd::SlidesSolver<double> slides(bench.context.queue, model);
      for (int c = 0; c < 6; ++c)
        slides.set_field(c, [&, c](Index i, Index j, Index k) {
          return fdtd::on_wall(model, c, {i, j, k}) ? 0 : field_noise(seed, c, i, j, k);
        });
      for (int n = 0; n < 15; ++n) slides.step(mapping);
      for (int c = 0; c < 6; ++c) {
        fdtd::Box found;
        const auto expected = solver->owned_values(c, whole(model), found);
        const auto got = slides.values(c);
        ASSERT_EQ(got.size(), expected.size());
        double scale = 0, worst = 0;
        for (std::size_t n = 0; n < got.size(); ++n) {
          scale = std::max(scale, std::abs(expected[n]));
          worst = std::max(worst, std::abs(got[n] - expected[n]));
          mappings[mapping == fdtd::SlidesMapping::xy].push_back(got[n]);
        }
        // A few hundred roundings per value over the steps.
        EXPECT_LE(worst, 1e-13 * scale) << "component " << c << " seed " << seed;
      }
    }
    EXPECT_EQ(mappings[0], mappings[1]);
  }
}

}  // namespace
}  // namespace terrawave::test
