// The tables of a two-layer case.
#pragma once

#include <array>

#include "terrawave/config/schema.hpp"

namespace terrawave::swe {

// What an initial state is made of; each may be a formula, a raster, or differ by region.
inline constexpr std::array<const char*, 7> kInitialFields{"bottom", "surface", "interface", "u1x",
                                                           "u1y",    "u2x",     "u2y"};

// [domain], [swe], [[boundary]], [output]; everything but [run].
config::Schema schema();

}  // namespace terrawave::swe
