#include "terrawave/solvers/terrain/local_steps.hpp"

#include <limits>

#include "terrawave/par/launch.hpp"

namespace terrawave::terrain::steps {
namespace {

using par::Range1;
using par::Range2;
using par::View;

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

template <class T>
struct SteepestSlope {
  GridView grid;
  View<const double> distance;
  View<const T> z;
  View<const std::uint8_t> state;
  View<double> slope;

  TW_FUNCTION void operator()(Index col, Index row) const {
    const Index c = row * grid.cols + col;
    if (!is_data(state[c])) {
      slope[c] = kNothing;
      return;
    }
    const Index base = distance.size == 3 ? 0 : 3 * row;
    double steepest = 0;
    for (int k = 0; k < kNeighbours; k += grid.step) {
      const Index other = grid.neighbour(row, col, k);
      if (other < 0 || !is_data(state[other])) continue;
      const double drop = double(z[c]) - double(z[other]);
      const double here = drop / distance[base + step_place(k)];
      steepest = steepest < here ? here : steepest;
    }
    slope[c] = steepest;
  }
};

template <class V>
struct MarkStreams {
  View<const V> amount;
  View<const std::uint8_t> data;
  std::uint8_t hole;
  double threshold;
  View<std::uint8_t> stream;
  TW_FUNCTION void operator()(Index c) const {
    stream[c] = data[c] != hole && double(amount[c]) >= threshold ? 1 : 0;
  }
};
struct LabelMarked {
  View<const std::uint8_t> marked;
  View<const Direction> direction;
  View<std::int32_t> labels;
  TW_FUNCTION void operator()(Index c) const {
    labels[c] = marked[c] != 0 && direction[c] != kNoDirection ? std::int32_t(c) : -1;
  }
};
template <class T>
struct HeightAbove {
  View<const T> z;
  View<const std::int32_t> drain;
  View<double> height;
  TW_FUNCTION void operator()(Index c) const {
    height[c] = drain[c] < 0 ? kNothing : double(z[c]) - double(z[drain[c]]);
  }
};
template <class T>
struct RiseOf {
  View<const T> low, high;
  View<const std::uint8_t> state;
  TW_FUNCTION double operator()(Index c) const {
    const bool up = is_data(state[c]) && low[c] < high[c];
    return up ? double(high[c]) - double(low[c]) : 0.0;
  }
};
template <class T>
struct Rises {
  RiseOf<T> rise;
  TW_FUNCTION std::int64_t operator()(Index c) const { return rise(c) > 0 ? 1 : 0; }
};

}  // namespace

template <class Exec, class T>
void steepest_slope(const Exec& exec, const GridView& grid, View<const double> distance,
                    View<const T> z, View<const std::uint8_t> state, View<double> slope) {
  par::for_each(exec, Range2{grid.cols, grid.rows},
                SteepestSlope<T>{grid, distance, z, state, slope});
}

template <class Exec, class V>
void mark_streams(const Exec& exec, View<const V> amount, View<const std::uint8_t> data,
                  std::uint8_t hole, double threshold, View<std::uint8_t> stream) {
  par::for_each(exec, Range1{0, stream.size},
                MarkStreams<V>{amount, data, hole, threshold, stream});
}

template <class Exec>
void label_marked(const Exec& exec, View<const std::uint8_t> marked,
                  View<const Direction> direction, View<std::int32_t> labels) {
  par::for_each(exec, Range1{0, labels.size}, LabelMarked{marked, direction, labels});
}

template <class Exec, class T>
void height_above(const Exec& exec, View<const T> z, View<const std::int32_t> drain,
                  View<double> height) {
  par::for_each(exec, Range1{0, height.size}, HeightAbove<T>{z, drain, height});
}

template <class Exec, class T>
Rise rise_between(const Exec& exec, View<const T> low, View<const T> high,
                  View<const std::uint8_t> state) {
  const RiseOf<T> rise{low, high, state};
  return {par::reduce_sum(exec, state.size, Rises<T>{rise}),
          par::reduce_max(exec, state.size, rise, 0.0)};
}

template <class Exec, class T>
FixedSum rise_sum(const Exec& exec, View<const T> low, View<const T> high,
                  View<const std::uint8_t> state, double most) {
  return par::fixed_sum(exec, state.size, RiseOf<T>{low, high, state}, fixed_exponent(most));
}

template void label_marked(const par::Exec&, View<const std::uint8_t>, View<const Direction>,
                           View<std::int32_t>);
template void mark_streams(const par::Exec&, View<const std::int64_t>, View<const std::uint8_t>,
                           std::uint8_t, double, View<std::uint8_t>);
template void mark_streams(const par::Exec&, View<const double>, View<const std::uint8_t>,
                           std::uint8_t, double, View<std::uint8_t>);
#define TERRAWAVE_FOR(T)                                                                \
  template void steepest_slope(const par::Exec&, const GridView&, View<const double>,   \
                               View<const T>, View<const std::uint8_t>, View<double>);  \
  template void height_above(const par::Exec&, View<const T>, View<const std::int32_t>, \
                             View<double>);                                             \
  template Rise rise_between(const par::Exec&, View<const T>, View<const T>,            \
                             View<const std::uint8_t>);                                 \
  template FixedSum rise_sum(const par::Exec&, View<const T>, View<const T>,            \
                             View<const std::uint8_t>, double);
TERRAWAVE_FOR(std::uint8_t)
TERRAWAVE_FOR(std::int16_t)
TERRAWAVE_FOR(std::uint16_t)
TERRAWAVE_FOR(std::int32_t)
TERRAWAVE_FOR(float)
TERRAWAVE_FOR(double)
#undef TERRAWAVE_FOR

}  // namespace terrawave::terrain::steps
