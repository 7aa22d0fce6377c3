// Fields on rectangular grids, line sets and plain arrays, in VTK's XML formats and in HDF5.
#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace terrawave::io {

// Values at the points of a rectangular grid, x fastest; `components` values each.
struct PointArray {
  std::string name;
  int components = 1;
  std::vector<float> values;
};

// VTK XML rectilinear grid (.vtr).
void write_vtr(const std::filesystem::path& file, const std::array<std::vector<double>, 3>& lines,
               const std::vector<PointArray>& arrays);

// Straight segments with an integer label each (.vtp, VTK poly data).
struct Segments {
  std::vector<std::array<double, 3>> points;
  std::vector<std::array<std::int64_t, 2>> ends;  // positions in points
  std::vector<std::int32_t> labels;               // of segments
  std::string label_name = "label";
};
void write_vtp(const std::filesystem::path& file, const Segments& segments);

// A ParaView collection (.pvd): files relative to it, with their times.
void write_pvd(const std::filesystem::path& file,
               const std::vector<std::pair<double, std::string>>& entries);

// Arrays of an HDF5 file; names may hold groups ("run1/plane/Ex"). Slowest dimension first.
struct Hdf5Array {
  std::string name;
  std::vector<std::uint64_t> dims;
  std::vector<double> values;
  bool complex = false;  // values are (re, im) pairs, written as a compound {r, i}
  std::string unit;
};
void write_hdf5(const std::filesystem::path& file, const std::vector<Hdf5Array>& arrays);

}  // namespace terrawave::io
