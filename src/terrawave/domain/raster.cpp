#include "terrawave/domain/raster.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numbers>
#include <type_traits>

#include "terrawave/base/error.hpp"

namespace terrawave::domain {
namespace {

constexpr std::array<std::string_view, 8> type_names = {"u8",  "i16", "u16", "i32",
                                                        "u32", "i64", "f32", "f64"};

template <std::size_t I = 0>
Cells make(std::size_t which, std::size_t size) {
  if constexpr (I < std::variant_size_v<Cells>) {
    if (which == I) return Cells(std::in_place_index<I>, size);
    return make<I + 1>(which, size);
  } else {
    throw LogicError("no such cell type");
  }
}

}  // namespace

std::string_view name_of(CellType type) { return type_names[std::size_t(type)]; }

std::optional<CellType> cell_type(std::string_view name) {
  const auto* at = std::find(type_names.begin(), type_names.end(), name);
  if (at == type_names.end()) return std::nullopt;
  return static_cast<CellType>(at - type_names.begin());
}

std::size_t bytes_of(CellType type) {
  constexpr std::array<std::size_t, 8> bytes = {1, 2, 2, 4, 4, 8, 4, 8};
  return bytes[std::size_t(type)];
}

Cells make_cells(CellType type, Index size) { return make(std::size_t(type), std::size_t(size)); }

void paste(const Window& from, const Cells& part, const Window& to, Cells& all) {
  require(part.index() == all.index(), "paste: cell types differ");
  const Index row0 = std::max(from.row, to.row);
  const Index row1 = std::min(from.row + from.rows, to.row + to.rows);
  const Index col0 = std::max(from.col, to.col);
  const Index col1 = std::min(from.col + from.cols, to.col + to.cols);
  if (row0 >= row1 || col0 >= col1) return;
  std::visit(
      [&](auto& out) {
        const auto& in = std::get<std::decay_t<decltype(out)>>(part);
        for (Index row = row0; row < row1; ++row)
          std::copy_n(in.begin() + (row - from.row) * from.cols + (col0 - from.col), col1 - col0,
                      out.begin() + (row - to.row) * to.cols + (col0 - to.col));
      },
      all);
}

std::optional<double> representable(CellType type, std::optional<double> nodata) {
  if (!nodata) return std::nullopt;
  const double value = *nodata;
  if (type == CellType::f64 || std::isnan(value)) return value;
  if (type == CellType::f32) {
    constexpr double largest = std::numeric_limits<float>::max();
    // Written with too few or too many digits it may lie just beyond the largest float.
    if (std::abs(value) > largest && std::abs(value) < largest * (1 + 1e-6))
      return std::copysign(largest, value);
    return static_cast<double>(static_cast<float>(value));
  }
  const Cells one = make_cells(type, 1);
  return std::visit(
      [value](const auto& v) -> std::optional<double> {
        using T = typename std::decay_t<decltype(v)>::value_type;
        const double low = static_cast<double>(std::numeric_limits<T>::lowest());
        const double high = static_cast<double>(std::numeric_limits<T>::max());
        if (value < low || value > high || value != std::trunc(value)) return std::nullopt;
        return value;
      },
      one);
}

std::vector<std::uint8_t> valid_cells(const Cells& cells, std::optional<double> nodata) {
  const std::optional<double> hole = representable(type_of(cells), nodata);
  std::vector<std::uint8_t> valid(std::size_t(size_of(cells)));
  std::visit(
      [&](const auto& v) {
        using T = typename std::decay_t<decltype(v)>::value_type;
        const bool test = hole && !std::isnan(*hole);
        const T mark = test ? static_cast<T>(*hole) : T{};
        for (std::size_t i = 0; i < v.size(); ++i) {
          bool good = !test || v[i] != mark;
          if constexpr (std::is_floating_point_v<T>) good = good && !std::isnan(v[i]);
          valid[i] = good ? 1 : 0;
        }
      },
      cells);
  return valid;
}

double ellipsoid_area(double phi, double dlon, double semi_major, double flattening) {
  const double s = std::sin(phi);
  const double a2 = semi_major * semi_major;
  const double e2 = flattening * (2 - flattening);
  if (e2 <= 0) return a2 * dlon * s;
  const double e = std::sqrt(e2);
  const double q = s / (1 - e2 * s * s) + std::atanh(e * s) / e;
  return 0.5 * a2 * (1 - e2) * dlon * q;
}

double meridian_arc(double phi, double semi_major, double flattening) {
  const double n = flattening / (2 - flattening);
  const double n2 = n * n;
  const double n3 = n2 * n;
  const double n4 = n2 * n2;
  const double sum = (1 + n2 / 4 + n4 / 64) * phi - 1.5 * (n - n3 / 8) * std::sin(2 * phi) +
                     15.0 / 16 * (n2 - n4 / 4) * std::sin(4 * phi) -
                     35.0 / 48 * n3 * std::sin(6 * phi) + 315.0 / 512 * n4 * std::sin(8 * phi);
  return semi_major / (1 + n) * sum;
}

CellMetric cell_metric(const RasterInfo& info) {
  const GeoFrame& f = info.frame;
  const auto rows = std::size_t(info.rows);
  CellMetric metric;
  if (!f.geographic) {
    const double dx = f.dx * f.unit;
    const double dy = f.dy * f.unit;
    metric.dx.assign(rows, dx);
    metric.dy.assign(rows, dy);
    metric.area.assign(rows, dx * dy);
    return metric;
  }
  metric.uniform = false;
  metric.dx.resize(rows);
  metric.dy.resize(rows);
  metric.area.resize(rows);
  const double flattening = f.inverse_flattening > 0 ? 1 / f.inverse_flattening : 0;
  const double e2 = flattening * (2 - flattening);
  const double dlon = f.dx * f.unit;
  const double pole = std::numbers::pi / 2;
  // Rows centred on a pole (grid-registered global rasters) reach past it: cut them there.
  const auto latitude = [&](double edge) {
    return std::clamp((f.north - edge * f.dy) * f.unit, -pole, pole);
  };
  for (std::size_t row = 0; row < rows; ++row) {
    const double top = latitude(double(row));
    const double bottom = latitude(double(row) + 1);
    const double middle = 0.5 * (top + bottom);
    const double s = std::sin(middle);
    metric.dx[row] = f.semi_major / std::sqrt(1 - e2 * s * s) * std::cos(middle) * dlon;
    metric.dy[row] = meridian_arc(top, f.semi_major, flattening) -
                     meridian_arc(bottom, f.semi_major, flattening);
    metric.area[row] = ellipsoid_area(top, dlon, f.semi_major, flattening) -
                       ellipsoid_area(bottom, dlon, f.semi_major, flattening);
  }
  return metric;
}

}  // namespace terrawave::domain
