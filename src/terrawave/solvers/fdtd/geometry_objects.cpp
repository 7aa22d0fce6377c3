#include "terrawave/solvers/fdtd/geometry_objects.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_map>

#include "terrawave/base/error.hpp"
#include "terrawave/solvers/fdtd/geometry_grid.hpp"

namespace terrawave::fdtd {

Bounds Object::bounds() const {
  if (solid) return solid->bounds();
  const auto [u, v] = plane_axes(sheet->normal);
  Bounds b;
  b.low[std::size_t(sheet->normal)] = b.high[std::size_t(sheet->normal)] = sheet->at;
  b.low[std::size_t(u)] = sheet->region->low()[0];
  b.low[std::size_t(v)] = sheet->region->low()[1];
  b.high[std::size_t(u)] = sheet->region->high()[0];
  b.high[std::size_t(v)] = sheet->region->high()[1];
  return b;
}

namespace {

double centre(const std::vector<double>& lines, Index c) {
  return 0.5 * (lines[std::size_t(c)] + lines[std::size_t(c) + 1]);
}

// Cells whose centre can lie in [low, high], cut to the window.
std::array<Index, 2> cell_range(const std::vector<double>& lines, double low, double high,
                                Index window_low, Index window_high) {
  Index a = std::max(window_low, nearest_line(lines, low) - 1);
  Index b = std::min(window_high, nearest_line(lines, high) + 1);
  return {std::max<Index>(a, 0), std::min<Index>(b, Index(lines.size()) - 1)};
}

class Painter {
 public:
  Painter(const GridLines& lines, const std::vector<Object>& objects,
          const std::vector<Material>& materials, const CellBox& window, const CellBox& counted)
      : lines_(lines), objects_(objects), materials_(materials), counted_(counted) {
    r_.window = window;
    r_.order.resize(objects.size());
    std::iota(r_.order.begin(), r_.order.end(), std::size_t{0});
    std::stable_sort(r_.order.begin(), r_.order.end(), [&](std::size_t a, std::size_t b) {
      return objects[a].priority < objects[b].priority;
    });
    r_.cell_owner.assign(std::size_t(window.size(0) * window.size(1) * window.size(2)), 0);
    const auto nodes =
        std::size_t((window.size(0) + 1) * (window.size(1) + 1) * (window.size(2) + 1));
    for (auto& m : r_.metal) m.assign(nodes, 0);
    for (const Object& o : objects) {
      ObjectReport report;
      report.name = o.name;
      report.kind = o.kind;
      report.material = materials[std::size_t(o.material)].name;
      report.asked = o.bounds();
      const double inf = std::numeric_limits<double>::infinity();
      report.became = {{inf, inf, inf}, {-inf, -inf, -inf}};
      r_.reports.push_back(report);
    }
  }

  Raster paint() {
    for (std::size_t n = 0; n < r_.order.size(); ++n) {
      const Object& o = objects_[r_.order[n]];
      const auto order = std::uint16_t(n + 1);
      if (o.solid && !(o.plain_box && is_metal(o)))
        paint_solid(o, order);
      else if (o.solid)
        paint_metal_box(o, order);
      else
        paint_sheet(o, order);
    }
    metal_of_cells();
    metal_of_faces();
    for (const auto& [component, node, order] : lines_of_metal_) set_edge(component, node, order);
    count();
    return std::move(r_);
  }

 private:
  bool is_metal(const Object& o) const { return materials_[std::size_t(o.material)].pec; }
  ObjectReport& report(std::uint16_t order) { return r_.reports[r_.order[order - 1u]]; }

  void extend(ObjectReport& report, const Cell& low, const Cell& high) {  // nodes
    for (std::size_t a = 0; a < 3; ++a) {
      report.became.low[a] = std::min(report.became.low[a], lines_[a][std::size_t(low[a])]);
      report.became.high[a] = std::max(report.became.high[a], lines_[a][std::size_t(high[a])]);
    }
  }

  void own_cell(std::uint16_t order, Index i, Index j, Index k) {
    r_.cell_owner[std::size_t(r_.cell_at(i, j, k))] = order;
    if (counted_.contains({i, j, k})) ++report(order).cells_covered;
  }

