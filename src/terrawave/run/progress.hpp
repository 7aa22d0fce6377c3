// What the user sees while a run goes on.
#pragma once

#include <string>

#include "terrawave/run/record.hpp"
#include "terrawave/run/run_table.hpp"

namespace terrawave::run {

// "1.2 Gcells/s", "210 kcells/s", "7 cells/s": three digits and a decimal prefix.
std::string with_prefix(double value, const std::string& unit);
// "3.2 s", "4 min 10 s", "2 h 5 min", "3 d 4 h"
std::string duration(double seconds);
// One line of at most `width` characters: step, simulated time, dt, cells/s, GB/s and share of
// bandwidth, drift, time left. Where it is too narrow for all, time and time left stay longest.
std::string progress_line(const Record& record, double dt, double seconds_left,
                          std::size_t width = std::string::npos);

// Shows lines on standard error: rewritten in place on a terminal, else one every few seconds.
// Only the root's object shows anything.
class Progress {
 public:
  Progress(Settings::Progress kind, bool is_root);
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  // Seconds that should pass between two calls of show().
  double interval() const { return terminal_ ? 0.25 : 5.0; }
  void show(const std::string& line);
  // Characters that a line may have.
  std::size_t width() const;
  // Takes the line off the terminal, so that a message can be printed.
  void clear();

 private:
  bool active_ = false;
  bool terminal_ = false;
  bool shown_ = false;
};

}  // namespace terrawave::run
