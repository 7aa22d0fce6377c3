// Cells are counted in 64 bits: a raster of 70000 x 70000 has 4.9e9 of them, beyond 32 bits.
#include <gtest/gtest.h>

#include "terrawave/solvers/terrain/cpu/flow_walk.hpp"
#include "terrawave/solvers/terrain/cpu/tile_map.hpp"
#include "terrawave/solvers/terrain/device_cells.hpp"
#include "terrawave/solvers/terrain/terrain_routing.hpp"

namespace terrawave::terrain {
namespace {

constexpr Index kSide = 70000;

Grid large(bool loop) {
  Grid grid;
  grid.rows = kSide;
  grid.cols = kSide;
  grid.loop_rows = grid.loop_cols = loop;
  return grid;
}

TEST(LargeRasters, CellsRowsAndColumns) {
  const Grid grid = large(false);
  EXPECT_EQ(grid.cells(), 4900000000);
  for (const Index row : {Index{0}, Index{30678}, Index{30679}, Index{61356}, kSide - 1})
    for (const Index col : {Index{0}, Index{1}, Index{23647}, Index{23648}, kSide - 1}) {
      const Index cell = row * kSide + col;
      EXPECT_EQ(row_of(cell, kSide), row);
      for (int k = 0; k < kNeighbours; ++k) {
        const Index r = row + kRowStep[k];
        const Index c = col + kColStep[k];
        const bool in = r >= 0 && r < kSide && c >= 0 && c < kSide;
        EXPECT_EQ(grid.neighbour(cell, k), in ? r * kSide + c : -1);
        EXPECT_EQ(view_of(grid, {}).neighbour(cell, k), in ? r * kSide + c : -1);
        if (in) {
          EXPECT_EQ(cpu::Walk<false>(grid).step(cell, k), r * kSide + c);
        }
      }
    }
}

TEST(LargeRasters, DivisionsOnBothSidesOf32Bits) {
  constexpr Index kWord = Index{1} << 32;
  for (const Index cols : {Index{1}, Index{3}, Index{65536}, kWord - 1, kWord, kWord + 1})
    for (const Index cell : {Index{0}, kWord - 1, kWord, kWord + 1, 3 * kWord + 7})
      EXPECT_EQ(row_of(cell, cols), cell / cols);
}

TEST(LargeRasters, LoopedEdges) {
  const Grid grid = large(true);
  const Index last = kSide * kSide - 1;
  EXPECT_EQ(grid.neighbour(last, 1), 0);
  EXPECT_EQ(grid.neighbour(0, 5), last);
  EXPECT_EQ(cpu::Walk<true>(grid).step(last, 1), 0);
  EXPECT_EQ(cpu::Walk<true>(grid).step(0, 5), last);
  EXPECT_EQ(view_of(grid, {}).neighbour(last, 2), kSide - 1);
}

TEST(LargeRasters, TilesTouchAndCoverEveryCellOnce) {
  const cpu::TileMap map(large(false));
  constexpr Index kAcross = (kSide + cpu::kTileSide - 1) / cpu::kTileSide;
  EXPECT_EQ(map.tiles(), kAcross * kAcross);
  Index cells = 0;
  for (Index t = 0; t < map.tiles(); ++t) {
    const auto tile = map.tile(t);
    cells += Index(tile.height) * tile.width;
  }
  EXPECT_EQ(cells, kSide * kSide);
  const auto last = map.tile(map.tiles() - 1);
  EXPECT_EQ(last.row0 + last.height, kSide);
  EXPECT_EQ(last.col0 + last.width, kSide);
  EXPECT_EQ(map.around(map.tiles() - 1).at(-1, -1), map.tiles() - 2 - kAcross);
  EXPECT_EQ(map.around(map.tiles() - 1).at(0, 1), -1);
}

// In one piece 32-bit cell numbers would wrap: refused before anything is read.
TEST(LargeRasters, AreRefusedInOnePiece) {
  const par::Queue queue = par::Queue::host(1);
  const Grid grid = large(false);
  EXPECT_THROW(steepest_receivers<float>(queue, grid, {}, {}, FlatRule::leave), LogicError);
  EXPECT_THROW(fill<float>(queue, grid, {}, {}, {}), LogicError);
  EXPECT_THROW(resolve_flats<float>(queue, grid, {}, {}, {}), LogicError);
  EXPECT_THROW(route<float>(queue, grid, {}, {}, RouteMode::carve), LogicError);
}

}  // namespace
}  // namespace terrawave::terrain
