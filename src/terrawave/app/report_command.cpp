// `terrawave report OUT`
#include <iostream>
#include <memory>

#include <CLI/CLI.hpp>

#include "terrawave/app/command.hpp"
#include "terrawave/run/execute.hpp"

namespace terrawave::app {

void add_report_command(CLI::App& app, Action& action) {
  const auto folder = std::make_shared<std::string>();
  CLI::App* sub = app.add_subcommand("report", "Write report.html of a finished run anew");
  sub->add_option("OUT", *folder, "The folder of the run's results")->required();
  sub->callback([folder, &action] {
    action = by_root(
        [folder] { std::cout << "wrote " << run::rebuild_report(*folder).string() << "\n"; });
  });
}

}  // namespace terrawave::app
