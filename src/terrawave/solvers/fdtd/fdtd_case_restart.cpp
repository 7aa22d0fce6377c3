// Saving and loading of a running case beside its solver's state, and what identifies it.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "terrawave/solvers/fdtd/fdtd_case_solver.hpp"
#include "terrawave/solvers/fdtd/fdtd_hash.hpp"

namespace terrawave::fdtd {

// What watches and drives the runs must be what it was, since series and sums go on; when a run
// stops, and at which frequencies its series are looked at, may change.
std::string CaseSolver::fingerprint() const {
  const Setup& s = built_.setup;
  std::string text = solver_->fingerprint();
  if (!text.empty() && text.back() != '\n') text += "\n";
  NumberHash watched, sums, drive;
  for (const Combination& c : watched_)
    for (const auto& [p, weight] : c.terms) {
      const Probe& probe = built_.model.probes[std::size_t(p)];
      watched.mix(probe.component);
      for (const Index i : probe.node) watched.mix(double(i));
      watched.mix(weight);
    }
  for (const DftMonitor& d : dfts_) {
    for (std::size_t a = 0; a < 3; ++a) {
      sums.mix(double(d.box().low[a]));
      sums.mix(double(d.box().high[a]));
    }
    for (const int c : d.components()) sums.mix(c);
    for (const double f : d.config().frequencies) sums.mix(f);
    sums.mix(double(d.every()));
  }
  // Signals at some times: those of ports are the drive's.
  const double end = std::isfinite(s.last_source_time) ? s.last_source_time : 100 / s.f_max;
  for (int k = 0; k < 64; ++k) {
    const double t = end * (k + 0.5) / 64;
    if (!s.driven.empty()) drive.mix(s.drive_volts * s.drive(t));
    for (std::size_t g = 0; g < built_.model.signals.size(); ++g)
      if (std::none_of(s.ports.begin(), s.ports.end(),
                       [&](const Port& p) { return p.signal == int(g); }))
        drive.mix(built_.model.signals[g].value(t));
  }
  std::string driven;
  for (const int p : s.driven)
    driven += (driven.empty() ? "" : ", ") + s.ports[std::size_t(p)].name;
  text += fmt::format(
      "dt = {:.17g}\nports and probes = {}, {:016x}\ndft = {}, {:016x}\ndriven ports = {}\n"
      "time courses of sources = {:016x}\n",
      built_.model.dt, watched_.size(), watched.value(), dfts_.size(), sums.value(), driven,
      drive.value());
  return text;
}

std::string CaseSolver::save_extra() {
  using nlohmann::json;
  json j;
  j["runs"] = json::array();
  for (const RunResult& r : results_)
    j["runs"].push_back({{"name", r.name},
                         {"series", r.series},
                         {"energy_times", r.energy_times},
                         {"energies", r.energies},
                         {"ended", r.ended}});
  j["peak"] = growth_.peak();
  j["done"] = done_;
  j["files"] = files_;
  j["series_files"] = series_files_;
  j["dfts"] = json::array();
  for (const DftMonitor& d : dfts_) j["dfts"].push_back(d.save(context_.comm));
  j["arrays"] = json::array();
  for (const auto& a : dft_arrays_)
    j["arrays"].push_back({{"name", a.name},
                           {"dims", a.dims},
                           {"values", a.values},
                           {"complex", a.complex},
                           {"unit", a.unit}});
  j["maps"] = json::array();
  for (const Map& m : maps_)
    j["maps"].push_back({{"run", m.run},
                         {"monitor", m.monitor},
                         {"frequency", m.frequency},
                         {"low", m.box.low},
                         {"high", m.box.high},
                         {"magnitude", m.magnitude},
                         {"electric", m.electric}});
  const auto bytes = json::to_cbor(j);
  return {bytes.begin(), bytes.end()};
}

void CaseSolver::load_extra(const std::string& bytes) {
  using nlohmann::json;
  const json j = json::from_cbor(bytes);
  const Setup& s = built_.setup;
  results_.clear();
  for (const auto& r : j.at("runs")) {
    RunResult x;
    r.at("name").get_to(x.name);
    r.at("series").get_to(x.series);
    r.at("energy_times").get_to(x.energy_times);
    r.at("energies").get_to(x.energies);
    r.at("ended").get_to(x.ended);
    results_.push_back(std::move(x));
  }
  *built_.drive = s.driven.empty() ? -1 : s.driven[results_.size() - 1];
  // Columns of the finished runs again, from their series.
  for (std::size_t run = 0; run < results_.size() && !s.driven.empty(); ++run) {
    if (results_[run].ended.empty()) continue;
    std::vector<Waves> waves;
    for (std::size_t p = 0; p < s.ports.size(); ++p) waves.push_back(waves_of(p, results_[run]));
    network_.set_column(s.driven[run], waves);
  }
  growth_ = GrowthDetector(s.last_source_time);
  growth_.restore(j.at("peak").get<double>());
  j.at("done").get_to(done_);
  j.at("files").get_to(files_);
  j.at("series_files").get_to(series_files_);
  for (std::size_t d = 0; d < dfts_.size(); ++d)
    dfts_[d].load(j.at("dfts").at(d).get<std::vector<double>>());
  dft_arrays_.clear();
  for (const auto& a : j.at("arrays"))
    dft_arrays_.push_back(
        {a.at("name"), a.at("dims"), a.at("values"), a.at("complex"), a.at("unit")});
  maps_.clear();
  for (const auto& m : j.at("maps")) {
    Map x{m.at("run"), m.at("monitor"), m.at("frequency"), {}, m.at("magnitude"), m.at("electric")};
    m.at("low").get_to(x.box.low);
    m.at("high").get_to(x.box.high);
    maps_.push_back(std::move(x));
  }
}

}  // namespace terrawave::fdtd
