// Channels: the bytes of the slow ones on any number of threads.
#include <gtest/gtest.h>

#include "reference/terrain_breach.hpp"

namespace terrawave::terrain {
namespace {

using namespace reference;

TEST(Breaches, EqualTheSlowOnesOnRandomRasters) {
  compare_random_breaches(par::Queue::host(1), 150);
  compare_random_breaches(par::Queue::host(2), 20);
  compare_random_breaches(par::Queue::host(16), 4);
}

TEST(Breaches, TouchNoDeviceMemoryOutsideLaunches) {
  compare_random_breaches(par::Queue::guarded_host(2), 4);
}

// More pits than walkers are in memory together.
TEST(Breaches, EqualTheSlowOnesWithManyPits) {
  Random random(87);
  Dem<float> dem;
  dem.grid.rows = 900;
  dem.grid.cols = 1000;
  for (Index i = 0; i < dem.grid.cells(); ++i) dem.z.push_back(float(random.unit()));
  dem.grid.connectivity = Connectivity::d4;
  dem.state = make_states(dem.grid, std::span<const float>(dem.z), std::optional<float>(), {});
  compare_breach(random, dem, par::Queue::host(2));
}

}  // namespace
}  // namespace terrawave::terrain
