// Which thread of the wavefront kernel sweeps which strip of rows, and when.
//
// The sweep over planes is cut into blocks, the rows into strips. A strip can do a block once it
// has done the one before and its lower neighbour has done this one. A few threads share a block,
// each doing every n-th strip, close behind its neighbour; such a team takes the next block
// whenever it has finished one. Teams are therefore a whole strip or more apart: a thread that the
// system holds up does not hold up the other teams at once, and takes fewer blocks.
#pragma once

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

#include "terrawave/solvers/fdtd/fdtd_layout.hpp"

namespace terrawave::fdtd::wavefront {

class Schedule {
 public:
  // `steps` levels on the entries that a step may change; strips of about `rows` rows.
  Schedule(const Layout& layout, int steps, int threads, Index rows);
  Schedule(const Schedule&) = delete;
  Schedule& operator=(const Schedule&) = delete;

  int steps() const { return steps_; }
  Index strips() const { return strips_; }
  Index strip_height() const { return height_; }
  Index sweeps() const { return sweeps_; }

  // The share of one thread: work(strip, sweep) in an order that keeps to the above. All of the
  // threads that the schedule was made for must call it, at the same time; once.
  template <class Work>
  void run(int thread, const Work& work) {
    const int team = thread / team_size_, member = thread % team_size_;
    const int members = std::min(team_size_, threads_ - team * team_size_);
    for (std::size_t n = 0;; ++n) {
      const Index begin = block(team, n) * block_sweeps_;
      if (begin >= sweeps_) return;
      const Index end = std::min(begin + block_sweeps_, sweeps_);
      for (Index m = member; m < strips_; m += members) {
        wait_for(m, begin);
        for (Index sweep = begin; sweep < end; ++sweep) {
          if (m > 0) wait_for(m - 1, std::min(sweep + kLag, end));
          work(m, sweep);
          done_[std::size_t(m)].sweeps.store(sweep + 1, std::memory_order_release);
        }
      }
    }
  }

 private:
  // A strip stays this many sweeps behind its lower neighbour: at 1 two cores would pass the same
  // lines to and fro.
  static constexpr Index kLag = 2;
  // Progress of a strip; on a line of its own so that waiting threads do not disturb.
  struct alignas(64) Progress {
    std::atomic<Index> sweeps{0};
  };

  void wait_for(Index strip, Index sweeps) const {
    const auto& done = done_[std::size_t(strip)].sweeps;
    for (int spins = 0; done.load(std::memory_order_acquire) < sweeps; ++spins)
      if (spins > 64) std::this_thread::yield();
  }
  // The n-th block of a team, claimed by the first of its members to ask.
  Index block(int team, std::size_t n);

  int steps_, threads_, team_size_;
  Index height_, strips_, sweeps_, block_sweeps_;
  std::vector<Progress> done_;
  std::mutex mutex_;
  std::vector<std::vector<Index>> claimed_;  // by team
  Index next_ = 0;
};

}  // namespace terrawave::fdtd::wavefront
