#include "terrawave/solvers/fdtd/geometry_shapes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "terrawave/base/error.hpp"

namespace terrawave::fdtd {

Transform Transform::make(const Vec3& scale, const Vec3& axis, double degrees,
                          const Vec3& translate) {
  Transform t;
  const double n = length(axis);
  require(n > 0, "rotation axis of zero length");
  const Vec3 a = (1 / n) * axis;
  // Right angles exactly, so that turned boxes stay on the grid.
  const double quarter = degrees / 90;
  double c = std::cos(degrees * std::numbers::pi / 180);
  double s = std::sin(degrees * std::numbers::pi / 180);
  if (quarter == std::round(quarter)) {
    const int q = static_cast<int>(std::fmod(std::fmod(quarter, 4) + 4, 4));
    c = q == 0 ? 1 : q == 2 ? -1 : 0;
    s = q == 1 ? 1 : q == 3 ? -1 : 0;
  }
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const int k = 3 - i - j;  // the third axis, where i != j
      double r = a[std::size_t(i)] * a[std::size_t(j)] * (1 - c);
      if (i == j)
        r += c;
      else
        r += ((i + 1) % 3 == j ? -1 : 1) * a[std::size_t(k)] * s;
      t.linear[std::size_t(i)][std::size_t(j)] = r * scale[std::size_t(j)];
    }
  t.shift = translate;
  return t;
}

Transform Transform::inverse() const {
  const Vec3 &r0 = linear[0], &r1 = linear[1], &r2 = linear[2];
  const double det = dot(r0, cross(r1, r2));
  require(det != 0, "singular transform");
  const Vec3 c0 = (1 / det) * cross(r1, r2), c1 = (1 / det) * cross(r2, r0),
             c2 = (1 / det) * cross(r0, r1);
  Transform inv;
  for (std::size_t i = 0; i < 3; ++i) inv.linear[i] = {c0[i], c1[i], c2[i]};
  inv.shift = {-dot(inv.linear[0], shift), -dot(inv.linear[1], shift), -dot(inv.linear[2], shift)};
  return inv;
}

bool Transform::is_identity() const {
  const Transform one;
  return linear == one.linear && shift == one.shift;
}

namespace {

// Half-open on an interval, moved down by a rounding margin: see Solid.
bool in_interval(double x, double low, double high) {
  const double margin = 1e-9 * std::max({std::abs(low), std::abs(high), high - low});
  return x >= low - margin && x < high - margin;
}

class BoxSolid final : public Solid {
 public:
  BoxSolid(const Vec3& low, const Vec3& high) : b_{low, high} {}
  Bounds bounds() const override { return b_; }
  bool contains(const Vec3& p) const override {
    for (std::size_t a = 0; a < 3; ++a)
      if (!in_interval(p[a], b_.low[a], b_.high[a])) return false;
    return true;
  }

 private:
  Bounds b_;
};

class SphereSolid final : public Solid {
 public:
  SphereSolid(const Vec3& c, double r) : c_(c), r_(r) {}
  Bounds bounds() const override { return {c_ - Vec3{r_, r_, r_}, c_ + Vec3{r_, r_, r_}}; }
  bool contains(const Vec3& p) const override {
    const Vec3 d = p - c_;
    return dot(d, d) <= r_ * r_ * (1 + 1e-12);
  }

