// Case files of the terrain solver: one raster and a chain of products.
#pragma once

#include "terrawave/config/config.hpp"
#include "terrawave/run/case.hpp"
#include "terrawave/solvers/terrain/product_options.hpp"

namespace terrawave::terrain {

config::Schema terrain_schema();
// The options and steps of a checked case; outputs lie in `out`, other files beside the case file.
FlowOptions flow_options(const config::Config& terrain);
std::vector<Step> chain_steps(const config::Config& terrain, const std::filesystem::path& out);
run::Case make_terrain_case(const config::Config& config, sim::Context& context,
                            const run::Options& options);

}  // namespace terrawave::terrain
