// NumPy's .npy arrays (alone or in an .npz archive) and raw cells, read and written by windows.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "terrawave/io/raster.hpp"

namespace terrawave::io {

// "dem.npy", "dems.npz", "dems.npz:elevation". Arrays of the cell types in either byte order; C
// order. Two dimensions, or three with the bands first: `band` as in open_raster. NaN is the only
// nodata.
std::unique_ptr<RasterSource> open_npy(const std::string& name, int band = 0);
// "dem.344x403.i16.raw": rows, columns and cell type stand in the name; little-endian, row by row.
std::unique_ptr<RasterSource> open_raw(const std::string& name);

// One band: two dimensions.
std::unique_ptr<RasterSink> create_npy(const std::filesystem::path& file,
                                       const domain::RasterInfo& info, int bands = 1);
std::unique_ptr<RasterSink> create_raw(const std::filesystem::path& file,
                                       const domain::RasterInfo& info);

}  // namespace terrawave::io
