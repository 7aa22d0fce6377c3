// What a user asks of flow routing on one raster; the same for the command line and case files.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "terrawave/base/index.hpp"
#include "terrawave/solvers/terrain/codec_directions.hpp"
#include "terrawave/solvers/terrain/terrain_multiflow.hpp"
#include "terrawave/solvers/terrain/terrain_routing.hpp"

namespace terrawave::terrain {

enum class FlowRule { d8, d4, dinf, freeman, quinn };
// Of the rules with several receivers.
inline MultiRule multi_rule(FlowRule rule) {
  return rule == FlowRule::dinf    ? MultiRule::dinf
         : rule == FlowRule::quinn ? MultiRule::quinn
                                   : MultiRule::freeman;
}

struct FlowOptions {
  FlowRule rule = FlowRule::d8;
  double exponent = 1.1;              // freeman, quinn (Holmgren: quinn with 4 to 6)
  RouteMode mode = RouteMode::carve;  // how depressions are passed
  bool depressions = true;            // false: pits stay roots
  bool flats = true;                  // drain flats by their geometry

  std::string outlets = "edge";     // "edge", "none", or a raster: cells that are not 0 (or nodata)
  std::vector<std::string> closed;  // of north, south, west, east, all
  bool loop_cols = false;           // the east edge meets the west edge
  bool loop_rows = false;
  bool nodata_drains = true;
  std::string keep_sinks;  // "", a raster, or "row,col;row,col;..."

  std::string weights = "unit";  // "unit", "area", or a raster
  Combine combine = Combine::sum;

  bool single_receiver() const { return rule == FlowRule::d8 || rule == FlowRule::d4; }
  Connectivity connectivity() const {
    return rule == FlowRule::d4 ? Connectivity::d4 : Connectivity::d8;
  }
};

// One product of a chain.
struct Step {
  std::string op;   // "fill", "flow", "accumulate", ...: see product_names()
  std::string out;  // file; the extension names the format; "" prints (verify, lakes)

  double threshold = 1000;         // streams begin where the accumulation reaches it
  std::string kind = "strahler";   // order: strahler, shreve
  std::string surface = "filled";  // hand: heights of the "filled" surface or of the "ground"
  bool upstream = false;           // length: to the divide instead of the outlet
  std::string codes = "esri";      // flow, codes: a kind of codec_directions.hpp, or "receivers"
  BreachLimits breach;             // breach
  std::string points;              // watershed: CSV with x,y or row,col, or a file of points (OGR)
  std::string layer;               // watershed: the layer of such a file; "": its only one
  Index snap = 0;                  // watershed: cells to look for the largest accumulation
  bool repair = false;             // codes: break loops
};

struct ProductName {
  std::string name;
  std::string does;  // one line for help texts
};
const std::vector<ProductName>& product_names();

}  // namespace terrawave::terrain
