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

// Keeps the first of the largest slopes; the direction travels as a double so that all lanes have
// one width.
[[gnu::always_inline]] inline void offer(double slope, double k, double& best, double& direction) {
  const bool better = slope > best;
  direction = better ? k : direction;
  best = better ? slope : best;
}

template <bool D8>
void steepest_row(const RowWindow& w, const std::array<double, 3>& inverse, Index cols,
                  double* __restrict found) {
  const double* const up = w.up;
  const double* const mid = w.mid;
  const double* const down = w.down;
  const double across = inverse[0];
  const double along = inverse[1];
  const double diagonal = inverse[2];
#pragma omp simd
  for (Index c = 0; c < cols; ++c) {
    const double here = mid[c];
    double best = 0;
    double direction = kRoot;
    offer((here - mid[c + 1]) * across, 0, best, direction);
    if constexpr (D8) offer((here - down[c + 1]) * diagonal, 1, best, direction);
    offer((here - down[c]) * along, 2, best, direction);
    if constexpr (D8) offer((here - down[c - 1]) * diagonal, 3, best, direction);
    offer((here - mid[c - 1]) * across, 4, best, direction);
    if constexpr (D8) offer((here - up[c - 1]) * diagonal, 5, best, direction);
    offer((here - up[c]) * along, 6, best, direction);
    if constexpr (D8) offer((here - up[c + 1]) * diagonal, 7, best, direction);
    found[c] = direction;
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
    std::vector<double> found(std::size_t(grid.cols), 0.0);
    up.load(grid, z.data, state.data, share.begin - 1);
    mid.load(grid, z.data, state.data, share.begin);
    for (Index row = share.begin; row < share.end; ++row) {
      down.load(grid, z.data, state.data, row + 1);
      const RowWindow window{up.first(), mid.first(), down.first()};
      Direction* const __restrict out = direction.data + row * grid.cols;
      const std::uint8_t* const states = state.data + row * grid.cols;
      if (grid.connectivity == Connectivity::d8)
        steepest_row<true>(window, inverse_distances(grid, row), grid.cols, found.data());
      else
        steepest_row<false>(window, inverse_distances(grid, row), grid.cols, found.data());
      for (Index c = 0; c < grid.cols; ++c) {
        const auto steepest = Direction(int(found[std::size_t(c)]));
        const Direction of_state = is_base(states[c]) ? kRoot : kNoDirection;
        out[c] = states[c] == std::uint8_t(CellState::valid) ? steepest : of_state;
      }
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
