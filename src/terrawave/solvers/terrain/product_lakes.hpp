// Lakes: where the filled surface stands above the ground.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "terrawave/solvers/terrain/lake_steps.hpp"
#include "terrawave/solvers/terrain/product_session.hpp"

namespace terrawave::terrain {

struct Lake {
  Index cells = 0;
  Index first = 0;    // its cell of smallest linear index
  Index spill = -1;   // first cell outside that its water reaches
  double level = 0;   // height of the surface
  double depth = 0;   // at the deepest place
  double area = 0;    // m^2
  double volume = 0;  // m^2 times the unit of heights

  bool operator==(const Lake&) const = default;
};

struct Lakes {
  std::vector<Lake> lakes;       // by their first cells; lake k has the id k + 1
  std::vector<std::int32_t> id;  // per cell; 0 on land
};

// What the lakes of a raster follow from; all of its cells, or (row_area) rows.
template <class T>
struct LakeInput {
  std::span<const T> ground, surface;  // the filled surface
  std::span<const std::uint8_t> state;
  std::span<const Direction> direction;  // of carved flow
  std::span<const double> row_area;      // of a cell of each row [m^2]
};
// Connected cells (by the grid's connectivity) with water above them, on the queue's device. All
// cells of a lake have one level: of two neighbours under water neither surface can stand above the
// other. T: the height types.
template <class T>
Lakes find_lakes(const TileQueue& on, const Grid& grid, const LakeInput<T>& input);
// The same of a session that routes by carving.
Lakes find_lakes(Session& session);

// The largest terms of the sums over cells of these areas and of water at most `deepest` deep.
steps::LakeTerms lake_terms(std::span<const double> row_area, double deepest);

// id,cells,row,col,x,y,spill_row,spill_col,spill_x,spill_y,level,max_depth,mean_depth,area,volume
std::string lake_table_csv(const Lakes& lakes, const domain::RasterInfo& info);

}  // namespace terrawave::terrain
