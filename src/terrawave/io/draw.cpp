#include "terrawave/io/draw.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "terrawave/base/error.hpp"

namespace terrawave::io {
namespace {

constexpr int kMaxHeight = 1200;  // pixels
constexpr int kMinHeight = 60;

struct Extent {
  double x0 = std::numeric_limits<double>::infinity(), x1 = -x0, y0 = x0, y1 = -x0;
};

// Pixels in mesh coordinates: centre of pixel (i, j) = (x0 + (i + .5) dx, y1 - (j + .5) dy).
struct Frame {
  Extent e;
  int width, height;
  double dx, dy;

  Frame(const Extent& extent, int w) : e(extent), width(w) {
    const double wide = std::max(e.x1 - e.x0, 1e-300), tall = std::max(e.y1 - e.y0, 1e-300);
    height = int(std::clamp(std::lround(w * tall / wide), long{kMinHeight}, long{kMaxHeight}));
    dx = wide / width;
    dy = tall / height;
  }
  int column(double x) const { return int(std::floor((x - e.x0) / dx)); }
  int row(double y) const { return int(std::floor((e.y1 - y) / dy)); }
};

struct Point {
  double x, y;
};

double cross(Point a, Point b, Point c) {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

void fill_triangle(Image& image, const Frame& f, const std::array<Point, 3>& p,
                   std::array<std::uint8_t, 3> color) {
  const auto [x_low, x_high] = std::minmax({p[0].x, p[1].x, p[2].x});
  const auto [y_low, y_high] = std::minmax({p[0].y, p[1].y, p[2].y});
  const int i0 = std::max(0, f.column(x_low)), i1 = std::min(f.width - 1, f.column(x_high));
  const int j0 = std::max(0, f.row(y_high)), j1 = std::min(f.height - 1, f.row(y_low));
  for (int j = j0; j <= j1; ++j)
    for (int i = i0; i <= i1; ++i) {
      const Point q{f.e.x0 + (i + 0.5) * f.dx, f.e.y1 - (j + 0.5) * f.dy};
      if (cross(p[0], p[1], q) >= 0 && cross(p[1], p[2], q) >= 0 && cross(p[2], p[0], q) >= 0)
        image.set(i, j, color);
    }
}

}  // namespace

std::pair<double, double> finite_range(std::span<const double> values, bool symmetric) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const double v : values)
    if (std::isfinite(v)) {
      low = std::min(low, v);
      high = std::max(high, v);
    }
  if (low > high) return {0.0, 1.0};
  if (symmetric) {
    high = std::max(std::abs(low), std::abs(high));
    low = -high;
  }
  if (low == high) high = low + (low == 0 ? 1.0 : std::abs(low) * 1e-6);
  return {low, high};
}

Image draw_cells(const domain::TriMesh& mesh, std::span<const double> values, const ColorBar& bar,
                 int width) {
  require(Index(values.size()) == mesh.cells(), "draw_cells needs one value per triangle");
  Extent e;
  for (std::size_t n = 0; n < mesh.x.size(); ++n) {
    e.x0 = std::min(e.x0, mesh.x[n]);
    e.x1 = std::max(e.x1, mesh.x[n]);
    e.y0 = std::min(e.y0, mesh.y[n]);
    e.y1 = std::max(e.y1, mesh.y[n]);
  }
  const Frame frame(e, width);
  Image image(frame.width, frame.height);
  for (std::size_t c = 0; c < mesh.triangles.size(); ++c) {
    std::array<Point, 3> p{};
    for (std::size_t k = 0; k < 3; ++k) {
      const auto node = static_cast<std::size_t>(mesh.triangles[c][k]);
      p[k] = {mesh.x[node], mesh.y[node]};
    }
    fill_triangle(image, frame, p, color_of(bar.map, values[c], bar.low, bar.high));
  }
  return image;
}

Image draw_grid(std::span<const double> values, Index rows, Index columns, const ColorBar& bar,
                int width, double aspect) {
  require(Index(values.size()) == rows * columns && rows > 0 && columns > 0,
          "draw_grid needs rows * columns values");
  const double scale = columns >= width ? double(width) / double(columns)
                                        : std::max<double>(1, double(width / columns));
  const int w = std::max(1, int(std::lround(double(columns) * scale)));
  const int h = std::clamp(int(std::lround(double(rows) * scale * aspect)), 1, kMaxHeight);
  Image image(w, h);
  for (int j = 0; j < h; ++j)
    for (int i = 0; i < w; ++i) {
      const Index row = std::min(rows - 1, Index((j + 0.5) / h * double(rows)));
      const Index column = std::min(columns - 1, Index((i + 0.5) / w * double(columns)));
      const double v = values[static_cast<std::size_t>(row * columns + column)];
      image.set(i, j, color_of(bar.map, v, bar.low, bar.high));
    }
  return image;
}

}  // namespace terrawave::io
