#include "terrawave/solvers/terrain/codec_fractions.hpp"

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "terrawave/base/error.hpp"

namespace terrawave::terrain {

FractionBands::FractionBands(const std::string& name) {
  bands_.push_back(io::open_raster(name, 1));
  if (const int found = bands_[0]->bands(); found != kNeighbours)
    throw InputError(
        fmt::format("{}: error: expected 8 bands, the fractions of flow to E, SE, S, SW, W, NW, N "
                    "and NE; found {}",
                    name, found));
  for (int band = 2; band <= kNeighbours; ++band) bands_.push_back(io::open_raster(name, band));
}

void FractionBands::append(const domain::Cells& cells, std::vector<double>& all) const {
  const auto valid = domain::valid_cells(cells, info().nodata);
  for (std::size_t i = 0; i < valid.size(); ++i)
    all.push_back(valid[i] != 0 ? domain::value_at(cells, Index(i))
                                : std::numeric_limits<double>::quiet_NaN());
}

StrangeFractions strange_fractions(const std::vector<double>& values, const domain::RasterInfo& map,
                                   const domain::Window& window) {
  constexpr double kRounding = 1e-6;  // eight of at most 2^-25 each, and some
  const Index n = window.size();
  for (Index i = 0; i < n; ++i) {
    double sum = 0;
    int missing = 0;
    std::string what;
    for (int k = kNeighbours - 1; k >= 0; --k) {  // the first is named
      const double share = values[std::size_t(k * n + i)];
      if (std::isnan(share)) ++missing;
      if (std::isnan(share) || share < 0 || std::isinf(share))
        what = fmt::format("{} to {}", std::isnan(share) ? "nothing" : fmt::format("{}", share),
                           kNeighbourNames[k]);
      sum += share;
    }
    if (missing == kNeighbours) continue;
    if (what.empty() && sum != 0 && !(std::abs(sum - 1) <= kRounding))
      what = fmt::format("a sum of {}", sum);
    if (!what.empty())
      return {(window.row + i / window.cols) * map.cols + window.col + i % window.cols, what};
  }
  return {};
}

void refuse_fractions(const domain::RasterInfo& map, const StrangeFractions& strange) {
  throw InputError(
      fmt::format("{}: error: expected fractions of 0 or more that add up to 1 in each cell, or 0 "
                  "where nothing flows; found {} in row {}, column {}",
                  map.name, strange.what, strange.cell / map.cols, strange.cell % map.cols));
}

DecodedShares decode_fractions(const std::vector<double>& values, const domain::Window& around,
                               const domain::Window& inside, bool wrap_rows, bool wrap_cols) {
  const Index n = inside.size();
  const auto has_data = [&](Index row, Index col) {
    if (wrap_rows) row = (row + around.rows) % around.rows;
    if (wrap_cols) col = (col + around.cols) % around.cols;
    return row >= 0 && row < around.rows && col >= 0 && col < around.cols &&
           !std::isnan(values[std::size_t(row * around.cols + col)]);
  };
  DecodedShares decoded;
  decoded.fractions.assign(std::size_t(kNeighbours * n), 0.0);
  decoded.states.assign(std::size_t(n), std::uint8_t(CellState::nodata));
  for (Index i = 0; i < n; ++i) {
    const Index row = inside.row - around.row + i / inside.cols;
    const Index col = inside.col - around.col + i % inside.cols;
    if (!has_data(row, col)) continue;
    const auto share = [&](Index k) {
      return values[std::size_t(k * around.size() + row * around.cols + col)];
    };
    bool gives = false;
    bool out = false;
    for (int k = 0; k < kNeighbours; ++k) {
      if (!(share(k) > 0)) continue;
      gives = true;
      out = out || !has_data(row + kRowStep[k], col + kColStep[k]);
    }
    decoded.led_out += out ? 1 : 0;
    decoded.states[std::size_t(i)] =
        std::uint8_t(gives && !out ? CellState::valid : CellState::outlet);
    for (Index k = 0; k < kNeighbours && !out; ++k)
      decoded.fractions[std::size_t(k * n + i)] = share(k);
  }
  return decoded;
}

}  // namespace terrawave::terrain
