// `terrawave new SOLVER DIR`
#include <iostream>
#include <memory>

#include <CLI/CLI.hpp>

#include "terrawave/app/command.hpp"
#include "terrawave/io/atomic_file.hpp"
#include "terrawave/solvers/registry.hpp"

namespace terrawave::app {
namespace {

namespace fs = std::filesystem;

struct NewOptions {
  std::string solver;
  std::string folder;
  bool all_keys = false;
};

void refuse_used_folder(const fs::path& folder) {
  std::error_code code;
  if (!fs::exists(folder, code)) return;
  if (!fs::is_directory(folder, code))
    throw InputError(folder.string() + ": error: expected a folder, found a file");
  if (!fs::is_empty(folder, code))
    throw InputError(folder.string() +
                     ": error: expected a new or empty folder, found files in it; nothing was "
                     "written");
}

void write_starter(const NewOptions& o) {
  const run::SolverEntry* entry = find_solver(o.solver);
  require(entry != nullptr, "the parser let an unknown solver pass");
  const fs::path folder = o.folder;
  refuse_used_folder(folder);
  std::vector<std::pair<std::string, std::string>> files = entry->starter();
  require(!files.empty(), "a solver has no starter files");
  if (o.all_keys)
    files.emplace_back("all_keys.toml",
                       config::write_template(case_schema(*entry), {"run.solver=" + o.solver}));
  for (const auto& [name, text] : files) {
    const fs::path file = folder / name;
    std::error_code code;
    fs::create_directories(file.parent_path(), code);
    if (code) throw InputError(folder.string() + ": error: cannot be made: " + code.message());
    io::write_text(file, text);
    std::cout << "wrote " << file.string() << "\n";
  }
  std::cout << "run it:  terrawave run " << (folder / files.front().first).string() << "\n";
}

}  // namespace

void add_new_command(CLI::App& app, Action& action) {
  const auto o = std::make_shared<NewOptions>();
  std::vector<std::string> names;
  for (const run::SolverEntry& entry : solvers()) names.push_back(entry.name);
  CLI::App* sub = app.add_subcommand("new", "Write a small case that runs at once");
  sub->add_option("SOLVER", o->solver, "The method")->required()->check(CLI::IsMember(names));
  sub->add_option("DIR", o->folder, "The new folder")->required();
  sub->add_flag("--all-keys", o->all_keys,
                "Also write all_keys.toml: every key with its meaning, to copy from");
  sub->callback([o, &action] { action = by_root([o] { write_starter(*o); }); });
}

}  // namespace terrawave::app
