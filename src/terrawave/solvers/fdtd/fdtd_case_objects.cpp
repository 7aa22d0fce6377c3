// Reads [[object]]: shapes, transforms, files.
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "terrawave/base/error.hpp"
#include "terrawave/io/stl.hpp"
#include "terrawave/io/voxels.hpp"
#include "terrawave/solvers/fdtd/fdtd_case_read.hpp"

namespace terrawave::fdtd {

using config::Config;
using config::Diagnostics;

namespace {

// One [[object]] at a time; a fault is complained about and the object left out.
class ObjectReader {
 public:
  ObjectReader(const Config& table, Setup& s, Diagnostics& all)
      : c_(table), s_(s), all_(all), kind_(table.text("kind")) {
    object_.name = table.text("name");
    object_.kind = kind_;
    object_.priority = table.integer("priority");
    object_.allow_empty = table.boolean("allow_empty");
  }

  void read() {
    if (kind_ == "voxels") {
      read_voxels();
      return;
    }
    if (!needs(all_, c_, kind_, {"material"})) return;
    object_.material = find_material(s_, c_.text("material"), c_, "material", all_);
    const bool made = kind_ == "box"                           ? read_box()
                      : kind_ == "plate"                       ? read_plate()
                      : kind_ == "sphere"                      ? read_sphere()
                      : kind_ == "cylinder" || kind_ == "cone" ? read_cone()
                      : kind_ == "stl"                         ? read_mesh()
                                                               : read_flat();
    if (made && object_.material >= 0 && transform(object_)) finish(object_);
  }

 private:
  bool corners(Vec3& low, Vec3& high) {
    if (!needs(all_, c_, kind_, {"from", "to"})) return false;
    low = vec3(c_.numbers("from"));
    high = vec3(c_.numbers("to"));
    for (std::size_t a = 0; a < 3; ++a)
      if (low[a] > high[a]) std::swap(low[a], high[a]);
    return true;
  }

  bool read_box() {
    Vec3 low, high;
    if (!corners(low, high)) return false;
    if (low == high) {
      c_.complain(all_, "to", "the box has no size: from and to are equal");
      return false;
    }
    object_.solid = make_box(low, high);
    object_.plain_box = true;
    return true;
  }

  bool read_plate() {
    Vec3 low, high;
    if (!corners(low, high)) return false;
    int flat = 0, normal = 2;
    for (int a = 0; a < 3; ++a)
      if (low[std::size_t(a)] == high[std::size_t(a)]) {
        ++flat;
        normal = a;
      }
    if (flat != 1) {
      c_.complain(
          all_, "to",
          fmt::format("a plate has no thickness along exactly one axis, found {} such axes", flat));
      return false;
    }
    const auto [u, v] = plane_axes(normal);
    const auto au = std::size_t(u), av = std::size_t(v);
    object_.sheet = Object::Sheet{normal, low[std::size_t(normal)],
                                  make_rectangle({low[au], low[av]}, {high[au], high[av]}), true};
    return true;
  }

  bool read_sphere() {
    if (!needs(all_, c_, kind_, {"centre", "radius"})) return false;
    object_.solid = make_sphere(vec3(c_.numbers("centre")), c_.number("radius"));
    return true;
  }

  bool read_cone() {
    if (!needs(all_, c_, kind_, {"from", "to", "radius"})) return false;
    if (kind_ == "cone" && !needs(all_, c_, kind_, {"end_radius"})) return false;
    const Vec3 a = vec3(c_.numbers("from")), b = vec3(c_.numbers("to"));
    if (a == b) {
      c_.complain(all_, "to", fmt::format("the {} has no length: from and to are equal", kind_));
      return false;
    }
    const double r = c_.number("radius");
    object_.solid = make_cone(a, b, r, kind_ == "cone" ? c_.number("end_radius") : r);
    return true;
  }

