// Time courses of sources.
#include <cmath>
#include <complex>
#include <fstream>

#include <gtest/gtest.h>

#include "terrawave/base/error.hpp"
#include "terrawave/solvers/fdtd/sources_waveform.hpp"

namespace terrawave::fdtd {
namespace {

using Kind = Waveform::Kind;

// |sum w(t) exp(-j 2 pi f t) dt| over the whole signal.
double spectrum(const Waveform& w, double f, double end) {
  std::complex<double> sum = 0;
  const int n = 20000;
  for (int i = 0; i < n; ++i) {
    const double t = end * i / n;
    sum += w(t) * std::polar(1.0, -2 * M_PI * f * t) * (end / n);
  }
  return std::abs(sum);
}

TEST(Waveform, GaussianHasTenPercentOfItsSpectrumAtFMax) {
  Waveform w;
  w.width = gaussian_width(10e9);
  w.delay = default_delay(w.width);
  EXPECT_DOUBLE_EQ(w(w.delay), 1);
  EXPECT_LT(w(0), 2e-9);
  EXPECT_LT(w(w.end()), 1e-6);
  EXPECT_NEAR(spectrum(w, 10e9, 2 * w.delay) / spectrum(w, 0, 2 * w.delay), 0.1, 1e-4);
  EXPECT_NEAR(spectrum(w, w.highest_frequency(), 2 * w.delay) / spectrum(w, 0, 2 * w.delay), 0.01,
              1e-4);
}

TEST(Waveform, DifferentiatedPeaksAtOneAndHasNoMean) {
  Waveform w;
  w.kind = Kind::differentiated;
  w.width = 20e-12;
  w.delay = default_delay(w.width);
  EXPECT_NEAR(w(w.delay - w.width / std::sqrt(2.0)), 1, 1e-12);
  EXPECT_NEAR(spectrum(w, 0, 2 * w.delay), 0, 1e-20);
  const double peak_f = 1 / (std::sqrt(2.0) * M_PI * w.width);
  EXPECT_NEAR(spectrum(w, w.highest_frequency(0.1), 2 * w.delay) / spectrum(w, peak_f, 2 * w.delay),
              0.1, 1e-4);
}

TEST(Waveform, RickerHasItsPeakWhereItSays) {
  Waveform w;
  w.kind = Kind::ricker;
  w.frequency = 2e9;
  w.delay = 1.5 / w.frequency;
  const double end = 2 * w.delay;
  const double at = spectrum(w, 2e9, end);
  EXPECT_GT(at, spectrum(w, 1.9e9, end));
  EXPECT_GT(at, spectrum(w, 2.1e9, end));
  EXPECT_NEAR(spectrum(w, w.highest_frequency(0.1), end) / at, 0.1, 1e-3);
}

TEST(Waveform, ModulatedAndRampedSine) {
  Waveform w;
  w.kind = Kind::modulated;
  w.width = 1e-9;
  w.delay = 5e-9;
  w.frequency = 3e9;
  EXPECT_DOUBLE_EQ(w(5e-9), 1);
  EXPECT_NEAR(w(5e-9 + 0.5 / 3e9), -std::exp(-std::pow(0.5 / 3, 2)), 1e-9);
  Waveform s;
  s.kind = Kind::sine;
  s.frequency = 500e6;
  s.width = 2e-9;
  EXPECT_EQ(s(0), 0);
  EXPECT_NEAR(s(10.5e-9), std::sin(2 * M_PI * 0.5 * 10.5), 1e-9);
  EXPECT_NEAR(s(0.5e-9), 0.5 * (1 - std::cos(M_PI / 4)), 1e-12);
  EXPECT_TRUE(std::isinf(s.end()));
}

TEST(Waveform, SamplesAreReadAndJoinedByLines) {
  const std::string file = testing::TempDir() + "wave.csv";
  std::ofstream(file) << "# pulse\ntime,value\n0,0\n1e-9,2\n3e-9,-2\n";
  const Waveform w = read_samples(file);
  EXPECT_DOUBLE_EQ(w(0.5e-9), 1);
  EXPECT_NEAR(w(2e-9), 0, 1e-12);
  EXPECT_EQ(w(4e-9), 0);
  EXPECT_DOUBLE_EQ(w.end(), 3e-9);
  std::ofstream(file) << "0 0\n1 1\n1 2\n";
  EXPECT_THROW(read_samples(file), InputError);
  std::ofstream(file) << "0 0\nnonsense\n";
  EXPECT_THROW(read_samples(file), InputError);
  EXPECT_THROW(read_samples(file + ".absent"), InputError);
}

}  // namespace
}  // namespace terrawave::fdtd
