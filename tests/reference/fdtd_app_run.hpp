// Runs a case given as TOML text to its end, without the program around it.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "terrawave/solvers/fdtd/fdtd_case_solver.hpp"
#include "terrawave/solvers/fdtd/fdtd_entry.hpp"

namespace terrawave::test {

struct FdtdRun {
  std::unique_ptr<comm::Comm> self = comm::make_self();
  sim::Log log{[](sim::Log::Level, const std::string&) {}};
  sim::Timers timers;
  sim::Context context{*self, par::Queue::host(1), log, timers};
  std::unique_ptr<fdtd::CaseSolver> solver;

  explicit FdtdRun(const std::string& toml) { build(toml); }
  // On the ranks of another group.
  FdtdRun(const std::string& toml, comm::Comm& comm)
      : context{comm, par::Queue::host(1), log, timers} {
    build(toml);
  }
  void build(const std::string& toml) {
    const auto config = config::parse(toml, "case.toml", fdtd::fdtd_schema());
    solver = std::make_unique<fdtd::CaseSolver>(fdtd::build_case(config, context.comm), context,
                                                std::filesystem::temp_directory_path());
  }
  void run() {
    while (!solver->finished()) solver->steps(0, solver->max_dt(), 1 << 20);
  }
  double dt() { return solver->max_dt(); }
  // The series of a watched name in the last run.
  const std::vector<double>& series(const std::string& name) const {
    for (std::size_t w = 0; w < solver->watched_names().size(); ++w)
      if (solver->watched_names()[w] == name) return solver->results().back().series[w];
    throw LogicError("no series " + name);
  }
};

}  // namespace terrawave::test
