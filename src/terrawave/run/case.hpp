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

// A series of files written at given times. Its functions are called on every rank alike.
struct Output {
  std::string name;           // "maps"
  std::vector<double> times;  // increasing; the loop lands on each exactly (see output_times())
  std::function<void(double t, std::int64_t step)> write;
  // Called before the first step of a resumed run: the files hold `written` records that count;
  // what a killed run wrote after its checkpoint must be dropped. `times` may be others than in the
  // earlier session; those that are past are not written again. May be empty where each time has
  // files of its own.
  std::function<void(std::int64_t written)> resume = {};
  // Called before every checkpoint and when the run ends, however it ends: files that grow get a
  // state from which resume() can go on. May be empty.
  std::function<void()> flush = {};
  std::vector<std::string> files = {};  // what it writes, relative to the run's folder
  // Files known only while writing (one per time); asked for at the end. May be empty.
  std::function<std::vector<std::string>()> list_files = {};
};

// 0, interval, 2 interval, ... up to `end`, each computed as k * interval (no drift), and `end`.
// A last multiple closer to `end` than 1e-9 of the interval is `end`. interval must be > 0.
std::vector<double> output_times(double interval, double end);
// The same from chosen times: sorted, without repetitions and without those outside [0, end].
std::vector<double> output_times(std::vector<double> chosen, double end);

// A case that advances in time.
struct TimeCase {
  std::unique_ptr<sim::Solver> solver;
  double end_time = 0;  // s; +inf: until max_steps or until the solver says it is finished
  std::optional<std::int64_t> max_steps;
  std::vector<Output> outputs;
  // After every call of step()/steps(): gauges and the like. May be empty.
  std::function<void(double t, std::int64_t step)> after_step;
  // Extra state of outputs that a restart must restore (gauge series so far), any bytes. Both are
  // called on every rank; the root's bytes are kept, and every rank gets them back. May be empty.
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
  // Bytes of host memory that each rank needs besides, for set-up and outputs. May be empty.
  double (*estimate_host_bytes)(const config::Config&, int ranks) = nullptr;
  // A small working case for `terrawave new`: file name and TOML text, more files allowed.
  std::vector<std::pair<std::string, std::string>> (*starter)() = nullptr;
};

}  // namespace terrawave::run
