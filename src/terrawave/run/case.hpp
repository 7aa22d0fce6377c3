// What a solver hands to the program: its schema, and a case made from a checked configuration.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "terrawave/config/config.hpp"
#include "terrawave/io/report.hpp"
#include "terrawave/sim/context.hpp"
#include "terrawave/sim/solver.hpp"

namespace terrawave::run {

// What the command line says about a run.
struct Options {
  std::filesystem::path out;  // the run's folder
  bool resume = false;        // continue from the newest checkpoint in `out`
  bool dry_run = false;       // check, estimate memory, write nothing
};

// A series of files written at given times. `write` is collective.
struct Output {
  std::string name;           // "maps"
  std::vector<double> times;  // increasing; the loop lands on each exactly
  std::function<void(double t, std::int64_t step)> write;
  std::vector<std::string> files;  // what it writes, relative to the run's folder, for run.json
};

// A case that advances in time.
struct TimeCase {
  std::unique_ptr<sim::Solver> solver;
  double end_time = 0;
  std::optional<std::int64_t> max_steps;
  std::vector<Output> outputs;
  // After every call of step()/steps(): gauges and the like. May be empty.
  std::function<void(double t, std::int64_t step)> after_step;
  // Extra state of outputs that a restart must restore (gauge series written so far). May be empty.
  std::function<std::string()> save_extra;
  std::function<void(const std::string&)> load_extra;
  // Adds the solver's sections to report.html and its facts to run.json (root rank only).
  std::function<void(io::Report&)> report;
  std::function<std::string()> facts_json;  // a JSON object
};

// A case without time: does its work and returns facts for run.json as a JSON object.
struct OneShotCase {
  std::function<std::string()> work;
  std::function<void(io::Report&)> report;
};

using Case = std::variant<TimeCase, OneShotCase>;

// One solver of the registry.
struct SolverEntry {
  std::string name;                      // "swe"
  std::string summary;                   // one line
  config::Schema (*schema)() = nullptr;  // the solver's own tables, without [run]
  Case (*make)(const config::Config&, sim::Context&, const Options&) = nullptr;
  // Bytes of device memory (host memory on CPU) that this rank's share will need, before
  // anything is allocated.
  double (*estimate_bytes)(const config::Config&, int ranks) = nullptr;
  // A small working case for `terrawave new`: file name and TOML text, more files allowed.
  std::vector<std::pair<std::string, std::string>> (*starter)() = nullptr;
};

}  // namespace terrawave::run
