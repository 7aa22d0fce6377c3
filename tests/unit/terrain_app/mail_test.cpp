// Letters between tiles: each arrives once, however few may wait in memory.
#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

#include "scratch_folder.hpp"
#include "terrawave/solvers/terrain/tiled_mail.hpp"

namespace terrawave::terrain {
namespace {

std::vector<Index> taken(Mail<Index>& mail, std::size_t m, std::size_t& most) {
  std::vector<Index> all;
  while (mail.waits(m)) {
    const std::vector<Index> some = mail.take(m);
    most = std::max(most, some.size());
    all.insert(all.end(), some.begin(), some.end());
  }
  std::sort(all.begin(), all.end());
  return all;
}

TEST(Mail, BringsEveryLetterOnceInBunches) {
  const auto self = comm::make_self();
  const Rings rings(*self, {8, 8, 4, 4});
  for (const bool in_files : {false, true}) {
    const test::ScratchFolder folder;
    TileStore store(in_files ? folder.path() / "tiles" : std::filesystem::path());
    Mail<Index> mail(rings, store, "test");
    constexpr Index kLetters = 1000;
    for (Index i = 0; i < kLetters; ++i) mail.send(i % 7 == 0 ? 1 : 3, i);
    EXPECT_FALSE(mail.waits(0));
    std::size_t most = 0;
    std::vector<Index> all = taken(mail, 1, most);
    EXPECT_EQ(Index(all.size()), (kLetters + 6) / 7);
    for (const Index i : taken(mail, 3, most)) all.push_back(i);
    std::sort(all.begin(), all.end());
    std::vector<Index> expected(std::size_t(kLetters), 0);
    std::iota(expected.begin(), expected.end(), Index{0});
    EXPECT_EQ(all, expected);
    // 16 for tiles of 4 x 4 cells, and the one that is too many.
    EXPECT_LE(most, in_files ? std::size_t{17} : std::size_t(kLetters));
    for (const Index tile : {1, 3})
      EXPECT_FALSE(store.has(tile, "test.letters.0")) << "letters are left in the store";
  }
}

}  // namespace
}  // namespace terrawave::terrain
