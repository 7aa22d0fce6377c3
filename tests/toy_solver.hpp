// A small deterministic solver for tests of the run loop: Burgers' equation u_t + (u^2/2)_x = 0
// with u > 0 on a periodic line of n cells, upwind, distributed in blocks over the ranks.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "terrawave/base/exact_sum.hpp"
#include "terrawave/comm/comm.hpp"
#include "terrawave/sim/solver.hpp"

namespace terrawave::test {

struct ToyOptions {
  Index cells = 97;
  bool fixed_dt = false;          // then dt = fixed_step whatever the state
  double fixed_step = 1e-3;       // s
  std::int64_t poison_step = -1;  // after this step cell `poison_cell` is not a number
  Index poison_cell = 0;
  std::int64_t signal_step = -1;    // after this step the last rank sends itself SIGTERM
  double sleep_seconds = 0;         // per step, to be interrupted in
  std::string physics = "burgers";  // stands in the fingerprint
};

class ToySolver final : public sim::Solver {
 public:
  ToySolver(comm::Comm& comm, ToyOptions options) : comm_(comm), o_(std::move(options)) {
    const Index n = o_.cells, ranks = comm.size(), r = comm.rank();
    first_ = n * r / ranks;
    count_ = n * (r + 1) / ranks - first_;
    dx_ = 1.0 / static_cast<double>(n);
    for (Index i = 0; i < count_; ++i)
      u_.push_back(1 + 0.5 * std::sin(6.28 * static_cast<double>(first_ + i) * dx_));
    visits_.assign(static_cast<std::size_t>(count_), 0);
  }

  std::string_view name() const override { return "toy"; }
  bool fixed_dt() const override { return o_.fixed_dt; }

  double max_dt() override {
    if (o_.fixed_dt) return o_.fixed_step;
    double fastest = 0;
    for (const double u : u_)
      if (u > fastest) fastest = u;
    return 0.9 * dx_ / comm_.max(fastest);
  }

  void step(double, double dt) override {
    const double left = from_left();
    double upstream = left;
    for (double& u : u_) {
      const double old = u;
      u = old - dt / dx_ * (0.5 * old * old - 0.5 * upstream * upstream);
      upstream = old;
    }
    for (std::int32_t& v : visits_) ++v;
    ++steps_;
    dts.push_back(dt);
    if (steps_ == o_.poison_step && owns(o_.poison_cell))
      u_[static_cast<std::size_t>(o_.poison_cell - first_)] =
          std::numeric_limits<double>::quiet_NaN();
    if (steps_ == o_.signal_step && comm_.rank() == comm_.size() - 1) std::raise(SIGTERM);
    if (o_.sleep_seconds > 0)
      std::this_thread::sleep_for(std::chrono::duration<double>(o_.sleep_seconds));
  }

  std::int64_t steps(double t, double dt, std::int64_t n) override {
    const std::int64_t some = std::min<std::int64_t>(n, o_.fixed_dt ? 3 : 1);
    for (std::int64_t k = 0; k < some; ++k) step(t, dt);
    return some;
  }

  std::vector<sim::AuditItem> audit() override {
    FixedSum sum;
    const double scale = fixed_scale(6);
    for (const double u : u_)
      if (std::isfinite(u)) sum = sum + fixed_term(u * dx_, scale);
    return {{"mass", "m", fixed_value(comm_.sum(sum), 6), true},
            {"largest", "m/s",
             comm_.max(u_.empty() ? 0.0 : *std::max_element(u_.begin(), u_.end())), false}};
  }

  std::optional<sim::BadValue> find_bad_value() override {
    Index bad = std::numeric_limits<Index>::max();
    for (Index i = count_ - 1; i >= 0; --i)
      if (!std::isfinite(u_[static_cast<std::size_t>(i)])) bad = first_ + i;
    bad = comm_.min(std::int64_t{bad});
    if (bad == std::numeric_limits<Index>::max()) return std::nullopt;
    return sim::BadValue{"u is not a number in cell " + std::to_string(bad) +
                         " at x = " + std::to_string((static_cast<double>(bad) + 0.5) * dx_)};
  }

