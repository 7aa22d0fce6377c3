// Runs a block of a GPU kernel that is written against a Lane on the CPU: each thread is a fiber,
// barriers and shuffles switch between them. The order in which warps run between barriers, and the
// moment at which asynchronous copies land, can be chosen, so that a missing barrier shows.
#pragma once

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <stdexcept>
#include <vector>

#include <ucontext.h>

#include "terrawave/solvers/fdtd/cuda/march_kernel.hpp"
#include "terrawave/solvers/fdtd/cuda/tile_event.hpp"

namespace terrawave::test {

class EmulatedBlock {
 public:
  struct Options {
    std::uint64_t order = 0;   // 0: warps in turn; else a seed of random orders
    bool late_copies = false;  // copies land at wait() rather than at once
  };

  EmulatedBlock(int threads, Options options) : options_(options), random_(options.order) {
    fibers_.resize(std::size_t(threads));
    for (auto& f : fibers_) f.stack = std::make_unique_for_overwrite<char[]>(kStack);
  }

  class Lane {
   public:
    Lane(EmulatedBlock& b, int thread) : block_(b), thread_(thread) {}
    int thread() const { return thread_; }
    void sync() { block_.switch_out(thread_, State::barrier); }
    void sync_warp() { shuffle(0.0f, 1); }
    bool uniform(bool v) const { return v; }
    float down(float v) { return shuffle(v, 1); }
    float up(float v) { return shuffle(v, -1); }
    double down(double v) { return shuffle(v, 1); }
    double up(double v) { return shuffle(v, -1); }
    template <class P>
    void copy(P* to, const P* from, bool valid) {
      const P value = valid ? *from : P{};
      if (block_.options_.late_copies)
        late_.push_back([to, value] { *to = value; });
      else
        *to = value;
    }
    void wait() {
      for (const auto& copy : late_) copy();
      late_.clear();
    }
    template <class P>
    void put(P* to, P v, int) {
      *to = v;
    }
    template <class Real, int T>
    static Real event(const fdtd::march::Args<Real>& a, const fdtd::march::TileEvent* te, int pass,
                      int t, int number, Real before, Real linear) {
      return fdtd::tiling::tile_event<Real, T>(a, *te, pass, t, number, before, linear);
    }

   private:
    template <class Real>
    Real shuffle(Real v, int by) {
      auto& f = block_.fibers_;
      f[std::size_t(thread_)].value = double(v);
      block_.switch_out(thread_, State::shuffle);
      const int lane = thread_ % 32, other = lane + by;
      return other >= 0 && other < 32 ? Real(f[std::size_t(thread_ + by)].taken) : v;
    }
    EmulatedBlock& block_;
    int thread_;
    std::vector<std::function<void()>> late_;
  };

  // Calls body(lane) on every thread.
  template <class Body>
  void run(const Body& body) {
    body_ = [&](int thread) {
      Lane lane(*this, thread);
      body(lane);
    };
    for (std::size_t n = 0; n < fibers_.size(); ++n) {
      Fiber& f = fibers_[n];
      f.state = State::ready;
      getcontext(&f.context);
      f.context.uc_stack.ss_sp = f.stack.get();
      f.context.uc_stack.ss_size = kStack;
      f.context.uc_link = &main_;
      const auto self = reinterpret_cast<std::uintptr_t>(this);
      makecontext(&f.context, reinterpret_cast<void (*)()>(&EmulatedBlock::enter), 3,
                  int(self >> 32), int(self & 0xffffffffu), int(n));
    }
    std::vector<std::size_t> warps(fibers_.size() / 32);
    for (std::size_t w = 0; w < warps.size(); ++w) warps[w] = w;
    while (!all(State::done)) {
      if (options_.order != 0) std::shuffle(warps.begin(), warps.end(), random_);
      for (const std::size_t w : warps) run_warp(w);
      if (all(State::done)) break;
      if (!all(State::barrier)) throw std::logic_error("threads diverge at a barrier");
      for (auto& f : fibers_) f.state = State::ready;
    }
  }

 private:
  enum class State { ready, shuffle, barrier, done };
  struct Fiber {
    ucontext_t context{};
    std::unique_ptr<char[]> stack;
    State state = State::ready;
    double value = 0, taken = 0;
  };
  static constexpr std::size_t kStack = 64 * 1024;

  bool all(State s) const {
    return std::all_of(fibers_.begin(), fibers_.end(),
                       [&](const Fiber& f) { return f.state == s; });
  }
  // Runs a warp until all its threads wait at a barrier or have ended.
  void run_warp(std::size_t w) {
    for (;;) {
      for (std::size_t n = 32 * w; n < 32 * w + 32; ++n)
        if (fibers_[n].state == State::ready) swapcontext(&main_, &fibers_[n].context);
      if (std::none_of(fibers_.begin() + std::ptrdiff_t(32 * w),
                       fibers_.begin() + std::ptrdiff_t(32 * w + 32),
                       [](const Fiber& f) { return f.state == State::shuffle; }))
        return;
      for (std::size_t n = 32 * w; n < 32 * w + 32; ++n) {
        if (fibers_[n].state != State::shuffle)
          throw std::logic_error("threads of a warp diverge at a shuffle");
        fibers_[n].taken = fibers_[n].value;
        fibers_[n].state = State::ready;
      }
    }
  }
  // To the next thread of the warp that is ready, else to run_warp().
  void switch_out(int thread, State state) {
    Fiber& f = fibers_[std::size_t(thread)];
    f.state = state;
    ucontext_t* next = &main_;
    for (int n = thread + 1; n % 32 != 0 && next == &main_; ++n)
      if (fibers_[std::size_t(n)].state == State::ready) next = &fibers_[std::size_t(n)].context;
    swapcontext(&f.context, next);
  }
  static void enter(int high, int low, int n) {
    auto* self = reinterpret_cast<EmulatedBlock*>(std::uintptr_t(unsigned(high)) << 32 |
                                                  std::uintptr_t(unsigned(low)));
    self->body_(n);
    self->fibers_[std::size_t(n)].state = State::done;
  }

  Options options_;
  std::mt19937_64 random_;
  std::vector<Fiber> fibers_;
  ucontext_t main_{};
  std::function<void(int)> body_;
};

}  // namespace terrawave::test
