// Marks of streams and rises of a surface, cell by cell: what plain loops over the cells give.
#include <gtest/gtest.h>

#include "reference/terrain_run.hpp"
#include "terrawave/solvers/terrain/local_steps.hpp"
#include "terrawave/solvers/terrain/product_sums.hpp"

namespace terrawave::terrain {
namespace {

using namespace reference;

template <class V>
void compare_marks(Random& random, const par::Queue& queue) {
  const Index n = 1 + random.below(3000);
  const double threshold = double(random.below(50));
  std::vector<V> amount;
  std::vector<std::uint8_t> data, expected;
  const std::uint8_t hole = random.chance(0.5) ? kNoDirection : std::uint8_t(CellState::nodata);
  for (Index i = 0; i < n; ++i) {
    amount.push_back(V(random.below(100)) / V(2));
    data.push_back(random.chance(0.2) ? hole : std::uint8_t(CellState::outlet));
    expected.push_back(data.back() != hole && double(amount.back()) >= threshold ? 1 : 0);
  }
  const par::Buffer<V> amounts(queue, amount);
  const par::Buffer<std::uint8_t> on(queue, data);
  par::Buffer<std::uint8_t> stream(queue, n);
  par::dispatch(queue, [&](const auto& exec) {
    steps::mark_streams(exec, amounts.cview(), on.cview(), hole, threshold, stream.view());
  });
  EXPECT_EQ(stream.download(), expected);
}

template <class T>
void compare_rises(Random& random, const par::Queue& queue) {
  const Dem<T> dem = random_dem<T>(random, 40);
  const OnDevice<T> on(queue, dem);
  const std::vector<T> filled = on.filled();
  steps::Rise expected;
  std::vector<double> rises;
  for (std::size_t i = 0; i < filled.size(); ++i)
    if (is_data(dem.state[i]) && double(filled[i]) - double(dem.z[i]) > 0)
      rises.push_back(double(filled[i]) - double(dem.z[i]));
  expected.cells = Index(rises.size());
  for (const double rise : rises) expected.most = std::max(expected.most, rise);
  OrderlessSum sum(expected.most);
  for (const double rise : rises) sum.add(rise);
  const par::Buffer<T> high(queue, filled);
  par::dispatch(queue, [&](const auto& exec) {
    const steps::Rise found =
        steps::rise_between(exec, on.z.cview(), high.cview(), on.state.cview());
    EXPECT_EQ(found.cells, expected.cells);
    EXPECT_EQ(found.most, expected.most);
    EXPECT_EQ(steps::rise_sum(exec, on.z.cview(), high.cview(), on.state.cview(), expected.most),
              sum.parts());
  });
}

TEST(LocalSteps, MarksOfStreamsAndRisesEqualPlainLoops) {
  Random random(67);
  for (int i = 0; i < 100 && !HasFailure(); ++i) {
    SCOPED_TRACE(i);
    const par::Queue queue =
        i % 10 == 9 ? par::Queue::guarded_host(2) : par::Queue::host(1 + i % 4);
    compare_marks<std::int64_t>(random, queue);
    compare_marks<double>(random, queue);
    compare_rises<std::uint8_t>(random, queue);
    compare_rises<std::int16_t>(random, queue);
    compare_rises<std::uint16_t>(random, queue);
    compare_rises<std::int32_t>(random, queue);
    compare_rises<float>(random, queue);
    compare_rises<double>(random, queue);
  }
}

}  // namespace
}  // namespace terrawave::terrain