 private:
  Vec3 c_;
  double r_;
};

class ConeSolid final : public Solid {
 public:
  ConeSolid(const Vec3& a, const Vec3& b, double ra, double rb)
      : a_(a), axis_(b - a), height_(length(axis_)), ra_(ra), rb_(rb) {}
  Bounds bounds() const override {
    Bounds r;
    for (std::size_t k = 0; k < 3; ++k) {
      const double e = axis_[k] / height_;
      const double across = std::sqrt(std::max(0.0, 1 - e * e));
      const double b = a_[k] + axis_[k];
      r.low[k] = std::min(a_[k] - ra_ * across, b - rb_ * across);
      r.high[k] = std::max(a_[k] + ra_ * across, b + rb_ * across);
    }
    return r;
  }
  bool contains(const Vec3& p) const override {
    const Vec3 d = p - a_;
    const double t = dot(d, axis_) / (height_ * height_);
    if (!in_interval(t, 0, 1)) return false;
    const double r = ra_ + (rb_ - ra_) * t;
    const Vec3 off = d - t * axis_;
    return dot(off, off) <= r * r * (1 + 1e-12);
  }

 private:
  Vec3 a_, axis_;
  double height_, ra_, rb_;
};

class PrismSolid final : public Solid {
 public:
  PrismSolid(int normal, RegionPtr region, double from, double to)
      : n_(std::size_t(normal)), region_(std::move(region)), from_(from), to_(to) {}
  Bounds bounds() const override {
    const auto [u, v] = plane_axes(int(n_));
    Bounds b;
    b.low[std::size_t(u)] = region_->low()[0];
    b.low[std::size_t(v)] = region_->low()[1];
    b.high[std::size_t(u)] = region_->high()[0];
    b.high[std::size_t(v)] = region_->high()[1];
    b.low[n_] = from_;
    b.high[n_] = to_;
    return b;
  }
  bool contains(const Vec3& p) const override {
    const auto [u, v] = plane_axes(int(n_));
    return in_interval(p[n_], from_, to_) &&
           region_->contains({p[std::size_t(u)], p[std::size_t(v)]});
  }

 private:
  std::size_t n_;
  RegionPtr region_;
  double from_, to_;
};

class VoxelSolid final : public Solid {
 public:
  VoxelSolid(std::shared_ptr<const std::vector<std::uint16_t>> labels, std::array<int, 3> n,
             const Vec3& size, const Vec3& origin, std::uint16_t label)
      : labels_(std::move(labels)), n_(n), size_(size), origin_(origin), label_(label) {
    // The block that this label takes, not the whole one.
    std::array<int, 3> low = n_, high{0, 0, 0};
    std::size_t at = 0;
    for (int k = 0; k < n_[2]; ++k)
      for (int j = 0; j < n_[1]; ++j)
        for (int i = 0; i < n_[0]; ++i)
          if ((*labels_)[at++] == label_) {
            const std::array<int, 3> c{i, j, k};
            for (std::size_t a = 0; a < 3; ++a) {
              low[a] = std::min(low[a], c[a]);
              high[a] = std::max(high[a], c[a] + 1);
            }
          }
    bounds_ = {origin_, origin_};
    for (std::size_t a = 0; a < 3 && high[0] > 0; ++a) {
      bounds_.low[a] += low[a] * size_[a];
      bounds_.high[a] += high[a] * size_[a];
    }
  }
  Bounds bounds() const override { return bounds_; }
  bool contains(const Vec3& p) const override {
    std::array<std::int64_t, 3> c{};
    for (std::size_t a = 0; a < 3; ++a) {
      const double x = (p[a] - origin_[a]) / size_[a] + 1e-9;
      if (!(x >= 0 && x < n_[a])) return false;
      c[a] = static_cast<std::int64_t>(x);
    }
    return (*labels_)[std::size_t(c[0] + n_[0] * (c[1] + n_[1] * c[2]))] == label_;
  }

