// Shapes: solids, and regions of a plane from which sheets and prisms are made.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "terrawave/solvers/fdtd/geometry_vec.hpp"

namespace terrawave::fdtd {

// A point set in space. Points within rounding of the surface count as inside on the low side and
// as outside on the high side, so that touching solids share no cell and leave none out.
class Solid {
 public:
  virtual ~Solid() = default;
  virtual Bounds bounds() const = 0;
  virtual bool contains(const Vec3& p) const = 0;
  // contains() of the points (x, y, z[i]); z increasing. Overridden where a column is cheaper than
  // its points.
  virtual void column(double x, double y, std::span<const double> z,
                      std::span<std::uint8_t> inside) const {
    for (std::size_t i = 0; i < z.size(); ++i) inside[i] = contains({x, y, z[i]}) ? 1 : 0;
  }
};
using SolidPtr = std::shared_ptr<const Solid>;

// A point set in a plane with coordinates (u, v): (y, z), (x, z) or (x, y) for the normal x, y, z.
class Region {
 public:
  using Point = std::array<double, 2>;
  virtual ~Region() = default;
  virtual Point low() const = 0;
  virtual Point high() const = 0;
  virtual bool contains(const Point& p) const = 0;
};
using RegionPtr = std::shared_ptr<const Region>;

SolidPtr make_box(const Vec3& low, const Vec3& high);
SolidPtr make_sphere(const Vec3& centre, double radius);
// Frustum between discs of radius_a at a and radius_b at b; radius_a == radius_b is a cylinder.
SolidPtr make_cone(const Vec3& a, const Vec3& b, double radius_a, double radius_b);
SolidPtr make_prism(int normal, RegionPtr region, double from, double to);
// The inside of a closed triangle mesh (three points per triangle, their order telling the
// surface's sides): where the surface winds round a point. Meshes that overlap are united, cavities
// whose surface is turned the other way stay open.
SolidPtr make_triangle_solid(std::vector<std::array<Vec3, 3>> triangles);
// The cells of a voxel block with the given label: label(i, j, k) at
// labels[i + n[0] * (j + n[1] * k)], voxel sides `size`, first corner `origin`.
SolidPtr make_voxel_label(std::shared_ptr<const std::vector<std::uint16_t>> labels,
                          std::array<int, 3> n, const Vec3& size, const Vec3& origin,
                          std::uint16_t label);
SolidPtr transformed(SolidPtr solid, const Transform& map);

RegionPtr make_rectangle(Region::Point low, Region::Point high);
RegionPtr make_polygon(std::vector<Region::Point> points);  // even-odd rule
RegionPtr make_disc(Region::Point centre, double radius, double inner_radius = 0);
// All points within width/2 of the polyline; mitred where flat ends are asked (square corners for
// right angles), round corners otherwise.
RegionPtr make_path(std::vector<Region::Point> points, double width, bool round_ends);

// The two in-plane axes of a normal, in increasing order.
inline std::array<int, 2> plane_axes(int normal) {
  return normal == 0 ? std::array{1, 2} : normal == 1 ? std::array{0, 2} : std::array{0, 1};
}

}  // namespace terrawave::fdtd
