// Runs a case to its end: the time loop, outputs, checkpoints, progress, run.json, report.html.
#pragma once

#include <filesystem>
#include <string>

#include "terrawave/base/error.hpp"
#include "terrawave/config/config.hpp"
#include "terrawave/run/case.hpp"
#include "terrawave/run/run_table.hpp"
#include "terrawave/sim/context.hpp"

namespace terrawave::run {

// Throws InputError where `options.out` may not be written: it is a file, or a non-empty folder
// that holds no run of this program (no run.json), or with --resume one without a checkpoint.
// Writes nothing. Collective; execute() calls it too, a program may do so before it builds the
// case.
void check_folder(const Options& options, comm::Comm& comm);

// Collective. Creates the folder (an earlier run's files in it are replaced), runs, and returns the
// exit code: done, run_failed (a non-finite value, a full disk: said through context.log, a
// checkpoint left, run.json says why) or interrupted (SIGINT, SIGTERM: the step is ended, a
// checkpoint left). Throws InputError, with nothing written, where the folder or the checkpoint to
// resume from does not fit. An error of one rank alone among several is rethrown there: the program
// must then end all ranks. `config` is the root table with [run] in it.
ExitCode execute(Case& c, const config::Config& config, sim::Context& context,
                 const Options& options);

// The same with settings and the resolved case as JSON, for programs without a case file.
ExitCode execute(Case& c, const Settings& settings, const std::string& case_json,
                 sim::Context& context, const Options& options);

// Writes `folder`/report.html anew from run.json and report.json. Throws InputError where the
// folder holds no run. Returns the page's path.
std::filesystem::path rebuild_report(const std::filesystem::path& folder);

}  // namespace terrawave::run