 private:
  std::shared_ptr<const std::vector<std::uint16_t>> labels_;
  std::array<int, 3> n_;
  Vec3 size_, origin_;
  std::uint16_t label_;
  Bounds bounds_;
};

class TransformedSolid final : public Solid {
 public:
  TransformedSolid(SolidPtr solid, const Transform& map)
      : solid_(std::move(solid)), map_(map), inverse_(map.inverse()) {}
  Bounds bounds() const override {
    const Bounds b = solid_->bounds();
    const double inf = std::numeric_limits<double>::infinity();
    Bounds r{{inf, inf, inf}, {-inf, -inf, -inf}};
    for (int c = 0; c < 8; ++c) {
      const Vec3 p = map_(Vec3{(c & 1 ? b.high : b.low)[0], (c & 2 ? b.high : b.low)[1],
                               (c & 4 ? b.high : b.low)[2]});
      for (std::size_t a = 0; a < 3; ++a) {
        r.low[a] = std::min(r.low[a], p[a]);
        r.high[a] = std::max(r.high[a], p[a]);
      }
    }
    return r;
  }
  bool contains(const Vec3& p) const override { return solid_->contains(inverse_(p)); }

 private:
  SolidPtr solid_;
  Transform map_, inverse_;
};

// Points in a closed triangle mesh: crossings of a column along z. Triangles are binned by the
// columns that they can touch; a column through a vertex or an edge is settled by treating every
// vertex on it as lying an infinitesimal amount to its positive x (then positive y) side. Inside is
// where the surface winds round a point (crossings count with the side of the triangle that they
// meet), so that bodies that overlap are united and a cavity, turned inside out, is left open.
class TriangleSolid final : public Solid {
 public:
  explicit TriangleSolid(std::vector<std::array<Vec3, 3>> triangles) : t_(std::move(triangles)) {
    const double inf = std::numeric_limits<double>::infinity();
    bounds_ = {{inf, inf, inf}, {-inf, -inf, -inf}};
    for (const auto& t : t_)
      for (const Vec3& p : t)
        for (std::size_t a = 0; a < 3; ++a) {
          bounds_.low[a] = std::min(bounds_.low[a], p[a]);
          bounds_.high[a] = std::max(bounds_.high[a], p[a]);
        }
    n_ = std::clamp(static_cast<int>(std::sqrt(double(t_.size()))), 1, 512);
    bins_.resize(std::size_t(n_) * std::size_t(n_));
    for (std::size_t i = 0; i < t_.size(); ++i) {
      const auto& t = t_[i];
      const auto [x0, x1] = std::minmax({t[0][0], t[1][0], t[2][0]});
      const auto [y0, y1] = std::minmax({t[0][1], t[1][1], t[2][1]});
      for (int b = bin(y0, 1); b <= bin(y1, 1); ++b)
        for (int a = bin(x0, 0); a <= bin(x1, 0); ++a)
          bins_[std::size_t(a + n_ * b)].push_back(static_cast<std::uint32_t>(i));
    }
  }
  Bounds bounds() const override { return bounds_; }
  bool contains(const Vec3& p) const override {
    std::uint8_t inside = 0;
    column(p[0], p[1], std::span(&p[2], 1), std::span(&inside, 1));
    return inside != 0;
  }
  void column(double x, double y, std::span<const double> z,
              std::span<std::uint8_t> inside) const override {
    std::fill(inside.begin(), inside.end(), std::uint8_t{0});
    if (x < bounds_.low[0] || x > bounds_.high[0] || y < bounds_.low[1] || y > bounds_.high[1])
      return;
    std::vector<std::pair<double, int>> cuts;  // height, +1 or -1
    for (const auto i : bins_[std::size_t(bin(x, 0) + n_ * bin(y, 1))]) {
      double at = 0;
      int side = 0;
      if (crosses(t_[i], x, y, at, side)) cuts.emplace_back(at, side);
    }
    std::sort(cuts.begin(), cuts.end());
    std::size_t below = 0;
    int winding = 0;
    for (std::size_t i = 0; i < z.size(); ++i) {
      for (; below < cuts.size() && cuts[below].first <= z[i]; ++below)
        winding += cuts[below].second;
      inside[i] = winding != 0 ? 1 : 0;
    }
  }

