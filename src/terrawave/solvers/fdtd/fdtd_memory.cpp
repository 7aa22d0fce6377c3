#include <algorithm>

#include "terrawave/solvers/fdtd/fdtd_solver.hpp"

namespace terrawave::fdtd {

double estimate_bytes(const std::array<Index, 3>& cells, const std::array<Boundary, 6>& boundary,
                      const std::array<Cpml, 6>& cpml, bool single_precision, bool cuda,
                      int ranks) {
  const double real = single_precision ? 4 : 8;
  const double entries =
      double(cells[0] + 2 * kChunk) * double(cells[1] + 16) * double(cells[2] + 16);
  double psi = 0;
  for (std::size_t face = 0; face < 6; ++face)
    if (boundary[face] == Boundary::cpml) {
      const double layers =
          double(face < 2 ? (cpml[face].layers / kChunk + 2) * kChunk : Index(cpml[face].layers));
      psi += 4 * layers * entries / double(cells[face / 2]);
    }
  const double copies = cuda ? 2 : 1;  // the z-marching kernel reads one copy and writes another
  return (copies * (6 * entries + psi) * real + 2 * entries) / std::max(ranks, 1);
}

}  // namespace terrawave::fdtd
