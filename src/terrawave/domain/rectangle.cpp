#include "terrawave/domain/rectangle.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include <fmt/format.h>

#include "terrawave/base/error.hpp"

namespace terrawave::domain {
namespace {

enum Group : int { unnamed, west, east, south, north };

Index cells_of(RectanglePattern pattern, Index columns, Index rows) {
  switch (pattern) {
    case RectanglePattern::right:
      return 2 * columns * rows;
    case RectanglePattern::criss_cross:
      return 4 * columns * rows;
    case RectanglePattern::equilateral:
      return (2 * columns + 1) * rows;
  }
  throw LogicError("unknown rectangle pattern");
}

// Everything but that the mesh can be made.
void check_shape(const Rectangle& r) {
  const double sides[] = {r.west, r.south, r.east, r.north};
  for (const double side : sides)
    if (!std::isfinite(side))
      throw InputError("rectangle: error: its sides must be finite numbers");
  if (!(r.east > r.west) || !(r.north > r.south))
    throw InputError(fmt::format(
        "rectangle: error: expected west < east and south < north, found west = {}, east = "
        "{}, south = {}, north = {}",
        r.west, r.east, r.south, r.north));
  if (r.columns < 1 || r.rows < 1)
    throw InputError(
        fmt::format("rectangle: error: expected at least 1 column and 1 row, found {} x {}",
                    r.columns, r.rows));
  constexpr Index longest = 1'000'000'000;  // 4 longest^2 is an Index
  if (r.columns > longest || r.rows > longest)
    throw InputError(
        fmt::format("rectangle: error: expected at most {} columns and rows, found {} x {}",
                    longest, r.columns, r.rows));
  if (!(r.perturbation >= 0 && r.perturbation <= 0.3))
    throw InputError(fmt::format("rectangle: error: expected a perturbation in [0, 0.3], found {}",
                                 r.perturbation));
}

void check_makeable(const Rectangle& r) {
  check_shape(r);
  constexpr Index most = 500'000'000;
  if (cells_of(r.pattern, r.columns, r.rows) > most)
    throw InputError(fmt::format("rectangle: error: expected at most {} cells, found {} x {} boxes",
                                 most, r.columns, r.rows));
}

// Nodes are made row by row; a coordinate is computed from its own integer position alone, so that
// mirrored nodes mirror up to the last rounding.
class Builder {
 public:
  explicit Builder(const Rectangle& r) : r_(r) {
    mesh_.groups = {"boundary", "west", "east", "south", "north"};
    const auto n = std::size_t(cell_count(r));
    mesh_.triangles.reserve(n);
  }

  TriMesh build() {
    r_.pattern == RectanglePattern::equilateral ? equilateral() : boxes();
    mesh_.original_id.resize(mesh_.triangles.size());
    for (std::size_t c = 0; c < mesh_.triangles.size(); ++c) mesh_.original_id[c] = Index(c) + 1;
    return std::move(mesh_);
  }

 private:
  // Position on a side cut into `parts`; symmetric about the middle.
  static double along(double low, double high, double i, double parts) {
    return ((parts - i) * low + i * high) / parts;
  }
  LocalIndex node(double x, double y) {
    mesh_.x.push_back(x);
    mesh_.y.push_back(y);
    return LocalIndex(mesh_.x.size() - 1);
  }
  void cell(LocalIndex a, LocalIndex b, LocalIndex c) { mesh_.triangles.push_back({a, b, c}); }
  void side(LocalIndex a, LocalIndex b, Group group) {
    mesh_.boundary.push_back({{a, b}, int(group)});
  }

  void boxes() {
    const auto nx = LocalIndex(r_.columns), ny = LocalIndex(r_.rows);
    const auto row = nx + 1;
    for (LocalIndex j = 0; j <= ny; ++j)
      for (LocalIndex i = 0; i <= nx; ++i)
        node(along(r_.west, r_.east, i, nx), along(r_.south, r_.north, j, ny));
    for (LocalIndex j = 0; j < ny; ++j)
      for (LocalIndex i = 0; i < nx; ++i) {
        const LocalIndex sw = j * row + i, se = sw + 1, nw = sw + row, ne = nw + 1;
        if (r_.pattern == RectanglePattern::right) {
          cell(sw, se, ne);
          cell(sw, ne, nw);
        } else {
          const LocalIndex middle =
              node(along(r_.west, r_.east, i + 0.5, nx), along(r_.south, r_.north, j + 0.5, ny));
          cell(sw, se, middle);
          cell(se, ne, middle);
          cell(ne, nw, middle);
          cell(nw, sw, middle);
        }
      }
    for (LocalIndex i = 0; i < nx; ++i) side(i, i + 1, south);
    for (LocalIndex j = 0; j < ny; ++j) side(j * row + nx, (j + 1) * row + nx, east);
    for (LocalIndex i = nx; i > 0; --i) side(ny * row + i, ny * row + i - 1, north);
    for (LocalIndex j = ny; j > 0; --j) side(j * row, (j - 1) * row, west);
  }

