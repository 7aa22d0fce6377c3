// The order of the wavefront kernel's strips, with threads that are held up at random.
#include <atomic>
#include <chrono>
#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "terrawave/solvers/fdtd/cpu/wavefront_schedule.hpp"

namespace terrawave::test {
namespace {

// Each strip does each sweep once, after the sweep before it and after its lower neighbour is
// further than it.
void expect_order(Index rows, Index planes, int steps, int threads, Index height, unsigned seed) {
  fdtd::Layout layout{};
  layout.update_low[1] = layout.update_low[2] = 1;
  layout.update_high[1] = 1 + rows;
  layout.update_high[2] = 1 + planes;
  fdtd::wavefront::Schedule schedule(layout, steps, threads, height);
  ASSERT_GE(schedule.strips() * schedule.strip_height(), rows + steps - 1);
  ASSERT_LT((schedule.strips() - 1) * schedule.strip_height(), rows + steps - 1);
  ASSERT_EQ(schedule.sweeps(), planes + steps - 1);
  std::vector<std::atomic<Index>> done(std::size_t(schedule.strips()));
  std::atomic<int> wrong{0};
  std::vector<std::thread> team;
  for (int t = 0; t < threads; ++t)
    team.emplace_back([&, t] {
      std::mt19937 random(seed + unsigned(t));
      schedule.run(t, [&](Index strip, Index sweep) {
        const auto n = std::size_t(strip);
        if (done[n] != sweep) ++wrong;
        if (strip > 0 && done[n - 1] <= sweep) ++wrong;
        // One thread in three is slow.
        if (t % 3 == 0 && random() % 64 == 0)
          std::this_thread::sleep_for(std::chrono::microseconds(random() % 50));
        done[n] = sweep + 1;
      });
    });
  for (auto& thread : team) thread.join();
  EXPECT_EQ(wrong, 0);
  for (const auto& d : done) EXPECT_EQ(d, schedule.sweeps());
}

TEST(FdtdSchedule, EveryStripFollowsItsNeighbourOnAnyNumberOfThreads) {
  std::mt19937 random(11);
  const auto up_to = [&](Index n) { return 1 + Index(random() % std::uint32_t(n)); };
  for (unsigned n = 0; n < 60; ++n) {
    const Index rows = up_to(90), planes = up_to(150), height = 1 + up_to(12);
    const int steps = int(up_to(15)), threads = int(up_to(11));
    SCOPED_TRACE(testing::Message() << rows << " rows, " << planes << " planes, T=" << steps << ", "
                                    << threads << " threads, strips of " << height);
    expect_order(rows, planes, steps, threads, height, n);
  }
}

}  // namespace
}  // namespace terrawave::test
