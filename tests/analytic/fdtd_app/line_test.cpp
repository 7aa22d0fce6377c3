// A microstrip line into an absorbing end: impedance and effective permittivity.
#include <cmath>
#include <complex>
#include <numbers>

#include <gtest/gtest.h>

#include "../../reference/fdtd_app_run.hpp"

namespace terrawave {
namespace {

// Hammerstad (1975), w/h > 1, strip without thickness.
double hammerstad_eps(double er, double wh) {
  return (er + 1) / 2 + (er - 1) / 2 / std::sqrt(1 + 12 / wh);
}
double hammerstad_z(double er, double wh) {
  return 120 * std::numbers::pi / std::sqrt(hammerstad_eps(er, wh)) /
         (wh + 1.393 + 0.667 * std::log(wh + 1.444));
}

const char* kLine = R"(
[fdtd]
f_max = "20 GHz"
[fdtd.stop]
steps = 1500
[domain]
cell = ["0.4064 mm", "0.4233 mm", "0.265 mm"]
cells = [40, 80, 24]
[[boundary]]
faces = ["all"]
kind = "cpml"
layers = 8
[[boundary]]
faces = ["z-"]
kind = "pec"
[[material]]
name = "board"
eps_r = 2.2
[[object]]
name = "board"
kind = "box"
material = "board"
clip = true
from = ["-1 mm", "-1 mm", "0 mm"]
to = ["20 mm", "40 mm", "0.795 mm"]
[[object]]
name = "strip"
kind = "plate"
material = "pec"
clip = true
from = ["6.9088 mm", "6.3495 mm", "0.795 mm"]
to = ["9.3472 mm", "40 mm", "0.795 mm"]
[[port]]
name = "in"
from = ["6.9088 mm", "6.3495 mm", "0 mm"]
to = ["9.3472 mm", "6.3495 mm", "0.795 mm"]
direction = "z+"
line = "y+"
distance = "8.466 mm"
[[probe]]
name = "v1"
kind = "voltage"
direction = "z+"
from = ["8.128 mm", "14.8155 mm", "0 mm"]
to = ["8.128 mm", "14.8155 mm", "0.795 mm"]
[[probe]]
name = "v2"
kind = "voltage"
direction = "z+"
from = ["8.128 mm", "23.2815 mm", "0 mm"]
to = ["8.128 mm", "23.2815 mm", "0.795 mm"]
)";

TEST(Line, ImpedanceAndEffectivePermittivity) {
  test::FdtdRun r(kLine);
  r.run();
  const std::vector<double> f = {1.5e9, 2e9, 3e9};
  // The field's singularity at the edges of a sheet makes it act a third of a cell wider on each
  // side than drawn: 6 + 2/3 cells.
  const double wh = (6 + 2.0 / 3) * 0.4064 / 0.795;
  const auto v = fdtd::spectrum_of(r.series("in V"), r.dt(), 1, 0, f);
  const auto i = fdtd::spectrum_of(r.series("in I"), r.dt(), 1, -0.5, f);
  const auto a = fdtd::spectrum_of(r.series("v1"), r.dt(), 1, 0, f);
  const auto b = fdtd::spectrum_of(r.series("v2"), r.dt(), 1, 0, f);
  for (std::size_t n = 0; n < f.size(); ++n) {
    const std::complex<double> z = v[n] / i[n];
    const double beta = -std::arg(b[n] / a[n]) / 8.466e-3;
    const double eps = std::pow(beta * fdtd::kLightSpeed / (2 * std::numbers::pi * f[n]), 2);
    std::printf("%.1f GHz: Z = %.2f %+.2fj ohm (%.2f), eps_eff = %.4f (%.4f)\n", f[n] / 1e9,
                z.real(), z.imag(), hammerstad_z(2.2, wh), eps, hammerstad_eps(2.2, wh));
    EXPECT_NEAR(z.real(), hammerstad_z(2.2, wh), 0.02 * z.real());
    EXPECT_NEAR(z.imag(), 0, 1.5);
    EXPECT_NEAR(eps, hammerstad_eps(2.2, wh), 0.02 * eps);
  }
}

}  // namespace
}  // namespace terrawave