  // Even rows have nodes at 0, 1, ..., n edges; odd rows at 0, 1/2, 3/2, ..., n - 1/2, n.
  void equilateral() {
    const auto n = LocalIndex(r_.columns), ny = LocalIndex(r_.rows);
    std::vector<LocalIndex> below, above;
    for (LocalIndex j = 0; j <= ny; ++j) {
      const double y = along(r_.south, r_.north, j, ny);
      above.clear();
      if (j % 2 == 0) {
        for (LocalIndex i = 0; i <= n; ++i) above.push_back(node(along(r_.west, r_.east, i, n), y));
      } else {
        above.push_back(node(r_.west, y));
        for (LocalIndex i = 0; i < n; ++i)
          above.push_back(node(along(r_.west, r_.east, i + 0.5, n), y));
        above.push_back(node(r_.east, y));
      }
      if (j > 0) strip(below, above);
      if (j == 0 || j == ny)
        for (std::size_t i = 0; i + 1 < above.size(); ++i)
          side(above[i], above[i + 1], j == 0 ? south : north);
      if (j > 0) {
        side(above.front(), below.front(), west);
        side(below.back(), above.back(), east);
      }
      below.swap(above);
    }
  }

  // One row of triangles, west to east; the longer row of nodes starts and ends with a half edge.
  void strip(const std::vector<LocalIndex>& below, const std::vector<LocalIndex>& above) {
    const bool up = above.size() > below.size();
    const auto& longer = up ? above : below;
    const auto& shorter = up ? below : above;
    for (std::size_t i = 0; i + 1 < longer.size(); ++i) {
      up ? cell(longer[i], shorter[i], longer[i + 1]) : cell(longer[i], longer[i + 1], shorter[i]);
      if (i + 1 < shorter.size())
        up ? cell(shorter[i], shorter[i + 1], longer[i + 1])
           : cell(shorter[i], longer[i + 1], shorter[i + 1]);
    }
  }

