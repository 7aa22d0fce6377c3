#include "terrawave/solvers/fdtd/sources_waveform.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <numbers>
#include <sstream>

#include <fmt/format.h>

#include "terrawave/base/error.hpp"

namespace terrawave::fdtd {

using std::numbers::pi;

double Waveform::operator()(double t) const {
  const double s = width > 0 ? (t - delay) / width : 0;
  switch (kind) {
    case Kind::gaussian:
      return std::exp(-s * s);
    case Kind::differentiated:  // peak 1 at s = -1/sqrt(2)
      return -std::sqrt(2 * std::numbers::e) * s * std::exp(-s * s);
    case Kind::modulated:
      return std::exp(-s * s) * std::cos(2 * pi * frequency * (t - delay) + phase);
    case Kind::sine: {
      if (t <= 0) return 0;
      const double ramp = width > 0 && t < width ? 0.5 * (1 - std::cos(pi * t / width)) : 1;
      return ramp * std::sin(2 * pi * frequency * t + phase);
    }
    case Kind::ricker: {
      const double a = pi * frequency * (t - delay);
      return (1 - 2 * a * a) * std::exp(-a * a);
    }
    case Kind::samples: {
      if (times.empty() || t < times.front() || t > times.back()) return 0;
      const auto above = std::upper_bound(times.begin(), times.end(), t);
      if (above == times.end()) return values.back();
      const auto i = std::size_t(above - times.begin());
      const double f = (t - times[i - 1]) / (times[i] - times[i - 1]);
      return values[i - 1] + f * (values[i] - values[i - 1]);
    }
  }
  return 0;
}

double Waveform::end() const {
  switch (kind) {
    case Kind::sine:
      return std::numeric_limits<double>::infinity();
    case Kind::samples:
      return times.empty() ? 0 : times.back();
    case Kind::ricker:
      return delay + 4.2 / (pi * frequency);
    default:
      return delay + 3.9 * width;  // exp(-3.9^2) = 2.5e-7, times s in the differentiated one 1e-6
  }
}

double Waveform::highest_frequency(double level) const {
  const double reach = std::sqrt(-std::log(level));
  switch (kind) {
    case Kind::gaussian:
      return reach / (pi * width);
    case Kind::modulated:
      return frequency + reach / (pi * width);
    case Kind::differentiated: {
      // x exp(1/2 - x^2/2) = level, x = sqrt(2) pi f w > 1
      double low = 1, high = 20;
      for (int i = 0; i < 100; ++i) {
        const double x = (low + high) / 2;
        (x * std::exp(0.5 - x * x / 2) > level ? low : high) = x;
      }
      return low / (std::numbers::sqrt2 * pi * width);
    }
    case Kind::ricker: {
      double low = 1, high = 20;  // (f/fp)^2 exp(1 - (f/fp)^2) = level
      for (int i = 0; i < 100; ++i) {
        const double x = (low + high) / 2;
        (x * x * std::exp(1 - x * x) > level ? low : high) = x;
      }
      return low * frequency;
    }
    case Kind::sine:
      return width > 0 ? frequency + 1 / width : frequency;
    case Kind::samples: {
      double shortest = std::numeric_limits<double>::infinity();
      for (std::size_t i = 1; i < times.size(); ++i)
        shortest = std::min(shortest, times[i] - times[i - 1]);
      return 0.5 / shortest;
    }
  }
  return 0;
}

double gaussian_width(double f_max) { return std::sqrt(std::numbers::ln10) / (pi * f_max); }
double default_delay(double width) { return 4.5 * width; }

Waveform read_samples(const std::string& file) {
  std::ifstream in(file);
  if (!in) throw InputError(fmt::format("cannot open {}", file));
  Waveform w;
  w.kind = Waveform::Kind::samples;
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    std::replace_if(
        line.begin(), line.end(), [](char c) { return c == ',' || c == ';' || c == '\t'; }, ' ');
    const auto first = line.find_first_not_of(" \r");
    if (first == std::string::npos || line[first] == '#') continue;
    std::istringstream fields(line);
    double t = 0, v = 0;
    if (!(fields >> t >> v) || !std::isfinite(t) || !std::isfinite(v)) {
      if (w.times.empty() && std::isalpha(static_cast<unsigned char>(line[first]))) continue;
      throw InputError(fmt::format("{}:{}: expected a time in seconds and a value", file, number));
    }
    if (!w.times.empty() && t <= w.times.back())
      throw InputError(fmt::format("{}:{}: times must increase, found {:g} after {:g}", file,
                                   number, t, w.times.back()));
    w.times.push_back(t);
    w.values.push_back(v);
  }
  if (w.times.size() < 2) throw InputError(fmt::format("{}: needs at least two samples", file));
  return w;
}

}  // namespace terrawave::fdtd
