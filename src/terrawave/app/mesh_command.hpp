// `terrawave mesh info|check|generate|convert`: triangle meshes from and to files.
#pragma once

#include "terrawave/app/command.hpp"

namespace terrawave::app {

// Adds the subcommand `mesh`; see add_run_command for `action`.
void add_mesh_command(CLI::App& app, Action& action);

}  // namespace terrawave::app
