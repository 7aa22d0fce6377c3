// A tile inside its block, as kernels see it.
#pragma once

#include "terrawave/solvers/terrain/grid.hpp"

namespace terrawave::terrain::steps {

// The block's rows and columns, and the tile's place there.
struct TilePlace {
  Index rows = 0, cols = 0;  // of the block
  Index top = 0, left = 0;   // of the tile
  Index height = 0, width = 0;

  TW_FUNCTION Index cells() const { return rows * cols; }
  // Position in the block of a place in the tile.
  TW_FUNCTION Index cell(Index row, Index col) const { return (top + row) * cols + left + col; }
  // Neighbour k of a cell of the block, or -1.
  TW_FUNCTION Index neighbour(Index row, Index col, int k) const {
    row += row_step(k);
    col += col_step(k);
    return row < 0 || row >= rows || col < 0 || col >= cols ? -1 : row * cols + col;
  }
  TW_FUNCTION bool holds(Index row, Index col) const {
    return row >= top && row < top + height && col >= left && col < left + width;
  }
};

}  // namespace terrawave::terrain::steps
