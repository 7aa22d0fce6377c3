// Numbering of cells and nodes that keeps neighbours close in memory.
#pragma once

#include <cstdint>

#include "terrawave/domain/tri_mesh.hpp"

namespace terrawave::domain {

// Position along a Hilbert curve of order 32 through the square of side 2^32.
std::uint64_t hilbert_position(std::uint32_t x, std::uint32_t y);

// Orders cells along a Hilbert curve through their centroids (ties by present order), nodes by
// first use, boundary edges by their cell, each running counter-clockwise around its cell. Nodes
// without a cell are dropped. original_id moves along. Needs a validated mesh.
void renumber(TriMesh& mesh);

}  // namespace terrawave::domain
