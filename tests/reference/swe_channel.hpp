// One-dimensional problems on a channel two triangles wide, and means over its columns.
#pragma once

#include <functional>
#include <vector>

#include "reference/swe_problem.hpp"
#include "terrawave/comm/comm.hpp"

namespace terrawave::swe::test {

// [west, east] in `columns` boxes of two triangles each, one box wide; open or closed ends.
class Channel {
 public:
  Channel(double west, double east, Index columns, double ratio, bool open,
          const std::function<Point(double)>& state)
      : west_(west), dx_((east - west) / double(columns)), columns_(columns) {
    ProblemSetup s;
    s.mesh = rectangle(west, 0, east, dx_, columns, 1);
    s.parameters.density_ratio = ratio;
    s.kinds.assign(s.mesh.groups.size(), BoundaryKind::wall);
    for (std::size_t g = 0; g < s.mesh.groups.size(); ++g)
      if (open && (s.mesh.groups[g] == "west" || s.mesh.groups[g] == "east"))
        s.kinds[g] = BoundaryKind::outflow;
    // The state of a column's centre, so that both of its triangles start alike.
    problem_ = std::make_unique<Problem>(
        *comm_, s, [this, &state](double x, double) { return state(center(column(x))); });
  }
  Problem& problem() { return *problem_; }
  double dx() const { return dx_; }
  Index columns() const { return columns_; }
  double center(Index column) const { return west_ + (double(column) + 0.5) * dx_; }
  // The mean of each column's two triangles.
  std::vector<double> means(const char* field) {
    const std::vector<double> v = problem_->values(field);
    std::vector<double> m(static_cast<std::size_t>(columns_), 0.0);
    for (std::size_t i = 0; i < v.size(); ++i)
      m[std::size_t(column(problem_->local().center_x[i]))] += v[i] / 2;
    return m;
  }

 private:
  Index column(double x) const { return Index((x - west_) / dx_); }
  double west_, dx_;
  Index columns_;
  std::unique_ptr<comm::Comm> comm_ = comm::make_self();
  std::unique_ptr<Problem> problem_;
};

}  // namespace terrawave::swe::test