  void paint_solid(const Object& o, std::uint16_t order) {
    const Bounds b = o.bounds();
    std::array<std::array<Index, 2>, 3> c;
    for (std::size_t a = 0; a < 3; ++a)
      c[a] = cell_range(lines_[a], b.low[a], b.high[a], r_.window.low[a], r_.window.high[a]);
    if (c[2][1] <= c[2][0]) return;
    std::vector<double> z;
    for (Index k = c[2][0]; k < c[2][1]; ++k) z.push_back(centre(lines_[2], k));
    std::vector<std::uint8_t> inside(z.size());
    for (Index j = c[1][0]; j < c[1][1]; ++j)
      for (Index i = c[0][0]; i < c[0][1]; ++i) {
        o.solid->column(centre(lines_[0], i), centre(lines_[1], j), z, inside);
        Index first = -1, last = -1;
        for (std::size_t n = 0; n < z.size(); ++n)
          if (inside[n]) {
            const Index k = c[2][0] + Index(n);
            own_cell(order, i, j, k);
            if (first < 0) first = k;
            last = k;
          }
        if (first >= 0) extend(report(order), {i, j, first}, {i + 1, j + 1, last + 1});
      }
  }

  // A metal box owns the cells between its snapped sides; without thickness it is a sheet, a strip
  // or a line.
  void paint_metal_box(const Object& o, std::uint16_t order) {
    const Bounds b = o.bounds();
    Cell low, high;
    for (std::size_t a = 0; a < 3; ++a) {
      low[a] = nearest_line(lines_[a], b.low[a]);
      high[a] = nearest_line(lines_[a], b.high[a]);
    }
    paint_metal_nodes(low, high, order);
  }

  void paint_metal_nodes(const Cell& low, const Cell& high, std::uint16_t order) {
    int flat = 0, normal = 0;
    for (std::size_t a = 0; a < 3; ++a)
      if (low[a] == high[a]) {
        ++flat;
        normal = int(a);
      }
    if (flat == 3) return;  // a point owns nothing
    extend(report(order), low, high);
    report(order).flat = flat > 0 && objects_[r_.order[order - 1u]].solid != nullptr;
    if (flat == 0) {
      for (Index k = std::max(low[2], r_.window.low[2]); k < std::min(high[2], r_.window.high[2]);
           ++k)
        for (Index j = std::max(low[1], r_.window.low[1]); j < std::min(high[1], r_.window.high[1]);
             ++j)
          for (Index i = std::max(low[0], r_.window.low[0]);
               i < std::min(high[0], r_.window.high[0]); ++i)
            own_cell(order, i, j, k);
    } else if (flat == 1) {
      const auto [u, v] = plane_axes(normal);
      const auto au = std::size_t(u), av = std::size_t(v), an = std::size_t(normal);
      if (low[an] < r_.window.low[an] || low[an] > r_.window.high[an]) return;
      Cell n = low;
      for (n[av] = std::max(low[av], r_.window.low[av]);
           n[av] < std::min(high[av], r_.window.high[av]); ++n[av])
        for (n[au] = std::max(low[au], r_.window.low[au]);
             n[au] < std::min(high[au], r_.window.high[au]); ++n[au])
          set_face(normal, n, order);
    } else {
      for (int c = 0; c < 3; ++c) {
        const auto a = std::size_t(c);
        Cell n = low;
        for (n[a] = std::max(low[a], r_.window.low[a]); n[a] < std::min(high[a], r_.window.high[a]);
             ++n[a])
          lines_of_metal_.push_back({c, n, order});
      }
    }
  }

  void paint_sheet(const Object& o, std::uint16_t order) {
    const auto& s = *o.sheet;
    const auto normal = std::size_t(s.normal);
    const auto [u, v] = plane_axes(s.normal);
    const auto au = std::size_t(u), av = std::size_t(v);
    Cell low{}, high{};
    low[normal] = high[normal] = nearest_line(lines_[normal], s.at);
    if (s.rectangle) {
      low[au] = nearest_line(lines_[au], s.region->low()[0]);
      high[au] = nearest_line(lines_[au], s.region->high()[0]);
      low[av] = nearest_line(lines_[av], s.region->low()[1]);
      high[av] = nearest_line(lines_[av], s.region->high()[1]);
      if (is_metal(o) || (low[au] < high[au] && low[av] < high[av]))
        paint_metal_nodes(low, high, order);
      return;
    }
    if (low[normal] < r_.window.low[normal] || low[normal] > r_.window.high[normal]) return;
    const auto cu = cell_range(lines_[au], s.region->low()[0], s.region->high()[0],
                               r_.window.low[au], r_.window.high[au]);
    const auto cv = cell_range(lines_[av], s.region->low()[1], s.region->high()[1],
                               r_.window.low[av], r_.window.high[av]);
    Cell n = low;
    for (n[av] = cv[0]; n[av] < cv[1]; ++n[av])
      for (n[au] = cu[0]; n[au] < cu[1]; ++n[au])
        if (s.region->contains({centre(lines_[au], n[au]), centre(lines_[av], n[av])})) {
          set_face(s.normal, n, order);
          Cell top = n;
          ++top[au];
          ++top[av];
          extend(report(order), n, top);
        }
  }

  static Index face_key(const Cell& n) { return n[0] + (n[1] << 20) + (n[2] << 40); }
  void set_face(int normal, const Cell& n, std::uint16_t order) {
    faces_[std::size_t(normal)][face_key(n)] = {n, order};
  }