  bool points(std::vector<Region::Point>& list, std::size_t least) {
    const auto flat = c_.numbers("points");
    if (flat.size() % 2 != 0 || flat.size() < 2 * least) {
      c_.complain(all_, "points",
                  fmt::format("expected pairs u, v of at least {} points, found {} numbers", least,
                              flat.size()));
      return false;
    }
    for (std::size_t i = 0; i < flat.size(); i += 2) list.push_back({flat[i], flat[i + 1]});
    return true;
  }

  bool read_flat() {
    const int normal = axis_of(c_.text("normal"));
    RegionPtr region;
    double at = 0;
    if (kind_ == "disc") {
      if (!needs(all_, c_, kind_, {"centre", "radius"})) return false;
      const Vec3 centre = vec3(c_.numbers("centre"));
      const auto [u, v] = plane_axes(normal);
      if (c_.number("inner_radius") >= c_.number("radius")) {
        c_.complain(all_, "inner_radius", "expected less than the radius");
        return false;
      }
      region = make_disc({centre[std::size_t(u)], centre[std::size_t(v)]}, c_.number("radius"),
                         c_.number("inner_radius"));
      at = centre[std::size_t(normal)];
    } else {
      if (!needs(all_, c_, kind_, {"at", "points"})) return false;
      if (kind_ == "path" && !needs(all_, c_, kind_, {"width"})) return false;
      at = c_.number("at");
      std::vector<Region::Point> list;
      if (!points(list, kind_ == "polygon" ? 3 : 2)) return false;
      if (kind_ == "path") {
        for (std::size_t i = 0; i + 1 < list.size(); ++i)
          if (list[i] == list[i + 1]) {
            c_.complain(all_, "points", fmt::format("points {} and {} are equal", i + 1, i + 2));
            return false;
          }
        region = make_path(list, c_.number("width"), c_.boolean("round"));
      } else {
        region = make_polygon(list);
      }
    }
    const double thickness = c_.number("thickness");
    if (thickness > 0)
      object_.solid = make_prism(normal, region, at, at + thickness);
    else
      object_.sheet = Object::Sheet{normal, at, region, false};
    return true;
  }

  bool read_mesh() {
    if (!needs(all_, c_, kind_, {"file"})) return false;
    try {
      auto triangles = io::read_stl(c_.file_path("file"));
      const auto tight = io::check_watertight(triangles);
      if (!tight.holds()) {
        c_.complain(all_, "file",
                    fmt::format("the surface is not closed: {} open, {} crowded and {} flipped "
                                "edges, the first at ({:g}, {:g}, {:g}) of the file",
                                tight.open_edges, tight.crowded_edges, tight.flipped_edges,
                                tight.at[0], tight.at[1], tight.at[2]));
        return false;
      }
      const double unit = c_.number("length_unit");
      for (auto& t : triangles)
        for (auto& p : t) p = unit * p;
      object_.solid = make_triangle_solid(std::move(triangles));
    } catch (const InputError& e) {
      c_.complain(all_, "file", e.what());
      return false;
    }
    return true;
  }

  // Complains about labels that are not whole or that the file does not hold; warns of those that
  // it holds (0 aside) and the case does not name.
  bool check_labels(const std::vector<std::uint16_t>& found, const std::vector<double>& wanted) {
    std::vector<bool> holds(65536, false);
    for (const std::uint16_t label : found) holds[label] = true;
    std::string list;
    int count = 0;
    for (std::size_t l = 0; l < holds.size(); ++l)
      if (holds[l] && ++count <= 12) list += fmt::format("{}{}", count > 1 ? ", " : "", l);
    if (count > 12) list += fmt::format(" and {} more", count - 12);
    std::vector<bool> named(65536, false);
    for (const double label : wanted) {
      if (!(label >= 0 && label <= 65535 && label == std::floor(label))) {
        c_.complain(all_, "labels",
                    fmt::format("expected whole numbers in 0...65535, found {:g}", label));
        return false;
      }
      if (!holds[std::size_t(label)] && !object_.allow_empty) {
        c_.complain(all_, "labels",
                    fmt::format("label {:g} does not occur in the file; it holds {}", label, list));
        return false;
      }
      named[std::size_t(label)] = true;
    }
    std::string left;
    for (std::size_t l = 1; l < holds.size(); ++l)
      if (holds[l] && !named[l] && left.size() < 60)
        left += fmt::format("{}{}", left.empty() ? "" : ", ", l);
    if (!left.empty())
      s_.warnings.push_back(fmt::format(
          "object \"{}\" names no material for the labels {} of its file: their voxels keep the "
          "material below them",
          object_.name, left));
    return true;
  }

