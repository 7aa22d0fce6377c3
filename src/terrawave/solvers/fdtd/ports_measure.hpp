// Voltages and currents as weighted sums of edge and face values.
#pragma once

#include <array>
#include <map>
#include <utility>
#include <vector>

#include "terrawave/solvers/fdtd/fdtd_case.hpp"

namespace terrawave::fdtd {

// sum of weight * (value of a probe). After step n the sum belongs to the time (n + offset) dt: 0
// for sums of E, -1/2 for sums of H.
struct Combination {
  std::vector<std::pair<int, double>> terms;  // probe, weight
  double offset = 0;
  double value(const double* probes) const {
    double sum = 0;
    for (const auto& [p, w] : terms) sum += w * probes[p];
    return sum;
  }
};

// The probes that combinations need, each once.
class ProbeList {
 public:
  int place(int component, const Cell& node);
  const std::vector<Probe>& probes() const { return probes_; }

 private:
  std::vector<Probe> probes_;
  std::map<std::pair<int, Cell>, int> lookup_;
};

// Potential of the positive end over the negative one, V: -sum E l from end to end.
Combination line_voltage(ProbeList& probes, const domain::YeeGrid& grid, int axis, int sign,
                         const Cell& low, Index high);

// Current along +axis (times sign) through the rectangle of nodes low...high across it, at the
// middle of cell `at` of the axis: the closed sum of H half a cell outside the rectangle. Parts of
// the loop beyond the grid's end are left out (there a magnetic wall makes H zero).
Combination loop_current(ProbeList& probes, const domain::YeeGrid& grid,
                         std::array<bool, 3> periodic, int axis, int sign, const Cell& low,
                         const Cell& high, Index at);

// A port's voltage (mean over its width, weighted by the columns' dual lengths) and its current
// into the device: through the gap, mean over its height; or at the measuring plane around the
// signal conductor, mean of the half cells on both sides.
Combination port_voltage(ProbeList& probes, const domain::YeeGrid& grid,
                         std::array<bool, 3> periodic, const Port& port);
Combination port_current(ProbeList& probes, const domain::YeeGrid& grid,
                         std::array<bool, 3> periodic, const Port& port);

}  // namespace terrawave::fdtd
