// Flow to several receivers, on the host.
#include "terrawave/solvers/terrain/terrain_multiflow.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include "terrawave/base/error.hpp"
#include "terrawave/solvers/terrain/host_copies.hpp"

namespace terrawave::terrain {
namespace {

constexpr double pi = std::numbers::pi;

// Tarboton's facets: a cardinal neighbour, the diagonal beside it, and the turn from the one to
// the other (+1 counter-clockwise).
struct Facet {
  int cardinal, diagonal, turn;
};
constexpr Facet facets[8] = {{0, 7, 1}, {6, 7, -1}, {6, 5, 1}, {4, 5, -1},
                             {4, 3, 1}, {2, 3, -1}, {2, 1, 1}, {0, 1, -1}};
constexpr double angle_of_cardinal[8] = {0, 0, 1.5 * pi, 0, pi, 0, 0.5 * pi, 0};

struct Steepest {
  int facet = -1;   // -1: nothing is lower
  double r = 0;     // from the cardinal toward the diagonal
  double full = 1;  // angle between the two
};

template <class T>
class Surface {
 public:
  Surface(const Grid& grid, const std::vector<T>& z, const std::vector<std::uint8_t>& state)
      : grid_(grid), z_(z), state_(state) {}
  bool flows(Index c) const { return state_[std::size_t(c)] == std::uint8_t(CellState::valid); }
  // The neighbour's index where it holds data, or -1.
  Index data(Index c, int k) const {
    const Index n = grid_.neighbour(c, k);
    return n >= 0 && is_data(state_[std::size_t(n)]) ? n : -1;
  }
  double height(Index c) const { return double(z_[std::size_t(c)]); }

  // Tarboton (1997), equations 1 to 5.
  Steepest steepest(Index c) const {
    Steepest best;
    double most = 0;
    const Index row = c / grid_.cols;
    for (int f = 0; f < 8; ++f) {
      const Index n1 = data(c, facets[f].cardinal);
      const Index n2 = data(c, facets[f].diagonal);
      const double d1 = grid_.distance(row, facets[f].cardinal);
      const double d2 = (facets[f].cardinal & 3) == 0 ? grid_.dy : grid_.width(row);
      const double full = std::atan2(d2, d1);
      double r = 0;
      double slope = 0;
      if (n1 >= 0 && n2 >= 0) {
        const double s1 = (height(c) - height(n1)) / d1;
        const double s2 = (height(n1) - height(n2)) / d2;
        r = std::atan2(s2, s1);
        slope = std::hypot(s1, s2);
        if (r < 0) r = 0, slope = s1;
        if (r > full) r = full, slope = (height(c) - height(n2)) / std::hypot(d1, d2);
      } else if (n1 >= 0) {
        slope = (height(c) - height(n1)) / d1;
      } else if (n2 >= 0) {
        r = full;
        slope = (height(c) - height(n2)) / std::hypot(d1, d2);
      }
      if (slope > most) {
        most = slope;
        best = {f, r, full};
      }
    }
    return best;
  }

  // s^p (or (L s)^p) over strictly lower neighbours, adding up to 1.
  void share(Index c, MultiRule rule, double exponent, double* to) const {
    const Index row = c / grid_.cols;
    double weight[kNeighbours] = {};
    double most = 0;
    for (int k = 0; k < kNeighbours; k += grid_.step()) {
      const Index n = data(c, k);
      if (n < 0 || height(n) >= height(c)) continue;
      const double length =
          rule != MultiRule::quinn ? 1.0 : ((k & 1) != 0 ? std::sqrt(2.0) / 4 : 0.5);
      weight[k] = length * (height(c) - height(n)) / grid_.distance(row, k);
      most = std::max(most, weight[k]);
    }
    if (most == 0) return;
    double sum = 0;
    for (double& w : weight) {
      w = w > 0 ? std::pow(w / most, exponent) : 0;
      sum += w;
    }
    for (int k = 0; k < kNeighbours; ++k) to[k] = weight[k] / sum;
  }

