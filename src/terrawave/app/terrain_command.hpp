// `terrawave terrain fill|carve|flow|accumulate|... DEM -o OUT`: raster tools without a case file.
#pragma once

#include <functional>

#include "terrawave/base/error.hpp"
#include "terrawave/comm/comm.hpp"

namespace CLI {
class App;
}

namespace terrawave::app {

// What main() does after parsing, with all ranks of this run. Throws InputError and RunError.
using Action = std::function<ExitCode(comm::Comm&)>;

// Adds the subcommand `terrain`. When the user chose it, `action` is set while CLI11 parses; main()
// then calls it. `action` must outlive `app`.
void add_terrain_command(CLI::App& app, Action& action);

}  // namespace terrawave::app
