#include "terrawave/solvers/terrain/multiflow_steps.hpp"

#include "terrawave/base/portable_math.hpp"
#include "terrawave/par/launch.hpp"

namespace terrawave::terrain::steps {
namespace {

using par::Buffer;
using par::Range1;
using par::Range2;
using par::View;

constexpr double kCardinalContour = 0.5;                  // Quinn 1991: L / dx
constexpr double kDiagonalContour = 0.35355339059327379;  // sqrt(2) / 4

template <class T>
struct Slopes {
  GridView grid;
  View<const T> z;
  View<const std::uint8_t> state;
  bool contours;
  View<double> slope;
  TW_FUNCTION void operator()(Index col, Index row) const {
    const Index cells = grid.rows * grid.cols;
    const Index c = row * grid.cols + col;
    const bool flows = state[c] == std::uint8_t(CellState::valid);
    for (int k = 0; k < kNeighbours; ++k) {
      double s = 0;
      const Index n = flows && k % grid.step == 0 ? grid.neighbour(row, col, k) : -1;
      if (n >= 0 && is_data(state[n]) && z[n] < z[c]) {
        s = (double(z[c]) - double(z[n])) * grid.inverse_distance(row, k);
        if (contours) s *= (k & 1) != 0 ? kDiagonalContour : kCardinalContour;
      }
      slope[k * cells + c] = s;
    }
  }
};

// Raises slopes, taken relative to a cell's steepest: no exponent makes all of them vanish.
struct Raise {
  Index cells;
  double exponent;
  View<double> slope;
  TW_FUNCTION void operator()(Index c) const {
    double steepest = 0;
    for (int k = 0; k < kNeighbours; ++k) {
      const double s = slope[k * cells + c];
      steepest = s > steepest ? s : steepest;
    }
    if (!(steepest > 0)) return;
    for (int k = 0; k < kNeighbours; ++k) {
      const double ratio = slope[k * cells + c] / steepest;
      slope[k * cells + c] = portable::pow_of_ratio(ratio, exponent);
    }
  }
};

struct Normalise {
  Index cells;
  View<double> fractions;
  TW_FUNCTION double total(Index c) const {
    double sum = 0;
    for (int k = 0; k < kNeighbours; ++k) sum += fractions[k * cells + c];
    return sum;
  }
  TW_FUNCTION void operator()(Index c) const {
    const double sum = total(c);
    if (!(sum > 0)) return;
    int largest = 0;
    for (int k = 0; k < kNeighbours; ++k) {
      fractions[k * cells + c] /= sum;
      if (fractions[k * cells + c] > fractions[largest * cells + c]) largest = k;
    }
    fractions[largest * cells + c] += 1.0 - total(c);  // the eight roundings
  }
};

TW_FUNCTION std::uint8_t receivers_of(const View<const double>& fractions, Index cells, Index c) {
  unsigned gives = 0;
  for (int k = 0; k < kNeighbours; ++k) gives |= fractions[k * cells + c] > 0 ? 1u << k : 0u;
  return std::uint8_t(gives);
}

struct FollowSingle {
  View<const Direction> direction;
  View<double> fractions;
  TW_FUNCTION void operator()(Index c) const {
    const Index cells = direction.size;
    const Direction d = direction[c];
    if (d < kNeighbours && receivers_of({fractions.data, fractions.size}, cells, c) == 0)
      fractions[d * cells + c] = 1;
  }
};

struct MarkReceivers {
  View<const double> fractions;
  View<std::uint8_t> gives;
  TW_FUNCTION void operator()(Index c) const { gives[c] = receivers_of(fractions, gives.size, c); }
};

struct Graph {
  GridView grid;
  View<const double> fractions;
  View<const std::uint8_t> state;
  View<const double> weights;
  View<double> out;
  View<std::uint8_t> waiting;  // donors that are not final
  Index cells;

  // Donor of c in direction k, or -1.
  TW_FUNCTION Index donor(Index row, Index col, int k) const {
    const Index d = grid.neighbour(row, col, k);
    return d >= 0 && is_data(state[d]) && fractions[opposite(k) * cells + d] > 0 ? d : -1;
  }
};

struct CountDonors {
  Graph on;
  TW_FUNCTION void operator()(Index col, Index row) const {
    const Index c = row * on.grid.cols + col;
    std::uint8_t donors = 0;
    if (is_data(on.state[c]))
      for (int k = 0; k < kNeighbours; ++k) donors += on.donor(row, col, k) >= 0 ? 1 : 0;
    on.waiting[c] = donors;
    if (!is_data(on.state[c])) on.out[c] = 0;
  }
};

struct CellList {
  View<std::int32_t> cells;
  View<std::int32_t> count;
  TW_FUNCTION void push(Index c) const { cells[atomics::add(&count[0], 1)] = std::int32_t(c); }
};

struct Sources {
  Graph on;
  CellList ready;
  TW_FUNCTION void operator()(Index c) const {
    if (is_data(on.state[c]) && on.waiting[c] == 0) ready.push(c);
  }
};

// Finishes a ready cell and walks on, for so many cells, to a receiver whose turn has come by that;
// others that are ready too go to the list.
struct Finish {
  Graph on;
  CellList ready;
  Index most;