  const Rectangle& r_;
  TriMesh mesh_;
};

double twice_area(const TriMesh& m, const std::array<LocalIndex, 3>& t) {
  const auto a = std::size_t(t[0]), b = std::size_t(t[1]), c = std::size_t(t[2]);
  return (m.x[b] - m.x[a]) * (m.y[c] - m.y[a]) - (m.x[c] - m.x[a]) * (m.y[b] - m.y[a]);
}

// In [-1, 1), from the seed and the position alone (SplitMix64), so that it does not depend on the
// standard library.
double random_unit(std::uint64_t seed, std::uint64_t position) {
  std::uint64_t z = seed * 0xd1342543de82ef95ULL + (position + 1) * 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  z ^= z >> 31;
  return std::ldexp(double(z >> 11), -52) - 1.0;
}

void perturb(const Rectangle& r, TriMesh& m) {
  const std::vector<double> x = m.x, y = m.y;
  const std::size_t nodes = x.size();
  std::vector<double> reach(nodes, std::numeric_limits<double>::infinity());
  std::vector<double> area(m.triangles.size());
  for (std::size_t c = 0; c < m.triangles.size(); ++c) {
    const auto& t = m.triangles[c];
    area[c] = twice_area(m, t);
    for (std::size_t k = 0; k < 3; ++k) {
      const auto a = std::size_t(t[k]), b = std::size_t(t[(k + 1) % 3]);
      const double length = std::hypot(x[b] - x[a], y[b] - y[a]);
      reach[a] = std::min(reach[a], length);
      reach[b] = std::min(reach[b], length);
    }
  }
  std::vector<double> move_x(nodes), move_y(nodes);
  for (std::size_t i = 0; i < nodes; ++i) {
    const bool on_x = x[i] == r.west || x[i] == r.east, on_y = y[i] == r.south || y[i] == r.north;
    const double size = r.perturbation * reach[i];
    if (!on_x) move_x[i] = size * random_unit(r.seed, 2 * i);
    if (!on_y) move_y[i] = size * random_unit(r.seed, 2 * i + 1);
  }
  // Halving the moves around a bad cell ends: without moves every cell is good.
  for (bool again = true; again;) {
    again = false;
    for (std::size_t i = 0; i < nodes; ++i) {
      m.x[i] = x[i] + move_x[i];
      m.y[i] = y[i] + move_y[i];
    }
    for (std::size_t c = 0; c < m.triangles.size(); ++c) {
      if (twice_area(m, m.triangles[c]) >= 0.1 * area[c]) continue;
      again = true;
      for (const LocalIndex i : m.triangles[c]) {
        move_x[std::size_t(i)] *= 0.5;
        move_y[std::size_t(i)] *= 0.5;
      }
    }
  }
}

}  // namespace

RectanglePattern rectangle_pattern(std::string_view name) {
  if (name == "right") return RectanglePattern::right;
  if (name == "criss-cross") return RectanglePattern::criss_cross;
  if (name == "equilateral") return RectanglePattern::equilateral;
  throw InputError(fmt::format(
      "rectangle: error: expected the pattern right, criss-cross or equilateral, found \"{}\"",
      name));
}

MeshSize size_of(const Rectangle& r) {
  check_shape(r);
  MeshSize size;
  size.cells = cells_of(r.pattern, r.columns, r.rows);
  const Index nx = r.columns, ny = r.rows, odd_rows = (ny + 1) / 2;
  size.nodes = (nx + 1) * (ny + 1);
  size.boundary_edges = 2 * (nx + ny);
  switch (r.pattern) {
    case RectanglePattern::right:
      break;
    case RectanglePattern::criss_cross:
      size.nodes += nx * ny;
      break;
    case RectanglePattern::equilateral:
      size.nodes += odd_rows;         // odd rows of nodes have one more
      size.boundary_edges += ny % 2;  // as the northern one, where it is odd
      break;
  }
  size.edges = size.nodes + size.cells - 1;  // Euler, one piece without holes
  return size;
}

Index cell_count(const Rectangle& r) { return size_of(r).cells; }

Rectangle with_cells(Rectangle r, Index cells) {
  r.columns = r.rows = 1;
  check_shape(r);
  constexpr Index most_counted = 1'000'000'000'000'000;
  if (cells < 1 || cells > most_counted)
    throw InputError(fmt::format("rectangle: error: expected 1 to {} cells, found a target of {}",
                                 most_counted, cells));
  // Ideal numbers of columns and rows, as real numbers.
  const double shape = (r.east - r.west) / (r.north - r.south);
  const bool equilateral = r.pattern == RectanglePattern::equilateral;
  const double per_box = r.pattern == RectanglePattern::criss_cross ? 4 : 2;
  const double rows_per_column = (equilateral ? 2 / std::sqrt(3.0) : 1.0) / shape;
  const double ideal = std::sqrt(double(cells) / (per_box * rows_per_column));
  const Index most = std::max(Index(1), cells / Index(per_box));  // one row
  const Index middle = Index(std::llround(std::clamp(ideal, 1.0, double(most))));
  const double low = ideal / 1.25, high = std::min(double(most), ideal * 1.25);
  // Nearest to the ideal first; enough of them to find every factor pair that is near in shape.
  const auto tries = Index(std::min(std::max(0.0, high - low), 1e5));
  double best_miss = std::numeric_limits<double>::infinity();
  for (Index step = 0; step <= 2 * tries; ++step) {
    const Index off = (step + 1) / 2 * (step % 2 == 0 ? 1 : -1);
    const Index columns = middle + off;
    if (off != 0 && (columns < 1 || double(columns) < low || double(columns) > high)) continue;
    const Index each = cells_of(r.pattern, columns, 1);
    const Index rows = std::max(Index(1), Index(std::llround(double(cells) / double(each))));
    const double miss = std::abs(double(each * rows) / double(cells) - 1);
    if (miss >= best_miss) continue;
    best_miss = miss;
    r.columns = columns;
    r.rows = rows;
    if (miss <= 0.01) break;
  }
  return r;
}

TriMesh make_rectangle(const Rectangle& r) {
  check_makeable(r);
  TriMesh mesh = Builder(r).build();
  if (r.perturbation > 0) perturb(r, mesh);
  return mesh;
}

}  // namespace terrawave::domain
