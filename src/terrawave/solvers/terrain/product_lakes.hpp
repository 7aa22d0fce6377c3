// Lakes: where the filled surface stands above the ground.
#pragma once

#include <string>
#include <vector>

#include "terrawave/solvers/terrain/product_session.hpp"
#include "terrawave/solvers/terrain/product_sums.hpp"

namespace terrawave::terrain {

struct Lake {
  Index cells = 0;
  Index first = 0;    // its cell of smallest linear index
  Index spill = 0;    // first cell outside that its water reaches
  double level = 0;   // height of the surface
  double depth = 0;   // at the deepest place
  double area = 0;    // m^2
  double volume = 0;  // m^2 times the unit of heights
};

struct Lakes {
  std::vector<Lake> lakes;       // by their first cells; lake k has the id k + 1
  std::vector<std::int32_t> id;  // per cell; 0 on land
};

// The largest terms of the sums over cells.
struct LakeScale {
  double area = 0;
  double depth = 0;
  double volume() const { return area * depth; }
};

// Connected cells (by the session's connectivity) with water above them. All cells of a lake have
// one level: of two neighbours under water neither surface can stand above the other.
Lakes find_lakes(Session& session);
// id,cells,row,col,x,y,spill_row,spill_col,spill_x,spill_y,level,max_depth,mean_depth,area,volume
std::string lake_table_csv(const Lakes& lakes, const domain::RasterInfo& info);

}  // namespace terrawave::terrain
