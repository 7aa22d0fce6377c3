// Kernel "zmarch" (CUDA): two to four steps per pass over memory, by one of two kernels. In single
// precision, with faces of one class without loss and up to 256 classes of edges, passes go to the
// kernel of march.hpp; here is the first one, which runs everything else
// (docs/decisions/0026-fdtd-kernels.md).
//
// A block owns a tile of columns (x, y) and a range of planes z. It marches along z; level t of the
// march works on plane k - t while level 0 loads plane k. Fields of the levels live in registers,
// neighbours in x come from lanes of the same warp, neighbours in y through shared memory. Tiles
// overlap by the number of steps and recompute their rims, so that blocks need not talk; the old
// state is read from one copy and the new one written to another.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "terrawave/par/queue.hpp"
#include "terrawave/solvers/fdtd/fdtd_core.hpp"
#include "terrawave/solvers/fdtd/fdtd_setup.hpp"

namespace terrawave::fdtd {

// Most steps per pass; registers set it.
inline int zmarch_most_steps(bool single_precision) { return single_precision ? 4 : 2; }

// Steps per pass that run fastest where there is room, by what is known of a model before its
// classes are (thin_layered: march_steps); and whether the grid is large enough for a kernel:
// `marches`: that of march.hpp.
int zmarch_steps(bool single_precision, bool thin_layered = false, bool magnetic = false);
bool zmarch_pays(const Model& model, bool marches);
// Whether passes of so many steps in single precision go to the kernel of march.hpp.
bool zmarch_marches(const HostClasses& edges, const HostClasses& faces, int steps);

template <class Real>
class Zmarch {
 public:
  // `overlap`: the brick whose ghosts travel while the core is run. shape >= 0: blocks of that
  // shape, of march_shapes(), where the kernel of march.hpp runs.
  Zmarch(const par::Queue& queue, const Medium<Real>& medium, const HostClasses& edges,
         const HostClasses& faces, const HostEvents& events, int steps, int shape,
         const std::optional<Brick>& overlap);
  ~Zmarch();
  Zmarch(const Zmarch&) = delete;
  Zmarch& operator=(const Zmarch&) = delete;

  // `count` = `steps` or 1 steps from `from` to `to`; event states likewise. The core is the tiles
  // that read no ghosts.
  void run(const Medium<Real>& medium, const State<Real>& from, const State<Real>& to,
           const EventTables& events, const double* states_from, double* states_to,
           Index sample_row, Index record_row, int count, Part part);

  // The kernel of a whole pass, for people: "12 warps of 2 rows, rim 4".
  std::string description() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace terrawave::fdtd
