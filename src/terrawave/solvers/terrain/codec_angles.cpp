#include "terrawave/solvers/terrain/codec_angles.hpp"

#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include "terrawave/base/error.hpp"
#include "terrawave/par/buffer.hpp"
#include "terrawave/solvers/terrain/codec_fractions.hpp"
#include "terrawave/solvers/terrain/terrain_multiflow.hpp"

namespace terrawave::terrain {
namespace {

constexpr double kNowhere = -1;

// The angles, NaN at nodata.
std::vector<double> angles_of(const domain::Cells& cells, const domain::RasterInfo& map) {
  const auto valid = domain::valid_cells(cells, map.nodata);
  std::vector<double> angle(valid.size(), std::numeric_limits<double>::quiet_NaN());
  for (std::size_t i = 0; i < valid.size(); ++i)
    if (valid[i] != 0) angle[i] = domain::value_at(cells, Index(i));
  return angle;
}

// An angle in single precision that means a neighbour's own direction is off by up to 3e-7, and
// must not leak to the neighbour beside it.
void drop_rounding(std::vector<double>& share, std::size_t cells) {
  constexpr double kNothing = 1e-6;
  for (std::size_t i = 0; i < share.size(); ++i) {
    if (!(share[i] > 0 && share[i] < kNothing)) continue;
    share[i] = 0;
    for (std::size_t n = i % cells; n < share.size(); n += cells)
      if (share[n] > 0.5) share[n] = 1;
  }
}

}  // namespace

DecodedShares decode_angles(const par::Queue& queue, const domain::Cells& cells,
                            const domain::RasterInfo& map, const Grid& grid,
                            const domain::Window& around, const domain::Window& inside) {
  const std::vector<double> angle = angles_of(cells, map);
  const par::Buffer<double> angles(queue, angle);
  par::Buffer<double> shares(queue, kNeighbours * around.size());
  dinf_fractions(queue, grid, angles.cview(), shares.view());
  std::vector<double> share = shares.download();
  if (map.type != domain::CellType::f64) drop_rounding(share, std::size_t(around.size()));
  for (std::size_t i = 0; i < share.size(); ++i)
    if (std::isnan(angle[i % angle.size()])) share[i] = std::numeric_limits<double>::quiet_NaN();
  return decode_fractions(share, around, inside, false, false);
}

StrangeAngle strange_angle(const domain::Cells& cells, const domain::RasterInfo& map,
                           const domain::Window& window) {
  constexpr double full = 2 * std::numbers::pi + 1e-6;  // in single precision a little more
  const std::vector<double> angle = angles_of(cells, map);
  for (Index i = 0; i < window.size(); ++i) {
    const double a = angle[std::size_t(i)];
    if (std::isnan(a) || a == kNowhere || (a >= 0 && a <= full)) continue;
    return {(window.row + i / window.cols) * map.cols + window.col + i % window.cols, a};
  }
  return {};
}

void refuse_angle(const domain::RasterInfo& map, const StrangeAngle& strange) {
  throw InputError(
      fmt::format("{}: error: expected angles in radians from 0 to 2 pi, or -1 where nothing "
                  "flows; found {} in row {}, column {}",
                  map.name, strange.value, strange.cell / map.cols, strange.cell % map.cols));
}

}  // namespace terrawave::terrain
