// Builds without GDAL read and write .npy, .npz and .raw only.
#include "terrawave/base/error.hpp"
#include "terrawave/io/raster.hpp"

namespace terrawave::io {
namespace {

[[noreturn]] void refuse(const std::string& name) {
  throw InputError(name +
                   ": error: this build has no GDAL: give a .npy, .npz or .raw raster, or build "
                   "with -DTERRAWAVE_GEO=ON");
}

}  // namespace

std::unique_ptr<RasterSource> open_gdal_raster(const std::string& name, int) { refuse(name); }
std::unique_ptr<RasterSink> create_gdal_raster(const std::filesystem::path& file,
                                               const domain::RasterInfo&, int) {
  refuse(file.string());
}
void check_gdal_target(const std::filesystem::path& file) { refuse(file.string()); }

void limit_cache(double) {}

}  // namespace terrawave::io
