// Heights and states of one tile with a ring of its neighbours' cells.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "terrawave/io/raster.hpp"
#include "terrawave/solvers/terrain/product_options.hpp"
#include "terrawave/solvers/terrain/tile_place.hpp"
#include "terrawave/solvers/terrain/tiled_plan.hpp"

namespace terrawave::terrain {

// Where a tile lies, and the positions of its cells in the tile (`inside`) and with the ring
// (`around`).
struct TileShape {
  domain::Window inside;  // the tile
  domain::Window around;  // the tile and the ring: cut off at the map's edge, or over looped edges
  Grid grid;              // of `around`; no loops
  Tiling tiling;

  // Position in `around` of the first cell of a row of `inside`.
  Index row_start(Index row) const {
    return (inside.row - around.row + row) * around.cols + inside.col - around.col;
  }
  // Position in `around` of a position in `inside`.
  Index around_of(Index i) const {
    const Index row = row_of(i, inside.cols);
    return row_start(row) + i - row * inside.cols;
  }
  // Position in `around` of a cell of the map that lies in the tile.
  Index around_at(Index cell) const {
    return (cell / tiling.cols - around.row) * around.cols + cell % tiling.cols - around.col;
  }
  // Position in `inside` of a position in `around` that lies there.
  Index inside_of(Index a) const {
    const Index row = row_of(a, around.cols);
    return (around.row + row - inside.row) * inside.cols + around.col + a - row * around.cols -
           inside.col;
  }
  // Linear index in the whole raster of a position in `around`.
  Index global(Index a) const {
    const Index row = row_of(a, around.cols);
    return tiling.cell(around.row + row, around.col + a - row * around.cols);
  }
  bool is_inside(Index a) const {
    const Index row = row_of(a, around.cols);
    const Index r = around.row + row - inside.row;
    const Index c = around.col + a - row * around.cols - inside.col;
    return r >= 0 && r < inside.rows && c >= 0 && c < inside.cols;
  }
  // Calls visit(a) for the positions of the ring in `around`, in row order.
  template <class Visit>
  void for_ring(const Visit& visit) const {
    const Index above = inside.row - around.row;
    const Index left = inside.col - around.col;
    for (Index r = 0; r < around.rows; ++r) {
      const bool whole = r < above || r >= above + inside.rows;
      const Index at = r * around.cols;
      for (Index c = 0; c < (whole ? around.cols : left); ++c) visit(at + c);
      for (Index c = left + inside.cols; !whole && c < around.cols; ++c) visit(at + c);
    }
  }
  // The values of the tile out of values of `around`.
  template <class V>
  std::vector<V> cut(const std::vector<V>& values) const {
    std::vector<V> own(std::size_t(inside.size()));
    for (Index r = 0; r < inside.rows; ++r)
      std::copy_n(values.data() + row_start(r), inside.cols, own.data() + r * inside.cols);
    return own;
  }
  // Puts values of the tile in their place in values of `around`.
  template <class V>
  void paste(const std::vector<V>& own, std::vector<V>& values) const {
    for (Index r = 0; r < inside.rows; ++r)
      std::copy_n(own.data() + r * inside.cols, inside.cols, values.data() + row_start(r));
  }
  // Values of `around` from those of the tile and those of the ring (in the order of Rings).
  template <class V>
  std::vector<V> join(const std::vector<V>& own, const std::vector<V>& ring) const {
    std::vector<V> all(std::size_t(around.size()));
    const V* next = ring.data();
    const auto take = [&](Index at, Index count) {
      std::copy_n(next, count, all.data() + at);
      next += count;
    };
    const Index above = inside.row - around.row;
    const Index left = inside.col - around.col;
    for (Index r = 0; r < around.rows; ++r) {
      const Index at = r * around.cols;
      if (r < above || r >= above + inside.rows) {
        take(at, around.cols);
        continue;
      }
      take(at, left);
      std::copy_n(own.data() + (r - above) * inside.cols, inside.cols, all.data() + at + left);
      take(at + left + inside.cols, around.cols - left - inside.cols);
    }
    return all;
  }
};

// The same for kernels.
inline steps::TilePlace place_of(const TileShape& shape) {
  return {shape.around.rows,
          shape.around.cols,
          shape.inside.row - shape.around.row,
          shape.inside.col - shape.around.col,
          shape.inside.rows,
          shape.inside.cols};
}

// Where a tile lies; the grid is left out.
inline TileShape windows_of(const Tiling& tiling, Index tile) {
  TileShape shape;
  shape.inside = tiling.window(tile);
  shape.around = tiling.with_halo(tile, 1);
  shape.tiling = tiling;
  return shape;
}

// Neighbour k in `around`, or -1, whatever the connectivity: flow that came from a file or from
// several receivers need not keep to it.
inline Index neighbour8(const TileShape& shape, Index row, Index col, int k) {
  row += kRowStep[k];
  col += kColStep[k];
  return row < 0 || row >= shape.around.rows || col < 0 || col >= shape.around.cols
             ? -1
             : row * shape.around.cols + col;
}

template <class T>
struct Block : TileShape {
  std::vector<T> z;                 // of `around`
  std::vector<std::uint8_t> state;  // of `around`
};

// Reads blocks; the states are those of the whole raster.
class BlockReader {
 public:
  // `tiling` receives the loops of the options.
  BlockReader(io::RasterSource& source, const FlowOptions& options, const Tiling& tiling);
  // The raster of another reader turned over its other diagonal, to be filled once more: cell
  // (row, col) lies in row cols - 1 - col, column rows - 1 - row. Its cells have no size.
  static BlockReader turned(BlockReader& straight, const Tiling& tiling);
  TileShape shape(Index tile) const;
  // Throws InputError for infinite heights and kept sinks on nodata.
  template <class T>
  Block<T> read(Index tile);
  // Values of another raster of this shape in a window that may lie over looped edges.
  domain::Cells read_from(io::RasterSource& source, const domain::Window& window) const;
  io::RasterSource& source() const { return source_; }
  const domain::RasterInfo& info() const { return source_.info(); }
  const Tiling& tiling() const { return tiling_; }
  const FlowOptions& options() const { return options_; }
  const domain::CellMetric& metric() const { return metric_; }
  // Size of the cells [m] of a row (over looped edges too), as grid_of takes it for one piece.
  double width(Index row) const;
  double height() const { return metric_.dy[std::size_t(info().rows / 2)]; }

 private:
  // Heights and states of a window.
  template <class T>
  void read_window(const domain::Window& around, std::vector<T>& z,
                   std::vector<std::uint8_t>& state);
  void mark_listed(const domain::Window& window, std::vector<std::uint8_t>& state) const;
  void mark(io::RasterSource& mask, CellState as, const domain::Window& window,
            std::vector<std::uint8_t>& state) const;
  io::RasterSource& source_;
  FlowOptions options_;
  Tiling tiling_;
  domain::CellMetric metric_;
  std::unique_ptr<io::RasterSource> outlets_, sinks_;
  std::vector<Index> sink_list_;
  BlockReader* straight_ = nullptr;  // of the raster that this one turns
};

}  // namespace terrawave::terrain
