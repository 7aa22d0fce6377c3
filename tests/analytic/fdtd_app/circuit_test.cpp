// Lumped elements in the field grid against the equations of their circuits.
//
// A gap of 1 x 1 x N cells of 1 mm between metal planes, with magnetic walls around it, holds a
// uniform field: it is exactly a capacitor C_cell = eps0 A/l in parallel with what is put into it.
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "../../reference/fdtd_app_circuits.hpp"
#include "../../reference/fdtd_app_run.hpp"

namespace terrawave {
namespace {

constexpr double kCell = fdtd::kEps0 * 1e-6 / 2e-3;  // F, of two cells in a row

// `loads` are [[lumped]] entries without position, each ended by ";"; the source has 50 ohm.
std::string gap(int cells, const std::string& waveform, const std::string& loads, int steps,
                double courant) {
  const std::string top = "[\"1 mm\", \"1 mm\", \"" + std::to_string(cells) + " mm\"]\n";
  const std::string place = "direction = \"z+\"\nfrom = [0, 0, 0]\nto = " + top;
  std::string text = "[fdtd]\nf_max = \"10 GHz\"\ncourant = " + std::to_string(courant) +
                     "\n[fdtd.stop]\nsteps = " + std::to_string(steps) +
                     "\n[domain]\ncell = [1e-3, 1e-3, 1e-3]\ncells = [1, 1, " +
                     std::to_string(cells) + R"(]
[[boundary]]
faces = ["all"]
kind = "pmc"
[[boundary]]
faces = ["z-", "z+"]
kind = "pec"
[[waveform]]
name = "w"
)" + waveform + R"(
[[source]]
name = "source"
kind = "voltage"
waveform = "w"
resistance = 50
)" + place + "[[probe]]\nname = \"v\"\nkind = \"voltage\"\ndirection = \"z+\"\nfrom = [0, 0, 0]\n" +
                     "to = [0, 0, \"" + std::to_string(cells) + " mm\"]\n";
  for (std::size_t at = 0; at < loads.size();) {
    const auto end = loads.find(';', at);
    text += "[[lumped]]\nname = \"e" + std::to_string(at) + "\"\n" + place +
            loads.substr(at, end - at) + "\n";
    at = end + 1;
  }
  return text;
}

const char* kPulse = "kind = \"gaussian\"\nwidth = \"0.16 ns\"\ndelay = \"0.72 ns\"";
double pulse(double t) { return std::exp(-std::pow((t - 0.72e-9) / 0.16e-9, 2)); }

// Largest difference of the series and the reference, over the largest reference.
template <std::size_t N>
double difference(const std::vector<double>& v, const std::vector<std::array<double, N>>& y) {
  double worst = 0, peak = 0;
  for (std::size_t n = 0; n < v.size(); ++n) {
    worst = std::max(worst, std::abs(v[n] - y[n][0]));
    peak = std::max(peak, std::abs(y[n][0]));
  }
  return worst / peak;
}

TEST(Circuit, ResistorAndCapacitor) {
  test::FdtdRun r(gap(2, kPulse, "kind = \"resistor\"\nR = 100;kind = \"capacitor\"\nC = \"2 pF\";",
                      1500, 0.9));
  r.run();
  // v' = ((s - v)/Rs - v/R)/(C + C_cell)
  const auto ode = reference::integrate<1>(
      [](double t, const std::array<double, 1>& y) {
        return std::array{((pulse(t) - y[0]) / 50 - y[0] / 100) / (2e-12 + kCell)};
      },
      {0}, r.dt(), 1500);
  EXPECT_LT(difference(r.series("v"), ode), 1e-2);
}

TEST(Circuit, TimeConstantIncludesTheCell) {
  // Free decay: v(t + T)/v(t) = exp(-T/tau), tau = Rs (C + C_cell).
  test::FdtdRun r(gap(2, kPulse, "kind = \"capacitor\"\nC = \"1 pF\";", 1800, 0.5));
  r.run();
  const auto& v = r.series("v");
  const auto a = std::size_t(1.5e-9 / r.dt()), b = a + 50;
  ASSERT_LT(b, v.size());
  const double tau = -r.dt() * 50 / std::log(v[b] / v[a]);
  // The trapezoidal rule's tau is dt/(2 atanh(dt/(2 tau))): 1 - (dt/tau)^2/12 of the true one.
  const double exact = 50 * (1e-12 + kCell);
  EXPECT_NEAR(tau / exact, 1, std::pow(r.dt() / exact, 2) / 12 + 1e-6);
}

TEST(Circuit, ParallelRlcRingsAtItsResonance) {
  const int steps = 3000;  // 10 nH, 10 pF: f0 = 503.29 MHz without the cell
  test::FdtdRun r(gap(2, kPulse, "kind = \"parallel_rlc\"\nR = 2000\nL = \"10 nH\"\nC = \"10 pF\";",
                      steps, 0.9));
  r.run();
  const auto ode = reference::integrate<2>(
      [](double t, const std::array<double, 2>& y) {
        return std::array{((pulse(t) - y[0]) / 50 - y[0] / 2000 - y[1]) / (10e-12 + kCell),
                          y[0] / 10e-9};
      },
      {0, 0}, r.dt(), steps);
  EXPECT_LT(difference(r.series("v"), ode), 1e-2);
}

TEST(Circuit, SeriesRlcOfElsherbeniAndDemir) {
  const int steps = 3000;  // 50 ohm, 10 nH, 10 pF in a row behind a 50-ohm source
  test::FdtdRun r(
      gap(2, kPulse, "kind = \"series_rlc\"\nR = 50\nL = \"10 nH\"\nC = \"10 pF\";", steps, 0.9));
  r.run();
  const auto ode = reference::integrate<3>(
      [](double t, const std::array<double, 3>& y) {  // v, i, vC
        return std::array{((pulse(t) - y[0]) / 50 - y[1]) / kCell,
                          (y[0] - 50 * y[1] - y[2]) / 10e-9, y[1] / 10e-12};
      },
      {0, 0, 0}, r.dt(), steps, 100);
  EXPECT_LT(difference(r.series("v"), ode), 1e-2);
}

TEST(Circuit, DiodeClipsASine) {
  const int steps = 2000;
  test::FdtdRun r(gap(1, "kind = \"sine\"\nfrequency = \"1 GHz\"\nramp = \"1 ns\"\n",
                      "kind = \"diode\";", steps, 0.9));
  r.run();
  const double vt = 1.380649e-23 * 298 / 1.602176634e-19;
  double worst = 0;
  const auto& v = r.series("v");
  for (std::size_t n = 0; n < v.size(); ++n) {
    const double t = double(n + 1) * r.dt();
    const double ramp = t < 1e-9 ? 0.5 * (1 - std::cos(std::numbers::pi * t / 1e-9)) : 1;
    const double s = ramp * std::sin(2 * std::numbers::pi * 1e9 * t);
    // The anode is at the low end, the probe's positive end is the high one.
    const double exact = -reference::diode_voltage(-s, 50, 1e-14, vt);
    worst = std::max(worst, std::abs(v[n] - exact));
  }
  // Delays of tau = 50 C_cell = 0.44 ps and of half a step, 0.87 ps, times 2 pi V/ns: 8.2 mV.
  EXPECT_LT(worst, 8.5e-3);
}

// A tank in the gap, struck by a current without resistance: nothing is lost, so that what fields
// and elements hold together stays, while either alone comes and goes. E is known at n dt and the
// current half a step earlier: a ripple of w dt, w being the tank's.
TEST(Circuit, FieldsAndElementsTogetherKeepTheirEnergy) {
  struct Tank {
    const char* text;
    double farad;  // that its inductor of 100 nH sees, beside the cell's in series with C or alone
  };
  for (const Tank& tank : {Tank{"kind = \"parallel_rlc\"\nL = \"100 nH\"\nC = \"25 pF\";", 25e-12},
                           Tank{"kind = \"series_rlc\"\nL = \"100 nH\"\nC = \"5 pF\";", kCell}}) {
    std::string text = gap(2, "kind = \"gaussian\"\nwidth = \"0.3 ns\"", tank.text, 12000, 0.9);
    text.replace(text.find("kind = \"voltage\""), 16, "kind = \"current\"");
    text.erase(text.find("resistance = 50"), 15);
    test::FdtdRun r(text);
    r.run();
    const auto& run = r.solver->results()[0];
    double least = 1e300, most = 0;
    std::size_t looks = 0;
    for (std::size_t n = 0; n < run.energies.size(); ++n)
      if (run.energy_times[n] > 1.1 * r.solver->built().setup.last_source_time) {
        least = std::min(least, run.energies[n]);
        most = std::max(most, run.energies[n]);
        ++looks;
      }
    EXPECT_GT(looks, 50u);
    EXPECT_GT(least, 0);
    EXPECT_LT(most / least - 1, 1.1 * r.dt() / std::sqrt(100e-9 * tank.farad));
  }
}

}  // namespace
}  // namespace terrawave
