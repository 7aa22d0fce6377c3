#include "terrawave/solvers/terrain/tiled_input.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
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

// The first cell with data whose height is infinite, or -1.
template <class T>
Index first_infinite(const std::vector<T>& z, const std::vector<std::uint8_t>& state) {
  if constexpr (std::is_floating_point_v<T>) {
    const T* const height = z.data();
    const std::uint8_t* const kind = state.data();
    constexpr T most = std::numeric_limits<T>::max();
    int any = 0;
#pragma omp simd reduction(| : any)
    for (Index i = 0; i < Index(z.size()); ++i)
      any |= int(is_data(kind[i])) & (int(height[i] > most) | int(height[i] < -most));
    for (std::size_t i = 0; any != 0 && i < z.size(); ++i)
      if (is_data(state[i]) && std::isinf(z[i])) return Index(i);
  }
  return -1;
}

}  // namespace

BlockReader::BlockReader(io::RasterSource& source, const FlowOptions& options, const Tiling& tiling)
    : source_(source),
      options_(options),
      tiling_(tiling),
      metric_(domain::cell_metric(source.info())) {
  tiling_.loop_cols = options.loop_cols;
  tiling_.loop_rows = options.loop_rows;
  const domain::RasterInfo& info = source.info();
  if (options.outlets != "edge" && options.outlets != "none")
    outlets_ = open_alike(options.outlets, info);
  if (options.keep_sinks.empty()) return;
  if (std::regex_match(options.keep_sinks, std::regex("[0-9,; \t]+"))) {
    sink_list_ = listed_cells(options.keep_sinks, info);
    std::sort(sink_list_.begin(), sink_list_.end());
  } else {
    sinks_ = open_alike(options.keep_sinks, info);
  }
}

BlockReader BlockReader::turned(BlockReader& straight, const Tiling& tiling) {
  FlowOptions options;  // those that say where flow leaves are the other reader's
  options.rule = straight.options_.rule;
  options.loop_rows = straight.options_.loop_cols;
  options.loop_cols = straight.options_.loop_rows;
  BlockReader reader(straight.source_, options, tiling);
  reader.straight_ = &straight;
  return reader;
}

void BlockReader::mark(io::RasterSource& mask, CellState as, const domain::Window& window,
                       std::vector<std::uint8_t>& state) const {
  const domain::Cells cells = read_from(mask, window);
  const auto valid = domain::valid_cells(cells, mask.info().nodata);
  for (Index i = 0; i < window.size(); ++i)
    if (valid[std::size_t(i)] != 0 && domain::value_at(cells, i) != 0 &&
        is_data(state[std::size_t(i)]))
      state[std::size_t(i)] = std::uint8_t(as);
}

domain::Cells BlockReader::read_from(io::RasterSource& source, const domain::Window& window) const {
  const domain::RasterInfo& info = source.info();
  if (window.row >= 0 && window.col >= 0 && window.row + window.rows <= info.rows &&
      window.col + window.cols <= info.cols)
    return source.read(window);
  // Piece by piece between the map's edges.
  domain::Cells all = domain::make_cells(info.type, window.size());
  for (Index r = window.row; r < window.row + window.rows;) {
    const Index row = (r % info.rows + info.rows) % info.rows;
    const Index rows = std::min(info.rows - row, window.row + window.rows - r);
    for (Index c = window.col; c < window.col + window.cols;) {
      const Index col = (c % info.cols + info.cols) % info.cols;
      const Index cols = std::min(info.cols - col, window.col + window.cols - c);
      domain::paste({r, c, rows, cols}, source.read({row, col, rows, cols}), window, all);
      c += cols;
    }
    r += rows;
  }
  return all;
}

void BlockReader::mark_listed(const domain::Window& w, std::vector<std::uint8_t>& state) const {
  if (sink_list_.empty()) return;
  for (Index i = 0; i < w.size(); ++i) {
    const Index cell = tiling_.cell(w.row + i / w.cols, w.col + i % w.cols);
    if (!std::binary_search(sink_list_.begin(), sink_list_.end(), cell)) continue;
    if (!is_data(state[std::size_t(i)]))
      throw InputError(fmt::format("--keep-sinks: row {}, column {} of {} is nodata",
                                   cell / tiling_.cols, cell % tiling_.cols, source_.info().name));
    state[std::size_t(i)] = std::uint8_t(CellState::sink);
  }
}

