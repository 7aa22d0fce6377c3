// A rank's events on the device: their tables, states, samples of signals and records of probes.
#pragma once

#include <cstdint>
#include <vector>

#include "terrawave/comm/comm.hpp"
#include "terrawave/sim/solver.hpp"
#include "terrawave/solvers/fdtd/fdtd_setup.hpp"
#include "terrawave/solvers/fdtd/fdtd_solver.hpp"

namespace terrawave::fdtd {

template <class Real>
class EventData {
 public:
  EventData() = default;
  EventData(comm::Comm& comm, const par::Queue& queue, const Model& model, const Layout& layout);

  const HostEvents& host() const { return host_; }
  EventTables tables();
  double* states() { return states_.view().data; }
  // Where a kernel that must not change the states it reads writes them; swap_states() makes them
  // current.
  double* next_states() { return next_states_.view().data; }
  void swap_states() { states_.swap(next_states_); }
  Real* scratch() { return scratch_.view().data; }

  // Rows of the sample table and of the records that belong to a step (counted from 0).
  Index sample_row(std::int64_t step) const { return step - window_first_; }
  Index record_row(std::int64_t) const { return rows_; }
  // Makes the samples of `count` steps from `step` on available.
  void prepare_samples(std::int64_t step, std::int64_t count);
  void keep_rows(std::int64_t count) { rows_ += count; }
  std::int64_t record_rows() const { return capacity_; }
  std::int64_t rows_left() const { return capacity_ - rows_; }
  Records drain(std::int64_t step);
  void restart(std::int64_t step);

  // Ghost events take the states of their owners. Collective where any event has states.
  void exchange_states();
  sim::FieldBlock save() const;
  void load(const sim::Solver::Read& read);

 private:
  void plan_exchange();

  const Model* model_ = nullptr;
  comm::Comm* comm_ = nullptr;
  HostEvents host_;
  par::Buffer<Event> events_[2];
  par::Buffer<std::int32_t> groups_[2];
  par::Buffer<double> coefficients_, states_, next_states_, samples_, records_;
  par::Buffer<Real> scratch_;
  std::int64_t window_first_ = 0, window_rows_ = 0, window_filled_ = 0;
  std::int64_t capacity_ = 0, rows_ = 0;
  // For the exchange of states: state offsets to send and to receive, by rank.
  struct Piece {
    std::int32_t state = 0;
    std::int32_t count = 0;
  };
  std::vector<std::vector<Piece>> send_, receive_;
  bool exchanges_ = false;
};

}  // namespace terrawave::fdtd
