// Values of a raster at points, such as the cells of a mesh.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace terrawave::io {

struct RasterSamples {
  std::vector<double> values;         // per point; 0 where missing
  std::vector<std::uint8_t> missing;  // 1: outside the raster, or a nodata cell is needed
  std::vector<std::string> notes;     // what was assumed about reference systems
};

// Bilinear between the centres of the raster's cells (constant in the outer half cell). Points are
// in `points_crs` ("" = unknown), the raster in its own system or, where it names none, in
// `raster_crs`. Where both are known and differ, points are transformed; where one is unknown they
// are taken as they are, and a note says so. Longitudes are wrapped into a geographic raster; one
// that goes round the Earth has no seam. Throws InputError as open_raster does, or for a system
// that cannot be read.
RasterSamples sample_raster(const std::string& name, int band, const std::string& raster_crs,
                            const std::string& points_crs, std::vector<double> x,
                            std::vector<double> y);

// Moves points from one reference system to another (x east or longitude, y north or latitude).
// False where both are the same and nothing was done. geo/crs_transform.cpp; a build without GDAL
// refuses two different names.
bool transform_points(const std::string& from, const std::string& to, std::vector<double>& x,
                      std::vector<double>& y);
// True for a system of longitudes and latitudes.
bool is_geographic(const std::string& crs);
// The same system as WKT; a build without GDAL gives back what it got.
std::string crs_as_wkt(const std::string& crs);

}  // namespace terrawave::io
