#include "terrawave/solvers/terrain/tiled_input.hpp"

#include <algorithm>
#include <cmath>
#include <regex>

#include <fmt/format.h>

#include "terrawave/base/error.hpp"
#include "terrawave/solvers/terrain/product_states.hpp"

namespace terrawave::terrain {
namespace {

std::unique_ptr<io::RasterSource> open_alike(const std::string& name,
                                             const domain::RasterInfo& like) {
  auto mask = io::open_raster(name);
  if (mask->info().rows != like.rows || mask->info().cols != like.cols)
    throw InputError(fmt::format("{}: error: expected {} x {} cells as in {}, found {} x {}", name,
                                 like.rows, like.cols, like.name, mask->info().rows,
                                 mask->info().cols));
  return mask;
}

}  // namespace

BlockReader::BlockReader(io::RasterSource& source, const FlowOptions& options, const Tiling& tiling)
    : source_(source),
      options_(options),
      tiling_(tiling),
      metric_(domain::cell_metric(source.info())) {
  if (options.loop_cols || options.loop_rows)
    throw InputError("--looped: looped edges need the raster in one piece, not in tiles");
  const domain::RasterInfo& info = source.info();
  if (options.outlets != "edge" && options.outlets != "none")
    outlets_ = open_alike(options.outlets, info);
  if (options.keep_sinks.empty()) return;
  if (std::regex_match(options.keep_sinks, std::regex("[0-9,; \t]+")))
    sink_list_ = listed_cells(options.keep_sinks, info);
  else
    sinks_ = open_alike(options.keep_sinks, info);
}

void BlockReader::mark(io::RasterSource& mask, CellState as, const domain::Window& window,
                       std::vector<std::uint8_t>& state) const {
  const domain::Cells cells = mask.read(window);
  const auto valid = domain::valid_cells(cells, mask.info().nodata);
  for (Index i = 0; i < window.size(); ++i)
    if (valid[std::size_t(i)] != 0 && domain::value_at(cells, i) != 0 &&
        is_data(state[std::size_t(i)]))
      state[std::size_t(i)] = std::uint8_t(as);
}

template <class T>
Block<T> BlockReader::read(Index tile) {
  const domain::RasterInfo& info = source_.info();
  // States of the ring depend on its neighbours: read one more.
  const domain::Window wide = tiling_.with_halo(tile, 2);
  Block<T> block;
  block.inside = tiling_.window(tile);
  block.around = tiling_.with_halo(tile, 1);
  const domain::Cells cells = source_.read(wide);
  const auto& z = std::get<std::vector<T>>(cells);

  Grid grid;
  grid.rows = wide.rows;
  grid.cols = wide.cols;
  grid.connectivity = options_.connectivity();
  Borders borders = borders_of(options_);
  borders.north = borders.north && wide.row == 0;
  borders.south = borders.south && wide.row + wide.rows == info.rows;
  borders.west = borders.west && wide.col == 0;
  borders.east = borders.east && wide.col + wide.cols == info.cols;
  const auto hole = domain::representable(info.type, info.nodata);
  std::optional<T> nodata;
  if (hole && !std::isnan(*hole)) nodata = static_cast<T>(*hole);
  std::vector<std::uint8_t> state = make_states<T>(grid, std::span<const T>(z), nodata, borders);
  if constexpr (std::is_floating_point_v<T>)
    for (std::size_t i = 0; i < z.size(); ++i)
      if (is_data(state[i]) && std::isinf(z[i]))
        throw InputError(fmt::format(
            "{}: error: the height in row {}, column {} is infinite; mark such cells as nodata",
            info.name, wide.row + Index(i) / wide.cols, wide.col + Index(i) % wide.cols));
  if (outlets_) mark(*outlets_, CellState::outlet, wide, state);
  if (sinks_) mark(*sinks_, CellState::sink, wide, state);
  for (const Index cell : sink_list_) {
    const Index r = cell / info.cols - wide.row;
    const Index c = cell % info.cols - wide.col;
    if (r < 0 || r >= wide.rows || c < 0 || c >= wide.cols) continue;
    std::uint8_t& here = state[std::size_t(r * wide.cols + c)];
    if (is_data(here)) here = std::uint8_t(CellState::sink);
  }

  const domain::Window& a = block.around;
  block.grid = grid;
  block.grid.rows = a.rows;
  block.grid.cols = a.cols;
  block.grid.dy = metric_.dy[std::size_t(info.rows / 2)];
  block.grid.dx.assign({std::max(metric_.dx[0], 1e-6 * block.grid.dy)});
  if (!metric_.uniform) {
    block.grid.dx.assign(metric_.dx.begin() + a.row, metric_.dx.begin() + a.row + a.rows);
    for (double& width : block.grid.dx) width = std::max(width, 1e-6 * block.grid.dy);
  }
  block.z.resize(std::size_t(a.size()));
  block.state.resize(std::size_t(a.size()));
  for (Index r = 0; r < a.rows; ++r) {
    const Index from = (a.row - wide.row + r) * wide.cols + a.col - wide.col;
    std::copy_n(z.begin() + from, a.cols, block.z.begin() + r * a.cols);
    std::copy_n(state.begin() + from, a.cols, block.state.begin() + r * a.cols);
  }
  return block;
}

template Block<std::uint8_t> BlockReader::read(Index);
template Block<std::int16_t> BlockReader::read(Index);
template Block<std::uint16_t> BlockReader::read(Index);
template Block<std::int32_t> BlockReader::read(Index);
template Block<float> BlockReader::read(Index);
template Block<double> BlockReader::read(Index);

}  // namespace terrawave::terrain
