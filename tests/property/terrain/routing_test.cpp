// Random rasters of every height type, full of ties, holes and closed borders, against the slow
// references; on one, two and three threads.
#include <cstring>

#include <gtest/gtest.h>

#include "reference/terrain_flats.hpp"
#include "reference/terrain_reference.hpp"
#include "reference/terrain_run.hpp"

namespace terrawave::terrain {
namespace {

using namespace reference;

constexpr int kDems = 10000;  // over all types
constexpr Index kSide = 12;

template <class T>
class RandomDems : public ::testing::Test {
 protected:
  // Calls visit(dem, queue) for this type's share of the rasters.
  template <class Visit>
  void each(std::uint64_t seed, const Visit& visit) {
    const par::Queue queues[] = {par::Queue::host(1), par::Queue::host(2), par::Queue::host(3)};
    Random random(seed + sizeof(T) + 7 * std::is_signed_v<T> + 31 * std::is_floating_point_v<T>);
    for (int i = 0; i < (kDems + 5) / 6 && !this->HasFailure(); ++i) {
      const Dem<T> dem = random_dem<T>(random, i % 50 == 0 ? 4 * kSide : kSide);
      SCOPED_TRACE(testing::Message()
                   << "raster " << i << ", " << dem.grid.rows << " x " << dem.grid.cols);
      visit(dem, queues[i % 16 < 2 ? 1 + i % 16 : 0]);
    }
  }
};

using HeightTypes =
    ::testing::Types<std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, float, double>;
TYPED_TEST_SUITE(RandomDems, HeightTypes);

// Bits, so that -0 and NaN count.
template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

TYPED_TEST(RandomDems, ReceiversAreTheSteepest) {
  this->each(1, [](const auto& dem, const par::Queue& queue) {
    const OnDevice<TypeParam> on(queue, dem);
    for (const FlatRule rule : {FlatRule::leave, FlatRule::by_index})
      EXPECT_EQ(on.steepest(rule), steepest(dem.grid, dem.z, dem.state, rule));
  });
}

TYPED_TEST(RandomDems, FillEqualsPriorityFlood) {
  this->each(2, [](const auto& dem, const par::Queue& queue) {
    const OnDevice<TypeParam> on(queue, dem);
    const auto filled = on.filled();
    EXPECT_TRUE(same_bits(filled, priority_flood(dem.grid, dem.z, dem.state)));
    Dem<TypeParam> again = dem;
    again.z = filled;
    EXPECT_TRUE(same_bits(OnDevice<TypeParam>(queue, again).filled(), filled));
  });
}

TYPED_TEST(RandomDems, CarveAndJumpEqualKruskal) {
  this->each(3, [](const auto& dem, const par::Queue& queue) {
    const OnDevice<TypeParam> on(queue, dem);
    const auto start = steepest(dem.grid, dem.z, dem.state, FlatRule::by_index);
    for (const bool jump : {false, true}) {
      const Routed got = on.routed(jump ? RouteMode::jump : RouteMode::carve, false);
      const Rerouted expected = kruskal(dem.grid, dem.z, dem.state, start, jump);
      EXPECT_EQ(got.receivers.direction.download(), expected.direction);
      EXPECT_EQ(got.receivers.jumps, expected.jumps);
      EXPECT_EQ(got.stats.undrained, expected.undrained);
      EXPECT_EQ(count_pits(queue, got.receivers, on.state.cview()), expected.undrained);
    }
  });
}

TYPED_TEST(RandomDems, FlatsFollowTheIntegerKeys) {
  this->each(4, [](const auto& dem, const par::Queue& queue) {
    const OnDevice<TypeParam> on(queue, dem);
    const auto start = steepest(dem.grid, dem.z, dem.state, FlatRule::leave);
    par::Buffer<Direction> direction(queue, start);
    const Index changed =
        resolve_flats(queue, dem.grid, on.z.cview(), on.state.cview(), direction.view());
    const auto expected = resolve_flats(dem.grid, dem.z, dem.state, start);
    EXPECT_EQ(direction.download(), expected);
    Index differing = 0;
    for (std::size_t i = 0; i < start.size(); ++i) differing += start[i] != expected[i];
    EXPECT_EQ(changed, differing);
  });
}

// Every mode: nobody is lost, the way out never climbs above the filled surface (the root's height
// included), and every cell's receiver carries more.
TYPED_TEST(RandomDems, EveryModeDrainsEverythingAlongTheLowestWay) {
  this->each(5, [](const auto& dem, const par::Queue& queue) {
    const OnDevice<TypeParam> on(queue, dem);
    const auto flood = priority_flood(dem.grid, dem.z, dem.state);
    for (const RouteMode mode : {RouteMode::carve, RouteMode::jump, RouteMode::fill})
      for (const bool flats : {false, true}) {
        const Routed got = on.routed(mode, flats);
        const auto direction = got.receivers.direction.download();
        const auto to = targets(dem.grid, direction, got.receivers.jumps);
        const auto acc = accumulated<std::int64_t>(queue, dem.grid, got.receivers, {});
        std::int64_t at_roots = 0;
        std::int64_t cells = 0;
        for (std::size_t c = 0; c < to.size(); ++c) {
          if (!is_data(dem.state[c])) continue;
          ++cells;
          EXPECT_GE(acc[c], 1);
          if (to[c] == Index(c))
            at_roots += acc[c];
          else
            EXPECT_GT(acc[at(to[c])], acc[c]);
        }
        EXPECT_EQ(at_roots, cells);
        if (mode == RouteMode::carve && got.stats.undrained == 0) {
          const auto highest = path_maximum(dem.z, to);
          for (std::size_t c = 0; c < to.size(); ++c)
            if (is_data(dem.state[c])) {
              EXPECT_EQ(highest[c], flood[c]) << c;
            }
        }
        EXPECT_EQ(
            acc, reference::accumulate<std::int64_t>(dem.grid, direction, got.receivers.jumps, {}));
        const auto roots = basins(to);
        const auto labels = labelled(queue, dem.grid, got.receivers);
        EXPECT_TRUE(std::equal(roots.begin(), roots.end(), labels.begin()));
      }
  });
}

}  // namespace
}  // namespace terrawave::terrain
