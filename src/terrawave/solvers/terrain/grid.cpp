#include "terrawave/solvers/terrain/grid.hpp"

#include <type_traits>

namespace terrawave::terrain {

void Grid::check() const {
  require(rows > 0 && cols > 0, "Grid: no cells");
  require(dx.size() == 1 || Index(dx.size()) == rows, "Grid: dx needs one value or one per row");
  for (const double w : dx) require(std::isfinite(w) && w > 0, "Grid: dx must be positive");
  require(std::isfinite(dy) && dy > 0, "Grid: dy must be positive");
}

namespace {

template <class T>
bool missing(T value, std::optional<T> nodata) {
  if constexpr (std::is_floating_point_v<T>)
    if (std::isnan(value)) return true;
  return nodata.has_value() && value == *nodata;
}

bool on_open_edge(const Grid& g, const Borders& b, Index row, Index col) {
  const bool vertical = !g.loop_rows && ((b.north && row == 0) || (b.south && row == g.rows - 1));
  const bool horizontal = !g.loop_cols && ((b.west && col == 0) || (b.east && col == g.cols - 1));
  return vertical || horizontal;
}

}  // namespace

template <class T>
std::vector<std::uint8_t> make_states(const Grid& grid, std::span<const T> z,
                                      std::optional<T> nodata, const Borders& borders) {
  grid.check();
  require(Index(z.size()) == grid.cells(), "make_states: one height per cell");
  std::vector<std::uint8_t> state(z.size());
  for (std::size_t i = 0; i < z.size(); ++i)
    state[i] = std::uint8_t(missing(z[i], nodata) ? CellState::nodata : CellState::valid);
  for (Index row = 0; row < grid.rows; ++row)
    for (Index col = 0; col < grid.cols; ++col) {
      std::uint8_t& here = state[std::size_t(row * grid.cols + col)];
      if (!is_data(here)) continue;
      bool out = on_open_edge(grid, borders, row, col);
      for (int k = 0; k < kNeighbours && !out && borders.nodata_drains; k += grid.step()) {
        const Index n = grid.neighbour(row, col, k);
        out = n >= 0 && !is_data(state[std::size_t(n)]);
      }
      if (out) here = std::uint8_t(CellState::outlet);
    }
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
