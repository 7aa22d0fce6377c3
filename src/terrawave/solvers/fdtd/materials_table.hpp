// Materials of cells, their means on edges and faces, and the table of distinct ones.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace terrawave::fdtd {

// What fills a cell.
struct Material {
  std::string name;
  double eps_r = 1;
  double sigma = 0;  // electric conductivity, S/m
  double mu_r = 1;
  double sigma_m = 0;  // magnetic conductivity, ohm/m
  bool pec = false;
};

// What one edge (permittivity in F/m, conductivity in S/m) or one face (permeability in H/m,
// magnetic conductivity in ohm/m) sees.
struct Filling {
  double storage = 0;
  double loss = 0;
  bool operator==(const Filling&) const = default;
  bool operator<(const Filling& o) const {
    return storage != o.storage ? storage < o.storage : loss < o.loss;
  }
};

// Area-weighted arithmetic mean of the four cells around an edge.
Filling edge_mean(const Material* const cells[4], const double areas[4]);
// Series mean of the two cells along a face's normal; lengths are their half lengths.
Filling face_mean(const Material* const cells[2], const double lengths[2]);

// Distinct fillings in order of first use; entry 0 is reserved for a perfect conductor.
class FillingTable {
 public:
  FillingTable() : entries_(1) {}
  std::uint32_t index(const Filling& f);       // numbers it where it is new
  std::uint32_t find(const Filling& f) const;  // LogicError where it was never numbered
  static constexpr std::uint32_t kMetal = 0;
  const std::vector<Filling>& entries() const { return entries_; }

 private:
  std::vector<Filling> entries_;
  std::map<Filling, std::uint32_t> lookup_;
};

}  // namespace terrawave::fdtd
