// What a solver is given: where it runs, with whom, and where it writes. Nothing is global.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "terrawave/comm/comm.hpp"
#include "terrawave/par/queue.hpp"

namespace terrawave::sim {

// Messages to the user; the root rank prints, others stay silent unless `every_rank`.
class Log {
 public:
  enum class Level { info, warning };
  using Sink = std::function<void(Level, const std::string&)>;
  explicit Log(Sink sink) : sink_(std::move(sink)) {}
  void info(const std::string& text) const { sink_(Level::info, text); }
  void warning(const std::string& text) const { sink_(Level::warning, text); }

 private:
  Sink sink_;
};

// Wall time by phase.
class Timers {
 public:
  struct Entry {
    double seconds = 0;
    std::int64_t count = 0;
  };
  class Scope {
   public:
    Scope(Timers& timers, std::string phase)
        : timers_(timers), phase_(std::move(phase)), begin_(Clock::now()) {}
    ~Scope() {
      Entry& e = timers_.entries_[phase_];
      e.seconds += std::chrono::duration<double>(Clock::now() - begin_).count();
      ++e.count;
    }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    using Clock = std::chrono::steady_clock;
    Timers& timers_;
    std::string phase_;
    Clock::time_point begin_;
  };
  Scope time(std::string phase) { return Scope(*this, std::move(phase)); }
  const std::map<std::string, Entry>& entries() const { return entries_; }

 private:
  std::map<std::string, Entry> entries_;
};

struct Context {
  comm::Comm& comm;
  par::Queue queue;
  Log& log;
  Timers& timers;
  bool single_precision = false;
  bool overlap = true;  // hide messages behind work; false: blocking, for comparison
};

}  // namespace terrawave::sim
