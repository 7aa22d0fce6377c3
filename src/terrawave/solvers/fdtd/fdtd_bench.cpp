#include "terrawave/solvers/fdtd/fdtd_bench.hpp"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "terrawave/solvers/fdtd/fdtd_options.hpp"

namespace terrawave::fdtd {

Model bench_model(const BenchCase& what) {
  Model m;
  m.grid = domain::YeeGrid::uniform(what.cells, {1e-3, 1e-3, 1e-3});
  if (what.cpml) m.boundary.fill(Boundary::cpml);
  for (int n = 1; n < what.materials; ++n)
    m.edge_materials.push_back({kEps0 * (1 + n), 0.01 * n, false});
  if (what.materials > 1) {
    // Blocks a third of the domain wide, one material each, in its middle.
    const auto cells = what.cells;
    const int materials = what.materials;
    m.fill_edges = [cells, materials](int, const Box& b, std::span<std::uint16_t> ids) {
      std::size_t n = 0;
      for (Index k = b.low[2]; k < b.high[2]; ++k)
        for (Index j = b.low[1]; j < b.high[1]; ++j)
          for (Index i = b.low[0]; i < b.high[0]; ++i) {
            const bool inside = j > cells[1] / 4 && j < 3 * cells[1] / 4 && k > cells[2] / 4 &&
                                k < 3 * cells[2] / 4;
            ids[n++] = inside ? std::uint16_t(1 + i * materials / (cells[0] + 1)) : 1;
          }
    };
  }
  m.dt = 0.99 * time_step_limit(m);
  return m;
}

std::vector<BenchCase> bench_cases(bool cuda) {
  std::vector<BenchCase> all;
  const auto add = [&](std::string name, std::array<Index, 3> cells, bool cpml, int materials,
                       Kernel kernel, int steps) {
    all.push_back({std::move(name), cells, cpml, materials, true, kernel, steps});
  };
  const std::array<Index, 3> slides{228, 228, 43};
  // The slides' own kernels, and two passes on the same walls beside them.
  const auto add_slides = [&] {
    const std::string name = "228x228x43, PEC (slides)";
    add(name, slides, false, 3, Kernel::two_pass, 0);
    add(name, slides, false, 3, Kernel::two_pass, 0);
    all.back().slides_xyz = true;
    add(name, slides, false, 3, Kernel::two_pass, 0);
    all.back().slides_xy = true;
  };
  if (!cuda) {
    const std::array<Index, 3> n{256, 256, 256};
    for (const Kernel k : {Kernel::two_pass, Kernel::wavefront}) {
      add("256^3, three materials, PEC", n, false, 3, k, 0);
      add("256^3, three materials, CPML", n, true, 3, k, 0);
    }
    add("228x228x43, CPML (slides)", slides, true, 3, Kernel::wavefront, 0);
    add_slides();
    return all;
  }
  const std::array<Index, 3> n{512, 512, 512};
  for (const int t : {-1, 0, 2, 3, 4}) {
    const Kernel k = t < 0 ? Kernel::automatic : (t == 0 ? Kernel::two_pass : Kernel::zmarch);
    const int steps = std::max(t, 0);
    add("512^3, vacuum, PEC", n, false, 1, k, steps);
    add("512^3, three materials, CPML", n, true, 3, k, steps);
    add("512^3, vacuum, CPML", n, true, 1, k, steps);
    add("228x228x43, CPML (slides)", slides, true, 3, k, steps);
  }
  add_slides();
  for (const Index size : {64, 128, 256, 384, 640})
    for (const Kernel k : {Kernel::two_pass, Kernel::zmarch})
      add(fmt::format("{0}^3, vacuum, PEC", size), {size, size, size}, false, 1, k, 0);
  for (const int t : {0, 2}) {
    add("384^3, vacuum, PEC, double", {384, 384, 384}, false, 1,
        t == 0 ? Kernel::two_pass : Kernel::zmarch, t);
    all.back().single_precision = false;
  }
  return all;
}

BenchResult run_bench(const BenchCase& what, sim::Context& context, double seconds,
                      double bandwidth) {
  if (what.slides_xyz || what.slides_xy) return run_slides_bench(what, context, seconds, bandwidth);
  BenchResult r;
  r.what = what;
  sim::Context mine = context;
  mine.single_precision = what.single_precision;
  try {
    const Model model = bench_model(what);
    const Options options = resolve_options({what.kernel, what.steps_per_pass, {}}, model, mine);
    r.steps_per_pass = options.steps_per_pass;
    const auto solver = make_solver(model, mine, options);
    r.kernel = kernel_name(solver->kernel());
    r.shape = solver->kernel_description();
    r.steps_per_pass = solver->steps_per_pass();
    for (const int c : {1, 2, 4})
      solver->set_field(c, [c, n = what.cells](Index i, Index j, Index k) {
        const bool wall = i % n[0] == 0 || j % n[1] == 0 || k % n[2] == 0;
        return wall ? 0 : double((i * 7 + j * 13 + k * 29 + c) % 17 - 8) * (c < 3 ? 1.0 : 0.003);
      });
    const double dt = solver->max_dt();
    const auto timed = [&](std::int64_t steps) {
      context.queue.synchronize();
      const auto begin = std::chrono::steady_clock::now();
      for (std::int64_t n = 0; n < steps;) n += solver->steps(0, dt, steps - n);
      context.queue.synchronize();
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    };
    timed(12);
    const double once = timed(24) / 24;
    r.steps = std::clamp<std::int64_t>(std::int64_t(seconds / once) / 24 * 24, 24, 240000);
    r.seconds = timed(r.steps);
    const double cells = double(what.cells[0]) * double(what.cells[1]) * double(what.cells[2]);
    r.cell_steps_per_second = cells * double(r.steps) / r.seconds;
    r.bytes_per_cell_step = solver->work().bytes_per_cell;
    r.bandwidth_share =
        bandwidth > 0 ? r.cell_steps_per_second * r.bytes_per_cell_step / bandwidth : 0;
  } catch (const std::exception& e) {
    r.error = e.what();
  }
  return r;
}

std::string bench_json(const std::vector<BenchResult>& results) {
  std::string out = "[\n";
  for (const BenchResult& r : results) {
    out += fmt::format(
        "  {{\"case\": \"{}\", \"cells\": [{}, {}, {}], \"cpml\": {}, \"materials\": {}, "
        "\"precision\": \"{}\", \"kernel\": \"{}\", \"shape\": \"{}\", \"steps_per_pass\": {}, "
        "\"steps\": {}, "
        "\"seconds\": {:.6g}, \"gcell_steps_per_second\": {:.6g}, \"bytes_per_cell_step\": {:.4g}, "
        "\"share_of_measured_bandwidth\": {:.4g}, \"ok\": {}}}{}\n",
        r.what.name, r.what.cells[0], r.what.cells[1], r.what.cells[2], r.what.cpml,
        r.what.materials, r.what.single_precision ? "single" : "double", r.kernel, r.shape,
        r.steps_per_pass, r.steps, r.seconds, r.cell_steps_per_second * 1e-9, r.bytes_per_cell_step,
        r.bandwidth_share, r.error.empty(), &r == &results.back() ? "" : ",");
  }
  return out + "]\n";
}

std::string bench_row(const BenchResult& r) {
  if (!r.error.empty()) return fmt::format("{:36} {}", r.what.name, r.error);
  if (r.what.slides_xyz || r.what.slides_xy)  // in the unit of the slides' table
    return fmt::format("{:36} {:10} {:9.1f} Mcells/s {:6.1f} B/cell-step {:5.1f} % of copy",
                       r.what.name, r.kernel, r.cell_steps_per_second * 1e-6, r.bytes_per_cell_step,
                       100 * r.bandwidth_share);
  std::string row =
      fmt::format("{:36} {:10} T={} {:9.3f} Gcell-steps/s {:6.1f} B/cell-step {:5.1f} % of copy",
                  r.what.name, r.kernel, r.steps_per_pass, r.cell_steps_per_second * 1e-9,
                  r.bytes_per_cell_step, 100 * r.bandwidth_share);
  // The run that the slides measured.
  if (r.what.cells == std::array<Index, 3>{228, 228, 43} && r.what.cpml)
    row += fmt::format("; 50 000 steps in {:.2f} s", 50000 * r.seconds / double(r.steps));
  if (!r.shape.empty()) row += "; " + r.shape;
  return row;
}

}  // namespace terrawave::fdtd
