// D-infinity angles that another program wrote (or `terrain flow --dinf`).
#pragma once

#include <vector>

#include "terrawave/domain/raster.hpp"
#include "terrawave/par/queue.hpp"
#include "terrawave/solvers/terrain/codec_fractions.hpp"

namespace terrawave::terrain {

// From the cells of a window around it: a ring wide, cut off at the edges of the map; `grid` is
// that window's. Angles are counted counter-clockwise from east in radians, 0 to 2 pi; -1 flows
// nowhere, NaN and the map's nodata value are nodata; there are no others. In single precision
// shares below 1e-6 are none.
DecodedShares decode_angles(const par::Queue& queue, const domain::Cells& cells,
                            const domain::RasterInfo& map, const Grid& grid,
                            const domain::Window& around, const domain::Window& inside);

// The first value in a window that is none of these.
struct StrangeAngle {
  Index cell = -1;  // linear index in the map; -1: none
  double value = 0;
};
StrangeAngle strange_angle(const domain::Cells& cells, const domain::RasterInfo& map,
                           const domain::Window& window);
[[noreturn]] void refuse_angle(const domain::RasterInfo& map, const StrangeAngle& strange);

}  // namespace terrawave::terrain
