// Heights and states of one tile with a ring of its neighbours' cells.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "terrawave/io/raster.hpp"
#include "terrawave/solvers/terrain/product_options.hpp"
#include "terrawave/solvers/terrain/tiled_plan.hpp"

namespace terrawave::terrain {

template <class T>
struct Block {
  domain::Window inside;  // the tile
  domain::Window around;  // the tile and the ring: cut off at the map's edge, or over looped edges
  Grid grid;              // of `around`; no loops
  Tiling tiling;
  std::vector<T> z;  // of `around`
  std::vector<std::uint8_t> state;

  // Position in `around` of a position in `inside`.
  Index around_of(Index i) const {
    return (inside.row - around.row + i / inside.cols) * around.cols + inside.col - around.col +
           i % inside.cols;
  }
  // Linear index in the whole raster of a position in `around`.
  Index global(Index a) const {
    return tiling.cell(around.row + a / around.cols, around.col + a % around.cols);
  }
  bool is_inside(Index a) const {
    const Index r = around.row + a / around.cols - inside.row;
    const Index c = around.col + a % around.cols - inside.col;
    return r >= 0 && r < inside.rows && c >= 0 && c < inside.cols;
  }
  // The values of the tile out of values of `around`.
  template <class V>
  std::vector<V> cut(const std::vector<V>& values) const {
    std::vector<V> own(std::size_t(inside.size()));
    for (Index i = 0; i < inside.size(); ++i)
      own[std::size_t(i)] = values[std::size_t(around_of(i))];
    return own;
  }
};

// Reads blocks; the states are those of the whole raster.
class BlockReader {
 public:
  // `tiling` receives the loops of the options.
  BlockReader(io::RasterSource& source, const FlowOptions& options, const Tiling& tiling);
  // Throws InputError for infinite heights and kept sinks on nodata.
  template <class T>
  Block<T> read(Index tile);
  // Values of another raster of this shape in a window that may lie over looped edges.
  domain::Cells read_from(io::RasterSource& source, const domain::Window& window) const;
  const domain::RasterInfo& info() const { return source_.info(); }
  const Tiling& tiling() const { return tiling_; }
  const FlowOptions& options() const { return options_; }
  const domain::CellMetric& metric() const { return metric_; }

 private:
  void mark_listed(const domain::Window& window, std::vector<std::uint8_t>& state) const;
  void mark(io::RasterSource& mask, CellState as, const domain::Window& window,
            std::vector<std::uint8_t>& state) const;
  io::RasterSource& source_;
  FlowOptions options_;
  Tiling tiling_;
  domain::CellMetric metric_;
  std::unique_ptr<io::RasterSource> outlets_, sinks_;
  std::vector<Index> sink_list_;
};

}  // namespace terrawave::terrain
