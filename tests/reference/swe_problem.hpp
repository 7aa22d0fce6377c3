// A two-layer problem set up from functions of x and y, for tests.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <vector>

#include "terrawave/domain/partition.hpp"
#include "terrawave/domain/rectangle.hpp"
#include "terrawave/domain/renumber.hpp"
#include "terrawave/solvers/swe/swe_solver.hpp"

namespace terrawave::swe::test {

struct Point {
  double h1 = 1, u1x = 0, u1y = 0, h2 = 1, u2x = 0, u2y = 0, bottom = 2;
  double eta1 = 0, eta2 = -1;  // used with ProblemSetup::levels
};

struct ProblemSetup {
  domain::TriMesh mesh;
  std::vector<BoundaryKind> kinds;  // per group; empty: all walls
  Parameters parameters;
  bool single = false;
  bool overlap = true;
  bool levels = false;     // set the depths from eta1 and eta2, as cases do
  std::vector<int> owner;  // empty: METIS
  par::Queue queue = par::Queue::host(1);
};

class Problem {
 public:
  Problem(comm::Comm& comm, ProblemSetup setup, const std::function<Point(double, double)>& state)
      : setup_(std::move(setup)),
        context_{comm, setup_.queue, log_, timers_, setup_.single, setup_.overlap},
        local_(domain::build_local(
            setup_.mesh,
            setup_.owner.empty() ? domain::partition(setup_.mesh, comm.size()) : setup_.owner,
            comm.rank())) {
    const std::size_t n = std::size_t(local_.part.owned());
    CellFields f(n);
    double largest = 0;
    std::vector<double> eta1(n), eta2(n);
    for (std::size_t i = 0; i < n; ++i) {
      const Point p = state(local_.center_x[i], local_.center_y[i]);
      f.h1[i] = p.h1;
      f.h2[i] = p.h2;
      f.bottom[i] = p.bottom;
      eta1[i] = p.eta1;
      eta2[i] = p.eta2;
      largest = std::max({largest, p.eta1 + p.bottom, std::abs(p.bottom)});
    }
    if (setup_.levels)
      set_levels(f, eta1, eta2, std::vector<double>(f.bottom), comm.max(largest), setup_.single);
    for (std::size_t i = 0; i < n; ++i) {
      const Point p = state(local_.center_x[i], local_.center_y[i]);
      f.q1x[i] = f.h1[i] * p.u1x;
      f.q1y[i] = f.h1[i] * p.u1y;
      f.q2x[i] = f.h2[i] * p.u2x;
      f.q2y[i] = f.h2[i] * p.u2y;
    }
    if (setup_.kinds.empty()) setup_.kinds.assign(setup_.mesh.groups.size(), BoundaryKind::wall);
    solver_ =
        make_solver(context_, local_, setup_.mesh.cells(), setup_.kinds, setup_.parameters, f);
  }
  SweSolver& solver() { return *solver_; }
  const domain::LocalTriMesh& local() const { return local_; }
  const domain::TriMesh& mesh() const { return setup_.mesh; }

  // Steps until t = end, landing on it; returns the number of steps.
  int run_to(double end) {
    int steps = 0;
    while (time_ < end) {
      const double dt = std::min(solver_->max_dt(), end - time_);
      solver_->step(time_, dt);
      time_ = dt == end - time_ ? end : time_ + dt;
      ++steps;
    }
    return steps;
  }
  std::vector<double> values(const char* field) { return solver_->values(field); }
  // In global order, on the root.
  std::vector<double> global(const char* field) {
    return gather_cells(context_.comm, solver_->ids(), solver_->values(field),
                        solver_->global_cells());
  }

 private:
  ProblemSetup setup_;
  sim::Log log_{[](sim::Log::Level, const std::string&) {}};
  sim::Timers timers_;
  sim::Context context_;
  domain::LocalTriMesh local_;
  std::unique_ptr<SweSolver> solver_;
  double time_ = 0;
};

// A rectangle, renumbered for locality.
inline domain::TriMesh rectangle(double west, double south, double east, double north,
                                 Index columns, Index rows,
                                 domain::RectanglePattern pattern = domain::RectanglePattern::right,
                                 double perturbation = 0) {
  domain::Rectangle r;
  r.west = west;
  r.south = south;
  r.east = east;
  r.north = north;
  r.columns = columns;
  r.rows = rows;
  r.pattern = pattern;
  r.perturbation = perturbation;
  domain::TriMesh mesh = domain::make_rectangle(r);
  domain::renumber(mesh);
  return mesh;
}

inline double largest_of(const std::vector<double>& v) {
  double m = 0;
  for (const double x : v) m = std::max(m, std::abs(x));
  return m;
}

}  // namespace terrawave::swe::test