 private:
  const Grid& grid_;
  const std::vector<T>& z_;
  const std::vector<std::uint8_t>& state_;
};

void require_d8(const Grid& grid) {
  if (grid.connectivity != Connectivity::d8)
    throw InputError("D-infinity needs all eight neighbours, not the four of D4");
}

}  // namespace

template <class T>
void multiflow_fractions(const par::Queue& queue, const Grid& grid, par::View<const T> z,
                         par::View<const std::uint8_t> state, MultiRule rule, double exponent,
                         par::View<double> fractions) {
  if (rule == MultiRule::dinf) require_d8(grid);
  if (rule != MultiRule::dinf && !(exponent > 0 && std::isfinite(exponent)))
    throw InputError("the exponent of multiple flow: expected a positive number, found " +
                     std::to_string(exponent));
  const std::vector<T> heights = to_host(queue, z);
  const std::vector<std::uint8_t> states = to_host(queue, state);
  const Surface<T> surface(grid, heights, states);
  const Index n = grid.cells();
  std::vector<double> all(std::size_t(kNeighbours * n), 0.0);
#pragma omp parallel for schedule(static) num_threads(queue.threads())
  for (Index c = 0; c < n; ++c) {
    if (!surface.flows(c)) continue;
    double to[kNeighbours] = {};
    if (rule == MultiRule::dinf) {
      const Steepest s = surface.steepest(c);
      if (s.facet >= 0) {
        to[facets[s.facet].diagonal] = s.r / s.full;
        to[facets[s.facet].cardinal] = (s.full - s.r) / s.full;
      }
    } else {
      surface.share(c, rule, exponent, to);
    }
    for (int k = 0; k < kNeighbours; ++k) all[std::size_t(k * n + c)] = to[k];
  }
  to_device(queue, all, fractions);
}

template <class T>
void dinf_angles(const par::Queue& queue, const Grid& grid, par::View<const T> z,
                 par::View<const std::uint8_t> state, par::View<double> angles) {
  require_d8(grid);
  const std::vector<T> heights = to_host(queue, z);
  const std::vector<std::uint8_t> states = to_host(queue, state);
  const Surface<T> surface(grid, heights, states);
  std::vector<double> all(std::size_t(grid.cells()), -1.0);
#pragma omp parallel for schedule(static) num_threads(queue.threads())
  for (Index c = 0; c < grid.cells(); ++c) {
    double& angle = all[std::size_t(c)];
    if (!is_data(states[std::size_t(c)])) angle = std::numeric_limits<double>::quiet_NaN();
    if (!surface.flows(c)) continue;
    const Steepest s = surface.steepest(c);
    if (s.facet < 0) continue;
    const Facet& f = facets[s.facet];
    angle = angle_of_cardinal[f.cardinal] + f.turn * s.r;
    if (angle < 0) angle += 2 * pi;
    if (angle >= 2 * pi) angle -= 2 * pi;
  }
  to_device(queue, all, angles);
}

void dinf_fractions(const par::Queue& queue, const Grid& grid, par::View<const double> angles,
                    par::View<double> fractions) {
  require_d8(grid);
  const std::vector<double> given = to_host(queue, angles);
  const Index n = grid.cells();
  std::vector<double> all(std::size_t(kNeighbours * n), 0.0);
  for (Index c = 0; c < n; ++c) {
    const double angle = given[std::size_t(c)];
    if (!(angle >= 0)) continue;
    if (!(angle <= 2 * pi))
      throw InputError("an angle of flow: expected 0 to 2 pi, found " + std::to_string(angle));
    const Index row = c / grid.cols;
    for (const Facet& f : facets) {
      double r = f.turn * (angle - angle_of_cardinal[f.cardinal]);
      if (f.cardinal == 0 && f.turn < 0 && angle > pi) r = 2 * pi - angle;
      const double d1 = grid.distance(row, f.cardinal);
      const double d2 = (f.cardinal & 3) == 0 ? grid.dy : grid.width(row);
      const double full = std::atan2(d2, d1);
      if (r < 0 || r > full) continue;
      all[std::size_t(f.diagonal * n + c)] = r / full;
      all[std::size_t(f.cardinal * n + c)] = (full - r) / full;
      break;
    }
  }
  to_device(queue, all, fractions);
}

void multiflow_accumulate(const par::Queue& queue, const Grid& grid,
                          par::View<const double> fractions, par::View<const std::uint8_t> state,
                          par::View<const double> weights, par::View<double> out) {
  const std::vector<double> share = to_host(queue, fractions);
  const std::vector<std::uint8_t> states = to_host(queue, state);
  const std::vector<double> weight = to_host(queue, weights);
  const Index n = grid.cells();
  std::vector<double> sum(std::size_t(n), 0.0);
  std::vector<std::int8_t> waits(std::size_t(n), 0);  // donors that are not final
  const auto given = [&](Index donor, int k) { return share[std::size_t(k * n + donor)]; };
  const auto data = [&](Index c) { return is_data(states[std::size_t(c)]); };
  // Calls f(donor, fraction) in the order of neighbours.
  const auto donors = [&](Index c, auto&& f) {
    for (int k = 0; k < kNeighbours; ++k) {
      const Index d = grid.neighbour(c, k);
      if (d < 0 || !data(d)) continue;
      if (const double part = given(d, opposite(k)); part > 0) f(d, part);
    }
  };
  std::vector<Index> ready;
  Index left = 0;
  for (Index c = 0; c < n; ++c) {
    if (!data(c)) continue;
    ++left;
    donors(c, [&](Index, double) { ++waits[std::size_t(c)]; });
    if (waits[std::size_t(c)] == 0) ready.push_back(c);
  }
  while (!ready.empty()) {
    const Index c = ready.back();
    ready.pop_back();
    --left;
    double value = weight.empty() ? 1.0 : weight[std::size_t(c)];
    donors(c, [&](Index d, double part) { value += part * sum[std::size_t(d)]; });
    sum[std::size_t(c)] = value;
    waits[std::size_t(c)] = -1;
    for (int k = 0; k < kNeighbours; ++k) {
      if (!(given(c, k) > 0)) continue;
      const Index r = grid.neighbour(c, k);
      if (r >= 0 && data(r) && --waits[std::size_t(r)] == 0) ready.push_back(r);
    }
  }
  if (left > 0) {
    // Upstream from an unfinished cell there is always another one: the walk must close.
    Index c = 0;
    while (!data(c) || waits[std::size_t(c)] < 0) ++c;
    std::vector<Index> seen;
    while (std::find(seen.begin(), seen.end(), c) == seen.end()) {
      seen.push_back(c);
      Index up = -1;
      donors(c, [&](Index d, double) {
        if (up < 0 && waits[std::size_t(d)] > 0) up = d;
      });
      c = up;
    }
    seen.erase(seen.begin(), std::find(seen.begin(), seen.end(), c));
    std::string list;
    for (std::size_t i = seen.size(); i-- > 0 && seen.size() - i <= 8;)
      list += " (row " + std::to_string(seen[i] / grid.cols) + ", column " +
              std::to_string(seen[i] % grid.cols) + ")";
    throw InputError("the fractions of flow run in a loop of " + std::to_string(seen.size()) +
                     " cells:" + list);
  }
  to_device(queue, sum, out);
}

template void multiflow_fractions(const par::Queue&, const Grid&, par::View<const std::uint8_t>,
                                  par::View<const std::uint8_t>, MultiRule, double,
                                  par::View<double>);
template void multiflow_fractions(const par::Queue&, const Grid&, par::View<const std::int16_t>,
                                  par::View<const std::uint8_t>, MultiRule, double,
                                  par::View<double>);
template void multiflow_fractions(const par::Queue&, const Grid&, par::View<const std::uint16_t>,
                                  par::View<const std::uint8_t>, MultiRule, double,
                                  par::View<double>);
template void multiflow_fractions(const par::Queue&, const Grid&, par::View<const std::int32_t>,
                                  par::View<const std::uint8_t>, MultiRule, double,
                                  par::View<double>);
template void multiflow_fractions(const par::Queue&, const Grid&, par::View<const float>,
                                  par::View<const std::uint8_t>, MultiRule, double,
                                  par::View<double>);
template void multiflow_fractions(const par::Queue&, const Grid&, par::View<const double>,
                                  par::View<const std::uint8_t>, MultiRule, double,
                                  par::View<double>);
template void dinf_angles(const par::Queue&, const Grid&, par::View<const std::uint8_t>,
                          par::View<const std::uint8_t>, par::View<double>);
template void dinf_angles(const par::Queue&, const Grid&, par::View<const std::int16_t>,
                          par::View<const std::uint8_t>, par::View<double>);
template void dinf_angles(const par::Queue&, const Grid&, par::View<const std::uint16_t>,
                          par::View<const std::uint8_t>, par::View<double>);
template void dinf_angles(const par::Queue&, const Grid&, par::View<const std::int32_t>,
                          par::View<const std::uint8_t>, par::View<double>);
template void dinf_angles(const par::Queue&, const Grid&, par::View<const float>,
                          par::View<const std::uint8_t>, par::View<double>);
template void dinf_angles(const par::Queue&, const Grid&, par::View<const double>,
                          par::View<const std::uint8_t>, par::View<double>);

}  // namespace terrawave::terrain
