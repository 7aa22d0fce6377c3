// Time courses of sources. Dimensionless with peak about 1; t in seconds.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace terrawave::fdtd {

struct Waveform {
  enum class Kind { gaussian, differentiated, modulated, sine, ricker, samples };
  Kind kind = Kind::gaussian;
  std::string name;
  double width = 0;      // s: exp(-((t - delay)/width)^2); for a ramped sine the length of the ramp
  double delay = 0;      // s: time of the peak
  double frequency = 0;  // Hz: carrier (modulated, sine) or peak of the spectrum (ricker)
  double phase = 0;      // rad
  std::vector<double> times, values;  // samples, linear between, 0 outside

  double operator()(double t) const;
  // The last time at which the signal matters (below 1e-6 of its peak after); +inf for a sine.
  double end() const;
  // The highest frequency with a spectrum above `level` of its peak, Hz.
  double highest_frequency(double level = 1e-2) const;
};

// Widths from the highest frequency of interest (spectrum down to 10 % of its peak at f_max):
// exp(-(pi f w)^2) = 0.1, so w = sqrt(ln 10)/(pi f_max); delay 4.5 w puts the start at 1.6e-9.
double gaussian_width(double f_max);
double default_delay(double width);

// Reads two columns (time in s, value) of a text or CSV file; lines that begin with # and one
// header line are skipped. Throws InputError naming file and line.
Waveform read_samples(const std::string& file);

}  // namespace terrawave::fdtd
