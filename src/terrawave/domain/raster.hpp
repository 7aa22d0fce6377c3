// Rasters: cells in their own type, and where they lie on the Earth.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "terrawave/base/index.hpp"

namespace terrawave::domain {

// In the order of the alternatives of Cells.
enum class CellType { u8, i16, u16, i32, u32, i64, f32, f64 };

// Values of a raster or of a window of it, row by row; row 0 is the northernmost.
using Cells =
    std::variant<std::vector<std::uint8_t>, std::vector<std::int16_t>, std::vector<std::uint16_t>,
                 std::vector<std::int32_t>, std::vector<std::uint32_t>, std::vector<std::int64_t>,
                 std::vector<float>, std::vector<double>>;

inline CellType type_of(const Cells& cells) { return static_cast<CellType>(cells.index()); }
std::string_view name_of(CellType type);                   // "i16"
std::optional<CellType> cell_type(std::string_view name);  // the reverse
std::size_t bytes_of(CellType type);
// `size` zeros.
Cells make_cells(CellType type, Index size);
inline Index size_of(const Cells& cells) {
  return std::visit([](const auto& v) { return Index(v.size()); }, cells);
}
// The value as double; exact for every type but i64 beyond 2^53.
inline double value_at(const Cells& cells, Index i) {
  return std::visit([i](const auto& v) { return static_cast<double>(v[std::size_t(i)]); }, cells);
}

// A rectangle of cells of a north-up raster.
struct Window {
  Index row = 0;
  Index col = 0;
  Index rows = 0;
  Index cols = 0;
  Index size() const { return rows * cols; }
};

// Copies `part`, which holds the cells of `from`, into `all`, which holds those of `to`; only where
// both overlap. Same type.
void paste(const Window& from, const Cells& part, const Window& to, Cells& all);

// Where the cells lie. Memory is always north-up; `south_up` only says how the file is stored.
struct GeoFrame {
  bool located = false;  // false: no georeference; cells are unit squares
  double west = 0;       // outer corner of the north-west cell, in the unit of the CRS
  double north = 0;
  double dx = 1;  // cell size, positive, in the unit of the CRS
  double dy = 1;
  bool south_up = false;  // the file stores the southernmost row first
  std::string crs;        // WKT; "" where unknown
  bool geographic = false;
  double unit = 1;              // metres (or, geographic, radians) per unit of the CRS
  double semi_major = 6378137;  // m, of the ellipsoid; geographic only
  double inverse_flattening = 298.257223563;  // 0: sphere
};

struct RasterInfo {
  std::string name;  // for messages
  Index rows = 0;
  Index cols = 0;
  CellType type = CellType::f32;
  std::optional<double> nodata;  // cells of this value (and NaN) hold nothing
  GeoFrame frame;
  Index size() const { return rows * cols; }
  Window whole() const { return {0, 0, rows, cols}; }
};

// A whole raster in memory.
struct Raster {
  RasterInfo info;
  Cells cells;
};

// 1 where a cell holds a value, 0 where it is nodata or NaN. `nodata` is compared in the raster's
// own type: -3.4028235e38 written with few digits still names the float.
std::vector<std::uint8_t> valid_cells(const Cells& cells, std::optional<double> nodata);
// `nodata` as a value of the type; nothing where the type cannot hold it (then no cell equals it).
std::optional<double> representable(CellType type, std::optional<double> nodata);

// Metric sizes of the cells of each row, in metres (or the raster's own unit without a CRS).
// Geographic: dx is the length of the parallel through the row's centre, dy the meridian arc
// of the row, area the exact area of the row's cells, all on the ellipsoid.
struct CellMetric {
  std::vector<double> dx, dy, area;  // per row
  bool uniform = true;               // every row is like row 0
};
CellMetric cell_metric(const RasterInfo& info);

// Area between the equator and latitude `phi` (radians) over `dlon` radians of longitude, m^2.
// Sphere where flattening is 0. Snyder, Map Projections (USGS PP 1395), eq. 3-12 (authalic q).
double ellipsoid_area(double phi, double dlon, double semi_major, double flattening);
// Meridian arc from the equator to `phi`, m: Helmert's series in the third flattening, error below
// a micrometre on the Earth.
double meridian_arc(double phi, double semi_major, double flattening);

// Centre of a cell in the CRS.
inline double x_of(const GeoFrame& f, double col) { return f.west + (col + 0.5) * f.dx; }
inline double y_of(const GeoFrame& f, double row) { return f.north - (row + 0.5) * f.dy; }

}  // namespace terrawave::domain
