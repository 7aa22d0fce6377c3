// `terrawave check CASE.toml`
#include <iostream>
#include <memory>

#include <CLI/CLI.hpp>

#include "terrawave/app/case_file.hpp"
#include "terrawave/app/command.hpp"

namespace terrawave::app {

void add_check_command(CLI::App& app, Action& action) {
  struct Options {
    std::vector<std::string> files;
    std::vector<std::string> set;
  };
  const auto o = std::make_shared<Options>();
  CLI::App* sub =
      app.add_subcommand("check", "Check case files: names, types, units and ranges of all keys");
  sub->add_option("CASE", o->files, "Case files (TOML)")->required();
  sub->add_option("--set", o->set, "KEY=VALUE: replaces a value of the file, as in swe.cfl=0.3")
      ->allow_extra_args(false);
  sub->callback([o, &action] {
    action = [o](comm::Comm& comm) {
      std::string errors;
      for (const std::string& file : o->files) {
        try {
          const CaseFile loaded = load_case(file, o->set);
          const double bytes = loaded.entry.estimate_bytes(loaded.config, comm.size());
          if (comm.is_root())
            std::cout << file << ": good; solver " << loaded.entry.name << ", needs about "
                      << bytes_text(bytes) << "\n";
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
