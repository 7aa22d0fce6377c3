// for_each, exact reductions, scan, select, sort and guarded memory on host threads.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

#include "terrawave/par/launch.hpp"

namespace terrawave::par {
namespace {

struct Square {
  View<double> x;
  void operator()(Index i) const { x[i] = double(i) * double(i); }
};

TEST(HostQueue, ForEachVisitsEveryIndexOnce) {
  for (const int threads : {1, 2, 5}) {
    const Queue queue = Queue::host(threads);
    Buffer<double> x(queue, 1001);
    x.fill_bytes(0);
    for_each(HostExec{queue}, Range1{0, 1001}, Square{x.view()});
    const auto values = x.download();
    for (Index i = 0; i < 1001; ++i) ASSERT_EQ(values[std::size_t(i)], double(i) * double(i));
  }
}

// Each entry appends two more, up to a last one.
struct AppendTwo {
  View<std::int32_t> list, front;
  std::int32_t last;
  void operator()(Index i) const {
    for (const std::int32_t next : {2 * list[i] + 1, 2 * list[i] + 2})
      if (next <= last) list[__atomic_fetch_add(&front[0], 1, __ATOMIC_RELAXED)] = next;
  }
};

TEST(HostQueue, ForEachAppendedGoesOnWhileFewAreReady) {
  const Queue queue = Queue::guarded_host(2);
  for (const Index most : {1, 8, 200, 1000}) {
    Buffer<std::int32_t> list(queue, 1000), front(queue, 2);
    front.upload(std::vector<std::int32_t>{1, 0});
    list.upload(std::vector<std::int32_t>{0});
    for_each_appended(HostExec{queue}, 0, front.view(), most,
                      AppendTwo{list.view(), front.view(), 999});
    const auto at = front.download();
    // Rounds of 1, 2, 4 ... entries, then what is left of 1000: 489.
    std::int32_t done = 0;
    for (std::int32_t round = 1; round <= most && done < 1000; round *= 2)
      done = std::min(1000, done + round);
    EXPECT_EQ(at[1], done);
    EXPECT_EQ(at[0], std::min(1000, 2 * done + 1));
    auto entries = list.download();
    entries.resize(std::size_t(at[0]));
    std::sort(entries.begin(), entries.end());
    for (std::int32_t i = 0; i < at[0]; ++i) EXPECT_EQ(entries[std::size_t(i)], i);
  }
}

TEST(HostQueue, GuardedMemoryFaultsOutsideALaunch) {
  const Queue queue = Queue::guarded_host(2);
  Buffer<double> x(queue, 10);
  for_each(HostExec{queue}, Range1{0, 10}, Square{x.view()});
  EXPECT_EQ(x.at(3), 9.0);
  EXPECT_DEATH({ x.view()[3] = 1.0; }, "");
}

TEST(Reductions, SumsOfDoublesDoNotDependOnThreadsOrOrder) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<double> values(10007);
  for (double& v : values) v = uniform(random) * std::pow(10.0, uniform(random) * 8);
  double max_abs = 0;
  for (const double v : values) max_abs = std::max(max_abs, std::abs(v));
  const int exponent = fixed_exponent(max_abs);
  struct Of {
    View<const double> x;
    double operator()(Index i) const { return x[i]; }
  };
  const auto sum = [&](int threads) {
    const Queue queue = Queue::host(threads);
    const Buffer<double> x(queue, values);
    return fixed_value(fixed_sum(HostExec{queue}, x.size(), Of{x.view()}, exponent), exponent);
  };
  const double one = sum(1);
  for (const int threads : {2, 3, 8}) EXPECT_EQ(sum(threads), one);
  std::shuffle(values.begin(), values.end(), random);
  EXPECT_EQ(sum(2), one);
  long double reference = 0;
  for (const double v : values) reference += v;
  // Each term is rounded to 2^-62 of the largest.
  EXPECT_NEAR(one, double(reference), std::ldexp(10007.0, exponent - 62) + 1e-15 * std::abs(one));
}

TEST(Algorithms, ScanSelectAndSortMatchTheStandardLibrary) {
  std::mt19937_64 random(11);
  for (const Index n : {0, 1, 2, 1000, 4097}) {
    std::vector<std::int64_t> in(static_cast<std::size_t>(n));
    for (auto& v : in) v = std::int64_t(random() % 1000);
    for (const int threads : {1, 3}) {
      const Queue queue = Queue::host(threads);
      const HostExec exec{queue};
      const Buffer<std::int64_t> from(queue, in);
      Buffer<std::int64_t> to(queue, n);
      const auto total = exclusive_scan(exec, from.view(), to.view());
      std::vector<std::int64_t> expected(in.size());
      std::exclusive_scan(in.begin(), in.end(), expected.begin(), std::int64_t{0});
      EXPECT_EQ(to.download(), expected);
      EXPECT_EQ(total, std::accumulate(in.begin(), in.end(), std::int64_t{0}));

      std::vector<std::uint8_t> flags(in.size());
      std::vector<std::int64_t> picked;
      for (std::size_t i = 0; i < in.size(); ++i) {
        flags[i] = in[i] % 3 == 0;
        if (flags[i] != 0) picked.push_back(std::int64_t(i));
      }
      const Buffer<std::uint8_t> f(queue, flags);
      Buffer<std::int64_t> out(queue, n);
      const Index count = select_flagged(exec, f.view(), out.view());
      auto got = out.download();
      got.resize(static_cast<std::size_t>(count));
      EXPECT_EQ(got, picked);

      std::vector<std::uint64_t> keys(in.begin(), in.end());
      std::vector<std::int64_t> values(in.size());
      std::iota(values.begin(), values.end(), 0);
      Buffer<std::uint64_t> k(queue, keys);
      Buffer<std::int64_t> v(queue, values);
      sort_pairs(exec, k.view(), v.view());
      std::stable_sort(values.begin(), values.end(),
                       [&](auto a, auto b) { return in[std::size_t(a)] < in[std::size_t(b)]; });
      EXPECT_EQ(v.download(), values);
    }
  }
}

}  // namespace
}  // namespace terrawave::par
