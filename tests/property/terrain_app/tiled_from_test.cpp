// Directions of other programs in tiles: the bytes and the complaints of one piece.
#include "reference/tiled_from_compare.hpp"
#include "scratch_folder.hpp"

namespace terrawave::terrain {
namespace {

TEST(TiledFrom, EqualsOnePieceForRandomCodes) {
  const test::ScratchFolder folder;
  const auto self = comm::make_self();
  reference::Random random(41);
  for (int k = 0; k < 1500 && !HasFailure(); ++k)
    reference::compare_from(*self, reference::random_from(random, 12, folder.path(), true),
                            folder.path());
}

// A loop through four tiles, named from its smallest cell on, whichever way it turns.
TEST(TiledFrom, NamesALoopAcrossTiles) {
  const test::ScratchFolder folder;
  const auto self = comm::make_self();
  domain::Raster raster;
  raster.info.rows = raster.info.cols = 6;
  raster.info.type = domain::CellType::u8;
  std::vector<std::uint8_t> codes(36, 0);
  // Clockwise round the cells (1, 1) to (4, 4), in ESRI's codes.
  for (int k = 1; k < 4; ++k) {
    codes[std::size_t(6 + k)] = 1;
    codes[std::size_t(6 * k + 4)] = 4;
    codes[std::size_t(24 + k + 1)] = 16;
    codes[std::size_t(6 * (k + 1) + 1)] = 64;
  }
  raster.cells = codes;
  const std::string file = (folder.path() / "codes.npy").string();
  io::write_raster(file, raster);
  const auto source = io::open_raster(file);
  try {
    TiledSession(*self, par::Queue::host(1), *source, DirectionSource{}, {}, {6, 6, 3, 3}, {}, {});
    FAIL();
  } catch (const InputError& e) {
    EXPECT_EQ(std::string(e.what()),
              file +
                  ": error: the directions run in a loop of 12 cells: (row 1, column 1) (row 1, "
                  "column 2) (row 1, column 3) (row 1, column 4) (row 2, column 4) (row 3, "
                  "column 4) (row 4, column 4) (row 4, column 3) ...; break loops with "
                  "terrawave terrain codes --repair");
  }
}

}  // namespace
}  // namespace terrawave::terrain
