// Time and rounds in proportion to the size where naive methods take its square: plateaus, and one
// corridor of 10^6 cells. Runs on a thread with an ordinary stack of 8 MiB.
#include <algorithm>
#include <bit>
#include <ctime>
#include <functional>

#include <gtest/gtest.h>
#include <pthread.h>

#include "reference/terrain_run.hpp"

namespace terrawave::terrain {
namespace {

using namespace reference;

const par::Queue& host() {
  static const par::Queue queue = par::Queue::host(1);
  return queue;
}

void on_ordinary_stack(const std::function<void()>& work) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, std::size_t{8} << 20), 0);
  pthread_t thread;
  const auto run = [](void* f) -> void* {
    (*static_cast<const std::function<void()>*>(f))();
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, run, const_cast<std::function<void()>*>(&work)),
            0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

// Processor time of this thread: other work on the machine does not count.
double seconds_of(const std::function<void()>& work) {
  const auto now = [] {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
  };
  double best = 1e300;
  for (int i = 0; i < 3; ++i) {
    const double begin = now();
    work();
    best = std::min(best, now() - begin);
  }
  return best;
}

// Four times the cells may take four times as long, sixteen times by the square of the size. The
// bound is their geometric mean: a factor 2 for caches and noise, and as far from quadratic.
constexpr double kMost = 8;

// Everything on one raster; `pits`: how many it has. The outlets must receive every cell.
template <class T>
void route_everything(const Dem<T>& d, RouteMode mode) {
  const OnDevice<T> on(host(), d);
  const Routed routed = on.routed(mode, true);
  EXPECT_EQ(routed.stats.undrained, 0);
  // Boruvka's rounds at least halve the basins.
  EXPECT_LE(routed.stats.rounds, int(std::bit_width(std::uint64_t(routed.stats.pits + 1))));
  par::Buffer<std::int64_t> sums(host(), d.grid.cells());
  accumulate<std::int64_t>(host(), d.grid, routed.receivers, {}, sums.view());
  const auto all = sums.download();
  std::int64_t received = 0;
  for (std::size_t c = 0; c < all.size(); ++c)
    if (is_base(d.state[c])) received += all[c];
  EXPECT_EQ(received, Index(std::count_if(d.state.begin(), d.state.end(), is_data)));
}

template <class T>
void expect_linear(const Dem<T>& small, const Dem<T>& large) {
  ASSERT_EQ(large.grid.cells() / small.grid.cells(), 4);
  for (const RouteMode mode : {RouteMode::fill, RouteMode::carve}) {
    const double less = seconds_of([&] { route_everything(small, mode); });
    const double more = seconds_of([&] { route_everything(large, mode); });
    EXPECT_LT(more, kMost * less) << (mode == RouteMode::fill ? "fill" : "carve");
  }
}

Dem<float> constant(Index side) {
  return dem<float>(side, side, std::vector<float>(std::size_t(side * side), 3.0f),
                    Connectivity::d8);
}

// A corridor one cell wide, to and fro between walls, of half the raster's cells; its only outlet
// is its start. `height(i)`: of its cell i.
template <class Height>
Dem<std::int32_t> serpentine(Index rows, Index cols, const Height& height) {
  Dem<std::int32_t> d;
  d.grid.rows = rows;
  d.grid.cols = cols;
  d.grid.connectivity = Connectivity::d4;
  d.z.assign(std::size_t(rows * cols), 0);
  d.state.assign(d.z.size(), std::uint8_t(CellState::nodata));
  Index length = 0;
  const auto put = [&](Index row, Index col) {
    const auto c = std::size_t(row * cols + col);
    d.z[c] = std::int32_t(height(length++));
    d.state[c] = std::uint8_t(CellState::valid);
  };
  for (Index row = 0; row < rows; ++row) {
    const bool west = row / 2 % 2 == 1;
    if (row % 2 == 1)
      put(row, west ? 0 : cols - 1);
    else
      for (Index i = 0; i < cols; ++i) put(row, west ? cols - 1 - i : i);
  }
  d.state[0] = std::uint8_t(CellState::outlet);
  return d;
}
template <class Height>
void expect_linear_corridor(const Height& height) {
  const auto large = serpentine(2000, 1000, height);
  EXPECT_EQ(std::count_if(large.state.begin(), large.state.end(), is_data), 1001000);
  expect_linear(serpentine(1000, 500, height), large);
}

TEST(LinearTime, AConstantRasterOf4096SquaredCells) {
  on_ordinary_stack([] { expect_linear(constant(2048), constant(4096)); });
}
TEST(LinearTime, AFlatCorridorOfAMillionCells) {
  on_ordinary_stack([] { expect_linear_corridor([](Index) { return 7; }); });
}
TEST(LinearTime, ARisingCorridorOfAMillionCells) {
  on_ordinary_stack([] { expect_linear_corridor([](Index i) { return i; }); });
}
// Every fourth cell is a pit, each deeper than the one before it: 250000 nested depressions.
TEST(LinearTime, ACorridorOfNestedPits) {
  on_ordinary_stack([] { expect_linear_corridor([](Index i) { return i % 4 == 2 ? -i : 9; }); });
}

}  // namespace
}  // namespace terrawave::terrain
