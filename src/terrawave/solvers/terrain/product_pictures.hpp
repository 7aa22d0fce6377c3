// Maps of a raster and its products for report.html.
#pragma once

#include <filesystem>

#include "terrawave/io/report.hpp"
#include "terrawave/solvers/terrain/product_lakes.hpp"

namespace terrawave::terrain {

// How raster cells map to pixels: `each` cells by `each` cells make one.
struct Thinning {
  Index each = 1;
  Index rows = 0, cols = 0;  // of the raster
  int width = 0, height = 0;

  Thinning() = default;
  Thinning(const domain::RasterInfo& info, int pixels);
  Index pixels() const { return Index(width) * height; }
  // The row (or column) of cells in the middle of a pixel's.
  Index middle_row(int y) const { return std::min(rows - 1, Index(y) * each + each / 2); }
  Index middle_col(int x) const { return std::min(cols - 1, Index(x) * each + each / 2); }
};

// What the maps show, thinned: one value for each pixel.
struct Maps {
  domain::RasterInfo info;
  Index valid = 0;
  Thinning thinning;
  std::vector<double> z;             // of the cell in the middle; NaN at nodata
  std::vector<double> dx;            // width of the cells of each row of pixels [m]
  double dy = 1;                     // height of the cells [m]
  std::vector<double> accumulation;  // the largest of a pixel's cells; NaN where all are nodata
  double most = 1;
  std::vector<Index> basin;  // of the cell in the middle, -1 at nodata; empty: not shown
  std::optional<std::vector<Lake>> lakes;
};
inline constexpr int kMapPixels = 1000;  // on the longer side

Maps maps_of(Session& session, int pixels = kMapPixels);
// Adds hillshade, accumulation, basins and the table of lakes.
void add_maps(io::Report& report, const Maps& maps);
void write_terrain_report(const std::filesystem::path& file, const Maps& maps);

}  // namespace terrawave::terrain
