// What subcommands share: each adds itself to the parser and leaves what main() shall do.
#pragma once

#include <functional>

#include "terrawave/base/error.hpp"
#include "terrawave/comm/comm.hpp"

namespace CLI {
class App;
}

namespace terrawave::app {

// What main() does after parsing, with all ranks of this run. Throws InputError and RunError.
// Only the root rank may print.
using Action = std::function<ExitCode(comm::Comm&)>;

// Work for one rank: the root does it, the others wait for it and fail where it fails.
Action by_root(std::function<void()> work);

// Each sets `action` when the user chose its subcommand; `action` must outlive `app`.
void add_run_command(CLI::App& app, Action& action);
void add_check_command(CLI::App& app, Action& action);
void add_new_command(CLI::App& app, Action& action);
void add_explain_command(CLI::App& app, Action& action);
void add_info_command(CLI::App& app, Action& action);
void add_bench_command(CLI::App& app, Action& action);
void add_report_command(CLI::App& app, Action& action);
// Hidden: writes docs/reference/.
void add_reference_command(CLI::App& app, Action& action);

}  // namespace terrawave::app