  bool holds_node(const Cell& n) const {
    for (std::size_t a = 0; a < 3; ++a)
      if (n[a] < r_.window.low[a] || n[a] > r_.window.high[a]) return false;
    return true;
  }
  void set_edge(int component, const Cell& n, std::uint16_t order) {
    if (!holds_node(n) || n[std::size_t(component)] >= r_.window.high[std::size_t(component)])
      return;
    auto& owner = r_.metal[std::size_t(component)][std::size_t(r_.node_at(n[0], n[1], n[2]))];
    owner = std::max(owner, order);
  }

  void metal_of_cells() {
    for (Index k = r_.window.low[2]; k < r_.window.high[2]; ++k)
      for (Index j = r_.window.low[1]; j < r_.window.high[1]; ++j)
        for (Index i = r_.window.low[0]; i < r_.window.high[0]; ++i) {
          const auto order = r_.cell_owner[std::size_t(r_.cell_at(i, j, k))];
          if (order == 0 || !is_metal(objects_[r_.order[order - 1u]])) continue;
          for (Index p = 0; p < 2; ++p)
            for (Index q = 0; q < 2; ++q) {
              set_edge(0, {i, j + p, k + q}, order);
              set_edge(1, {i + p, j, k + q}, order);
              set_edge(2, {i + p, j + q, k}, order);
            }
        }
  }

  void metal_of_faces() {
    for (int normal = 0; normal < 3; ++normal) {
      const auto [u, v] = plane_axes(normal);
      for (const auto& [key, face] : faces_[std::size_t(normal)]) {
        const auto& [n, order] = face;
        if (!is_metal(objects_[r_.order[order - 1u]])) continue;
        Cell next_u = n, next_v = n;
        ++next_u[std::size_t(u)];
        ++next_v[std::size_t(v)];
        set_edge(u, n, order);
        set_edge(u, next_v, order);
        set_edge(v, n, order);
        set_edge(v, next_u, order);
      }
    }
  }

  void count() {
    const auto& w = r_.window;
    if (counted_.size(0) * counted_.size(1) * counted_.size(2) == 0) return;
    for (Index k = w.low[2]; k <= w.high[2]; ++k)
      for (Index j = w.low[1]; j <= w.high[1]; ++j)
        for (Index i = w.low[0]; i <= w.high[0]; ++i) count_at({i, j, k});
    // A sheet's hole owns the faces that it cut.
    for (int normal = 0; normal < 3; ++normal)
      for (const auto& [key, face] : faces_[std::size_t(normal)])
        if (!is_metal(objects_[r_.order[face.second - 1u]]) && counted_low(face.first))
          ++report(face.second).edges_owned;
  }

  // Is node n counted here? High nodes belong to the next rank, except at the grid's end.
  bool counted_low(const Cell& n) const {
    for (std::size_t a = 0; a < 3; ++a) {
      const bool end = counted_.high[a] == Index(lines_[a].size()) - 1;
      if (n[a] < counted_.low[a] || n[a] > counted_.high[a] - (end ? 0 : 1)) return false;
    }
    return true;
  }

  void count_at(const Cell& n) {
    if (counted_.contains(n)) {
      const auto order = r_.cell_owner[std::size_t(r_.cell_at(n[0], n[1], n[2]))];
      if (order != 0) ++report(order).cells_owned;
    }
    if (!counted_low(n)) return;
    for (int c = 0; c < 3; ++c) {
      if (n[std::size_t(c)] >= counted_.high[std::size_t(c)]) continue;
      auto order = r_.metal[std::size_t(c)][std::size_t(r_.node_at(n[0], n[1], n[2]))];
      if (order == 0) {
        const auto [u, v] = plane_axes(c);
        for (int q = 0; q < 4; ++q) {
          Cell cell = n;
          cell[std::size_t(u)] -= q & 1;
          cell[std::size_t(v)] -= q >> 1;
          if (r_.window.contains(cell))
            order =
                std::max(order, r_.cell_owner[std::size_t(r_.cell_at(cell[0], cell[1], cell[2]))]);
        }
      }
      if (order != 0) ++report(order).edges_owned;
    }
  }

