// Makers of the products in tiles, by what they show, and what they share. Used by
// tiled_products.cpp.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "terrawave/solvers/terrain/tiled_products.hpp"

namespace terrawave::terrain {

constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();

Made made(const nlohmann::json& facts, std::string text);
// 32 bits where every cell's number fits.
domain::CellType index_type(const TiledSession& session);
domain::Cells as_type(domain::CellType type, const std::vector<Index>& values);
std::vector<Direction> tile_directions(TiledSession& session, Index tile);
// The accumulation of a tile as doubles.
std::vector<double> tile_amounts(TiledSession& session, Index tile);
// A raster of doubles out of what the store holds under a name; NaN at nodata.
Made real_product(TiledSession& session, const Step& step, const char* name,
                  const std::string& what);

// Writes the session's directions in the codes of the step.
void write_codes(TiledSession& session, const Step& step);

// Heights and flow (tiled_surfaces.cpp).
Made make_tiled_fill(TiledSession& session, const Step& step);
Made make_tiled_breach(TiledSession& session, const Step& step);
Made make_tiled_flow(TiledSession& session, const Step& step);
Made make_tiled_accumulation(TiledSession& session, const Step& step);
Made make_tiled_slope(TiledSession& session, const Step& step);
// Regions (tiled_regions.cpp).
Made make_tiled_basins(TiledSession& session, const Step& step);
Made make_tiled_lakes(TiledSession& session, const Step& step);
Made make_tiled_watershed(TiledSession& session, const Step& step);
// Along the streams (tiled_streams.cpp).
Made make_tiled_streams(TiledSession& session, const Step& step);
Made make_tiled_order(TiledSession& session, const Step& step);
Made make_tiled_length(TiledSession& session, const Step& step);
Made make_tiled_hand(TiledSession& session, const Step& step);

}  // namespace terrawave::terrain
