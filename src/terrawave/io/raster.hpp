// Rasters in files: whatever GDAL reads, NumPy's .npy and .npz, and raw cells.
//
// Names:  dem.tif  NETCDF:etopo5.cdf:ROSE  dem.npy  dems.npz:elevation  dem.344x403.i16.raw
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "terrawave/domain/raster.hpp"

namespace terrawave::io {

// A raster that is read by windows. Windows are north-up whatever the file's order.
class RasterSource {
 public:
  virtual ~RasterSource() = default;
  const domain::RasterInfo& info() const { return info_; }
  int bands() const { return bands_; }  // of the file; this source reads one of them
  // Throws RunError where the file is damaged.
  virtual domain::Cells read(const domain::Window& window) = 0;

 protected:
  domain::RasterInfo info_;
  int bands_ = 1;
};

// A raster that is written by windows; appears under its name when finish() returns, and leaves
// nothing behind when it is destroyed without.
class RasterSink {
 public:
  virtual ~RasterSink() = default;
  // `band`: 1 for the first.
  virtual void write_band(int band, const domain::Window& window, const domain::Cells& cells) = 0;
  void write(const domain::Window& window, const domain::Cells& cells) {
    write_band(1, window, cells);
  }
  virtual void finish() = 0;
};

// Throws InputError naming what is wrong: no such file, several bands without `band` (1-based; 0 =
// the only one), several variables, a rotated or mirrored grid, complex cells.
std::unique_ptr<RasterSource> open_raster(const std::string& name, int band = 0);
// The extension names the format. Compressed and, where large, BigTIFF. Several bands: .tif, and
// .npy with the bands as its first dimension. Throws InputError for a format that cannot be
// written, RunError when the disk is full.
std::unique_ptr<RasterSink> create_raster(const std::filesystem::path& file,
                                          const domain::RasterInfo& info, int bands = 1);

domain::Raster read_raster(const std::string& name, int band = 0);
void write_raster(const std::filesystem::path& file, const domain::Raster& raster);
// Throws InputError when a raster of this name cannot be created: no such folder, unknown
// extension, not writable. Called before any work starts.
void check_raster_target(const std::filesystem::path& file);
// True for names of formats that several bands are written in.
bool holds_bands(const std::filesystem::path& file);

// True for names that need no GDAL: .npy, .npz and .raw.
bool is_flat_name(const std::string& name);
// The same for GDAL's formats: geo/gdal_raster.cpp, or lean/no_gdal.cpp which refuses.
std::unique_ptr<RasterSource> open_gdal_raster(const std::string& name, int band);
std::unique_ptr<RasterSink> create_gdal_raster(const std::filesystem::path& file,
                                               const domain::RasterInfo& info, int bands);
void check_gdal_target(const std::filesystem::path& file);

// Lets GDAL keep at most so many bytes of the blocks of its files.
void limit_cache(double bytes);

}  // namespace terrawave::io
