// Accumulation on host threads: cells are finished from the sources down.
#pragma once

#include "terrawave/solvers/terrain/terrain_routing.hpp"

namespace terrawave::terrain::cpu {

// See accumulate. Returns the number of cells finished: less than those with data when the
// directions are cyclic.
template <class V>
Index accumulate(const par::Queue& queue, const Grid& grid, const Receivers& receivers,
                 par::View<const V> weights, par::View<V> out, Combine combine);

}  // namespace terrawave::terrain::cpu
