// What is known of a run so far: the contents of run.json, kept alike on every rank.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "terrawave/sim/context.hpp"
#include "terrawave/sim/solver.hpp"

namespace terrawave::run {

// The audited values at one time.
struct AuditPoint {
  double time = 0;
  std::int64_t step = 0;
  std::vector<double> values;
  bool timed = false;  // taken because wall time had passed: not part of a checkpoint
};

struct Record {
  std::string solver;
  std::string state = "running";  // running, done, failed, interrupted
  std::string message;            // why it failed or was interrupted
  std::string started;            // UTC, ISO 8601
  std::string case_json = "{}";   // the resolved case
  std::string facts_json = "{}";  // the solver's own facts
  // Where and how.
  std::string device;
  std::string backend;
  int ranks = 1;
  int threads = 1;
  bool single_precision = false;
  bool overlap = true;
  // How far.
  bool stepped = false;  // false for cases without time
  double time = 0;
  double end_time = 0;
  std::int64_t step = 0;
  std::int64_t first_step = 0;    // where this session began; > 0 after a restart
  double wall_seconds = 0;        // of this session
  double earlier_seconds = 0;     // of the sessions before the restart
  double stepping_seconds = 0;    // in steps, of this session
  double dt_min = 0, dt_max = 0;  // of this session
  sim::Work work;
  std::optional<double> bandwidth;  // measured, bytes/s, all ranks
  // What was watched and written.
  std::vector<sim::AuditItem> audit_items;
  std::vector<AuditPoint> audits;
  int checkpoints = 0;
  std::vector<std::string> files;
  std::map<std::string, sim::Timers::Entry> phases;

  std::int64_t steps_done() const { return step - first_step; }
  double cells_per_second() const;
  double bytes_per_second() const;
};

// (value - first) / |first|, or value - first where first is 0. Of audit item k, at its last point.
double drift(const Record& record, std::size_t k);

// The record as the text of run.json; values that are not finite become null.
std::string to_json(const Record& record);
// Back from text, for `terrawave report`. Throws InputError naming `file` where it is not a
// run.json of this program.
Record from_json(const std::string& text, const std::string& file);

}  // namespace terrawave::run
