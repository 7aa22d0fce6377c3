// What a case that can be run is warned about, before and after its runs.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "terrawave/solvers/fdtd/fdtd_case_solver.hpp"

namespace terrawave::fdtd {
namespace {

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& n : names) text += (text.empty() ? "\"" : ", \"") + n + "\"";
  return text;
}

// S-parameters are quotients of spectra: where the drive has next to nothing, they are noise.
void warn_of_weak_drive(BuiltCase& built) {
  const Setup& s = built.setup;
  if (s.driven.empty()) return;
  // Finer than the grid's shortest period, and as long as the drive or, of one without end, 100
  // periods of f_max.
  double step = 1 / (16 * s.f_max);
  const double end = std::isfinite(s.drive.end()) ? s.drive.end() : 100 / s.f_max;
  step = std::max(step, end / 1e5);
  std::vector<double> samples;
  for (double t = step; t < end; t += step) samples.push_back(s.drive(t));
  std::vector<double> band;
  for (int i = 0; i <= 100; ++i) band.push_back(0.01 * i * s.f_max);
  double top = 0;
  for (const Complex& x : spectrum_of(samples, step, 1, 0, band)) top = std::max(top, std::abs(x));
  const auto wanted = spectrum_of(samples, step, 1, 0, s.frequencies);
  for (const Complex& x : wanted) top = std::max(top, std::abs(x));
  std::vector<double> weak;
  for (std::size_t f = 0; f < wanted.size(); ++f)
    if (std::abs(wanted[f]) < 1e-3 * top) weak.push_back(s.frequencies[f]);
  if (weak.empty()) return;
  built.warnings.push_back(
      fmt::format("the drive's waveform \"{}\" has less than a thousandth of its largest amplitude "
                  "at {} of the "
                  "{} frequencies of [spectrum], the first at {:.4g} Hz and the last at {:.4g} Hz: "
                  "S-parameters there are noise; narrow [spectrum] or drive with another waveform",
                  s.drive.name, weak.size(), s.frequencies.size(), weak.front(), weak.back()));
}

// The grid was checked for f_max; a waveform may reach beyond it.
void warn_of_fast_waveforms(BuiltCase& built) {
  const Setup& s = built.setup;
  const BuiltCase::MaterialLine* coarsest = nullptr;
  for (const auto& m : built.dispersion)
    if (!coarsest || m.cells_per_wavelength < coarsest->cells_per_wavelength) coarsest = &m;
  if (!coarsest) return;
  std::vector<const Waveform*> used;
  if (!s.driven.empty()) used.push_back(&s.drive);
  for (const Waveform& w : s.waveforms)
    if (std::any_of(s.source_tables.begin(), s.source_tables.end(),
                    [&](const config::Config& c) { return c.text("waveform") == w.name; }))
      used.push_back(&w);
  for (const Waveform* w : used) {
    if (w->kind == Waveform::Kind::samples) continue;  // between samples there is a line
    const double f = w->highest_frequency(0.1);
    const double cells = coarsest->cells_per_wavelength * s.f_max / f;
    if (cells < 0.999 * s.min_cells_per_wavelength)
      built.warnings.push_back(fmt::format(
          "the waveform \"{}\" reaches {:.4g} Hz (a tenth of its largest amplitude), where "
          "material \"{}\" has only {:.1f} cells per wavelength: that part of its spectrum "
          "travels too slowly; make it wider or the grid finer",
          w->name, f, coarsest->name, cells));
  }
}

// Does node n lie in an absorbing layer, its inner face not included?
bool in_layers(const Setup& s, const Cell& n) {
  for (std::size_t a = 0; a < 3; ++a) {
    const Index last = Index(s.lines[a].size()) - 1;
    if ((s.boundary[2 * a] == Boundary::cpml && n[a] < s.cpml[2 * a].layers) ||
        (s.boundary[2 * a + 1] == Boundary::cpml && n[a] > last - s.cpml[2 * a + 1].layers))
      return true;
  }
  return false;
}

