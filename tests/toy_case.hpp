// Runs the toy solver through run::execute as a program would.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "shared_folder.hpp"
#include "terrawave/io/collective.hpp"
#include "terrawave/run/execute.hpp"
#include "toy_solver.hpp"

namespace terrawave::test {

struct ToyRun {
  ToyOptions toy;
  double end_time = 0.2;
  std::optional<std::int64_t> max_steps;
  std::vector<double> times;  // of the output; written to states.txt in the run's folder
  run::Settings settings{.progress = run::Settings::Progress::none};
  bool resume = false;
  std::int64_t full_disk_at = -1;  // writing this record fails
  std::filesystem::path out;
};

struct ToyOutcome {
  ExitCode code;
  std::vector<double> state;         // the whole field
  std::vector<double> dts;           // of every step of this session
  std::vector<double> output_times;  // as written in this session
  std::vector<std::string> log;
  std::int64_t resumed_with = -1;  // what Output::resume was told
};

// Collective.
inline ToyOutcome run_toy(comm::Comm& comm, const ToyRun& r) {
  ToyOutcome outcome{};
  sim::Log log([&](sim::Log::Level, const std::string& text) { outcome.log.push_back(text); });
  sim::Timers timers;
  sim::Context context{comm, par::Queue::host(1), log, timers};
  auto solver = std::make_unique<ToySolver>(comm, r.toy);
  ToySolver& toy = *solver;
  run::TimeCase c;
  c.solver = std::move(solver);
  c.end_time = r.end_time;
  c.max_steps = r.max_steps;
  std::vector<double> gauge;  // the first cell after every step: state that restarts must keep
  c.after_step = [&](double t, std::int64_t) { gauge.push_back(t); };
  c.save_extra = [&] {
    return std::string(reinterpret_cast<const char*>(gauge.data()), gauge.size() * sizeof(double));
  };
  c.load_extra = [&](const std::string& bytes) {
    gauge.resize(bytes.size() / sizeof(double));
    std::memcpy(gauge.data(), bytes.data(), bytes.size());
  };
  std::string states;
  c.outputs.push_back({.name = "states",
                       .times = r.times,
                       .write =
                           [&](double t, std::int64_t step) {
                             const auto lines = std::count(states.begin(), states.end(), '\n');
                             io::on_root(comm, [&] {
                               if (lines == r.full_disk_at) throw RunError("the disk is full");
                             });
                             outcome.output_times.push_back(t);
                             std::ostringstream line;
                             line << std::hexfloat << t << ' ' << step;
                             for (const double u : toy.gathered()) line << ' ' << u;
                             states += line.str() + "\n";
                             if (comm.is_root())
                               std::ofstream(r.out / "states.txt", std::ios::binary) << states;
                             comm.barrier();
                           },
                       .resume =
                           [&](std::int64_t written) {
                             outcome.resumed_with = written;
                             std::istringstream in(read_file(r.out / "states.txt"));
                             std::string line;
                             for (std::int64_t k = 0; k < written && std::getline(in, line); ++k)
                               states += line + "\n";
                           },
                       .files = {"states.txt"}});
  c.report = [](io::Report& report) { report.heading("Toy"); };
  c.facts_json = [&] { return "{\"gauge_samples\": " + std::to_string(gauge.size()) + "}"; };
  run::Case any = std::move(c);
  run::Options options;
  options.out = r.out;
  options.resume = r.resume;
  outcome.code =
      run::execute(any, r.settings, "{\"run\": {\"solver\": \"toy\"}}", context, options);
  outcome.state = toy.gathered();
  outcome.dts = toy.dts;
  return outcome;
}

}  // namespace terrawave::test
