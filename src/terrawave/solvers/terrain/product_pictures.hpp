// Maps of a raster and its products for report.html.
#pragma once

#include <filesystem>

#include "terrawave/io/report.hpp"
#include "terrawave/solvers/terrain/product_session.hpp"

namespace terrawave::terrain {

// Adds hillshade, accumulation, basins and the table of lakes. Large rasters are thinned to about
// `pixels` on their longer side: hillshade by the cell in the middle, accumulation by the largest.
void add_maps(io::Report& report, Session& session, int pixels = 1000);
void write_terrain_report(const std::filesystem::path& file, Session& session);

}  // namespace terrawave::terrain