  void read_voxels() {
    if (!needs(all_, c_, kind_, {"file", "voxel", "from", "labels", "materials"})) return;
    const auto labels = c_.numbers("labels");
    const auto materials = c_.texts("materials");
    if (labels.size() != materials.size()) {
      c_.complain(all_, "materials",
                  fmt::format("expected a material for each of the {} labels, found {}",
                              labels.size(), materials.size()));
      return;
    }
    io::Voxels block;
    try {
      if (c_.has("dataset")) {
        block = io::read_hdf5_voxels(c_.file_path("file"), c_.text("dataset"));
      } else {
        if (!needs(all_, c_, "a raw voxel file", {"count"})) return;
        const auto n = c_.numbers("count");
        for (const double x : n)
          if (!(x >= 1 && x == std::floor(x) && x < 1 << 20)) {
            c_.complain(all_, "count", fmt::format("expected whole numbers, found {:g}", x));
            return;
          }
        block = io::read_raw_voxels(c_.file_path("file"), {int(n[0]), int(n[1]), int(n[2])},
                                    int(c_.integer("bytes")));
      }
    } catch (const InputError& e) {
      c_.complain(all_, "file", e.what());
      return;
    }
    const Vec3 size = vec3(c_.numbers("voxel"));
    if (!(size[0] > 0 && size[1] > 0 && size[2] > 0)) {
      c_.complain(all_, "voxel", "expected sides above 0 m");
      return;
    }
    if (!check_labels(block.labels, labels)) return;
    const auto shared = std::make_shared<const std::vector<std::uint16_t>>(std::move(block.labels));
    for (std::size_t i = 0; i < labels.size(); ++i) {
      Object o = object_;
      o.name = fmt::format("{}:{:g}", object_.name, labels[i]);
      o.material = find_material(s_, materials[i], c_, "materials", all_);
      o.solid = make_voxel_label(shared, block.n, size, vec3(c_.numbers("from")),
                                 std::uint16_t(labels[i]));
      if (o.material >= 0 && transform(o)) finish(o);
    }
  }

  bool transform(Object& o) {
    const Vec3 scale = vec3(c_.numbers("scale"));
    const Vec3 axis = vec3(c_.numbers("rotate_axis"));
    if (scale[0] == 0 || scale[1] == 0 || scale[2] == 0) {
      c_.complain(all_, "scale", "expected factors other than 0");
      return false;
    }
    if (length(axis) == 0) {
      c_.complain(all_, "rotate_axis", "expected an axis other than [0, 0, 0]");
      return false;
    }
    const Transform t =
        Transform::make(scale, axis, c_.number("rotate"), vec3(c_.numbers("translate")));
    if (t.is_identity()) return true;
    if (o.solid) {
      const bool box = o.plain_box;
      o.solid = transformed(o.solid, t);
      // A box that was only moved, scaled or turned by right angles is a box again.
      bool straight = true;
      for (const Vec3& row : t.linear)
        straight = straight && (row[0] != 0) + (row[1] != 0) + (row[2] != 0) == 1;
      o.plain_box = box && straight;
      if (o.plain_box) {
        const Bounds b = o.solid->bounds();
        o.solid = make_box(b.low, b.high);
      }
      return true;
    }
    return transform_sheet(o, t);
  }

