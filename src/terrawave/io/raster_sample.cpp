#include "terrawave/io/raster_sample.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "terrawave/base/error.hpp"
#include "terrawave/io/raster.hpp"

namespace terrawave::io {
namespace {

// The raster's cells by column and row, columns wrapped where it goes round the Earth.
struct Grid {
  const domain::Raster& raster;
  std::vector<std::uint8_t> valid;
  bool round;

  bool get(Index row, Index col, double& value) const {
    const auto& info = raster.info;
    row = std::clamp(row, Index(0), info.rows - 1);
    col = round ? (col % info.cols + info.cols) % info.cols
                : std::clamp(col, Index(0), info.cols - 1);
    const Index i = row * info.cols + col;
    value = domain::value_at(raster.cells, i);
    return valid[std::size_t(i)] != 0;
  }
};

}  // namespace

RasterSamples sample_raster(const std::string& name, int band, const std::string& raster_crs,
                            const std::string& points_crs, std::vector<double> x,
                            std::vector<double> y) {
  const domain::Raster raster = read_raster(name, band);
  const domain::RasterInfo& info = raster.info;
  const domain::GeoFrame& frame = info.frame;
  RasterSamples out;
  out.values.assign(x.size(), 0.0);
  out.missing.assign(x.size(), 0);
  const std::string system = frame.crs.empty() ? raster_crs : frame.crs;
  if (system.empty() || points_crs.empty()) {
    out.notes.push_back(fmt::format(
        "the reference system of {} is not known: coordinates are taken as they are",
        system.empty() ? (points_crs.empty() ? "both the raster and the mesh" : "the raster")
                       : "the mesh"));
  } else if (transform_points(points_crs, system, x, y)) {
    out.notes.push_back("the mesh's coordinates were transformed into the raster's system");
  }
  const bool geographic = frame.geographic || (!system.empty() && is_geographic(system));
  const double east = frame.west + double(info.cols) * frame.dx;
  // ETOPO5 and the like repeat no column; a turn is told to a thousandth of a cell.
  const bool round = geographic && std::abs(east - frame.west - 360) < 1e-3 * frame.dx;
  const Grid grid{raster, domain::valid_cells(raster.cells, info.nodata), round};
  for (std::size_t i = 0; i < x.size(); ++i) {
    double px = x[i];
    if (geographic) px = frame.west + std::fmod(std::fmod(px - frame.west, 360) + 360, 360);
    const double col = (px - frame.west) / frame.dx - 0.5;
    const double row = (frame.north - y[i]) / frame.dy - 0.5;
    const bool inside = (round || (col >= -0.5 && col <= double(info.cols) - 0.5)) && row >= -0.5 &&
                        row <= double(info.rows) - 0.5;
    if (!inside) {
      out.missing[i] = 1;
      continue;
    }
    const double c0 = std::floor(col), r0 = std::floor(row);
    const double fx = col - c0, fy = row - r0;
    double v[4];
    bool good = true;
    for (int k = 0; k < 4; ++k) {
      // A corner without weight may be nodata.
      const double weight = (k % 2 ? fx : 1 - fx) * (k / 2 ? fy : 1 - fy);
      const bool has = grid.get(Index(r0) + k / 2, Index(c0) + k % 2, v[k]);
      if (!has) v[k] = 0;
      good = good && (has || weight == 0);
    }
    if (!good) {
      out.missing[i] = 1;
      continue;
    }
    out.values[i] = (1 - fy) * ((1 - fx) * v[0] + fx * v[1]) + fy * ((1 - fx) * v[2] + fx * v[3]);
  }
  return out;
}

}  // namespace terrawave::io
