// Cell states from a raster of heights and the user's outlets, closed edges and kept sinks.
#pragma once

#include <vector>

#include "terrawave/domain/raster.hpp"
#include "terrawave/solvers/terrain/product_options.hpp"

namespace terrawave::terrain {

// Throws InputError for infinite heights, masks of another shape, sinks outside the raster, and
// when no cell can be an outlet or a sink.
std::vector<std::uint8_t> cell_states(const domain::Raster& dem, const Grid& grid,
                                      const FlowOptions& options);

// The edges that stay open. Throws InputError for unknown names.
Borders borders_of(const FlowOptions& options);

// Linear indices of "row,col;row,col". Throws InputError for cells outside the raster.
std::vector<Index> listed_cells(const std::string& list, const domain::RasterInfo& info);

}  // namespace terrawave::terrain
