// A microstrip line into an absorbing end: impedance and effective permittivity.
#include <cmath>
#include <complex>
#include <numbers>

#include <fmt/format.h>
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

constexpr double kHeight = 0.795e-3, kWidth = 2.4384e-3;
constexpr double kAlong = 0.635e-3;  // a cell along the line on the coarse grid

// The line with the strip 4 n cells wide and 2 n cells above the ground, everything else at the
// same places.
std::string line_case(int n) {
  const double dx = kWidth / 4 / n, dy = kAlong / n, dz = kHeight / 2 / n;
  const auto mm = [](double x) { return fmt::format("\"{:.10f} mm\"", x * 1e3); };
  const double left = 14 * n * dx, right = left + kWidth, start = 15 * n * dy;
  const auto probe = [&](const char* name, double y) {
    return fmt::format(
        "[[probe]]\nname = \"{}\"\nkind = \"voltage\"\ndirection = \"z+\"\n"
        "from = [{}, {}, {}]\nto = [{}, {}, {}]\n",
        name, mm(16 * n * dx), mm(y), mm(0), mm(16 * n * dx), mm(y), mm(kHeight));
  };
  return fmt::format(
             R"(
[fdtd]
f_max = "20 GHz"
min_cells_per_wavelength = 9
[fdtd.stop]
steps = {}
[domain]
cell = [{}, {}, {}]
cells = [{}, {}, {}]
[[boundary]]
faces = ["all"]
kind = "cpml"
layers = {}
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
to = ["50 mm", "90 mm", {}]
[[object]]
name = "strip"
kind = "plate"
material = "pec"
clip = true
from = [{}, {}, {}]
to = [{}, "90 mm", {}]
[[port]]
name = "in"
from = [{}, {}, "0 mm"]
to = [{}, {}, {}]
direction = "z+"
line = "y+"
distance = {}
)",
             1000 * n, mm(dx), mm(dy), mm(dz), 32 * n, 60 * n, 19 * n, 8 * n, mm(kHeight), mm(left),
             mm(start), mm(kHeight), mm(right), mm(kHeight), mm(left), mm(start), mm(right),
             mm(start), mm(kHeight), mm(14 * n * dy)) +
         probe("v1", start + 14 * n * dy) + probe("v2", start + 28 * n * dy);
}

struct Line {
  std::vector<std::complex<double>> z;
  std::vector<double> eps;
};

Line measured(int n, const std::vector<double>& f) {
  test::FdtdRun r(line_case(n));
  r.run();
  const auto v = fdtd::spectrum_of(r.series("in V"), r.dt(), 1, 0, f);
  const auto i = fdtd::spectrum_of(r.series("in I"), r.dt(), 1, -0.5, f);
  const auto a = fdtd::spectrum_of(r.series("v1"), r.dt(), 1, 0, f);
  const auto b = fdtd::spectrum_of(r.series("v2"), r.dt(), 1, 0, f);
  Line line;
  for (std::size_t k = 0; k < f.size(); ++k) {
    line.z.push_back(v[k] / i[k]);
    const double beta = -std::arg(b[k] / a[k]) / (14 * kAlong);
    line.eps.push_back(std::pow(beta * fdtd::kLightSpeed / (2 * std::numbers::pi * f[k]), 2));
  }
  return line;
}

// The field is singular at the edges of a sheet, so a strip of cells acts as a wider one and the
// error is of first order in the cell: two grids, extrapolated to cells of no size.
TEST(Line, ImpedanceAndEffectivePermittivity) {
  const std::vector<double> f = {1.5e9, 2e9, 3e9};
  const Line coarse = measured(1, f), fine = measured(2, f);
  const double wh = kWidth / kHeight, z0 = hammerstad_z(2.2, wh), eps0 = hammerstad_eps(2.2, wh);
  for (std::size_t k = 0; k < f.size(); ++k) {
    const std::complex<double> z = 2.0 * fine.z[k] - coarse.z[k];
    const double eps = 2 * fine.eps[k] - coarse.eps[k];
    std::printf(
        "%.1f GHz: Z = %.2f, %.2f -> %.2f %+.2fj ohm (%.2f), eps_eff = %.4f, %.4f -> %.4f "
        "(%.4f)\n",
        f[k] / 1e9, coarse.z[k].real(), fine.z[k].real(), z.real(), z.imag(), z0, coarse.eps[k],
        fine.eps[k], eps, eps0);
    EXPECT_NEAR(z.real(), z0, 0.02 * z0);
    EXPECT_NEAR(z.imag(), 0, 1.5);
    EXPECT_NEAR(eps, eps0, 0.02 * eps0);
  }
}

}  // namespace
}  // namespace terrawave
