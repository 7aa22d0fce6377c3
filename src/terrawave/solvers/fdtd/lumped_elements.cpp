#include "terrawave/solvers/fdtd/lumped_elements.hpp"

#include <cmath>

#include "terrawave/solvers/fdtd/lumped_diode.hpp"

namespace terrawave::fdtd {

std::vector<EdgeId> EdgeBox::edges() const {
  const auto c = std::size_t(component);
  const auto [u, v] = plane_axes(component);
  std::vector<EdgeId> all;
  Cell n = low;
  for (n[std::size_t(v)] = low[std::size_t(v)]; n[std::size_t(v)] <= high[std::size_t(v)];
       ++n[std::size_t(v)])
    for (n[std::size_t(u)] = low[std::size_t(u)]; n[std::size_t(u)] <= high[std::size_t(u)];
         ++n[std::size_t(u)])
      for (n[c] = low[c]; n[c] < high[c]; ++n[c]) all.push_back({component, n});
  return all;
}

double LumpedLoads::length(const EdgeId& e) const {
  return grid_.primary(e.component, e.node[std::size_t(e.component)]);
}

double LumpedLoads::area(const EdgeId& e) const {
  const auto [u, v] = plane_axes(e.component);
  return grid_.dual(u, e.node[std::size_t(u)], periodic_[std::size_t(u)]) *
         grid_.dual(v, e.node[std::size_t(v)], periodic_[std::size_t(v)]);
}

std::vector<LumpedLoads::Share> LumpedLoads::shares(const EdgeBox& box) const {
  const auto c = std::size_t(box.component);
  const double column =
      grid_.line(box.component, box.high[c]) - grid_.line(box.component, box.low[c]);
  std::vector<Share> all;
  double total = 0;
  for (const EdgeId& e : box.edges()) {
    all.push_back({e, length(e), area(e), column, 0});
    if (e.node[c] == box.low[c]) total += all.back().area;
  }
  for (Share& s : all) s.total_area = total;
  return all;
}

void LumpedLoads::resistor(const EdgeBox& box, double ohm) {
  for (const Share& s : shares(box))
    loads_[s.edge].sigma += s.length / (ohm * s.impedance() * s.area);
}

void LumpedLoads::capacitor(const EdgeBox& box, double farad) {
  for (const Share& s : shares(box))
    loads_[s.edge].eps += farad / s.impedance() * s.length / s.area;
}

void LumpedLoads::inductor(const EdgeBox& box, double henry, const std::string& name) {
  for (const Share& s : shares(box)) {
    Load& load = loads_[s.edge];
    const double k = s.length / (henry * s.impedance() * s.area);
    load.stiffness += k;
    // J += dt l/(L A) E^n; the update subtracts b J.
    load.events.push_back({EventKind::inductor, -1, name, [k](double b, double dt) {
                             return std::vector<double>{k * dt, b};
                           }});
  }
}

void LumpedLoads::series_rlc(const EdgeBox& box, double ohm, double henry, double farad,
                             const std::string& name) {
  for (const Share& s : shares(box)) {
    Load& load = loads_[s.edge];
    const double z = s.impedance();
    const double r = ohm * z, l = henry * z;
    const double elastance = std::isinf(farad) ? 0 : z / farad;  // 1/C
    const double length = s.length, area = s.area;
    const auto trapezoidal = [=](double dt) { return l / dt + r / 2 + dt * elastance / 4; };
    load.sigma_of_dt.push_back([=](double dt) { return length / (2 * trapezoidal(dt) * area); });
    load.events.push_back({EventKind::series_rlc, -1, name, [=](double b, double dt) {
                             const double zt = trapezoidal(dt);
                             return std::vector<double>{2 * l / dt, b / (2 * zt * area), length / 2,
                                                        1 / zt, dt * elastance / 2};
                           }});
  }
}

void LumpedLoads::diode(const EdgeBox& box, double saturation, double ideality, double kelvin,
                        const std::string& name) {
  const auto c = std::size_t(box.component);
  const Index middle = (box.low[c] + box.high[c] - 1) / 2;
  for (const Share& s : shares(box)) {
    if (s.edge.node[c] != middle) {
      metal_.push_back(s.edge);
      continue;
    }
    Load& load = loads_[s.edge];
    const double share = saturation * s.area / s.total_area;
    const double l = s.length, area = s.area;
    const int sign = box.sign;
    load.events.push_back({EventKind::diode, -1, name, [=](double b, double) {
                             return diode_coefficients(share, ideality, kelvin, l, area, b, sign);
                           }});
  }
}

void LumpedLoads::voltage_source(const EdgeBox& box, double ohm, int signal,
                                 const std::string& name) {
  if (ohm > 0) resistor(box, ohm);
  for (const Share& s : shares(box)) {
    const double part = s.length / s.column_length;  // V_e = V l_e / sum l
    if (ohm > 0) {
      // Norton: J = +-V_e/(R_e A), subtracted with b.
      const double j = box.sign * part / (ohm * s.impedance() * s.area);
      loads_[s.edge].events.push_back({EventKind::add, signal, name, [j](double b, double) {
                                         return std::vector<double>{-b * j};
                                       }});
    } else {
      const double e = -box.sign * part / s.length;
      loads_[s.edge].events.push_back(
          {EventKind::set, signal, name, [e](double, double) { return std::vector<double>{e}; }});
    }
  }
}

void LumpedLoads::current_source(const EdgeBox& box, int signal, const std::string& name) {
  for (const Share& s : shares(box)) {
    const double j = box.sign / s.total_area;  // I_e/A_e, I_e = I A_e / sum A
    loads_[s.edge].events.push_back({EventKind::add, signal, name, [j](double b, double) {
                                       return std::vector<double>{-b * j};
                                     }});
  }
}

}  // namespace terrawave::fdtd
