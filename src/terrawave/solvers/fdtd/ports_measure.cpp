#include "terrawave/solvers/fdtd/ports_measure.hpp"

namespace terrawave::fdtd {

int ProbeList::place(int component, const Cell& node) {
  const auto [at, fresh] = lookup_.try_emplace({component, node}, int(probes_.size()));
  if (fresh) probes_.push_back({node, component});
  return at->second;
}

Combination line_voltage(ProbeList& probes, const domain::YeeGrid& grid, int axis, int sign,
                         const Cell& low, Index high) {
  Combination c;
  Cell n = low;
  for (Index& k = n[std::size_t(axis)]; k < high; ++k)
    c.terms.emplace_back(probes.place(axis, n), -sign * grid.primary(axis, k));
  return c;
}

Combination loop_current(ProbeList& probes, const domain::YeeGrid& grid,
                         std::array<bool, 3> periodic, int axis, int sign, const Cell& low,
                         const Cell& high, Index at) {
  // With (u, v) following the axis cyclically: I = sum_u (Hu below - Hu above) du
  //                                              + sum_v (Hv right - Hv left) dv.
  const int u = (axis + 1) % 3, v = (axis + 2) % 3;
  const auto au = std::size_t(u), av = std::size_t(v);
  Combination c;
  c.offset = -0.5;
  const auto add = [&](int component, Cell n, double weight) {
    const auto across = std::size_t(component == u ? v : u);
    const Index cells = grid.cells(int(across));
    if (n[across] < 0 || n[across] >= cells) {
      if (!periodic[across]) return;
      n[across] = (n[across] + cells) % cells;
    }
    n[std::size_t(axis)] = at;
    c.terms.emplace_back(probes.place(3 + component, n), sign * weight);
  };
  for (Index i = low[au]; i <= high[au]; ++i) {
    const double d = grid.dual(u, i, periodic[au]);
    Cell n{};
    n[au] = i;
    n[av] = low[av] - 1;
    add(u, n, d);
    n[av] = high[av];
    add(u, n, -d);
  }
  for (Index j = low[av]; j <= high[av]; ++j) {
    const double d = grid.dual(v, j, periodic[av]);
    Cell n{};
    n[av] = j;
    n[au] = high[au];
    add(v, n, d);
    n[au] = low[au] - 1;
    add(v, n, -d);
  }
  return c;
}

namespace {

void add_scaled(Combination& sum, const Combination& part, double factor) {
  sum.offset = part.offset;
  for (const auto& [p, w] : part.terms) {
    bool found = false;
    for (auto& [q, total] : sum.terms)
      if (q == p) {
        total += factor * w;
        found = true;
      }
    if (!found) sum.terms.emplace_back(p, factor * w);
  }
}

}  // namespace

Combination port_voltage(ProbeList& probes, const domain::YeeGrid& grid,
                         std::array<bool, 3> periodic, const Port& port) {
  const EdgeBox& g = port.gap;
  const auto [u, v] = plane_axes(g.component);
  const auto au = std::size_t(u), av = std::size_t(v);
  Cell low = g.low, high = g.high;
  if (port.plane) {
    const auto l = std::size_t(port.plane->axis);
    low[l] = high[l] = port.plane->node;
  }
  double total = 0;
  for (Index i = low[au]; i <= high[au]; ++i)
    for (Index j = low[av]; j <= high[av]; ++j)
      total += grid.dual(u, i, periodic[au]) * grid.dual(v, j, periodic[av]);
  Combination c;
  Cell n = low;
  for (n[au] = low[au]; n[au] <= high[au]; ++n[au])
    for (n[av] = low[av]; n[av] <= high[av]; ++n[av]) {
      const double w = grid.dual(u, n[au], periodic[au]) * grid.dual(v, n[av], periodic[av]);
      add_scaled(c,
                 line_voltage(probes, grid, g.component, g.sign, n, high[std::size_t(g.component)]),
                 w / total);
    }
  return c;
}

Combination port_current(ProbeList& probes, const domain::YeeGrid& grid,
                         std::array<bool, 3> periodic, const Port& port) {
  const EdgeBox& g = port.gap;
  Combination c;
  if (!port.plane) {
    const auto a = std::size_t(g.component);
    for (Index k = g.low[a]; k < g.high[a]; ++k)
      add_scaled(c, loop_current(probes, grid, periodic, g.component, g.sign, g.low, g.high, k),
                 1.0 / double(g.in_row()));
    return c;
  }
  // Around the signal conductor, a sheet or the skin of a body at the gap's positive end.
  const auto a = std::size_t(g.component);
  Cell low = g.low, high = g.high;
  low[a] = high[a] = g.sign > 0 ? g.high[a] : g.low[a];
  for (const Index at : {port.plane->node - 1, port.plane->node})
    add_scaled(
        c, loop_current(probes, grid, periodic, port.plane->axis, port.plane->sign, low, high, at),
        0.5);
  return c;
}

}  // namespace terrawave::fdtd
