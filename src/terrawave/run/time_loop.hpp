// The loop in time of one case.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "terrawave/io/collective.hpp"
#include "terrawave/run/case.hpp"
#include "terrawave/run/progress.hpp"
#include "terrawave/run/record.hpp"
#include "terrawave/run/run_table.hpp"
#include "terrawave/run/signals.hpp"

namespace terrawave::run {

// The state holds a value that is not finite, or the method cannot go on from it. Thrown by every
// rank alike.
class BadState : public io::SharedError {
 public:
  using SharedError::SharedError;
};

// Advances a case from its start or from a checkpoint, lands on output times, writes outputs and
// checkpoints, and keeps `record` up to date. Every member is collective.
class TimeLoop {
 public:
  TimeLoop(TimeCase& c, const Settings& settings, sim::Context& context, const Options& options,
           Record& record);

  // Continues from the checkpoint in the run's folder. Throws InputError where it does not fit.
  void resume();
  // Runs to the end (true) or until a signal came (false, with a checkpoint written). Throws
  // BadState, or what writers throw.
  bool run();
  // Writes the present state under this name in the run's folder.
  void checkpoint(const char* name);
  void flush_outputs();
  // Called by run() whenever run.json should be brought up to date.
  std::function<void()> on_news;

 private:
  using Clock = std::chrono::steady_clock;

  bool at_end();
  bool reached(double time) const;
  double next_event() const;
  void advance();
  void advance_variable();
  void advance_fixed();
  std::int64_t last_step_of_stride() const;
  void look_for_bad_values();
  [[noreturn]] void give_up(const std::string& otherwise);
  bool outputs_due() const;
  void write_outputs();
  std::string written_text() const;
  void audit(bool timed);
  void checkpoint_if_due();
  bool stop_requested();  // the ranks agree on signals, the clock, progress
  void show_progress();
  void news(bool at_once);
  double seconds_left() const;
  double elapsed() const;

  TimeCase& case_;
  sim::Solver& solver_;
  const Settings& settings_;
  sim::Context& context_;
  const Options& options_;
  Record& record_;
  StopSignals signals_;
  Progress progress_;
  std::vector<std::size_t> next_output_;  // per output, index of the next time to write
  std::vector<std::int64_t> records_;     // per output, records in its files
  bool resumed_ = false;
  bool bandwidth_asked_ = false;
  double fixed_dt_ = 0;  // > 0 for methods whose dt is constant
  double last_dt_ = 0;
  double start_time_ = 0;  // of this session, s
  double next_checkpoint_time_;
  // Wall clock, s since the loop began, agreed by all ranks at each sync.
  Clock::time_point begin_ = Clock::now();
  double now_ = 0, last_checkpoint_ = 0, last_progress_ = 0, last_audit_ = 0, last_news_ = 0;
  std::int64_t next_sync_ = 1, sync_length_ = 1;
};

}  // namespace terrawave::run
