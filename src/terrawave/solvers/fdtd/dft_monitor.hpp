// Running Fourier transforms of field components on boxes of nodes.
#pragma once

#include <complex>
#include <string>
#include <vector>

#include "terrawave/comm/comm.hpp"
#include "terrawave/io/snapshot.hpp"
#include "terrawave/solvers/fdtd/fdtd_case.hpp"
#include "terrawave/solvers/fdtd/fdtd_solver.hpp"

namespace terrawave::fdtd {

// Whole box on the root (empty elsewhere), x fastest, entries that no rank owns are 0. Collective.
std::vector<double> gather_box(const FdtdSolver& solver, comm::Comm& comm, int component,
                               const Box& box);

// X(f) += x(t) exp(-j 2 pi f t) every dt over samples `every` steps apart, E at n dt, H at
// (n - 1/2) dt. Each rank sums what it owns; sums are gathered when asked for.
class DftMonitor {
 public:
  // `every` = 0: as many steps as leave four samples in a period of f_max.
  DftMonitor(const DftCase& c, const Model& model, double f_max);
  std::int64_t every() const { return every_; }
  const DftCase& config() const { return case_; }
  void add(const FdtdSolver& solver, std::int64_t step);
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
  struct Share {
    int component;
    Box found;
    std::vector<std::complex<double>> sums;  // [frequency][entry]
  };
  void restore(Share& share, std::size_t c) const;

  DftCase case_;
  Box box_;
  double dt_ = 0;
  std::int64_t every_ = 1;
  std::vector<Share> shares_;
  std::vector<double> restored_;  // what load() gave, until the first add()
};

}  // namespace terrawave::fdtd
