// Builds without GDAL write no vectors.
#include "terrawave/base/error.hpp"
#include "terrawave/io/vector.hpp"

namespace terrawave::io {

bool is_vector_name(const std::string& name) {
  return name.ends_with(".gpkg") || name.ends_with(".geojson") || name.ends_with(".json");
}
void check_vector_target(const std::filesystem::path& file) {
  throw InputError(file.string() +
                   ": error: this build has no GDAL and writes no vectors; write a raster (.npy, "
                   ".raw), or build with -DTERRAWAVE_GEO=ON");
}
void write_lines(const std::filesystem::path& file, const std::string&, const domain::GeoFrame&,
                 const std::vector<VectorField>&, const std::vector<VectorLine>&) {
  check_vector_target(file);
}
void write_regions(const std::filesystem::path& file, const std::string&, const domain::Raster&,
                   const std::vector<VectorField>&, const std::map<std::int32_t, VectorRow>&) {
  check_vector_target(file);
}

std::vector<VectorPoint> read_points(const std::string& file, const std::string&,
                                     const domain::GeoFrame&) {
  throw InputError(file + ": error: this build has no GDAL; it reads points from CSV tables only");
}

}  // namespace terrawave::io
