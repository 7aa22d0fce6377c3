// Absorbing layers as a case gets them by default, on a wave between two plates.
#include <cmath>
#include <complex>
#include <numbers>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "../../reference/fdtd_app_run.hpp"

namespace terrawave {
namespace {

constexpr double kTop = 15e9;  // f_max

// A sheet of current in the middle of `cells` cells, between plates a cell apart: a plane wave with
// all frequencies from 0 on.
std::vector<double> trace(int cells, std::int64_t steps) {
  test::FdtdRun r(fmt::format(
      "[fdtd]\nf_max = {}\n[fdtd.stop]\nsteps = {}\n[domain]\ncell = [1e-3, 1e-3, 1e-3]\n"
      "cells = [1, 1, {}]\n[[boundary]]\nfaces = [\"x-\", \"x+\"]\nkind = \"pec\"\n"
      "[[boundary]]\nfaces = [\"y-\", \"y+\"]\nkind = \"pmc\"\n"
      "[[boundary]]\nfaces = [\"z-\", \"z+\"]\nkind = \"cpml\"\n"
      "[[waveform]]\nname = \"w\"\nkind = \"gaussian\"\n"
      "[[source]]\nname = \"s\"\nkind = \"current\"\nwaveform = \"w\"\ndirection = \"x+\"\n"
      "from = [0, 0, {}]\nto = [1e-3, 1e-3, {}]\n"
      "[[probe]]\nname = \"e\"\nkind = \"E\"\ndirection = \"x+\"\nat = [5e-4, 0, {}]\n",
      kTop, steps, cells, cells / 2 * 1e-3, cells / 2 * 1e-3, (cells / 2 + 8) * 1e-3));
  r.run();
  return r.series("e");
}

// Below alpha_frequency = f_max/50 layers turn transparent, with their grading slowly: ten of them
// absorb down to f_max/75 as they do at f_max, and 60 dB at f_max/100. The spectrum of what comes
// back needs a record as long as it rings, between the layers' metal ends; a taper cuts the rest.
TEST(Layers, DefaultsAbsorbDownToAHundredthOfTheHighestFrequency) {
  constexpr std::int64_t steps = 40000, pulse = 1000;
  const auto ends = trace(60, steps);
  const auto open = trace(2 * pulse, pulse);  // light goes half a cell a step: no echo yet
  const double dt = 0.95 / (fdtd::kLightSpeed * std::sqrt(3e6));
  const auto reflection = [&](double f) {
    std::complex<double> back = 0, out = 0;
    for (std::int64_t n = 0; n < steps; ++n) {
      const auto turn = std::polar(1.0, -2 * std::numbers::pi * f * dt * double(n));
      const double direct = n < pulse ? open[std::size_t(n)] : 0.0;
      const double taper = n < 2 * pulse
                               ? 1
                               : std::pow(std::cos(std::numbers::pi / 2 * double(n - 2 * pulse) /
                                                   double(steps - 2 * pulse)),
                                          4);
      out += direct * turn;
      back += taper * (ends[std::size_t(n)] - direct) * turn;
    }
    return 20 * std::log10(std::abs(back / out));
  };
  for (const double part : {1.0, 0.5, 0.2, 0.1, 0.05, 0.02, 1.0 / 75, 0.01})
    std::printf("f_max * %.4f: %.1f dB\n", part, reflection(part * kTop));
  for (const double part : {1.0, 0.5, 0.2, 0.1, 0.05, 0.02, 1.0 / 75})
    EXPECT_LT(reflection(part * kTop), -75) << part;
  EXPECT_LT(reflection(0.01 * kTop), -60);
}

}  // namespace
}  // namespace terrawave
