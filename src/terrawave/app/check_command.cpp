// `terrawave check CASE.toml`
#include <iostream>
#include <memory>

#include <CLI/CLI.hpp>

#include "terrawave/app/case_file.hpp"
#include "terrawave/app/command.hpp"
#include "terrawave/app/device.hpp"
#include "terrawave/run/run_table.hpp"

namespace terrawave::app {
namespace {

struct CheckOptions {
  std::vector<std::string> files;
  std::vector<std::string> set;
  bool keys_only = false;
};

// Builds the case as a run would, to find what only shows then: boundaries that the mesh lacks,
// formulas, positions outside. Nothing is written. False where the case is too large to be built
// here.
bool build(const CaseFile& loaded, double bytes, comm::Comm& comm) {
  par::Queue queue = par::Queue::host();
  if (bytes > 0.5 * memory_need(bytes, queue, comm).available) return false;
  sim::Log silent([](sim::Log::Level, const std::string&) {});
  sim::Timers timers;
  const run::Settings settings = run::read_settings(loaded.config);
  sim::Context context{comm, queue, silent, timers, settings.single_precision, settings.overlap};
  const run::Options options{loaded.config.folder() / "out", false, true};
  loaded.entry.make(loaded.config, context, options);
  return true;
}

std::string check_file(const std::string& file, const CheckOptions& o, comm::Comm& comm) {
  const CaseFile loaded = load_case(file, o.set);
  const std::string good = file + ": good; solver " + loaded.entry.name;
  if (o.keys_only) return good + "; only its keys were checked";
  double bytes = loaded.entry.estimate_bytes(loaded.config, comm.size());
  if (loaded.entry.estimate_host_bytes)
    bytes += loaded.entry.estimate_host_bytes(loaded.config, comm.size());
  const bool built = build(loaded, bytes, comm);
  return good + ", needs about " + bytes_text(bytes) +
         (built ? "" : "; only its keys were checked, it is too large to be built here");
}

}  // namespace

void add_check_command(CLI::App& app, Action& action) {
  const auto o = std::make_shared<CheckOptions>();
  CLI::App* sub = app.add_subcommand("check", "Check case files without running them");
  sub->add_option("CASE", o->files, "Case files (TOML)")->required();
  sub->add_option("--set", o->set, "KEY=VALUE: replaces a value of the file, as in swe.cfl=0.3")
      ->allow_extra_args(false);
  sub->add_flag("--keys-only", o->keys_only,
                "Only names, types, units and ranges; meshes and rasters are not read");
  sub->callback([o, &action] {
    action = [o](comm::Comm& comm) {
      std::string errors;
      for (const std::string& file : o->files) {
        try {
          const std::string verdict = check_file(file, *o, comm);
          if (comm.is_root()) std::cout << verdict << std::endl;
        } catch (const InputError& e) {
          errors += (errors.empty() ? "" : "\n") + std::string(e.what());
        }
      }
      if (!errors.empty()) throw InputError(errors);
      return ExitCode::done;
    };
  });
}

}  // namespace terrawave::app
