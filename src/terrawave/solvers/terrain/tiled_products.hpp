// Products of a raster in tiles: the files, facts and words of make_product, byte for byte.
#pragma once

#include "terrawave/solvers/terrain/product_pictures.hpp"
#include "terrawave/solvers/terrain/product_run.hpp"
#include "terrawave/solvers/terrain/product_verify.hpp"
#include "terrawave/solvers/terrain/tiled_session.hpp"

namespace terrawave::terrain {

// All ranks together; the facts and words are complete on the root.
Made make_tiled_product(TiledSession& session, const Step& step);

Maps tiled_maps(TiledSession& session, int pixels = kMapPixels);  // complete on the root
std::vector<Check> verify_tiled(TiledSession& session);
// Makes fill, directions, accumulation and basins once more and compares them: the fill on the
// raster turned over its other diagonal, everything in smaller tiles.
std::vector<Check> verify_tiled_again(TiledSession& session);
// The same of what was read `from` the session's source.
std::vector<Check> verify_tiled_again(TiledSession& session, const DirectionSource& from);
// Lakes as find_lakes numbers them, on the root; "lakes" in the store: the id of each cell.
std::vector<Lake> find_lakes_tiled(TiledSession& session);

}  // namespace terrawave::terrain
