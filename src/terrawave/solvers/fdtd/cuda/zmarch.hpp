// Kernel "zmarch" (CUDA): two to four steps per pass over memory.
//
// A block owns a tile of columns (x, y) and a range of planes z. It marches along z; level t of the
// march works on plane k - t while level 0 loads plane k. Fields of the levels live in registers,
// neighbours in x come from lanes of the same warp, neighbours in y through shared memory. Tiles
// overlap by the number of steps and recompute their rims, so that blocks need not talk; the old
// state is read from one copy and the new one written to another.
#pragma once

#include <memory>

#include "terrawave/par/queue.hpp"
#include "terrawave/solvers/fdtd/fdtd_setup.hpp"

namespace terrawave::fdtd {

// Most steps per pass; registers set it.
inline int zmarch_most_steps(bool single_precision) { return single_precision ? 4 : 2; }

// Steps per pass that run fastest where there is room, and whether the grid is large enough.
int zmarch_steps(bool single_precision);
bool zmarch_pays(const Model& model);

template <class Real>
class Zmarch {
 public:
  // shape >= 0: passes of `steps` steps go to the kernel of march.hpp, in blocks of that shape.
  Zmarch(const par::Queue& queue, const Medium<Real>& medium, const HostClasses& edges,
         const HostClasses& faces, const HostEvents& events, int steps, int shape);
  ~Zmarch();
  Zmarch(const Zmarch&) = delete;
  Zmarch& operator=(const Zmarch&) = delete;

  // `count` = `steps` or 1 steps from `from` to `to`; event states likewise.
  void run(const Medium<Real>& medium, const State<Real>& from, const State<Real>& to,
           const EventTables& events, const double* states_from, double* states_to,
           Index sample_row, Index record_row, int count);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace terrawave::fdtd
