// Donors and receivers of a cell of a TreeView, for kernels.
#pragma once

#include "terrawave/solvers/terrain/tree_steps.hpp"

namespace terrawave::terrain::steps {

// Calls visit(k) for each bit k of a byte, in order.
template <class Visit>
TW_FUNCTION void for_bits(unsigned bits, const Visit& visit) {
  for (int k = 0; bits != 0; ++k, bits >>= 1)
    if ((bits & 1) != 0) visit(k);
}

// Calls visit(donor, length of its step) for the donors of a cell: neighbours in their order, then
// jumps by their roots. The length is 0 where it is not `Measured`.
template <bool Measured, class Visit>
TW_FUNCTION void for_donors(const TreeView& on, Index c, const Visit& visit) {
  for_bits(on.donors[c], [&](int k) {
    const Index d = on.beside(c, k);
    visit(d, Measured ? on.length(d, opposite(k)) : 0.0);
  });
  if ((on.path[c] & TreeView::kLanding) == 0) return;
  for (Index i = on.first_to(c); i < on.by_target.size && on.by_target[i].target == c; ++i)
    visit(Index(on.by_target[i].root), on.by_target[i].length);
}

// The receiver (-1: none) and the length of the step to it.
struct Receiver {
  Index cell;
  double length;
};
template <bool Measured>
TW_FUNCTION Receiver receiver_of(const TreeView& on, Index c) {
  const Direction d = on.direction[c];
  if (d < kNeighbours) return {on.beside(c, d), Measured ? on.length(c, d) : 0.0};
  if (on.by_root.size == 0) return {-1, 0};
  const Index at = on.first_from(c);
  if (at == on.by_root.size || on.by_root[at].root != c) return {-1, 0};
  return {on.by_root[at].target, on.by_root[at].length};
}

// The donor on the same path (-1: none) and the length of its step.
template <bool Measured>
TW_FUNCTION Receiver next_on_path(const TreeView& on, Index c) {
  Receiver up{-1, 0};
  for_donors<Measured>(on, c, [&](Index d, double length) {
    if ((on.path[d] & TreeView::kHead) == 0) up = {d, length};
  });
  return up;
}

}  // namespace terrawave::terrain::steps