 private:
  int bin(double value, std::size_t axis) const {
    const double w = bounds_.high[axis] - bounds_.low[axis];
    const double f = w > 0 ? (value - bounds_.low[axis]) / w : 0;
    return std::clamp(static_cast<int>(f * n_), 0, n_ - 1);
  }
  // Does the column at (x, y) pass through the triangle, where, and going in (side = 1, the corners
  // run clockwise seen from above) or out? Edges that the ray from (x, y) toward +x crosses count
  // up or down by their direction, with ties settled by moving the ray down by an infinitesimal
  // amount.
  static bool crosses(const std::array<Vec3, 3>& t, double x, double y, double& z, int& side) {
    side = 0;
    for (std::size_t i = 0, j = 2; i < 3; j = i++) {
      // The order of the end points must not matter: both triangles of an edge see the same bits.
      const Vec3* p = &t[i];
      const Vec3* q = &t[j];
      const bool up = (*q)[1] < (*p)[1];
      if (*q < *p) std::swap(p, q);
      if (((*p)[1] > y) != ((*q)[1] > y)) {
        const double cut = (*p)[0] + ((*q)[0] - (*p)[0]) * ((y - (*p)[1]) / ((*q)[1] - (*p)[1]));
        if (x < cut) side += up ? -1 : 1;
      }
    }
    if (side == 0) return false;
    const Vec3 n = cross(t[1] - t[0], t[2] - t[0]);
    if (n[2] == 0) return false;
    z = t[0][2] - (n[0] * (x - t[0][0]) + n[1] * (y - t[0][1])) / n[2];
    return true;
  }

  std::vector<std::array<Vec3, 3>> t_;
  Bounds bounds_;
  int n_ = 1;
  std::vector<std::vector<std::uint32_t>> bins_;
};

class Rectangle final : public Region {
 public:
  Rectangle(Point low, Point high) : low_(low), high_(high) {}
  Point low() const override { return low_; }
  Point high() const override { return high_; }
  bool contains(const Point& p) const override {
    return in_interval(p[0], low_[0], high_[0]) && in_interval(p[1], low_[1], high_[1]);
  }

 private:
  Point low_, high_;
};

class Disc final : public Region {
 public:
  Disc(Point c, double r, double inner) : c_(c), r_(r), inner_(inner) {}
  Point low() const override { return {c_[0] - r_, c_[1] - r_}; }
  Point high() const override { return {c_[0] + r_, c_[1] + r_}; }
  bool contains(const Point& p) const override {
    const double d = std::hypot(p[0] - c_[0], p[1] - c_[1]);
    return d <= r_ * (1 + 1e-12) && d >= inner_;
  }

 private:
  Point c_;
  double r_, inner_;
};

class Polygon final : public Region {
 public:
  explicit Polygon(std::vector<Point> points) : p_(std::move(points)) {
    low_ = high_ = p_.at(0);
    for (const Point& p : p_)
      for (std::size_t a = 0; a < 2; ++a) {
        low_[a] = std::min(low_[a], p[a]);
        high_[a] = std::max(high_[a], p[a]);
      }
    margin_ = 1e-9 * std::max({std::abs(low_[0]), std::abs(high_[0]), std::abs(low_[1]),
                               std::abs(high_[1]), high_[0] - low_[0], high_[1] - low_[1]});
  }
  Point low() const override { return low_; }
  Point high() const override { return high_; }
  bool contains(const Point& q) const override {
    // Moved up by the rounding margin: on the low side inside, on the high side outside.
    const double u = q[0] + margin_, v = q[1] + margin_;
    bool inside = false;
    for (std::size_t i = 0, j = p_.size() - 1; i < p_.size(); j = i++)
      if ((p_[i][1] > v) != (p_[j][1] > v) &&
          u < p_[i][0] + (p_[j][0] - p_[i][0]) * (v - p_[i][1]) / (p_[j][1] - p_[i][1]))
        inside = !inside;
    return inside;
  }

