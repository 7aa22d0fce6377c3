// The program `terrawave`: parses the command line, runs the chosen subcommand, maps every way to
// fail to one message and one exit code.
#include <cstdlib>
#include <iostream>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>

#include "terrawave/app/command.hpp"
#include "terrawave/app/mesh_command.hpp"
#include "terrawave/app/terrain_command.hpp"
#include "terrawave/config/hints.hpp"
#include "terrawave/run/version.hpp"

namespace terrawave::app {
namespace {

// Starting MPI takes a third of a second: only where a launcher started this process.
bool launched_by_mpi() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMI_RANK", "PMIX_RANK"})
    if (std::getenv(name) != nullptr) return true;
  return false;
}

void add_commands(CLI::App& app, Action& action) {
  add_run_command(app, action);
  add_check_command(app, action);
  add_new_command(app, action);
  add_explain_command(app, action);
  add_info_command(app, action);
  add_bench_command(app, action);
  add_report_command(app, action);
  add_mesh_command(app, action);
  add_terrain_command(app, action);
  add_reference_command(app, action);
}

struct Failure {
  std::string message;
  ExitCode code;
};

// Runs `work`; nothing that it throws gets past here.
template <class Work>
std::optional<Failure> failure_of(const Work& work) {
  try {
    work();
    return std::nullopt;
  } catch (const InputError& e) {
    return Failure{e.what(), ExitCode::bad_input};
  } catch (const RunError& e) {
    return Failure{std::string("error: ") + e.what(), ExitCode::run_failed};
  } catch (const std::bad_alloc&) {
    return Failure{"error: out of memory", ExitCode::run_failed};
  } catch (const std::exception& e) {
    return Failure{std::string("error: a bug in terrawave: ") + e.what() +
                       "\nPlease report it with the case file.",
                   ExitCode::run_failed};
  }
}

// CLI11 only says that an argument was not expected.
std::string unknown_command(const CLI::App& app, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return "";
  std::vector<std::string> names;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
    if (sub->get_name() == argv[1]) return "";
  for (const CLI::App* sub :
       app.get_subcommands([](const CLI::App* s) { return !s->get_group().empty(); }))
    names.push_back(sub->get_name());
  const std::vector<std::string> close = config::nearest(argv[1], names);
  return "there is no command \"" + std::string(argv[1]) + "\"; " +
         (close.empty() ? "there are " + config::joined(names, ", ")
                        : "did you mean \"" + close.front() + "\"?");
}

int parse(CLI::App& app, int argc, char** argv, bool prints) {
  if (const std::string unknown = unknown_command(app, argc, argv); !unknown.empty()) {
    if (prints) std::cerr << "error: " << unknown << "\n";
    return static_cast<int>(ExitCode::bad_input);
  }
  try {
    app.parse(argc, argv);
    return 0;
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) {  // --help, --version
      if (prints) app.exit(e);
      return -1;
    }
    if (prints)
      std::cerr << "error: " << e.what()
                << "\nSee terrawave --help, or terrawave COMMAND --help.\n";
    return static_cast<int>(ExitCode::bad_input);
  }
}

// One rank that failed alone must not leave the others waiting for its messages.
int end_failed(const Failure& failure, comm::Comm& comm, comm::Environment* environment) {
  constexpr double seconds_to_agree = 3;
  const int code = static_cast<int>(failure.code);
  const bool all = comm.size() == 1 || environment->all_arrive(seconds_to_agree);
  if (all && !comm.is_root()) return code;
  if (!all) std::cerr << "rank " << comm.rank() << ": ";
  std::cerr << failure.message << std::endl;
  if (!all) environment->abort(code);
  return code;
}

int run_program(int argc, char** argv) {
  std::unique_ptr<comm::Environment> environment;
  if (launched_by_mpi()) environment = std::make_unique<comm::Environment>(&argc, &argv);
  const std::unique_ptr<comm::Comm> self = comm::make_self();
  comm::Comm& comm = environment ? environment->world() : *self;

  Action action;
  CLI::App app("Shallow water, terrain flow and Maxwell's equations on CPU, GPU and many ranks",
               "terrawave");
  app.set_version_flag("--version", run::version());
  app.require_subcommand(1);
  app.get_formatter()->column_width(34);
  add_commands(app, action);
  if (const int code = parse(app, argc, argv, comm.is_root()); code != 0)
    return code < 0 ? 0 : code;

  ExitCode code = ExitCode::done;
  const auto failure = failure_of([&] { code = action(comm); });
  if (failure) return end_failed(*failure, comm, environment.get());
  return static_cast<int>(code);
}

}  // namespace
}  // namespace terrawave::app

int main(int argc, char** argv) { return terrawave::app::run_program(argc, argv); }
