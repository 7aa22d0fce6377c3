// `terrawave info`
#include <iostream>

#include <CLI/CLI.hpp>

#include "terrawave/app/build_info.hpp"
#include "terrawave/app/case_file.hpp"
#include "terrawave/app/command.hpp"
#include "terrawave/par/queue.hpp"
#include "terrawave/run/version.hpp"
#include "terrawave/solvers/registry.hpp"

namespace terrawave::app {
namespace {

void print_device(const std::string& label, const par::Queue& queue) {
  const par::DeviceInfo info = queue.info();
  std::cout << "  " << label << "  " << info.name << ", " << bytes_text(double(info.memory_free))
            << " free of " << bytes_text(double(info.memory_total)) << "\n";
}

ExitCode print_info(const comm::Comm& comm) {
  if (!comm.is_root()) return ExitCode::done;
  std::cout << "terrawave " << run::version() << " (commit " << run::git_commit()
            << ")\n\nsolvers\n";
  for (const run::SolverEntry& entry : solvers())
    std::cout << "  " << entry.name << "  " << entry.summary << "\n";
  std::cout << "\ndevices\n";
  print_device("cpu   ", par::Queue::host());
  const int count = par::Queue::cuda_device_count();
  for (int i = 0; i < count; ++i) print_device("cuda " + std::to_string(i), par::Queue::cuda(i));
  if (count == 0) std::cout << "  no GPU that this build can use\n";
  std::cout << "\nranks: " << comm.size() << "\n\nbuild\n"
            << build_options() << "\nlibraries\n"
            << library_versions();
  return ExitCode::done;
}

}  // namespace

void add_info_command(CLI::App& app, Action& action) {
  CLI::App* sub =
      app.add_subcommand("info", "Show the version, devices, build options and libraries");
  sub->callback([&action] { action = [](comm::Comm& comm) { return print_info(comm); }; });
}

}  // namespace terrawave::app
