// `terrawave terrain fill|carve|flow|accumulate|... DEM -o OUT`: raster tools without a case file.
#pragma once

#include "terrawave/app/command.hpp"

namespace terrawave::app {

// Adds the subcommand `terrain` with one subcommand for each product.
void add_terrain_command(CLI::App& app, Action& action);

}  // namespace terrawave::app
