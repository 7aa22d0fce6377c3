#include "terrawave/solvers/terrain/grid.hpp"

#include <algorithm>
#include <utility>

namespace terrawave::terrain {

void Grid::check() const {
  require(rows > 0 && cols > 0, "Grid: no cells");
  require(dx.size() == 1 || Index(dx.size()) == rows, "Grid: dx needs one value or one per row");
  for (const double w : dx) require(std::isfinite(w) && w > 0, "Grid: dx must be positive");
  require(std::isfinite(dy) && dy > 0, "Grid: dy must be positive");
}

namespace {

// One row of holes with a cell more on each side, so that three rows give every neighbour.
class HoleRow {
 public:
  explicit HoleRow(Index cols) : holes_(std::size_t(cols) + 2, 0) {}
  const std::uint8_t* first() const { return holes_.data() + 1; }
  bool any() const { return any_; }

  void load(const Grid& g, const std::uint8_t* state, Index row) {
    if (g.loop_rows) row = (row + g.rows) % g.rows;
    any_ = false;
    if (row < 0 || row >= g.rows) {
      std::fill(holes_.begin(), holes_.end(), std::uint8_t{0});
      return;
    }
    state += row * g.cols;
    std::uint8_t* const to = holes_.data() + 1;
    int found = 0;
#pragma omp simd reduction(| : found)
    for (Index c = 0; c < g.cols; ++c) {
      to[c] = std::uint8_t(!is_data(state[c]));
      found |= to[c];
    }
    any_ = found != 0;
    to[-1] = g.loop_cols ? to[g.cols - 1] : std::uint8_t{0};
    to[g.cols] = g.loop_cols ? to[0] : std::uint8_t{0};
  }

 private:
  std::vector<std::uint8_t> holes_;
  bool any_ = false;
};

void open_cells_at_holes(const Grid& g, const HoleRow& above, const HoleRow& here,
                         const HoleRow& below, std::uint8_t* state) {
  const std::uint8_t* const a = above.first();
  const std::uint8_t* const h = here.first();
  const std::uint8_t* const b = below.first();
  const std::uint8_t corners = g.connectivity == Connectivity::d8 ? 1 : 0;
#pragma omp simd
  for (Index c = 0; c < g.cols; ++c) {
    const int beside =
        a[c] | b[c] | h[c - 1] | h[c + 1] | (corners & (a[c - 1] | a[c + 1] | b[c - 1] | b[c + 1]));
    state[c] = (beside & ~h[c]) != 0 ? std::uint8_t(CellState::outlet) : state[c];
  }
}

void open_at_holes(const Grid& g, std::uint8_t* state) {
  HoleRow above(g.cols), here(g.cols), below(g.cols);
  above.load(g, state, -1);
  here.load(g, state, 0);
  for (Index row = 0; row < g.rows; ++row) {
    below.load(g, state, row + 1);  // outlets of rows done before are data as well
    if (above.any() || here.any() || below.any())
      open_cells_at_holes(g, above, here, below, state + row * g.cols);
    std::swap(above, here);
    std::swap(here, below);
  }
}

void open_edges(const Grid& g, const Borders& b, std::uint8_t* state) {
  const auto open = [&](Index row, Index col) {
    std::uint8_t& here = state[row * g.cols + col];
    if (is_data(here)) here = std::uint8_t(CellState::outlet);
  };
  for (Index col = 0; col < g.cols && !g.loop_rows; ++col) {
    if (b.north) open(0, col);
    if (b.south) open(g.rows - 1, col);
  }
  for (Index row = 0; row < g.rows && !g.loop_cols; ++row) {
    if (b.west) open(row, 0);
    if (b.east) open(row, g.cols - 1);
  }
}

}  // namespace

template <class T>
std::vector<std::uint8_t> make_states(const Grid& grid, std::span<const T> z,
                                      std::optional<T> nodata, const Borders& borders) {
  grid.check();
  require(Index(z.size()) == grid.cells(), "make_states: one height per cell");
  std::vector<std::uint8_t> state(z.size());
  const T* const height = z.data();
  const T hole = nodata.value_or(T{});
  const bool has_hole = nodata.has_value();
  std::uint8_t* const to = state.data();
#pragma omp simd
  for (Index i = 0; i < grid.cells(); ++i) {
    const bool missing = (height[i] != height[i]) | (has_hole & (height[i] == hole));  // or NaN
    to[i] = std::uint8_t(missing ? CellState::nodata : CellState::valid);
  }
  if (borders.nodata_drains) open_at_holes(grid, to);
  open_edges(grid, borders, to);
  return state;
}

template std::vector<std::uint8_t> make_states(const Grid&, std::span<const std::uint8_t>,
                                               std::optional<std::uint8_t>, const Borders&);
template std::vector<std::uint8_t> make_states(const Grid&, std::span<const std::int16_t>,
                                               std::optional<std::int16_t>, const Borders&);
template std::vector<std::uint8_t> make_states(const Grid&, std::span<const std::uint16_t>,
                                               std::optional<std::uint16_t>, const Borders&);
template std::vector<std::uint8_t> make_states(const Grid&, std::span<const std::int32_t>,
                                               std::optional<std::int32_t>, const Borders&);
template std::vector<std::uint8_t> make_states(const Grid&, std::span<const float>,
                                               std::optional<float>, const Borders&);
template std::vector<std::uint8_t> make_states(const Grid&, std::span<const double>,
                                               std::optional<double>, const Borders&);

}  // namespace terrawave::terrain