  sim::Work work() const override { return {static_cast<double>(o_.cells), 16, 6}; }

  std::vector<sim::FieldInfo> fields() const override {
    using F = sim::FieldInfo;
    return {
        {"u", "m/s", "speed", F::Place::cell, F::Role::state, F::Type::float64, o_.cells, 1},
        {"visits", "1", "steps seen", F::Place::cell, F::Role::state, F::Type::int32, o_.cells, 2}};
  }

  sim::FieldBlock save(std::string_view field) override {
    sim::FieldBlock b;
    // In decreasing order: nothing may rely on increasing ids.
    for (Index i = count_ - 1; i >= 0; --i) {
      b.ids.push_back(first_ + i);
      const auto at = static_cast<std::size_t>(i);
      if (field == "u") {
        append(b.values, u_[at]);
      } else {
        append(b.values, visits_[at]);
        append(b.values, std::int32_t(first_ + i));
      }
    }
    return b;
  }

  void load(std::string_view field, const Read& read) override {
    std::vector<GlobalId> ids;
    for (Index i = 0; i < count_; ++i) ids.push_back(first_ + i);
    const std::vector<std::byte> bytes = read(ids);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (field == "u") {
        std::memcpy(&u_[i], bytes.data() + 8 * i, 8);
      } else {
        std::int32_t pair[2];
        std::memcpy(pair, bytes.data() + 8 * i, 8);
        visits_[i] = pair[0];
        if (pair[1] != ids[i]) throw LogicError("a field's entries came back in another order");
      }
    }
    if (count_ > 0) steps_ = visits_[0];
  }

  std::string fingerprint() const override {
    return "cells = " + std::to_string(o_.cells) + "\nphysics = " + o_.physics +
           "\nprecision = double";
  }

  // The whole field on every rank, by global cell.
  std::vector<double> gathered() {
    std::vector<double> all;
    const auto* bytes = reinterpret_cast<const std::byte*>(u_.data());
    for (const comm::Bytes& b : comm_.all_gather({bytes, u_.size() * sizeof(double)})) {
      const std::size_t at = all.size();
      all.resize(at + b.size() / sizeof(double));
      if (!b.empty()) std::memcpy(all.data() + at, b.data(), b.size());
    }
    return all;
  }

  std::vector<double> dts;  // every step taken

 private:
  bool owns(Index cell) const { return cell >= first_ && cell < first_ + count_; }
  template <class T>
  static void append(std::vector<std::byte>& out, T v) {
    const auto* p = reinterpret_cast<const std::byte*>(&v);
    out.insert(out.end(), p, p + sizeof(T));
  }
  // The value of the cell left of this rank's first: the last of the nearest rank with cells.
  double from_left() {
    double last = u_.empty() ? std::nan("") : u_.back();
    const auto all = comm_.all_gather({reinterpret_cast<const std::byte*>(&last), sizeof(last)});
    for (int k = 1; k <= comm_.size(); ++k) {
      double v;
      std::memcpy(
          &v,
          all[static_cast<std::size_t>((comm_.rank() - k + comm_.size()) % comm_.size())].data(),
          sizeof(v));
      const Index n = o_.cells, ranks = comm_.size(), r = (comm_.rank() - k + comm_.size()) % ranks;
      if (n * (r + 1) / ranks > n * r / ranks) return v;
    }
    return last;
  }

  comm::Comm& comm_;
  ToyOptions o_;
  Index first_ = 0, count_ = 0;
  double dx_ = 1;
  std::vector<double> u_;
  std::vector<std::int32_t> visits_;
  std::int64_t steps_ = 0;
};

}  // namespace terrawave::test
