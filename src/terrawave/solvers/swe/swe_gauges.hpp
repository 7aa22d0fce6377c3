// Gauges of a two-layer run: samples where the cells are, collected on the root.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "terrawave/comm/comm.hpp"
#include "terrawave/io/gauges.hpp"
#include "terrawave/solvers/swe/swe_solver.hpp"

namespace terrawave::swe {

// Each rank samples the gauges in its own cells and keeps the samples until collect().
class Gauges {
 public:
  // cells[k]: the global cell that holds points[k]. `interval` (s) between samples; 0: every step.
  Gauges(comm::Comm& comm, SweSolver& solver, std::vector<io::GaugePoint> points,
         const std::vector<GlobalId>& cells, double interval);

  bool empty() const { return series_.points.empty(); }
  // Takes a sample where one is due. Sends nothing.
  void sample(double t);
  // Collective. Moves the samples to the root's series.
  void collect();
  // The samples so far; complete on the root after collect().
  const io::GaugeSeries& series() const { return series_; }
  // What a checkpoint keeps (the root's, after collect()), and back on every rank.
  std::string to_bytes() const { return series_.to_bytes(); }
  void from_bytes(const std::string& bytes);

 private:
  std::size_t row() const { return mine_.size() * series_.variables.size(); }

  comm::Comm& comm_;
  SweSolver& solver_;
  double interval_;
  double next_ = 0;  // s, when the next sample is due
  io::GaugeSeries series_;
  std::vector<std::size_t> mine_;       // gauges in this rank's cells
  std::vector<Index> my_cells_;         // their positions among the owned cells
  std::vector<double> times_, values_;  // samples not collected yet
};

}  // namespace terrawave::swe
