#include "terrawave/solvers/terrain/cpu/cpu_descent.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "terrawave/solvers/terrain/cpu/flow_walk.hpp"

namespace terrawave::terrain::cpu {
namespace {

enum Kind : std::uint8_t { kNothing = 0, kData = 1, kBase = 2 };

// An unsigned integer as wide as a height, so that all lanes have one width.
template <int Bytes>
struct LaneOf;
template <>
struct LaneOf<1> {
  using Type = std::uint8_t;
};
template <>
struct LaneOf<2> {
  using Type = std::uint16_t;
};
template <>
struct LaneOf<4> {
  using Type = std::uint32_t;
};
template <>
struct LaneOf<8> {
  using Type = std::uint64_t;
};

// One row with a cell more on each side; what holds no height is a wall.
template <class T>
struct PaddedRow {
  explicit PaddedRow(Index cols)
      : heights(std::size_t(cols) + 2, kWall), kinds(std::size_t(cols) + 2, kNothing) {}
  static constexpr T kWall = std::numeric_limits<T>::has_infinity
                                 ? std::numeric_limits<T>::infinity()
                                 : std::numeric_limits<T>::max();
  const T* z() const { return heights.data() + 1; }
  const std::uint8_t* kind() const { return kinds.data() + 1; }

  void load(const Grid& g, const T* from, const std::uint8_t* state, Index row) {
    if (g.loop_rows) row = row < 0 ? g.rows - 1 : (row >= g.rows ? 0 : row);
    if (row < 0 || row >= g.rows) {
      std::fill(heights.begin(), heights.end(), kWall);
      std::fill(kinds.begin(), kinds.end(), std::uint8_t{kNothing});
      return;
    }
    from += row * g.cols;
    state += row * g.cols;
    T* const to = heights.data() + 1;
    std::uint8_t* const what = kinds.data() + 1;
#pragma omp simd
    for (Index c = 0; c < g.cols; ++c) {
      to[c] = is_data(state[c]) ? from[c] : kWall;
      what[c] = std::uint8_t(is_data(state[c]) + is_base(state[c]));
    }
    to[-1] = g.loop_cols ? to[g.cols - 1] : kWall;
    to[g.cols] = g.loop_cols ? to[0] : kWall;
    what[-1] = g.loop_cols ? what[g.cols - 1] : std::uint8_t{kNothing};
    what[g.cols] = g.loop_cols ? what[0] : std::uint8_t{kNothing};
  }

  std::vector<T> heights;
  std::vector<std::uint8_t> kinds;
};

template <class T>
class Descent {
 public:
  Descent(const Grid& grid, const T* z, const std::uint8_t* state, Direction* direction)
      : grid_(grid), z_(z), state_(state), direction_(direction) {}

  void rows(RowShare share) const {
    if (share.begin >= share.end) return;
    PaddedRow<T> above(grid_.cols), here(grid_.cols), below(grid_.cols);
    above.load(grid_, z_, state_, share.begin - 1);
    here.load(grid_, z_, state_, share.begin);
    for (Index row = share.begin; row < share.end; ++row) {
      below.load(grid_, z_, state_, row + 1);
      const std::array<const PaddedRow<T>*, 3> near{&above, &here, &below};
      for (Index col = 0; col < grid_.cols; col += kBlock)
        block(near, row, col, int(std::min<Index>(kBlock, grid_.cols - col)));
      std::swap(above, here);
      std::swap(here, below);
    }
  }

 private:
  static constexpr int kBlock = 256;
  using Near = std::array<const PaddedRow<T>*, 3>;

  void block(const Near& near, Index row, Index col, int count) const {
    Direction found[kBlock];
    if (grid_.connectivity == Connectivity::d8)
      lowest<1>(near, col, count, found);
    else
      lowest<2>(near, col, count, found);
    const std::uint8_t* const kind = near[1]->kind() + col;
    int level = 0;
#pragma omp simd reduction(| : level)
    for (int c = 0; c < count; ++c) level |= (found[c] == kRoot) & (kind[c] == kData);
    if (level != 0) over_plateaus(near, row, col, count, found);
    Direction* const out = direction_ + row * grid_.cols + col;
#pragma omp simd
    for (int c = 0; c < count; ++c) {
      const Direction of_kind = kind[c] == kBase ? kRoot : kNoDirection;
      out[c] = kind[c] == kData ? found[c] : of_kind;
    }
  }

