// Blocks of material labels: raw files and HDF5 data sets.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace terrawave::io {

// label(i, j, k) = labels[i + n[0] * (j + n[1] * k)].
struct Voxels {
  std::array<int, 3> n{};
  std::vector<std::uint16_t> labels;
};

// `bytes` = 1 or 2 (little endian) per voxel, x fastest. Throws InputError when the size of the
// file is not n[0] n[1] n[2] bytes.
Voxels read_raw_voxels(const std::filesystem::path& file, std::array<int, 3> n, int bytes);
// A three-dimensional integer data set with dimensions (z, y, x), x fastest, values 0...65535.
Voxels read_hdf5_voxels(const std::filesystem::path& file, const std::string& dataset);

}  // namespace terrawave::io
