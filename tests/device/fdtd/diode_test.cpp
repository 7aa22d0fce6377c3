// Diodes hold exponentials, which libraries round differently: CPU and GPU agree to 1e-12.
#include <gtest/gtest.h>

#include "device_or_skip.hpp"
#include "reference/fdtd_models.hpp"
#include "terrawave/solvers/fdtd/lumped_diode.hpp"

namespace terrawave::test {
namespace {

TEST(FdtdDiodeCuda, FieldsAgreeTo1e12) {
  TW_SKIP_WITHOUT_GPU();
  fdtd::Model model = random_model({.cells = {40, 20, 12}, .graded = false, .events = false}, 12);
  const double b = fdtd::edge_update(model.edge_materials[1], model.dt).b;
  const auto c = fdtd::diode_coefficients(1e-14, 1, 298, 1e-3, 1e-6, b, 1);
  for (Index n = 0; n < 6; ++n) {
    model.events.push_back(
        {{5 + 4 * n, 3 + 2 * n, 4}, int(n % 3), fdtd::EventKind::diode, -1, {}, "D"});
    model.events.back().coefficients.assign(c.begin(), c.end());
  }
  std::vector<double> values[2];
  for (const int cuda : {0, 1}) {
    Bench bench(false, cuda == 1 ? par::Queue::cuda() : par::Queue::host());
    const auto solver = fdtd::make_solver(model, bench.context, {.kernel = fdtd::Kernel::two_pass});
    // Volts across the junctions: fields of some hundred V/m on edges of 1 mm.
    for (int f = 0; f < 3; ++f)
      solver->set_field(f, [=](Index i, Index j, Index k) { return 700 * noise(3, f, i, j, k); });
    advance(*solver, 30);
    values[cuda] = outcome(*solver).values;
  }
  double worst = 0, scale = 0;
  for (std::size_t n = 0; n < values[0].size(); ++n) {
    scale = std::max(scale, std::abs(values[0][n]));
    worst = std::max(worst, std::abs(values[0][n] - values[1][n]));
  }
  EXPECT_LE(worst, 1e-12 * scale);
}

}  // namespace
}  // namespace terrawave::test