  struct MetalLine {
    int component;
    Cell node;
    std::uint16_t order;
  };
  const GridLines& lines_;
  const std::vector<Object>& objects_;
  const std::vector<Material>& materials_;
  CellBox counted_;
  Raster r_;
  std::array<std::unordered_map<Index, std::pair<Cell, std::uint16_t>>, 3> faces_;
  std::vector<MetalLine> lines_of_metal_;
};

}  // namespace

Raster rasterise_part(const GridLines& lines, const std::vector<Object>& objects,
                      const std::vector<Material>& materials, const CellBox& window,
                      const CellBox& counted) {
  require(objects.size() < 65535, "more than 65534 objects");
  return Painter(lines, objects, materials, window, counted).paint();
}

void finish_reports(const GridLines& lines, std::vector<ObjectReport>& reports) {
  for (ObjectReport& o : reports) {
    if (!(o.became.low[0] <= o.became.high[0])) {
      o.became = o.asked;
      continue;
    }
    for (std::size_t a = 0; a < 3; ++a) {
      o.snapped[a] = std::max(std::abs(o.became.low[a] - o.asked.low[a]),
                              std::abs(o.became.high[a] - o.asked.high[a]));
      // Less than rounding of the coordinates is no move.
      if (o.snapped[a] < 1e-12 * (lines[a].back() - lines[a].front())) o.snapped[a] = 0;
    }
  }
}

Raster rasterise(const GridLines& lines, const std::vector<Object>& objects,
                 const std::vector<Material>& materials, const CellBox& window,
                 const CellBox& counted) {
  Raster r = rasterise_part(lines, objects, materials, window, counted);
  finish_reports(lines, r.reports);
  return r;
}

MaterialMap::MaterialMap(const GridLines& lines, const Raster& raster,
                         const std::vector<Object>& objects, const std::vector<Material>& materials,
                         std::array<bool, 3> periodic)
    : lines_(lines), raster_(raster), periodic_(periodic) {
  by_order_.push_back(&materials[0]);
  for (const std::size_t o : raster.order)
    by_order_.push_back(&materials[std::size_t(objects[o].material)]);
}

Index MaterialMap::clamp_cell(std::size_t axis, Index c) const {
  const Index n = Index(lines_[axis].size()) - 1;
  if (periodic_[axis]) return (c % n + n) % n;
  return std::clamp<Index>(c, 0, n - 1);
}

double MaterialMap::width(std::size_t axis, Index c) const {
  const auto i = std::size_t(clamp_cell(axis, c));
  return lines_[axis][i + 1] - lines_[axis][i];
}

const Material& MaterialMap::cell(Cell c) const {
  for (std::size_t a = 0; a < 3; ++a) c[a] = clamp_cell(a, c[a]);
  return *by_order_[raster_.cell_owner[std::size_t(raster_.cell_at(c[0], c[1], c[2]))]];
}

int MaterialMap::common_order(int component, const Cell& n, bool face) const {
  const auto owner = [&](Cell c) {
    for (std::size_t a = 0; a < 3; ++a) c[a] = clamp_cell(a, c[a]);
    return int(raster_.cell_owner[std::size_t(raster_.cell_at(c[0], c[1], c[2]))]);
  };
  const int first = owner(n);
  if (face) {
    Cell c = n;
    --c[std::size_t(component)];
    return owner(c) == first ? first : -1;
  }
  const auto [u, v] = plane_axes(component);
  for (int q = 1; q < 4; ++q) {
    Cell c = n;
    c[std::size_t(u)] -= q & 1;
    c[std::size_t(v)] -= q >> 1;
    if (owner(c) != first) return -1;
  }
  return first;
}

bool MaterialMap::metal(int component, const Cell& n) const {
  const auto at = [&](const Cell& c) {
    return raster_.metal[std::size_t(component)][std::size_t(raster_.node_at(c[0], c[1], c[2]))] !=
           0;
  };
  if (at(n)) return true;
  // The first and the last plane of a periodic axis are one.
  for (std::size_t a = 0; a < 3; ++a) {
    const Index last = Index(lines_[a].size()) - 1;
    if (!periodic_[a] || (n[a] != 0 && n[a] != last)) continue;
    Cell c = n;
    c[a] = last - n[a];
    if (at(c)) return true;
  }
  return false;
}

Filling MaterialMap::edge(int component, const Cell& n) const {
  const auto [u, v] = plane_axes(component);
  const Material* cells[4];
  double areas[4];
  for (int q = 0; q < 4; ++q) {
    Cell c = n;
    c[std::size_t(u)] -= q & 1;
    c[std::size_t(v)] -= q >> 1;
    cells[q] = &cell(c);
    areas[q] = width(std::size_t(u), c[std::size_t(u)]) * width(std::size_t(v), c[std::size_t(v)]);
  }
  return edge_mean(cells, areas);
}

Filling MaterialMap::face(int component, const Cell& n) const {
  const Material* cells[2];
  double lengths[2];
  for (int q = 0; q < 2; ++q) {
    Cell c = n;
    c[std::size_t(component)] -= q;
    cells[q] = &cell(c);
    lengths[q] = width(std::size_t(component), c[std::size_t(component)]) / 2;
  }
  return face_mean(cells, lengths);
}

}  // namespace terrawave::fdtd
