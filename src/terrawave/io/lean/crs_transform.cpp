// Builds without GDAL know no reference systems.
#include "terrawave/base/error.hpp"
#include "terrawave/io/raster_sample.hpp"

namespace terrawave::io {

bool transform_points(const std::string& from, const std::string& to, std::vector<double>&,
                      std::vector<double>&) {
  if (from == to) return false;
  throw InputError(
      "the mesh and the raster have different reference systems, and this build has no GDAL to "
      "change one into the other; build with -DTERRAWAVE_GEO=ON");
}

bool is_geographic(const std::string& crs) {
  return crs.starts_with("GEOG") || crs == "EPSG:4326" || crs == "OGC:CRS84";
}

std::string crs_as_wkt(const std::string& crs) { return crs; }

}  // namespace terrawave::io
