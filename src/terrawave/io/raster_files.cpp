// Which format a raster's name means.
#include <unistd.h>

#include "terrawave/base/error.hpp"
#include "terrawave/io/npy.hpp"
#include "terrawave/io/raster.hpp"

namespace terrawave::io {
namespace {

bool is_npy(const std::string& name) {
  return name.ends_with(".npy") || name.ends_with(".npz") ||
         name.find(".npz:") != std::string::npos;
}

}  // namespace

bool is_flat_name(const std::string& name) { return is_npy(name) || name.ends_with(".raw"); }

std::unique_ptr<RasterSource> open_raster(const std::string& name, int band) {
  std::unique_ptr<RasterSource> source;
  if (is_npy(name)) {
    source = open_npy(name, band);
  } else if (is_flat_name(name)) {
    if (band > 1)
      throw InputError(name + ": error: expected --band 1, found " + std::to_string(band) +
                       "; this format has one band");
    source = open_raw(name);
  } else {
    source = open_gdal_raster(name, band);
  }
  if (source->info().size() == 0) throw InputError(name + ": error: the raster has no cells");
  return source;
}

std::unique_ptr<RasterSink> create_raster(const std::filesystem::path& file,
                                          const domain::RasterInfo& info, int bands) {
  const std::string name = file.string();
  check_raster_target(file);
  require(bands == 1 || holds_bands(file), "create_raster: a format of one band");
  if (name.ends_with(".npy")) return create_npy(file, info, bands);
  if (name.ends_with(".raw")) return create_raw(file, info);
  return create_gdal_raster(file, info, bands);
}

domain::Raster read_raster(const std::string& name, int band) {
  const auto source = open_raster(name, band);
  return {source->info(), source->read(source->info().whole())};
}

void write_raster(const std::filesystem::path& file, const domain::Raster& raster) {
  const auto sink = create_raster(file, raster.info);
  sink->write(raster.info.whole(), raster.cells);
  sink->finish();
}

bool holds_bands(const std::filesystem::path& file) {
  const std::string ext = file.extension().string();
  return ext == ".npy" || ext == ".tif" || ext == ".tiff";
}

void check_raster_target(const std::filesystem::path& file) {
  const std::string name = file.string();
  if (name.ends_with(".npz"))
    throw InputError(name + ": error: .npz archives are only read; write an .npy file instead");
  const auto folder = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
  std::error_code error;
  if (!std::filesystem::is_directory(folder, error))
    throw InputError(name + ": error: the folder " + folder.string() +
                     " does not exist; make it first");
  if (std::filesystem::is_directory(file, error))
    throw InputError(name + ": error: this is a folder; give a file name");
  if (access(folder.c_str(), W_OK) != 0)
    throw InputError(name + ": error: the folder " + folder.string() + " cannot be written to");
  if (!is_flat_name(name)) check_gdal_target(file);
}

}  // namespace terrawave::io
