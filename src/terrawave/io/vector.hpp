// Lines and regions with attributes in GeoPackage and GeoJSON files (through OGR).
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "terrawave/domain/raster.hpp"

namespace terrawave::io {

struct VectorField {
  enum class Type { integer, real, text };
  std::string name;
  Type type = Type::integer;
};
using VectorValue = std::variant<std::int64_t, double, std::string>;
using VectorRow = std::vector<VectorValue>;  // one value for each field

struct VectorLine {
  std::vector<std::array<double, 2>> points;  // x, y in the CRS
  VectorRow values;
};

// True for names that end in .gpkg, .geojson or .json.
bool is_vector_name(const std::string& name);
// Throws InputError when a file of this name cannot be created (also in builds without GDAL).
void check_vector_target(const std::filesystem::path& file);

struct VectorPoint {
  double x = 0, y = 0;
  std::string name;  // the field "name", else ""
};
// The points of a layer ("": the only one) in the CRS of `frame`. Throws InputError: no such file
// or layer, several layers, no points, no way from one CRS to the other; in builds without GDAL.
std::vector<VectorPoint> read_points(const std::string& file, const std::string& layer,
                                     const domain::GeoFrame& frame);

// Both appear under their name when complete. Throw RunError when the disk is full.
void write_lines(const std::filesystem::path& file, const std::string& layer,
                 const domain::GeoFrame& frame, const std::vector<VectorField>& fields,
                 const std::vector<VectorLine>& lines);
// One polygon (of several parts where it must be) around the cells of each label in `rows`;
// `labels` holds i32 cells. Cells of other labels are left out.
void write_regions(const std::filesystem::path& file, const std::string& layer,
                   const domain::Raster& labels, const std::vector<VectorField>& fields,
                   const std::map<std::int32_t, VectorRow>& rows);

}  // namespace terrawave::io