  // A sheet stays a sheet across a grid axis, or is refused.
  bool transform_sheet(Object& o, const Transform& t) {
    auto& s = *o.sheet;
    const auto n = std::size_t(s.normal);
    const auto [u, v] = plane_axes(s.normal);
    const auto au = std::size_t(u), av = std::size_t(v);
    if (t.linear[n][au] != 0 || t.linear[n][av] != 0 || t.linear[au][n] != 0 ||
        t.linear[av][n] != 0) {
      c_.complain(all_, "rotate_axis",
                  fmt::format("a sheet across {} can only be turned about {}", "xyz"[n], "xyz"[n]));
      return false;
    }
    s.at = t.linear[n][n] * s.at + t.shift[n];
    s.region = std::make_shared<TurnedRegion>(s.region, t, au, av);
    s.rectangle = s.rectangle && ((t.linear[au][av] == 0 && t.linear[av][au] == 0) ||
                                  (t.linear[au][au] == 0 && t.linear[av][av] == 0));
    if (s.rectangle) s.region = make_rectangle(s.region->low(), s.region->high());
    return true;
  }

  class TurnedRegion final : public Region {
   public:
    TurnedRegion(RegionPtr region, const Transform& t, std::size_t u, std::size_t v)
        : region_(std::move(region)), t_(t), inverse_(t.inverse()), u_(u), v_(v) {
      low_ = {1e300, 1e300};
      high_ = {-1e300, -1e300};
      for (int k = 0; k < 4; ++k) {
        Vec3 p{};
        p[u_] = (k & 1 ? region_->high() : region_->low())[0];
        p[v_] = (k & 2 ? region_->high() : region_->low())[1];
        p = t_(p);
        low_ = {std::min(low_[0], p[u_]), std::min(low_[1], p[v_])};
        high_ = {std::max(high_[0], p[u_]), std::max(high_[1], p[v_])};
      }
    }
    Point low() const override { return low_; }
    Point high() const override { return high_; }
    bool contains(const Point& q) const override {
      Vec3 p = t_(Vec3{});  // any point of the turned space; only u and v matter
      p[u_] = q[0];
      p[v_] = q[1];
      p = inverse_(p);
      return region_->contains({p[u_], p[v_]});
    }

   private:
    RegionPtr region_;
    Transform t_, inverse_;
    std::size_t u_, v_;
    Point low_{}, high_{};
  };

  void finish(const Object& o) {
    const Bounds b = o.bounds();
    if (!c_.boolean("clip"))
      for (std::size_t a = 0; a < 3; ++a) {
        const auto& l = s_.lines[a];
        // Half a cell would snap back anyway.
        const double below = l.front() - 0.5 * (l[1] - l[0]);
        const double above = l.back() + 0.5 * (l.back() - l[l.size() - 2]);
        if (b.low[a] < below || b.high[a] > above) {
          c_.complain(
              all_, "name",
              fmt::format("object \"{}\" reaches from {:g} m to {:g} m along {}, outside the "
                          "grid, [{:g}, {:g}] m; enlarge the grid or set clip = true",
                          o.name, b.low[a], b.high[a], "xyz"[a], l.front(), l.back()));
          return;
        }
      }
    s_.objects.push_back(o);
    s_.object_entry.push_back(entry_);
  }

 public:
  std::size_t entry_ = 0;

 private:
  const Config& c_;
  Setup& s_;
  Diagnostics& all_;
  std::string kind_;
  Object object_;
};

}  // namespace

void read_objects(const Config& root, Setup& s, Diagnostics& all) {
  std::set<std::string> names;
  const auto tables = root.tables("object");
  for (std::size_t i = 0; i < tables.size(); ++i) {
    if (!names.insert(tables[i].text("name")).second)
      tables[i].complain(all, "name",
                         fmt::format("object \"{}\" exists already", tables[i].text("name")));
    ObjectReader reader(tables[i], s, all);
    reader.entry_ = i;
    reader.read();
  }
}

}  // namespace terrawave::fdtd
