// Directions that another program wrote, as the input of products.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "terrawave/par/queue.hpp"
#include "terrawave/solvers/terrain/product_options.hpp"

namespace terrawave::terrain {

inline constexpr const char* kAngles = "dinf";          // --from dinf: angles instead of codes
inline constexpr const char* kFractions = "fractions";  // those of several receivers
enum class FromKind { codes, angles, fractions };

// How to read them.
struct DirectionSource {
  FromKind kind = FromKind::codes;
  Codes codes = Codes::esri;
  bool repair = false;  // break loops at their lowest cells
  std::string heights;  // the raster that says which those are; "": the first in row order
  bool shares() const { return kind != FromKind::codes; }
};
// Throws InputError for an unknown kind.
DirectionSource direction_source(const std::string& from, bool repair, const std::string& heights);

struct DirectionInput {
  domain::RasterInfo info;
  std::vector<Direction> direction;
  Index led_out = 0;   // cells whose code pointed off the map or into nodata: roots now
  Index repaired = 0;  // loops
};
// Reads directions in one piece. Throws InputError for codes of another kind, for loops (unless
// they are repaired) and for steps to diagonal neighbours under D4.
DirectionInput read_directions(const par::Queue& queue, const std::string& file, int band,
                               const DirectionSource& from, const FlowOptions& flow);

struct ShareInput {
  domain::RasterInfo info;
  std::vector<double> fractions;     // 8 values per cell, neighbour by neighbour
  std::vector<std::uint8_t> states;  // cells that give nothing are outlets
  Index led_out = 0;                 // cells that give to beyond the map or to nodata
  Index repaired = 0;                // cells that became roots
};
// The same for angles of D-infinity and for fractions (codec_fractions.hpp). Throws InputError for
// values that are none and for loops.
ShareInput read_shares(const par::Queue& queue, const std::string& file, int band,
                       const DirectionSource& from, const FlowOptions& flow);

// The InputErrors of both. `cells`: the first of the loop, in flow order; of shares against it.
[[noreturn]] void refuse_share_loop(const domain::RasterInfo& info, FromKind kind, Index length,
                                    std::span<const Index> cells);
[[noreturn]] void refuse_loop(const domain::RasterInfo& info, Index length,
                              std::span<const Index> cells);
[[noreturn]] void refuse_diagonal(const domain::RasterInfo& info, Index cell);

}  // namespace terrawave::terrain
