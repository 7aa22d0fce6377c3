// Objects of a case on the grid: which cells and edges each owns, and the report that says so.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "terrawave/base/index.hpp"
#include "terrawave/solvers/fdtd/geometry_shapes.hpp"
#include "terrawave/solvers/fdtd/materials_table.hpp"

namespace terrawave::fdtd {

using GridLines = std::array<std::vector<double>, 3>;
using Cell = std::array<Index, 3>;

// low <= cell < high
struct CellBox {
  Cell low{};
  Cell high{};
  Index size(std::size_t axis) const { return high[axis] - low[axis]; }
  bool contains(const Cell& c) const {
    return c[0] >= low[0] && c[0] < high[0] && c[1] >= low[1] && c[1] < high[1] && c[2] >= low[2] &&
           c[2] < high[2];
  }
};

// One object: a solid, or a sheet of zero thickness.
struct Object {
  struct Sheet {
    int normal = 2;
    double at = 0;
    RegionPtr region;
    bool rectangle = false;  // snapped to lines side by side instead of by face centres
  };
  std::string name;
  std::string kind;
  int material = 0;
  std::int64_t priority = 0;
  bool allow_empty = false;
  SolidPtr solid;  // or
  std::optional<Sheet> sheet;
  bool plain_box = false;  // an untransformed box: metal snaps to the nearest lines
  Bounds bounds() const;
};

// What an object became on the grid.
struct ObjectReport {
  std::string name, kind, material;
  Index cells_covered = 0;  // before objects of higher priority
  Index cells_owned = 0;
  Index edges_owned =
      0;                 // metal: its metal edges; else edges on whose four cells it is the highest
  Bounds asked, became;  // equal where it owns nothing
  Vec3 snapped{};        // largest move of a bounding plane along each axis, m
  bool flat = false;     // a metal box that became a sheet, strip or line
};

struct Raster {
  CellBox window;                         // cells held, inside the grid
  std::vector<std::uint16_t> cell_owner;  // 0 background, else order (1...) in `order`
  // Edges of component c at node (i, j, k) of the window's nodes (one more than cells): 0 none,
  // else the order of the metal object that owns it.
  std::array<std::vector<std::uint16_t>, 3> metal;
  std::vector<std::size_t> order;     // order - 1 -> position in the list of objects
  std::vector<ObjectReport> reports;  // as the list of objects

  Index cell_at(Index i, Index j, Index k) const {
    return i - window.low[0] +
           window.size(0) * (j - window.low[1] + window.size(1) * (k - window.low[2]));
  }
  Index node_at(Index i, Index j, Index k) const {
    return i - window.low[0] +
           (window.size(0) + 1) * (j - window.low[1] + (window.size(1) + 1) * (k - window.low[2]));
  }
};

// Paints objects in the order (priority, position); later ones win. Metal sheets lie on top of
// every solid; a sheet of a material that is not metal cuts a hole into metal sheets of lower
// order. Counts in `reports` cover the cells and edges of `counted` (its low nodes, and the high
// ones where it ends at the grid's end). materials[0] is the background.
Raster rasterise(const GridLines& lines, const std::vector<Object>& objects,
                 const std::vector<Material>& materials, const CellBox& window,
                 const CellBox& counted);
// The same with reports that only hold this part's counts and bounds: add the counts, take the
// extremes of the bounds (lowest low, highest high) of all parts, then finish_reports(). Metal and
// counts are right on nodes that have a cell of the window (or the grid's end) on every side.
Raster rasterise_part(const GridLines& lines, const std::vector<Object>& objects,
                      const std::vector<Material>& materials, const CellBox& window,
                      const CellBox& counted);
void finish_reports(const GridLines& lines, std::vector<ObjectReport>& reports);

// The filling of edge `component` at node n, of face `component` at the cell corner n. Cells
// outside the grid repeat the nearest inside; `periodic[axis]` wraps instead (the window must then
// span that axis).
class MaterialMap {
 public:
  MaterialMap(const GridLines& lines, const Raster& raster, const std::vector<Object>& objects,
              const std::vector<Material>& materials, std::array<bool, 3> periodic);
  bool metal(int component, const Cell& n) const;
  Filling edge(int component, const Cell& n) const;
  Filling face(int component, const Cell& n) const;
  const Material& cell(Cell c) const;
  // The order that all cells around the edge (face) share, -1 where they differ. Most places answer
  // here, without a mean.
  int common_order(int component, const Cell& n, bool face) const;
  std::size_t orders() const { return by_order_.size(); }

 private:
  Index clamp_cell(std::size_t axis, Index c) const;
  double width(std::size_t axis, Index c) const;
  const GridLines& lines_;
  const Raster& raster_;
  std::vector<const Material*> by_order_;
  std::array<bool, 3> periodic_;
};

}  // namespace terrawave::fdtd
