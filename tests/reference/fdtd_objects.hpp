// Objects of every kind on a small graded grid, and surveys of them.
#pragma once

#include "reference/fdtd_app_board.hpp"
#include "terrawave/solvers/fdtd/fdtd_case.hpp"

namespace terrawave::test {

inline fdtd::Setup objects_setup(bool periodic) {
  std::string text = kBoard;
  text.erase(text.find("[[port]]"));
  text += R"(
[[material]]
name = "core"
eps_r = 4
mu_r = 3
sigma = 0.1
[[object]]
name = "ball"
kind = "sphere"
material = "core"
centre = ["9 mm", "11 mm", "3.2 mm"]
radius = "2.4 mm"
[[object]]
name = "rod"
kind = "cylinder"
material = "pec"
from = ["3.2 mm", "2 mm", "1 mm"]
to = ["3.2 mm", "17 mm", "5.2 mm"]
radius = "1.3 mm"
clip = true
[[object]]
name = "disc"
kind = "disc"
material = "pec"
centre = ["12 mm", "8 mm", "5 mm"]
radius = "3 mm"
[[object]]
name = "hole"
kind = "plate"
material = "vacuum"
from = ["11 mm", "7 mm", "5 mm"]
to = ["13 mm", "9 mm", "5 mm"]
[[object]]
name = "wire"
kind = "box"
material = "pec"
from = ["14 mm", "3 mm", "0.9 mm"]
to = ["14 mm", "3 mm", "5.1 mm"]
)";
  if (periodic)
    text += R"(
[[boundary]]
faces = ["z-", "z+", "x-", "x+"]
kind = "periodic"
)";
  return fdtd::read_setup(config::parse(text, "case.toml", fdtd::fdtd_schema()));
}

inline fdtd::Canvas canvas_of(const fdtd::Setup& s, Index limit) {
  return {s.lines, s.objects, s.materials, s.periodic(), limit};
}

inline bool same(const fdtd::Survey& a, const fdtd::Survey& b) {
  if (a.reports.size() != b.reports.size() || a.edges != b.edges || a.faces != b.faces ||
      a.cells != b.cells || a.largest_cell != b.largest_cell)
    return false;
  for (std::size_t n = 0; n < a.reports.size(); ++n) {
    const auto &x = a.reports[n], &y = b.reports[n];
    if (x.cells_covered != y.cells_covered || x.cells_owned != y.cells_owned ||
        x.edges_owned != y.edges_owned || x.flat != y.flat || x.became.low != y.became.low ||
        x.became.high != y.became.high || x.snapped != y.snapped)
      return false;
  }
  return true;
}

}  // namespace terrawave::test
