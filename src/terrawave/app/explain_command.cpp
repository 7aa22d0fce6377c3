// `terrawave explain KEY`
#include <iostream>
#include <memory>

#include <CLI/CLI.hpp>

#include "terrawave/app/command.hpp"
#include "terrawave/run/run_table.hpp"
#include "terrawave/solvers/registry.hpp"

namespace terrawave::app {
namespace {

struct Section {
  std::string title;
  config::Schema schema;
};

std::vector<Section> sections() {
  std::vector<Section> all = {{"in every case", config::Schema("", "").table(run::run_table())}};
  for (const run::SolverEntry& entry : solvers())
    all.push_back({"in a case of " + entry.name, entry.schema()});
  return all;
}

// Every section that has the key, each under its title; "" where none has it.
std::string explain_everywhere(const std::string& key) {
  std::string text;
  for (const Section& section : sections()) {
    try {
      const std::string found = config::explain(section.schema, key);
      text += (text.empty() ? "" : "\n") + section.title + ":\n\n" + found;
    } catch (const InputError&) {
      continue;  // not in this one
    }
  }
  return text;
}

}  // namespace

void add_explain_command(CLI::App& app, Action& action) {
  const auto key = std::make_shared<std::string>();
  CLI::App* sub = app.add_subcommand("explain", "Explain a key or a table of case files");
  sub->add_option("KEY", *key, "As in swe.cfl, cfl, or swe for the whole table")->required();
  sub->callback([key, &action] {
    action = [key](comm::Comm& comm) {
      const std::string text = explain_everywhere(*key);
      if (text.empty()) {  // throws with the nearest names of all
        config::Schema all("", "");
        for (const Section& section : sections())
          all.tables.insert(all.tables.end(), section.schema.tables.begin(),
                            section.schema.tables.end());
        config::explain(all, *key);
      }
      if (comm.is_root()) std::cout << text;
      return ExitCode::done;
    };
  });
}

}  // namespace terrawave::app
