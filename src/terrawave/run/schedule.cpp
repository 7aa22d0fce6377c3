#include "terrawave/run/schedule.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "terrawave/base/error.hpp"
#include "terrawave/run/case.hpp"

namespace terrawave::run {
namespace {
constexpr std::int64_t kCheckEvery = 64;
}

Stride stride(double t, double next, double max_dt) {
  const double rest = std::max(next - t, 0.0);
  if (rest <= max_dt * (1 + 1e-12)) return {rest, true};
  if (rest < 2 * max_dt) return {rest / 2, false};
  return {max_dt, false};
}

std::int64_t step_reaching(double time, double dt) {
  const double n = time / dt;
  const double whole = std::round(n);
  const double tolerance = 1e-9 * std::max(1.0, std::abs(n) * 1e-3);
  return static_cast<std::int64_t>(std::abs(n - whole) <= tolerance ? whole : std::ceil(n));
}

double next_after(std::span<const double> times, double t) {
  const auto it = std::upper_bound(times.begin(), times.end(), t);
  return it == times.end() ? std::numeric_limits<double>::infinity() : *it;
}

double next_multiple_after(double interval, double t) {
  double k = std::floor(t / interval);
  while (k * interval <= t) ++k;
  return k * interval;
}

bool is_checked(std::int64_t step) {
  return step % kCheckEvery == 0 || (step < kCheckEvery && (step & (step - 1)) == 0);
}

std::int64_t next_checked(std::int64_t step) {
  std::int64_t n = step + 1;
  while (!is_checked(n)) ++n;
  return n;
}

std::vector<double> output_times(double interval, double end) {
  require(interval > 0, "output_times needs an interval above 0");
  if (!std::isfinite(end)) throw InputError("outputs at an interval need an end time");
  std::vector<double> times;
  for (std::int64_t k = 0;; ++k) {
    const double t = static_cast<double>(k) * interval;
    if (t >= end - 1e-9 * interval) break;
    times.push_back(t);
  }
  times.push_back(end);
  return times;
}

std::vector<double> output_times(std::vector<double> chosen, double end) {
  std::erase_if(chosen, [end](double t) { return !(t >= 0 && t <= end); });
  std::sort(chosen.begin(), chosen.end());
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  return chosen;
}

}  // namespace terrawave::run