  template <int Step>
  static void lowest(const Near& near, Index col, int count, Direction* found) {
    using Lane = typename LaneOf<sizeof(T)>::Type;
    const T* const a = near[0]->z() + col;
    const T* const h = near[1]->z() + col;
    const T* const b = near[2]->z() + col;
#pragma omp simd
    for (int c = 0; c < count; ++c) {
      const auto less = [](T x, T y) { return x < y ? x : y; };
      T least = less(less(h[c + 1], b[c]), less(h[c - 1], a[c]));
      if constexpr (Step == 1)
        least = less(least, less(less(b[c + 1], b[c - 1]), less(a[c - 1], a[c + 1])));
      Lane k = 0;
      if constexpr (Step == 1) k = a[c + 1] == least ? Lane{7} : k;
      k = a[c] == least ? Lane{6} : k;
      if constexpr (Step == 1) k = a[c - 1] == least ? Lane{5} : k;
      k = h[c - 1] == least ? Lane{4} : k;
      if constexpr (Step == 1) k = b[c - 1] == least ? Lane{3} : k;
      k = b[c] == least ? Lane{2} : k;
      if constexpr (Step == 1) k = b[c + 1] == least ? Lane{1} : k;
      k = h[c + 1] == least ? Lane{0} : k;
      found[c] = Direction(least < h[c] ? k : Lane{kRoot});
    }
  }

  // Cells without a lower neighbour: to one of equal height that is a base cell or comes before in
  // the order of cells.
  void over_plateaus(const Near& near, Index row, Index col, int count, Direction* found) const {
    const T* const z = near[1]->z() + col;
    Direction along[kBlock];
    std::fill_n(along, count, kRoot);
    for (int k = kNeighbours - grid_.step(); k >= 0; k -= grid_.step()) {
      const PaddedRow<T>& other = *near[std::size_t(1 + kRowStep[k])];
      const T* const its_z = other.z() + col + kColStep[k];
      const std::uint8_t* const its_kind = other.kind() + col + kColStep[k];
      const std::uint8_t least_kind = k >= 4 ? kData : kBase;  // W, NW, N, NE come before
#pragma omp simd
      for (int c = 0; c < count; ++c)
        along[c] = (its_z[c] == z[c]) & (its_kind[c] >= least_kind) ? Direction(k) : along[c];
    }
#pragma omp simd
    for (int c = 0; c < count; ++c) found[c] = found[c] == kRoot ? along[c] : found[c];
    // Across looped edges the order of cells is another.
    const bool edge_row = grid_.loop_rows && (row == 0 || row == grid_.rows - 1);
    const bool edge_col = grid_.loop_cols && (col == 0 || col + count == grid_.cols);
    if (!edge_row && !edge_col) return;
    for (int c = 0; c < count; ++c) {
      const bool at_edge = edge_row || col + c == 0 || col + c == grid_.cols - 1;
      if (at_edge && no_lower(near, col + c)) found[c] = by_index(grid_, z_, state_, row, col + c);
    }
  }
  bool no_lower(const Near& near, Index col) const {
    for (int k = 0; k < kNeighbours; k += grid_.step())
      if (near[std::size_t(1 + kRowStep[k])]->z()[col + kColStep[k]] < near[1]->z()[col])
        return false;
    return true;
  }
  const Grid& grid_;
  const T* z_;
  const std::uint8_t* state_;
  Direction* direction_;
};

}  // namespace

template <class T>
void lowest_neighbours(const par::Queue& queue, const Grid& grid, par::View<const T> z,
                       par::View<const std::uint8_t> state, par::View<Direction> direction) {
  const par::LaunchScope open(queue);
  const int threads = queue.threads();
#pragma omp parallel for schedule(static, 1) num_threads(threads)
  for (int t = 0; t < threads; ++t)
    Descent<T>(grid, z.data, state.data, direction.data).rows(row_share(grid.rows, t, threads));
}

template void lowest_neighbours(const par::Queue&, const Grid&, par::View<const std::uint8_t>,
                                par::View<const std::uint8_t>, par::View<Direction>);
template void lowest_neighbours(const par::Queue&, const Grid&, par::View<const std::int16_t>,
                                par::View<const std::uint8_t>, par::View<Direction>);
template void lowest_neighbours(const par::Queue&, const Grid&, par::View<const std::uint16_t>,
                                par::View<const std::uint8_t>, par::View<Direction>);
template void lowest_neighbours(const par::Queue&, const Grid&, par::View<const std::int32_t>,
                                par::View<const std::uint8_t>, par::View<Direction>);
template void lowest_neighbours(const par::Queue&, const Grid&, par::View<const float>,
                                par::View<const std::uint8_t>, par::View<Direction>);
template void lowest_neighbours(const par::Queue&, const Grid&, par::View<const double>,
                                par::View<const std::uint8_t>, par::View<Direction>);

}  // namespace terrawave::terrain::cpu
