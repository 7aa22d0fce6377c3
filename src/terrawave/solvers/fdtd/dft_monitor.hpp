// Running Fourier transforms of field components on boxes of nodes.
#pragma once

#include <complex>
#include <string>
#include <vector>

#include "terrawave/comm/comm.hpp"
#include "terrawave/io/snapshot.hpp"
#include "terrawave/par/buffer.hpp"
#include "terrawave/solvers/fdtd/fdtd_case.hpp"
#include "terrawave/solvers/fdtd/fdtd_solver.hpp"

namespace terrawave::fdtd {

// Whole box on the root (empty elsewhere), x fastest, entries that no rank owns are 0. Collective.
std::vector<double> gather_box(const FdtdSolver& solver, comm::Comm& comm, int component,
                               const Box& box);

// X(f) += x(t) exp(-j 2 pi f t) every dt over samples `every` steps apart, E at n dt, H at
// (n - 1/2) dt. Each rank sums what it owns, in double precision and in the memory where its fields
// are; sums are gathered when asked for.
class DftMonitor {
 public:
  // `every` = 0: as many steps as leave four samples in a period of f_max.
  DftMonitor(const DftCase& c, const Model& model, double f_max);
  std::int64_t every() const { return every_; }
  const DftCase& config() const { return case_; }
  // Takes the fields after `step`, where it is one of those that count.
  void add(const par::Queue& queue, const FdtdSolver& solver, std::int64_t step);
  void reset();

  // Phasors of one component, [frequency][z][y][x], on the root. Collective.
  std::vector<std::complex<double>> gather(comm::Comm& comm, int component) const;
  std::vector<int> components() const;
  const Box& box() const { return box_; }
  // Arrays for dft.h5 under `group`, on the root. Collective.
  std::vector<io::Hdf5Array> arrays(comm::Comm& comm, const std::string& group,
                                    const domain::YeeGrid& grid) const;

  // The sums so far, gathered (root) and given back (every rank). Collective.
  std::vector<double> save(comm::Comm& comm) const;
  void load(const std::vector<double>& all);

 private:
  // This rank's part of one component: [frequency][z][y][x], real and imaginary part.
  struct Share {
    int component = 0;
    Box found;
    par::Buffer<double> sums;
  };
  void make_shares(const par::Queue& queue, const Layout& layout);
  std::vector<double> restored(std::size_t component_at, const Box& found) const;
  // Row of the table of phase factors that belongs to a step.
  Index phase_row(const par::Queue& queue, std::int64_t step);

  DftCase case_;
  Box box_;
  double dt_ = 0;
  std::int64_t every_ = 1;
  std::vector<Share> shares_;
  par::Buffer<double> phases_;            // [sample][E, H][frequency], real and imaginary part
  std::int64_t first_ = 0, samples_ = 0;  // in phases_: the samples first_ ... of the run
  std::vector<double> restored_;          // what load() gave, until the first add()
};

}  // namespace terrawave::fdtd
