#include "terrawave/solvers/swe/swe_gauges.hpp"

#include <algorithm>
#include <cstring>
#include <span>

#include "terrawave/run/schedule.hpp"
#include "terrawave/solvers/swe/swe_fields.hpp"

namespace terrawave::swe {

Gauges::Gauges(comm::Comm& comm, SweSolver& solver, std::vector<io::GaugePoint> points,
               const std::vector<GlobalId>& cells, double interval)
    : comm_(comm), solver_(solver), interval_(interval) {
  series_.points = std::move(points);
  for (const char* name : {"eta1", "eta2", "u1x", "u1y", "u2x", "u2y"})
    series_.variables.push_back(output_field(name));
  const std::vector<GlobalId>& owned = solver.ids();
  for (std::size_t k = 0; k < cells.size(); ++k) {
    const auto it = std::find(owned.begin(), owned.end(), cells[k]);
    if (it == owned.end()) continue;
    mine_.push_back(k);
    my_cells_.push_back(it - owned.begin());
  }
}

void Gauges::sample(double t) {
  if (empty() || t < next_) return;
  if (interval_ > 0) next_ = run::next_multiple_after(interval_, t);
  times_.push_back(t);
  for (const Index cell : my_cells_) {
    const CellValues s = solver_.cell(cell);
    const double eta2 = s.h2 - s.bottom;
    values_.insert(values_.end(), {(s.h1 + s.h2) - s.bottom, eta2, s.q1x / s.h1, s.q1y / s.h1,
                                   s.q2x / s.h2, s.q2y / s.h2});
  }
}

void Gauges::collect() {
  if (empty() || times_.empty()) return;  // the same on every rank: all sample at the same times
  const auto places = comm_.gather(std::as_bytes(std::span(mine_)), 0);
  const auto values = comm_.gather(std::as_bytes(std::span(values_)), 0);
  const std::size_t variables = series_.variables.size();
  for (std::size_t n = 0; comm_.is_root() && n < times_.size(); ++n) {
    std::vector<double> row(series_.points.size() * variables);
    for (std::size_t r = 0; r < places.size(); ++r) {
      const std::size_t count = places[r].size() / sizeof(std::size_t);
      for (std::size_t k = 0; k < count; ++k) {
        std::size_t gauge = 0;
        std::memcpy(&gauge, places[r].data() + k * sizeof(gauge), sizeof(gauge));
        std::memcpy(row.data() + gauge * variables,
                    values[r].data() + (n * count + k) * variables * sizeof(double),
                    variables * sizeof(double));
      }
    }
    series_.add(times_[n], std::move(row));
  }
  times_.clear();
  values_.clear();
}

void Gauges::from_bytes(const std::string& bytes) {
  series_.from_bytes(bytes);
  if (interval_ > 0 && !series_.times.empty())
    next_ = run::next_multiple_after(interval_, series_.times.back());
  if (comm_.is_root()) return;
  series_.times.clear();
  series_.values.clear();
}

}  // namespace terrawave::swe
