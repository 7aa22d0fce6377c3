// Speed of the slides' kernels, in the terms of their table: cells times steps per second.
#include <algorithm>
#include <chrono>

#include "terrawave/solvers/fdtd/fdtd_bench.hpp"
#include "terrawave/solvers/fdtd/slides_kernels.hpp"

namespace terrawave::fdtd {
namespace {

template <class Real>
void measure(BenchResult& r, const par::Queue& queue, double seconds) {
  SlidesSolver<Real> solver(queue, bench_model(r.what));
  for (const int c : {1, 2, 4})
    solver.set_field(c, [c](Index i, Index j, Index k) {
      return double((i * 7 + j * 13 + k * 29 + c) % 17 - 8) * (c < 3 ? 1.0 : 0.003);
    });
  const auto mapping = r.what.slides_xyz ? SlidesMapping::xyz : SlidesMapping::xy;
  const auto timed = [&](std::int64_t steps) {
    queue.synchronize();
    const auto begin = std::chrono::steady_clock::now();
    for (std::int64_t n = 0; n < steps; ++n) solver.step(mapping);
    queue.synchronize();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  timed(12);
  const double once = timed(24) / 24;
  r.steps = std::clamp<std::int64_t>(std::int64_t(seconds / once), 24, 240000);
  r.seconds = timed(r.steps);
  r.bytes_per_cell_step = SlidesSolver<Real>::bytes_per_cell;
}

}  // namespace

BenchResult run_slides_bench(const BenchCase& what, sim::Context& context, double seconds,
                             double bandwidth) {
  BenchResult r;
  r.what = what;
  r.kernel = what.slides_xyz ? "slides_xyz" : "slides_xy";
  r.steps_per_pass = 1;
  try {
    if (what.single_precision)
      measure<float>(r, context.queue, seconds);
    else
      measure<double>(r, context.queue, seconds);
    const double cells = double(what.cells[0]) * double(what.cells[1]) * double(what.cells[2]);
    r.cell_steps_per_second = cells * double(r.steps) / r.seconds;
    if (bandwidth > 0)
      r.bandwidth_share = r.cell_steps_per_second * r.bytes_per_cell_step / bandwidth;
  } catch (const std::exception& e) {
    r.error = e.what();
  }
  return r;
}

}  // namespace terrawave::fdtd
