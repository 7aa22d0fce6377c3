// The complaints about a raw mesh, gathered so that a user sees all at once.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "terrawave/domain/mesh_check.hpp"
#include "terrawave/domain/tri_mesh_topology.hpp"

namespace terrawave::domain {

class MeshFaults {
 public:
  explicit MeshFaults(const RawMesh& raw) : raw_(raw) {}
  MeshFaults(const MeshFaults&) = delete;

  // Each looks for some kinds of error; see check_mesh.
  void find_empty();
  void find_not_finite();
  void find_flat(const std::vector<double>& twice_area);
  // Needs counter-clockwise triangles. `boundary` gets the sides of one triangle only.
  void find_bad_edges(std::vector<std::uint32_t>& boundary);
  void find_coincident(const std::vector<std::uint32_t>& boundary);
  void find_hanging(const std::vector<std::uint32_t>& boundary);

  bool any() const { return !lines_.empty(); }
  void raise() const;  // throws InputError when any()

  // How messages name things: "node 7 at (0.5, 1)", "triangle 3 at (2, 1)".
  std::string node(LocalIndex n) const;
  std::string cell(LocalIndex c) const;
  std::string line(std::size_t l) const;

 private:
  // One kind of error: its first few offenders in words, and how many there are.
  struct Offenders {
    std::vector<std::string> first;
    Index count = 0;
    void add(const std::function<std::string()>& words) {
      if (++count <= shown) first.push_back(words());
    }
  };
  static constexpr Index shown = 5;
  // "{one}" or "{count} {many}", then the offenders, then what to do.
  void report(const Offenders& found, const std::string& one, const std::string& many,
              const std::string& advice);

  const RawMesh& raw_;
  std::vector<std::string> lines_;
};

// Twice the area of each triangle, positive where counter-clockwise; exactly 0 where it is below
// 1e-12 of its longest edge squared (coordinates cannot tell it from a line).
std::vector<double> twice_areas(const RawMesh& raw);

}  // namespace terrawave::domain
