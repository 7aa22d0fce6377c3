// Points, boxes and affine maps of the geometry modeller. Lengths in metres, host only.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

namespace terrawave::fdtd {

using Vec3 = std::array<double, 3>;

inline Vec3 operator+(const Vec3& a, const Vec3& b) {
  return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}
inline Vec3 operator-(const Vec3& a, const Vec3& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
inline Vec3 operator*(double s, const Vec3& a) { return {s * a[0], s * a[1], s * a[2]}; }
inline double dot(const Vec3& a, const Vec3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
inline double length(const Vec3& a) { return std::sqrt(dot(a, a)); }
inline Vec3 cross(const Vec3& a, const Vec3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

// Closed axis-aligned box.
struct Bounds {
  Vec3 low{};
  Vec3 high{};
};

// p -> linear * p + shift.
struct Transform {
  std::array<Vec3, 3> linear{Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}};  // rows
  Vec3 shift{};

  Vec3 operator()(const Vec3& p) const {
    return Vec3{dot(linear[0], p), dot(linear[1], p), dot(linear[2], p)} + shift;
  }
  Transform inverse() const;
  bool is_identity() const;
  // First scale about the origin, then rotate by `degrees` about the axis through the origin
  // (right hand rule), then translate.
  static Transform make(const Vec3& scale, const Vec3& axis, double degrees, const Vec3& translate);
};

}  // namespace terrawave::fdtd
