// Collecting and distributing global arrays in windows, with random ownership.
#include "terrawave/io/windows.hpp"

#include <cstring>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

#include "terrawave/base/error.hpp"
#include "terrawave/io/collective.hpp"
#include "test_world.hpp"

namespace terrawave::test {
namespace {

// Entry i is {i, 3 i}.
std::vector<std::int64_t> whole(Index n) {
  std::vector<std::int64_t> all;
  for (Index i = 0; i < n; ++i) all.insert(all.end(), {i, 3 * i});
  return all;
}

// The entries that a seeded draw gives to this rank, shuffled.
sim::FieldBlock my_share(Index n, unsigned seed) {
  std::mt19937_64 random(seed);
  sim::FieldBlock block;
  std::int64_t owner = 0;
  for (Index i = 0; i < n; ++i) {
    // Runs of random length, so that both long runs and single entries occur.
    if (random() % 3 == 0) owner = static_cast<std::int64_t>(random() % unsigned(world().size()));
    if (owner == world().rank()) block.ids.push_back(i);
  }
  if (seed % 2 == 0) std::shuffle(block.ids.begin(), block.ids.end(), random);
  for (const GlobalId id : block.ids) {
    const std::int64_t entry[] = {id, 3 * id};
    const auto* bytes = reinterpret_cast<const std::byte*>(entry);
    block.values.insert(block.values.end(), bytes, bytes + sizeof(entry));
  }
  return block;
}

TEST(Windows, CollectInGlobalOrder) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    const Index n = Index(seed) * 13;
    std::vector<std::int64_t> got;
    io::collect_windows(
        world(), my_share(n, seed), n, 16,
        [&](Index first, std::span<const std::byte> bytes) {
          EXPECT_EQ(first * 2, Index(got.size()));
          EXPECT_LE(bytes.size(), 1000u);
          const std::size_t at = got.size();
          got.resize(at + bytes.size() / 8);
          std::memcpy(got.data() + at, bytes.data(), bytes.size());
        },
        1000);
    if (world().is_root()) {
      EXPECT_EQ(got, whole(n));
    }
  }
}

TEST(Windows, GapsAndOverlapsAreFound) {
  for (const bool gap : {true, false}) {
    sim::FieldBlock block = my_share(100, 7);
    if (world().is_root()) {
      if (gap) {
        block.ids.pop_back();
        block.values.resize(block.values.size() - 16);
      } else {
        block.ids.push_back(block.ids.front());
        block.values.resize(block.values.size() + 16);
      }
    }
    EXPECT_THROW(io::collect_windows(
                     world(), block, 100, 16, [](Index, std::span<const std::byte>) {}, 1000),
                 io::SharedError);
  }
}

TEST(Windows, DistributeToAnyOrder) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    const Index n = 1 + Index(seed) * 13;
    std::mt19937_64 random(seed + 1000u * unsigned(world().rank()));
    std::vector<GlobalId> ids(seed % 5 == 0 ? 0 : 50);
    for (GlobalId& id : ids) id = GlobalId(random() % std::uint64_t(n));
    const std::vector<std::int64_t> all = whole(n);
    const std::vector<std::byte> bytes = io::distribute_windows(
        world(), ids, n, 16,
        [&](Index first, std::span<std::byte> into) {
          std::memcpy(into.data(), all.data() + 2 * first, into.size());
        },
        1000);
    ASSERT_EQ(bytes.size(), ids.size() * 16);
    for (std::size_t k = 0; k < ids.size(); ++k) {
      std::int64_t entry[2];
      std::memcpy(entry, bytes.data() + 16 * k, 16);
      EXPECT_EQ(entry[0], ids[k]);
      EXPECT_EQ(entry[1], 3 * ids[k]);
    }
  }
}

TEST(Windows, AnErrorOnTheRootIsEverybodys) {
  const auto fails = [](Index, std::span<const std::byte>) { throw RunError("disk full"); };
  try {
    io::collect_windows(world(), my_share(10, 1), 10, 16, fails);
    FAIL() << "no error";
  } catch (const io::SharedError& e) {
    EXPECT_STREQ(e.what(), "disk full");
  }
  EXPECT_THROW(io::on_root(world(), [] { throw InputError("wrong"); }), InputError);
}

}  // namespace
}  // namespace terrawave::test