 private:
  std::vector<Point> p_;
  Point low_{}, high_{};
  double margin_ = 0;
};

// Segments as rectangles; corners filled by discs, or by squares along the first segment's
// direction where the ends are flat.
class Path final : public Region {
 public:
  Path(std::vector<Point> points, double width, bool round) : h_(width / 2) {
    low_ = high_ = points.at(0);
    for (std::size_t i = 0; i + 1 < points.size(); ++i) {
      Point a = points[i], b = points[i + 1];
      const double l = std::hypot(b[0] - a[0], b[1] - a[1]);
      const Point e{(b[0] - a[0]) / l, (b[1] - a[1]) / l};
      // Inner corners of flat-ended paths are filled by letting segments overlap by half a width.
      if (!round && i > 0) a = {a[0] - h_ * e[0], a[1] - h_ * e[1]};
      if (!round && i + 2 < points.size()) b = {b[0] + h_ * e[0], b[1] + h_ * e[1]};
      const Point n{-e[1] * h_, e[0] * h_};
      parts_.push_back(make_polygon({{a[0] + n[0], a[1] + n[1]},
                                     {b[0] + n[0], b[1] + n[1]},
                                     {b[0] - n[0], b[1] - n[1]},
                                     {a[0] - n[0], a[1] - n[1]}}));
    }
    if (round)
      for (const Point& p : points) parts_.push_back(make_disc(p, h_));
    low_ = parts_.front()->low();
    high_ = parts_.front()->high();
    for (const auto& part : parts_)
      for (std::size_t a = 0; a < 2; ++a) {
        low_[a] = std::min(low_[a], part->low()[a]);
        high_[a] = std::max(high_[a], part->high()[a]);
      }
  }
  Point low() const override { return low_; }
  Point high() const override { return high_; }
  bool contains(const Point& p) const override {
    return std::any_of(parts_.begin(), parts_.end(),
                       [&](const RegionPtr& part) { return part->contains(p); });
  }

 private:
  double h_;
  std::vector<RegionPtr> parts_;
  Point low_{}, high_{};
};

}  // namespace

SolidPtr make_box(const Vec3& low, const Vec3& high) {
  return std::make_shared<BoxSolid>(low, high);
}
SolidPtr make_sphere(const Vec3& centre, double radius) {
  return std::make_shared<SphereSolid>(centre, radius);
}
SolidPtr make_cone(const Vec3& a, const Vec3& b, double radius_a, double radius_b) {
  return std::make_shared<ConeSolid>(a, b, radius_a, radius_b);
}
SolidPtr make_prism(int normal, RegionPtr region, double from, double to) {
  return std::make_shared<PrismSolid>(normal, std::move(region), from, to);
}
SolidPtr make_triangle_solid(std::vector<std::array<Vec3, 3>> triangles) {
  return std::make_shared<TriangleSolid>(std::move(triangles));
}
SolidPtr make_voxel_label(std::shared_ptr<const std::vector<std::uint16_t>> labels,
                          std::array<int, 3> n, const Vec3& size, const Vec3& origin,
                          std::uint16_t label) {
  return std::make_shared<VoxelSolid>(std::move(labels), n, size, origin, label);
}
SolidPtr transformed(SolidPtr solid, const Transform& map) {
  return std::make_shared<TransformedSolid>(std::move(solid), map);
}
RegionPtr make_rectangle(Region::Point low, Region::Point high) {
  return std::make_shared<Rectangle>(low, high);
}
RegionPtr make_polygon(std::vector<Region::Point> points) {
  return std::make_shared<Polygon>(std::move(points));
}
RegionPtr make_disc(Region::Point centre, double radius, double inner_radius) {
  return std::make_shared<Disc>(centre, radius, inner_radius);
}
RegionPtr make_path(std::vector<Region::Point> points, double width, bool round_ends) {
  return std::make_shared<Path>(std::move(points), width, round_ends);
}

}  // namespace terrawave::fdtd
