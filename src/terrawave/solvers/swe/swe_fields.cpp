#include "terrawave/solvers/swe/swe_fields.hpp"

#include "terrawave/base/error.hpp"

namespace terrawave::swe {

const std::vector<io::CellVariable>& output_fields() {
  static const std::vector<io::CellVariable> all{
      {"eta1", "sea_surface_height_above_geoid", "height of the free surface", "m"},
      {"eta2", "", "height of the interface", "m"},
      {"h1", "", "thickness of the upper layer", "m"},
      {"h2", "", "thickness of the lower layer", "m"},
      // QGIS makes a vector of names that end in ", x-component" and ", y-component".
      {"u1x", "sea_water_x_velocity", "velocity of the upper layer, x-component", "m s-1"},
      {"u1y", "sea_water_y_velocity", "velocity of the upper layer, y-component", "m s-1"},
      {"u2x", "sea_water_x_velocity", "velocity of the lower layer, x-component", "m s-1"},
      {"u2y", "sea_water_y_velocity", "velocity of the lower layer, y-component", "m s-1"},
      {"q1x", "", "discharge of the upper layer, x-component", "m2 s-1"},
      {"q1y", "", "discharge of the upper layer, y-component", "m2 s-1"},
      {"q2x", "", "discharge of the lower layer, x-component", "m2 s-1"},
      {"q2y", "", "discharge of the lower layer, y-component", "m2 s-1"}};
  return all;
}

const io::CellVariable& output_field(const std::string& name) {
  for (const io::CellVariable& v : output_fields())
    if (v.name == name) return v;
  throw LogicError("unknown output field");
}

const io::CellVariable& bottom_field() {
  static const io::CellVariable bottom{"bottom", "sea_floor_depth_below_geoid",
                                       "depth of the bottom below the datum", "m"};
  return bottom;
}

}  // namespace terrawave::swe
