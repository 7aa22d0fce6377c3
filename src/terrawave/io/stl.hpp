// STL triangle files, ASCII and binary.
#pragma once

#include <array>
#include <filesystem>
#include <vector>

namespace terrawave::io {

using StlTriangle = std::array<std::array<double, 3>, 3>;

// Throws InputError for a file that is no STL file, is cut short or holds no triangle.
std::vector<StlTriangle> read_stl(const std::filesystem::path& file);

// Does every edge belong to exactly two triangles that pass it in opposite directions?
struct Watertight {
  std::size_t open_edges = 0;     // edges of one triangle only
  std::size_t crowded_edges = 0;  // of more than two
  std::size_t flipped_edges = 0;  // passed twice in the same direction
  std::array<double, 3> at{};     // a point of the first faulty edge
  bool holds() const { return open_edges + crowded_edges + flipped_edges == 0; }
};
Watertight check_watertight(const std::vector<StlTriangle>& triangles);

void write_stl_binary(const std::filesystem::path& file, const std::vector<StlTriangle>& triangles);

}  // namespace terrawave::io
