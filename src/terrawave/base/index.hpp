// Index types.
#pragma once

#include <cstdint>

namespace terrawave {

// Counts and positions that may pass 2^31: cells of a grid, bytes, steps.
using Index = std::int64_t;
// Positions inside one rank's share of a triangle mesh.
using LocalIndex = std::int32_t;
// Ids that name an entity in the whole domain, whatever the partition.
using GlobalId = std::int64_t;

}  // namespace terrawave
