// Lumped elements and sources across boxes of edges: what each edge of the box gets.
//
// A box of edges is N_ser in a row between two conductors and N_par columns side by side. An
// element of impedance Z over the whole box becomes Z_e = Z (sum A / A_e) (l_e / sum l) on each
// edge, with A the dual areas of the columns and l the lengths of the edges: equal voltages in
// parallel, equal currents in series. (Elsherbeni and Demir, ch. 4, generalised to graded grids.)
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "terrawave/solvers/fdtd/fdtd_model.hpp"
#include "terrawave/solvers/fdtd/geometry_objects.hpp"

namespace terrawave::fdtd {

// An edge by component and start node.
struct EdgeId {
  int component = 0;
  Cell node{};
  auto operator<=>(const EdgeId&) const = default;
};

// The edges of `component` between the nodes low and high (inclusive across, so low == high across
// is one column). `sign` +1: the positive end is at high.
struct EdgeBox {
  int component = 2;
  int sign = 1;
  Cell low{};
  Cell high{};
  Index in_row() const { return high[std::size_t(component)] - low[std::size_t(component)]; }
  std::vector<EdgeId> edges() const;  // column by column, each from low to high
};

// Collects what acts on single edges, before the materials under them are known.
class LumpedLoads {
 public:
  // What one edge gets. Coefficients depend on dt and on b of edge_update(), so events are made at
  // the end.
  struct Load {
    double sigma = 0;                                           // S/m
    double eps = 0;                                             // F/m
    std::vector<std::function<double(double dt)>> sigma_of_dt;  // S/m, more of it
    struct Pending {
      EventKind kind;
      int signal;
      std::string name;
      std::function<std::vector<double>(double b, double dt)> coefficients;
    };
    std::vector<Pending> events;
    double stiffness = 0;  // F/(m s^2): l/(L A), raises the highest frequency of the grid
  };

  LumpedLoads(const domain::YeeGrid& grid, std::array<bool, 3> periodic)
      : grid_(grid), periodic_(periodic) {}

  void resistor(const EdgeBox& box, double ohm);
  void capacitor(const EdgeBox& box, double farad);
  void inductor(const EdgeBox& box, double henry, const std::string& name);
  // farad = +inf: no capacitor; henry = 0: no inductor.
  void series_rlc(const EdgeBox& box, double ohm, double henry, double farad,
                  const std::string& name);
  // I = I0 (exp(q V/(n k T)) - 1) from the positive direction's tail to its head. The junction sits
  // on the middle edge of each column, the column's other edges are metal.
  void diode(const EdgeBox& box, double saturation, double ideality, double kelvin,
             const std::string& name);
  // The signal is the open-circuit voltage; ohm = 0 forces the voltage on every edge.
  void voltage_source(const EdgeBox& box, double ohm, int signal, const std::string& name);
  void current_source(const EdgeBox& box, int signal, const std::string& name);

  const std::map<EdgeId, Load>& loads() const { return loads_; }
  const std::vector<EdgeId>& metal() const { return metal_; }

  double length(const EdgeId& e) const;
  double area(const EdgeId& e) const;  // dual

 private:
  struct Share {
    EdgeId edge;
    double length, area;   // of the edge
    double column_length;  // of its column
    double total_area;     // of all columns
    // Impedance on this edge over that of the whole box.
    double impedance() const { return total_area / area * (length / column_length); }
  };
  std::vector<Share> shares(const EdgeBox& box) const;

  const domain::YeeGrid& grid_;
  std::array<bool, 3> periodic_;
  std::map<EdgeId, Load> loads_;
  std::vector<EdgeId> metal_;
};

}  // namespace terrawave::fdtd
