// Packing of boxes of entries for the exchange of ghosts.
#pragma once

#include "terrawave/par/exec.hpp"
#include "terrawave/solvers/fdtd/fdtd_cells.hpp"

namespace terrawave::fdtd {

// A box of entries of up to six arrays that share a position function: fields (axis < 0) or the
// four psi arrays of an axis. Arrays follow one another in the message, each with x fastest.
template <class Real>
struct PackedBox {
  Layout layout{};
  Slab slab{};
  int axis = -1;
  int arrays = 0;
  Real* array[6] = {};
  Index low[3] = {};
  Index size[3] = {};
  Index count() const { return size[0] * size[1] * size[2] * arrays; }
};

// Copies the box's entries to (or from) `message`. Unpacking skips psi that the rank does not keep.
template <class Exec, class Real>
void pack_box(const Exec& exec, const PackedBox<Real>& box, par::View<Real> message);
template <class Exec, class Real>
void unpack_box(const Exec& exec, const PackedBox<Real>& box, par::View<const Real> message);

}  // namespace terrawave::fdtd
