#include "terrawave/solvers/terrain/cpu/cpu_receivers.hpp"

#include <limits>
#include <utility>

#include "terrawave/solvers/terrain/cpu/flow_walk.hpp"

namespace terrawave::terrain::cpu {
namespace {

constexpr double kWall = std::numeric_limits<double>::infinity();

// One row of heights as doubles, with a cell more on each side; what cannot take flow is a wall.
class PaddedRow {
 public:
  explicit PaddedRow(Index cols) : values_(std::size_t(cols) + 2, kWall) {}
  double* first() { return values_.data() + 1; }
  const double* first() const { return values_.data() + 1; }

  template <class T>
  void load(const Grid& g, const T* z, const std::uint8_t* state, Index row) {
    if (g.loop_rows) row = (row + g.rows) % g.rows;
    if (row < 0 || row >= g.rows) {
      values_.assign(values_.size(), kWall);
      return;
    }
    z += row * g.cols;
    state += row * g.cols;
    double* out = first();
    for (Index c = 0; c < g.cols; ++c)
      out[c] = state[c] == std::uint8_t(CellState::nodata) ? kWall : double(z[c]);
    out[-1] = g.loop_cols ? out[g.cols - 1] : kWall;
    out[g.cols] = g.loop_cols ? out[0] : kWall;
  }

 private:
  std::vector<double> values_;
};

struct RowWindow {
  const double* up;
  const double* mid;
  const double* down;
  // Height of neighbour k of column c.
  double at(Index c, int k) const {
    const double* row = kRowStep[k] < 0 ? up : (kRowStep[k] > 0 ? down : mid);
    return row[c + kColStep[k]];
  }
};

struct Best {
  double slope;
  std::int64_t direction;
  void offer(double candidate, std::int64_t k) {
    const bool better = candidate > slope;
    slope = better ? candidate : slope;
    direction = better ? k : direction;
  }
};

template <bool D8>
void steepest_row(const RowWindow& w, const std::array<double, 3>& inverse, Index cols,
                  Direction* direction) {
  const auto [across, along, diagonal] = inverse;
#pragma omp simd
  for (Index c = 0; c < cols; ++c) {
    const double here = w.mid[c];
    Best best{0, kRoot};
    best.offer((here - w.mid[c + 1]) * across, 0);
    if constexpr (D8) best.offer((here - w.down[c + 1]) * diagonal, 1);
    best.offer((here - w.down[c]) * along, 2);
    if constexpr (D8) best.offer((here - w.down[c - 1]) * diagonal, 3);
    best.offer((here - w.mid[c - 1]) * across, 4);
    if constexpr (D8) best.offer((here - w.up[c - 1]) * diagonal, 5);
    best.offer((here - w.up[c]) * along, 6);
    if constexpr (D8) best.offer((here - w.up[c + 1]) * diagonal, 7);
    direction[c] = Direction(best.direction);
  }
}

// FlatRule::by_index for one cell without a lower neighbour.
Direction flat_direction(const Grid& g, const RowWindow& w, const std::uint8_t* state, Index row,
                         Index col) {
  const Index cell = row * g.cols + col;
  for (int k = 0; k < kNeighbours; k += g.step()) {
    if (w.at(col, k) != w.mid[col]) continue;
    const Index n = g.neighbour(row, col, k);
    // The padding holds walls, so equality means a cell with data; only infinities need the test.
    if (n < 0 || !is_data(state[n])) continue;
    if (is_base(state[n]) || n < cell) return Direction(k);
  }
  return kRoot;
}

std::array<double, 3> inverse_distances(const Grid& g, Index row) {
  return {1.0 / g.distance(row, 0), 1.0 / g.distance(row, 2), 1.0 / g.distance(row, 1)};
}

}  // namespace

template <class T>
void steepest_receivers(const par::Queue& queue, const Grid& grid, par::View<const T> z,
                        par::View<const std::uint8_t> state, FlatRule flats,
                        par::View<Direction> direction) {
  const par::LaunchScope open(queue);
  const int threads = queue.threads();
#pragma omp parallel for schedule(static, 1) num_threads(threads)
  for (int t = 0; t < threads; ++t) {
    const RowShare share = row_share(grid.rows, t, threads);
    if (share.begin >= share.end) continue;
    PaddedRow up(grid.cols), mid(grid.cols), down(grid.cols);
    up.load(grid, z.data, state.data, share.begin - 1);
    mid.load(grid, z.data, state.data, share.begin);
    for (Index row = share.begin; row < share.end; ++row) {
      down.load(grid, z.data, state.data, row + 1);
      const RowWindow window{up.first(), mid.first(), down.first()};
      Direction* const out = direction.data + row * grid.cols;
      const std::uint8_t* const states = state.data + row * grid.cols;
      if (grid.connectivity == Connectivity::d8)
        steepest_row<true>(window, inverse_distances(grid, row), grid.cols, out);
      else
        steepest_row<false>(window, inverse_distances(grid, row), grid.cols, out);
      for (Index c = 0; c < grid.cols; ++c)
        out[c] = is_base(states[c]) ? kRoot : (is_data(states[c]) ? out[c] : kNoDirection);
      if (flats == FlatRule::by_index)
        for (Index c = 0; c < grid.cols; ++c)
          if (out[c] == kRoot && !is_base(states[c]))
            out[c] = flat_direction(grid, window, state.data, row, c);
      std::swap(up, mid);
      std::swap(mid, down);
    }
  }
}

template void steepest_receivers(const par::Queue&, const Grid&, par::View<const std::uint8_t>,
                                 par::View<const std::uint8_t>, FlatRule, par::View<Direction>);
template void steepest_receivers(const par::Queue&, const Grid&, par::View<const std::int16_t>,
                                 par::View<const std::uint8_t>, FlatRule, par::View<Direction>);
template void steepest_receivers(const par::Queue&, const Grid&, par::View<const std::uint16_t>,
                                 par::View<const std::uint8_t>, FlatRule, par::View<Direction>);
template void steepest_receivers(const par::Queue&, const Grid&, par::View<const std::int32_t>,
                                 par::View<const std::uint8_t>, FlatRule, par::View<Direction>);
template void steepest_receivers(const par::Queue&, const Grid&, par::View<const float>,
                                 par::View<const std::uint8_t>, FlatRule, par::View<Direction>);
template void steepest_receivers(const par::Queue&, const Grid&, par::View<const double>,
                                 par::View<const std::uint8_t>, FlatRule, par::View<Direction>);

}  // namespace terrawave::terrain::cpu
