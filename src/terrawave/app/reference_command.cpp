// `terrawave reference DIR` (hidden): docs/reference/ from the program's own tables.
#include <filesystem>
#include <memory>

#include <CLI/CLI.hpp>

#include "terrawave/app/command.hpp"
#include "terrawave/io/atomic_file.hpp"
#include "terrawave/run/run_table.hpp"
#include "terrawave/solvers/registry.hpp"

namespace terrawave::app {
namespace {

namespace fs = std::filesystem;

const std::string made_by_program =
    "<!-- Written by `terrawave reference docs/reference`; a test compares. Do not edit. -->\n";

// App::help() would answer for the subcommand that is running, this one.
std::string help_of(const CLI::App& app, const std::string& name) {
  return app.get_formatter()->make_help(&app, name, CLI::AppFormatMode::Normal);
}

void add_help(const CLI::App& app, const std::string& name, std::string& out) {
  out += "\n## `" + name + "`\n\n```\n" + help_of(app, name) + "```\n";
  for (const CLI::App* sub :
       app.get_subcommands([](const CLI::App* s) { return !s->get_group().empty(); }))
    add_help(*sub, name + " " + sub->get_name(), out);
}

std::string command_line_page(const CLI::App& app) {
  std::string out = made_by_program +
                    "# Command line\n\n"
                    "Exit codes: 0 done; 2 the input cannot be used; 3 the run failed (a "
                    "checkpoint or its last state is left); 130 interrupted (a checkpoint is "
                    "left).\n";
  add_help(app, "terrawave", out);
  return out;
}

std::string index_page() {
  std::string out = made_by_program +
                    "# Reference\n\n"
                    "A case is one TOML file. A number is in the unit that its key names; a text "
                    "such as\n`\"2.4 GHz\"`, `\"1.6 mm\"` or `\"2 h\"` brings its own unit, which "
                    "must be of the same kind.\n\n"
                    "- [Command line](command-line.md)\n"
                    "- [`[run]`](run.md): in every case\n";
  for (const run::SolverEntry& entry : solvers())
    out += "- [" + entry.name + "](" + entry.name + ".md): " + entry.summary + "\n";
  return out;
}

void write_pages(const CLI::App& app, const fs::path& folder) {
  std::error_code code;
  fs::create_directories(folder, code);
  if (code) throw InputError(folder.string() + ": error: cannot be made: " + code.message());
  io::write_text(folder / "README.md", index_page());
  io::write_text(folder / "command-line.md", command_line_page(app));
  const config::Schema run_only = config::Schema("", "").table(run::run_table());
  io::write_text(folder / "run.md",
                 made_by_program + config::write_reference(run_only, "Keys of every case"));
  for (const run::SolverEntry& entry : solvers())
    io::write_text(folder / (entry.name + ".md"),
                   made_by_program +
                       config::write_reference(entry.schema(), "Keys of " + entry.name + " cases"));
}

}  // namespace

void add_reference_command(CLI::App& app, Action& action) {
  const auto folder = std::make_shared<std::string>();
  CLI::App* sub = app.add_subcommand("reference", "Write the reference pages");
  sub->group("");  // not in --help
  sub->add_option("DIR", *folder, "Where to")->required();
  sub->callback([folder, &app, &action] {
    action = [folder, &app](comm::Comm& comm) {
      if (comm.is_root()) write_pages(app, *folder);
      return ExitCode::done;
    };
  });
}

}  // namespace terrawave::app
