// SIGINT and SIGTERM as a request to stop, for as long as the object lives.
#pragma once

namespace terrawave::run {

// The first signal asks; a second one ends the program at once, as it would without this object.
// At most one may live at a time.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  // Number of the signal received by this process; 0 where none came.
  int received() const;
};

}  // namespace terrawave::run