  TW_FUNCTION void sum(Index c, Index row, Index col) const {
    double sum = on.weights.size > 0 ? on.weights[c] : 1.0;
    for (int k = 0; k < kNeighbours; ++k) {
      const Index d = on.donor(row, col, k);
      if (d >= 0) sum += on.fractions[opposite(k) * on.cells + d] * atomics::load(&on.out[d]);
    }
    atomics::store(&on.out[c], sum);
  }
  TW_FUNCTION Index pass_on(Index c, Index row, Index col) const {
    Index next = -1;
    for (int k = 0; k < kNeighbours; ++k) {
      if (!(on.fractions[k * on.cells + c] > 0)) continue;
      const Index n = on.grid.neighbour(row, col, k);
      if (n < 0 || !is_data(on.state[n]) || !atomics::last_to_arrive(on.waiting.data, n)) continue;
      if (next < 0)
        next = n;
      else
        ready.push(n);
    }
    return next;
  }
  TW_FUNCTION void operator()(Index i) const {
    Index c = atomics::load(&ready.cells[i]);
    for (Index steps = 0; c >= 0; ++steps) {
      if (steps == most) return ready.push(c);
      const Index row = row_of(c, on.grid.cols);
      const Index col = c - row * on.grid.cols;
      sum(c, row, col);
      c = pass_on(c, row, col);
    }
  }
};

// A GPU's threads take turns at the longest walks: they end after a few cells, the sooner where
// only one block works. A host thread walks on while it can.
constexpr Index kStepsOfMany = 8, kStepsOfFew = 2;
constexpr Index kFew = 512;

// Finishes what is in the list, and what comes to it by that.
template <class Exec>
void finish_ready(const Exec& exec, const Graph& on, const CellList& ready,
                  Buffer<std::int32_t>& front) {
  const bool host = exec.queue.backend() == par::Backend::host;
  std::int32_t end_done[2] = {front.at(0), 0};
  while (end_done[1] < end_done[0]) {
    const Index begin = end_done[1];
    const Index end = end_done[0];
    if (!host && end - begin <= kFew) {
      par::for_each_appended(exec, begin, front.view(), kFew, Finish{on, ready, kStepsOfFew});
      front.download(std::span(end_done));
    } else {
      par::for_each(exec, Range1{begin, end}, Finish{on, ready, host ? on.cells : kStepsOfMany});
      end_done[1] = std::int32_t(end);
      end_done[0] = front.at(0);
    }
  }
}

struct Left {
  Graph on;
  View<std::uint8_t> left;
  TW_FUNCTION std::int64_t operator()(Index c) const {
    left[c] = is_data(on.state[c]) && on.waiting[c] != 0 ? 1 : 0;
    return left[c];
  }
};

}  // namespace

template <class Exec, class T>
void slopes(const Exec& exec, const GridView& grid, View<const T> z, View<const std::uint8_t> state,
            bool contours, View<double> slope) {
  par::for_each(exec, Range2{grid.cols, grid.rows}, Slopes<T>{grid, z, state, contours, slope});
}

template <class Exec>
void raise(const Exec& exec, Index cells, double exponent, View<double> slope) {
  par::for_each(exec, Range1{0, cells}, Raise{cells, exponent, slope});
}

template <class Exec>
void normalise(const Exec& exec, Index cells, View<double> fractions) {
  par::for_each(exec, Range1{0, cells}, Normalise{cells, fractions});
}

template <class Exec>
void follow_single(const Exec& exec, View<const Direction> direction, View<double> fractions) {
  par::for_each(exec, Range1{0, direction.size}, FollowSingle{direction, fractions});
}

template <class Exec>
void mark_receivers(const Exec& exec, View<const double> fractions, View<std::uint8_t> gives) {
  par::for_each(exec, Range1{0, gives.size}, MarkReceivers{fractions, gives});
}

template <class Exec>
Index multiflow_peel(const Exec& exec, const GridView& grid, View<const double> fractions,
                     View<const std::uint8_t> state, View<const double> weights, View<double> out,
                     View<std::uint8_t> left) {
  const Index cells = grid.rows * grid.cols;
  Buffer<std::uint8_t> waiting(exec.queue, (cells + 3) / 4 * 4);  // whole words
  Buffer<std::int32_t> list(exec.queue, cells);
  Buffer<std::int32_t> front(exec.queue, 2);  // entries of the list, and those that are done
  front.fill_bytes(0);
  const Graph on{grid, fractions, state, weights, out, waiting.view(), cells};
  const CellList ready{list.view(), front.view()};
  par::for_each(exec, Range2{grid.cols, grid.rows}, CountDonors{on});
  par::for_each(exec, Range1{0, cells}, Sources{on, ready});
  finish_ready(exec, on, ready, front);
  return par::reduce_sum(exec, cells, Left{on, left});
}

template void raise(const par::Exec&, Index, double, View<double>);
template void normalise(const par::Exec&, Index, View<double>);
template void follow_single(const par::Exec&, View<const Direction>, View<double>);
template void mark_receivers(const par::Exec&, View<const double>, View<std::uint8_t>);
template Index multiflow_peel(const par::Exec&, const GridView&, View<const double>,
                              View<const std::uint8_t>, View<const double>, View<double>,
                              View<std::uint8_t>);
template void slopes(const par::Exec&, const GridView&, View<const std::uint8_t>,
                     View<const std::uint8_t>, bool, View<double>);
template void slopes(const par::Exec&, const GridView&, View<const std::int16_t>,
                     View<const std::uint8_t>, bool, View<double>);
template void slopes(const par::Exec&, const GridView&, View<const std::uint16_t>,
                     View<const std::uint8_t>, bool, View<double>);
template void slopes(const par::Exec&, const GridView&, View<const std::int32_t>,
                     View<const std::uint8_t>, bool, View<double>);
template void slopes(const par::Exec&, const GridView&, View<const float>, View<const std::uint8_t>,
                     bool, View<double>);
template void slopes(const par::Exec&, const GridView&, View<const double>,
                     View<const std::uint8_t>, bool, View<double>);

}  // namespace terrawave::terrain::steps