void warn_of_layers(BuiltCase& built) {
  const Setup& s = built.setup;
  std::vector<std::string> inside;
  const auto note = [&](const std::string& name) {
    if (std::find(inside.begin(), inside.end(), name) == inside.end()) inside.push_back(name);
  };
  for (const PlacedEvent& e : built.model.events)
    if (in_layers(s, e.node)) note(e.name);
  for (const Port& p : s.ports) {
    Cell n = p.gap.low;
    if (p.plane) n[std::size_t(p.plane->axis)] = p.plane->node;
    if (in_layers(s, p.gap.low) || in_layers(s, p.gap.high) || in_layers(s, n)) note(p.name);
  }
  if (!inside.empty())
    built.warnings.push_back(
        fmt::format("{} reach{} into an absorbing layer, where fields are not those of the "
                    "model: move what drives and measures out of the layers",
                    listed(inside), inside.size() == 1 ? "es" : ""));
}

// Largest |V| or Z |I| at the ports during the last `window` steps, over that of the whole run.
double left_at_ports(const std::vector<Port>& ports, const RunResult& run, std::size_t window) {
  double peak = 0, recent = 0;
  for (std::size_t w = 0; w < 2 * ports.size(); ++w) {
    const auto& x = run.series[w];
    const double scale = w % 2 == 0 ? 1 : ports[w / 2].impedance;
    for (std::size_t n = 0; n < x.size(); ++n) {
      peak = std::max(peak, scale * std::abs(x[n]));
      if (n + window >= x.size()) recent = std::max(recent, scale * std::abs(x[n]));
    }
  }
  return peak > 0 ? recent / peak : 0;
}

}  // namespace

void warn_before_runs(BuiltCase& built) {
  const Setup& s = built.setup;
  if (s.source_tables.empty() && s.driven.empty())
    built.warnings.push_back(
        "nothing drives the case: it has no [[source]] and no driven [[port]], so all fields stay "
        "zero");
  std::vector<std::string> silent;
  for (std::size_t p = 0; p < s.ports.size(); ++p)
    if (std::count(s.driven.begin(), s.driven.end(), int(p)) == 0)
      silent.push_back(s.ports[p].name);
  if (!silent.empty() && !s.driven.empty())
    built.warnings.push_back(
        fmt::format("drive.ports leaves out {}: the S-parameters of the driven ports go to "
                    "sparameters.csv, and no Touchstone file is written, which needs them all",
                    listed(silent)));
  warn_of_weak_drive(built);
  warn_of_fast_waveforms(built);
  warn_of_layers(built);
}

std::vector<std::string> CaseSolver::warnings() const {
  const Setup& s = built_.setup;
  std::vector<std::string> list = built_.warnings;
  for (const RunResult& r : results_) {
    if (r.ended.empty() || s.driven.empty()) continue;
    const double left = left_at_ports(s.ports, r, std::size_t(kCheckEvery));
    if (left > s.tolerance)
      list.push_back(
          fmt::format("run \"{}\" ended while {:.2g} of the largest signal was still at its ports: "
                      "its S-parameters are cut short; run longer (fdtd.stop)",
                      r.name, left));
  }
  if (network_.ports == 0 || !network_.complete()) return list;
  const bool nonlinear = std::any_of(built_.model.events.begin(), built_.model.events.end(),
                                     [](const auto& e) { return e.kind == EventKind::diode; });
  if (nonlinear)
    list.push_back(fmt::format(
        "diodes make the network nonlinear: its S-parameters are those of a drive of {:g} V",
        s.drive_volts));
  const Passivity p = passivity(network_);
  if (p.worst > 1 + s.tolerance)
    list.push_back(
        fmt::format("the network is not passive: at {:.4g} Hz {:.3g} of the power into "
                    "its ports comes out{}",
                    p.frequency, p.worst,
                    nonlinear ? ""
                              : "; run longer, or move the measuring planes away from "
                                "discontinuities"));
  const Reciprocity r = reciprocity(network_);
  if (r.worst > s.tolerance)
    list.push_back(
        fmt::format("S({},{}) and S({},{}) differ by {:.3g} at {:.4g} Hz{}", r.i + 1, r.j + 1,
                    r.j + 1, r.i + 1, r.worst, r.frequency,
                    nonlinear ? "" : " although every material is reciprocal: run longer"));
  return list;
}

}  // namespace terrawave::fdtd
