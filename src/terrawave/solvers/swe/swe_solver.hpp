// The two-layer shallow water solver: one rank's state, and the order of a step.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "terrawave/domain/tri_mesh.hpp"
#include "terrawave/sim/context.hpp"
#include "terrawave/sim/solver.hpp"

namespace terrawave::swe {

enum class BoundaryKind { wall, outflow };

// How a step evaluates its edges; the bits are the same.
//   edges      every edge once, stored, then gathered by the cells
//   cells      no edge is stored: on a GPU every cell evaluates its three edges itself; on the host
//              blocks of cells evaluate theirs once, in cache
//   automatic  what measured faster: edges on a GPU, but cells for small meshes and on the host
enum class Method { automatic, edges, cells };

struct Parameters {
  double g = 9.81;              // m/s^2
  double density_ratio = 0.98;  // rho1 / rho2, in [0, 1)
  double cfl = 0.9;             // share of the largest stable step, in (0, 1]
  Method method = Method::automatic;
};

// Values of this rank's owned cells, in the order of LocalTriMesh: depths (m), discharges (m^2/s),
// and the depth of the bottom below the datum (m; negative on land).
struct CellFields {
  std::vector<double> h1, q1x, q1y, h2, q2x, q2y, bottom;
  explicit CellFields(std::size_t cells = 0)
      : h1(cells), q1x(cells), q1y(cells), h2(cells), q2x(cells), q2y(cells), bottom(cells) {}
};

// Sets bottom and depths from levels of the surface and of the interface above the datum (m), each
// moved to a multiple of a power of two so small that depths of the largest size keep every bit,
// and so large that h1 + h2 - bottom is exact in the precision of the run: then equal levels are
// equal to the bit, and a lake at rest stays so. `largest` is the greatest level, depth or |bottom|
// over all ranks.
void set_levels(CellFields& fields, const std::vector<double>& eta1,
                const std::vector<double>& eta2, const std::vector<double>& bottom, double largest,
                bool single_precision);

// State of one cell; units as in CellFields.
struct CellValues {
  double h1 = 0, q1x = 0, q1y = 0, h2 = 0, q2x = 0, q2y = 0, bottom = 0;
};

class SweSolver : public sim::Solver {
 public:
  // Keeps an object alive at least as long as the solver: the mesh that outputs refer to.
  void keep(std::shared_ptr<const void> object) { kept_ = std::move(object); }
  // Owned cells' values of a state or derived field, for outputs:
  // h1 h2 q1x q1y q2x q2y bottom eta1 eta2 u1x u1y u2x u2y
  virtual std::vector<double> values(std::string_view field) = 0;
  // The same for one owned cell, by its position in ids(): seven small transfers.
  virtual CellValues cell(Index owned) = 0;
  // Global ids of the owned cells.
  virtual const std::vector<GlobalId>& ids() const = 0;
  virtual Index global_cells() const = 0;
  // `n` steps of the largest stable size with the step kept on the device; returns the time passed.
  virtual double advance(std::int64_t n) = 0;

 private:
  std::shared_ptr<const void> kept_;
};

// Every value of `mine` at its global place, on the root; empty elsewhere. Collective.
std::vector<double> gather_cells(comm::Comm& comm, const std::vector<GlobalId>& ids,
                                 const std::vector<double>& mine, Index global_cells);

// `kinds` holds one entry per boundary group of the mesh. The context must outlive the solver.
std::unique_ptr<SweSolver> make_solver(sim::Context& context, const domain::LocalTriMesh& mesh,
                                       Index global_cells, const std::vector<BoundaryKind>& kinds,
                                       const Parameters& parameters, const CellFields& initial);

}  // namespace terrawave::swe
