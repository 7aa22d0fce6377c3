// Running Fourier sums by their definition, on the host, for comparison bit by bit.
#pragma once

#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include "reference/fdtd_models.hpp"
#include "terrawave/solvers/fdtd/dft_monitor.hpp"

namespace terrawave::test {

inline fdtd::DftCase dft_case(const fdtd::Model& model, const fdtd::Cell& low,
                              const fdtd::Cell& high) {
  fdtd::DftCase c;
  c.name = "box";
  c.low = low;
  c.high = high;
  c.frequencies = {0.01 / model.dt, 0.037 / model.dt, 0.11 / model.dt};
  c.magnetic = true;
  c.every = 2;
  return c;
}

// Sums of all components of a run, component by component, as gather() orders them.
struct DftSums {
  std::vector<double> values;
};

// Runs `steps` steps of a solver with a monitor and returns what it gathered (on the root).
inline DftSums monitored(fdtd::FdtdSolver& solver, const par::Queue& queue, comm::Comm& comm,
                         const fdtd::DftCase& c, std::int64_t steps) {
  fdtd::DftMonitor monitor(c, solver.model(), 0);
  for (std::int64_t n = 0; n < steps; ++n) {
    advance(solver, 1);
    monitor.add(queue, solver, solver.step_count());
  }
  DftSums sums;
  for (int component = 0; component < 6; ++component)
    for (const auto& v : monitor.gather(comm, component)) {
      sums.values.push_back(v.real());
      sums.values.push_back(v.imag());
    }
  return sums;
}

// The same from the fields of one rank.
inline DftSums summed(fdtd::FdtdSolver& solver, const fdtd::DftCase& c, std::int64_t steps) {
  const double dt = solver.model().dt;
  fdtd::Box box, found;
  for (std::size_t a = 0; a < 3; ++a) {
    box.low[a] = c.low[a];
    box.high[a] = std::min(c.high[a] + 1, solver.model().extent(int(a)));
  }
  const auto n = std::size_t(box.count());
  std::vector<double> sums(6 * c.frequencies.size() * n * 2, 0.0);
  for (std::int64_t step = 1; step <= steps; ++step) {
    advance(solver, 1);
    if (step % c.every != 0) continue;
    for (std::size_t component = 0; component < 6; ++component) {
      const auto v = solver.owned_values(int(component), box, found);
      for (std::size_t f = 0; f < c.frequencies.size(); ++f) {
        const double t = (double(step) - (component >= 3 ? 0.5 : 0)) * dt;
        const auto phase = std::polar(double(c.every) * dt,
                                      -2 * std::numbers::pi * std::fmod(c.frequencies[f] * t, 1.0));
        double* sum = sums.data() + 2 * (component * c.frequencies.size() + f) * n;
        for (std::size_t i = 0; i < n; ++i) {
          sum[2 * i] += v[i] * phase.real();
          sum[2 * i + 1] += v[i] * phase.imag();
        }
      }
    }
  }
  return {sums};
}

}  // namespace terrawave::test
