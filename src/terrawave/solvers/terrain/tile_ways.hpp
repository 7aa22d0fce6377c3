// How the basins inside a tile are left, as host code and kernels see it.
#pragma once

#include <cstdint>

namespace terrawave::terrain {

// How an inner basin drains until it is drained otherwise: through the pass from cell `from` (in
// the basin) by direction `dir`, to the inner basin of the pit `to`, or (-1) to one that is not.
struct InnerWay {
  std::int32_t pit = 0;  // the basin's pit; positions inside the tile
  std::int32_t from = 0;
  std::int32_t to = -1;
  std::int32_t across = 0;  // the cell on the other side
  std::int32_t dir = 0;
};

}  // namespace terrawave::terrain
