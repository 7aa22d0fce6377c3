// The kernels of the GPU's search over flats, run on the CPU thread by thread in random orders,
// against the search of the CPU.
#include "terrawave/solvers/terrain/cuda/flat_words.hpp"

#include <numeric>

#include <gtest/gtest.h>

#include "reference/terrain_run.hpp"

namespace terrawave::terrain {
namespace {

using namespace reference;
using cuda::Word;

// Calls thread(i) for each i below n in a random order.
template <class Thread>
void launch(Random& random, Index n, const Thread& thread) {
  std::vector<Index> order(std::size_t(n), 0);
  std::iota(order.begin(), order.end(), Index{0});
  for (std::size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[std::size_t(random.below(Index(i)))]);
  for (const Index i : order) thread(i);
}

struct SearchMemory {
  explicit SearchMemory(const cuda::WordGrid& g)
      : words(std::size_t(3 * g.words()), ~Word{0}),  // a GPU's memory is not zeroed either
        queued(std::size_t(g.tiles()), 0),
        lists(std::size_t(2 * g.tiles()), -1),
        count(3, 0) {}
  cuda::FlatSearch view() {
    const std::size_t n = words.size() / 3;
    const std::size_t tiles = queued.size();
    return {{words.data(), words.data() + n, words.data() + 2 * n},
            queued.data(),
            {lists.data(), lists.data() + tiles},
            count.data()};
  }
  std::vector<Word> words;
  std::vector<std::int32_t> queued, lists, count;
};

// What flat_search.cu does. False, and nothing changed, where flats are not level.
template <class T>
bool resolve_by_words(Random& random, const Dem<T>& dem, std::vector<Direction>& direction) {
  const GridView grid = view_of(dem.grid, {});
  const cuda::WordGrid g(grid);
  const Index cells = dem.grid.cells();
  std::vector<std::uint8_t> flags(std::size_t(cells), 0xee);
  std::int32_t uneven = 0;
  launch(random, cells, [&](Index c) {
    cuda::flag_cell(grid, dem.z.data(), dem.state.data(), direction.data(), flags.data(), &uneven,
                    c / grid.cols, c % grid.cols);
  });
  if (uneven != 0) return false;
  std::vector<Word> domain(std::size_t(g.words()), ~Word{0}), edge(domain);
  SearchMemory toward(g), away(g);
  const cuda::FlatWords f{flags.data(), domain.data(), edge.data(), toward.view(), away.view()};
  launch(random, g.words(), [&](Index i) { cuda::pack_word(g, f, i); });
  const auto left = [&](int step) { return f.toward.count[step % 3] + f.away.count[step % 3]; };
  for (int step = 2; left(step) > 0; ++step) {
    for (const cuda::FlatSearch& s : {f.toward, f.away})
      launch(random, Index(s.count[step % 3]) * cuda::kWordSide,
             [&](Index i) { cuda::advance(g, f.domain, s, i, step); });
    f.toward.count[(step + 2) % 3] = f.away.count[(step + 2) % 3] = 0;
  }
  launch(random, g.words(), [&](Index i) { cuda::choose_word(g, f, direction.data(), i); });
  return true;
}

template <class T>
class FlatWords : public ::testing::Test {};
using Types =
    ::testing::Types<std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, float, double>;
TYPED_TEST_SUITE(FlatWords, Types);

template <class T>
void compare(Random& random, const Dem<T>& dem) {
  const par::Queue queue = par::Queue::host(1);
  const OnDevice<T> on(queue, dem);
  const std::vector<Direction> start = on.steepest(FlatRule::leave);
  std::vector<Direction> direction = start;
  par::Buffer<Direction> expected(queue, start);
  resolve_flats<T>(queue, dem.grid, on.z.cview(), on.state.cview(), expected.view());
  if (resolve_by_words(random, dem, direction))
    EXPECT_TRUE(direction == expected.download());
  else
    EXPECT_TRUE(direction == start);
}

TYPED_TEST(FlatWords, DrainRandomRastersAsTheCpu) {
  Random random(20261130 + sizeof(TypeParam));
  for (int i = 0; i < 60 && !this->HasFailure(); ++i) {
    const auto dem = random_dem<TypeParam>(random, i % 6 == 0 ? 200 : 24);
    SCOPED_TRACE(testing::Message()
                 << "raster " << i << ", " << dem.grid.rows << " x " << dem.grid.cols);
    compare(random, dem);
  }
}

// Wide flats over many tiles, with looped edges and in both connectivities.
TEST(FlatWordsOfPlains, DrainAsTheCpu) {
  Random random(5);
  for (int i = 0; i < 12 && !HasFailure(); ++i) {
    const Dem<std::int16_t> dem = random_plain(random, 65, 140, i);
    compare(random, dem);
  }
}

}  // namespace
}  // namespace terrawave::terrain
