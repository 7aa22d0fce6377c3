// Patches: rectangles of a rank's tiles, what they hold, see and show.
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "reference/terrain_random.hpp"
#include "terrawave/solvers/terrain/tiled_patches.hpp"

namespace terrawave::terrain {
namespace {

using reference::Random;

Tiling random_tiling(Random& random) {
  Tiling t{1 + random.below(20), 1 + random.below(20)};
  t.tile_rows = 1 + random.below(std::min<Index>(t.rows, 7));
  t.tile_cols = 1 + random.below(std::min<Index>(t.cols, 7));
  t.loop_rows = random.chance(0.2);
  t.loop_cols = random.chance(0.2);
  return t;
}

// Each cell of the block belongs to one part; those of the tiles to their tile's.
void check_parts(const Rings& rings, const Patch& patch) {
  std::map<std::pair<Index, Index>, int> times;
  Index cells = 0;
  for (std::size_t m = patch.tiles.first; m < patch.tiles.end; ++m) {
    const domain::Window w = rings.tiling().window(rings.tile(m));
    const domain::Window part = patch.part(w);
    cells += w.size();
    EXPECT_LE(part.row, w.row);
    EXPECT_LE(part.col, w.col);
    EXPECT_GE(part.row + part.rows, w.row + w.rows);
    EXPECT_GE(part.col + part.cols, w.col + w.cols);
    for (Index r = part.row; r < part.row + part.rows; ++r)
      for (Index c = part.col; c < part.col + part.cols; ++c) ++times[{r, c}];
  }
  EXPECT_EQ(cells, patch.inside.size());
  EXPECT_EQ(Index(times.size()), patch.around.size());
  for (const auto& [cell, count] : times) {
    EXPECT_EQ(count, 1);
    EXPECT_GE(cell.first, patch.around.row);
    EXPECT_GE(cell.second, patch.around.col);
  }
}

// The ring is all of the block but the tiles, and each cell comes from where the map has it.
void check_ring(const Rings& rings, const Patch& patch) {
  const Tiling& tiling = rings.tiling();
  std::set<std::int32_t> at;
  for (const Patch::RingCell& cell : patch.ring) {
    EXPECT_TRUE(at.insert(cell.at).second);
    const Index r = patch.around.row + cell.at / patch.around.cols;
    const Index c = patch.around.col + cell.at % patch.around.cols;
    EXPECT_FALSE(r >= patch.inside.row && r < patch.inside.row + patch.inside.rows &&
                 c >= patch.inside.col && c < patch.inside.col + patch.inside.cols);
    ASSERT_GE(cell.from.slot, 0);
    const auto m = std::size_t(cell.from.slot);
    const domain::Window w = tiling.window(rings.tile(m));
    const Index i = rings.rim_positions(m)[std::size_t(cell.from.at)];
    EXPECT_EQ(tiling.cell(w.row + i / w.cols, w.col + i % w.cols), tiling.cell(r, c));
  }
  EXPECT_EQ(Index(at.size()), patch.around.size() - patch.inside.size());
}

TEST(Patches, ShareOutTheTilesAndKnowTheirRings) {
  const auto self = comm::make_self();
  Random random(7);
  for (int k = 0; k < 400 && !HasFailure(); ++k) {
    const Rings rings(*self, random_tiling(random));
    const Index most = random.chance(0.2) ? 0 : random.below(600);
    SCOPED_TRACE(testing::Message() << "case " << k << ", at most " << most);
    const std::vector<Patch> patches = patches_of(rings, most);
    std::size_t next = 0;
    std::set<std::pair<std::size_t, std::int32_t>> needed, shown;
    for (const Patch& patch : patches) {
      EXPECT_EQ(patch.tiles.first, next);
      next = patch.tiles.end;
      if (patch.tiles.end - patch.tiles.first > 1) {
        EXPECT_LT(patch.around.size(), most);
      }
      check_parts(rings, patch);
      check_ring(rings, patch);
      for (const Patch::RingCell& cell : patch.ring)
        needed.insert({std::size_t(cell.from.slot), cell.from.at});
      for (const Patch::RimCell& cell : patch.rim) shown.insert({cell.tile, cell.place});
    }
    EXPECT_EQ(next, rings.count());
    EXPECT_EQ(needed, shown);
    if (most == 0) {
      EXPECT_EQ(patches.size(), rings.count());
    }
  }
}

TEST(Patches, OneHoldsAllWhereThereIsRoom) {
  const auto self = comm::make_self();
  const Rings rings(*self, {40, 30, 7, 8});
  const auto patches = patches_of(rings, 40 * 30 + 1);
  ASSERT_EQ(patches.size(), 1u);
  EXPECT_EQ(patches[0].inside.size(), 40 * 30);
  EXPECT_TRUE(patches[0].ring.empty());
  EXPECT_TRUE(patches[0].rim.empty());
}

}  // namespace
}  // namespace terrawave::terrain