double BlockReader::width(Index row) const {
  const Index rows = info().rows;
  const auto at = metric_.uniform ? std::size_t{0} : std::size_t((row + rows) % rows);
  return std::max(metric_.dx[at], 1e-6 * height());
}

TileShape BlockReader::shape(Index tile) const {
  TileShape shape;
  shape.inside = tiling_.window(tile);
  shape.around = tiling_.with_halo(tile, 1);
  shape.tiling = tiling_;
  Grid& grid = shape.grid;
  grid.rows = shape.around.rows;
  grid.cols = shape.around.cols;
  grid.connectivity = options_.connectivity();
  if (straight_ != nullptr) return shape;
  grid.dy = height();
  grid.dx.assign({width(0)});
  if (metric_.uniform) return shape;
  grid.dx.clear();
  for (Index r = 0; r < grid.rows; ++r) grid.dx.push_back(width(shape.around.row + r));
  return shape;
}

template <class T>
void BlockReader::read_window(const domain::Window& around, std::vector<T>& heights,
                              std::vector<std::uint8_t>& states) {
  const domain::RasterInfo& info = source_.info();
  // States depend on neighbours: read a ring more.
  const domain::Window wide = tiling_.widened(around, 1);
  const domain::Cells cells = read_from(source_, wide);
  const auto& z = std::get<std::vector<T>>(cells);

  Grid grid;
  grid.rows = wide.rows;
  grid.cols = wide.cols;
  grid.connectivity = options_.connectivity();
  Borders borders = borders_of(options_);
  const bool upright = !tiling_.loop_rows;
  const bool across = !tiling_.loop_cols;
  borders.north = borders.north && upright && wide.row == 0;
  borders.south = borders.south && upright && wide.row + wide.rows == info.rows;
  borders.west = borders.west && across && wide.col == 0;
  borders.east = borders.east && across && wide.col + wide.cols == info.cols;
  const auto hole = domain::representable(info.type, info.nodata);
  std::optional<T> nodata;
  if (hole && !std::isnan(*hole)) nodata = static_cast<T>(*hole);
  std::vector<std::uint8_t> state = make_states<T>(grid, std::span<const T>(z), nodata, borders);
  if (const Index at = first_infinite(z, state); at >= 0) {
    const Index cell = tiling_.cell(wide.row + at / wide.cols, wide.col + at % wide.cols);
    throw InputError(fmt::format(
        "{}: error: the height in row {}, column {} is infinite; mark such cells as nodata",
        info.name, cell / info.cols, cell % info.cols));
  }
  if (outlets_) mark(*outlets_, CellState::outlet, wide, state);
  if (sinks_) mark(*sinks_, CellState::sink, wide, state);
  mark_listed(wide, state);

  heights.resize(std::size_t(around.size()));
  states.resize(std::size_t(around.size()));
  for (Index r = 0; r < around.rows; ++r) {
    const Index from = (around.row - wide.row + r) * wide.cols + around.col - wide.col;
    std::copy_n(z.begin() + from, around.cols, heights.begin() + r * around.cols);
    std::copy_n(state.begin() + from, around.cols, states.begin() + r * around.cols);
  }
}

template <class T>
Block<T> BlockReader::read(Index tile) {
  Block<T> block;
  static_cast<TileShape&>(block) = shape(tile);
  if (straight_ == nullptr) {
    read_window(block.around, block.z, block.state);
    return block;
  }
  const domain::Window& a = block.around;
  const domain::Window there = {straight_->tiling_.rows - a.col - a.cols,
                                straight_->tiling_.cols - a.row - a.rows, a.cols, a.rows};
  std::vector<T> z;
  std::vector<std::uint8_t> state;
  straight_->read_window(there, z, state);
  block.z.resize(z.size());
  block.state.resize(z.size());
  for (Index r = 0; r < a.rows; ++r)
    for (Index c = 0; c < a.cols; ++c) {
      const auto from = std::size_t((a.cols - 1 - c) * a.rows + a.rows - 1 - r);
      block.z[std::size_t(r * a.cols + c)] = z[from];
      block.state[std::size_t(r * a.cols + c)] = state[from];
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
