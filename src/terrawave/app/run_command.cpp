// `terrawave run CASE.toml`
#include <iostream>
#include <memory>

#include <CLI/CLI.hpp>

#include "terrawave/app/case_file.hpp"
#include "terrawave/app/command.hpp"
#include "terrawave/app/device.hpp"
#include "terrawave/run/execute.hpp"

namespace terrawave::app {
namespace {

struct RunOptions {
  std::string file;
  std::string device;
  std::string precision;
  int threads = 0;
  std::string out;
  std::vector<std::string> set;
  bool resume = false;
  bool dry_run = false;
};

// The options that stand for keys of [run] pass the same checks as --set.
std::vector<std::string> overrides_of(const RunOptions& o) {
  std::vector<std::string> all = o.set;
  if (!o.device.empty()) all.push_back("run.device=\"" + o.device + "\"");
  if (!o.precision.empty()) all.push_back("run.precision=\"" + o.precision + "\"");
  if (o.threads > 0) all.push_back("run.threads=" + std::to_string(o.threads));
  return all;
}

// --out is relative to where the program was started, run.out to the case file; without either, the
// folder `out` beside the case file.
std::filesystem::path out_folder(const RunOptions& o, const run::Settings& settings,
                                 const config::Config& config) {
  if (!o.out.empty()) return o.out;
  const std::filesystem::path chosen = settings.out.empty() ? "out" : settings.out;
  return chosen.is_absolute() ? chosen : config.folder() / chosen;
}

sim::Log make_log(bool prints) {
  return sim::Log([prints](sim::Log::Level level, const std::string& text) {
    if (!prints) return;
    if (level == sim::Log::Level::warning)
      std::cerr << "warning: " << text << std::endl;
    else
      std::cout << text << std::endl;
  });
}

ExitCode run_case(const RunOptions& o, comm::Comm& comm) {
  const CaseFile loaded = load_case(o.file, overrides_of(o));
  const run::Settings settings = run::read_settings(loaded.config);
  sim::Log log = make_log(comm.is_root());
  const run::Options options{out_folder(o, settings, loaded.config), o.resume, o.dry_run};
  if (!o.dry_run) run::check_folder(options, comm);

  par::Queue queue = choose_queue(settings.device, settings.threads, comm, log);
  check_memory(loaded, queue, comm, log);
  if (o.dry_run) return ExitCode::done;

  sim::Timers timers;
  sim::Context context{comm, queue, log, timers, settings.single_precision, settings.overlap};
  run::Case work = [&] {
    const auto scope = timers.time("set-up");
    return loaded.entry.make(loaded.config, context, options);
  }();
  const ExitCode code = run::execute(work, loaded.config, context, options);
  if (code == ExitCode::done)
    log.info("results: " + options.out.string() + " (open report.html in a browser)");
  return code;
}

}  // namespace

void add_run_command(CLI::App& app, Action& action) {
  const auto o = std::make_shared<RunOptions>();
  CLI::App* sub = app.add_subcommand("run", "Run a case file");
  sub->add_option("CASE", o->file, "The case file (TOML)")->required();
  sub->add_option("--device", o->device, "Where to compute: auto, cpu or cuda")
      ->check(CLI::IsMember({"auto", "cpu", "cuda"}));
  sub->add_option("--threads", o->threads, "CPU threads of each rank")->check(CLI::Range(1, 4096));
  sub->add_option("--precision", o->precision, "Of the state: single or double")
      ->check(CLI::IsMember({"single", "double"}));
  sub->add_option("--out", o->out, "Folder of the results (default: out, beside the case file)");
  sub->add_option("--set", o->set, "KEY=VALUE: replaces a value of the file, as in swe.cfl=0.3")
      ->allow_extra_args(false);
  sub->add_flag("--resume", o->resume, "Go on from the checkpoint in the folder of the results");
  sub->add_flag("--dry-run", o->dry_run,
                "Check the case and its memory; compute and write nothing");
  sub->callback([o, &action] { action = [o](comm::Comm& comm) { return run_case(*o, comm); }; });
}

}  // namespace terrawave::app
