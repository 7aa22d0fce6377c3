#include "terrawave/solvers/fdtd/fdtd_case_solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "terrawave/base/error.hpp"

namespace terrawave::fdtd {

namespace {

std::int64_t steps_until(double time, double dt) {
  return std::int64_t(std::ceil(time / dt * (1 - 1e-12)));
}

}  // namespace

CaseSolver::CaseSolver(BuiltCase built, sim::Context& context, std::filesystem::path out)
    : built_(std::move(built)), context_(context), out_(std::move(out)) {
  Setup& s = built_.setup;
  options_.kernel = kernel_named(s.kernels);
  options_.steps_per_pass = s.steps_per_pass;
  ProbeList probes;
  const auto& grid = built_.model.grid;
  for (const Port& p : s.ports) {
    names_.push_back(p.name + " V");
    watched_.push_back(port_voltage(probes, grid, s.periodic(), p));
    names_.push_back(p.name + " I");
    watched_.push_back(port_current(probes, grid, s.periodic(), p));
  }
  for (const ProbeCase& p : s.probes) {
    names_.push_back(p.name);
    if (p.kind == ProbeCase::Kind::field) {
      Combination c;
      c.offset = p.component >= 3 ? -0.5 : 0;
      c.terms.emplace_back(probes.place(p.component, p.low), double(p.sign));
      watched_.push_back(c);
    } else if (p.kind == ProbeCase::Kind::voltage) {
      watched_.push_back(
          line_voltage(probes, grid, p.component, p.sign, p.low, p.high[std::size_t(p.component)]));
    } else {
      watched_.push_back(loop_current(probes, grid, s.periodic(), p.component, p.sign, p.low,
                                      p.high, p.low[std::size_t(p.component)]));
    }
  }
  built_.model.probes = probes.probes();
  // Along a periodic axis the last line is the first one.
  for (Probe& p : built_.model.probes)
    for (std::size_t a = 0; a < 3; ++a)
      if (built_.model.periodic(int(a))) p.node[a] %= built_.model.grid.cells(int(a));
  for (const DftCase& d : s.dfts) dfts_.emplace_back(d, built_.model, s.f_max);
  network_ = Network(int(s.ports.size()), s.ports.empty() ? std::vector<double>{} : s.frequencies);
  start_run();
}

void CaseSolver::start_run() {
  const Setup& s = built_.setup;
  const std::size_t run = results_.size();
  *built_.drive = s.driven.empty() ? -1 : s.driven[run];
  RunResult r;
  r.name = s.driven.empty() ? "run" : s.ports[std::size_t(s.driven[run])].name;
  r.series.resize(watched_.size());
  results_.push_back(std::move(r));
  solver_.reset();
  solver_ = make_solver(built_.model, context_, options_);
  for (DftMonitor& d : dfts_) d.reset();
  growth_ = GrowthDetector(s.last_source_time);
}

std::int64_t CaseSolver::most_steps() const {
  const Stop& stop = built_.setup.stop;
  std::int64_t n = std::numeric_limits<std::int64_t>::max() / 1024;
  if (stop.steps > 0) n = stop.steps;
  if (stop.time > 0) n = std::min(n, steps_until(stop.time, built_.model.dt));
  return n * std::int64_t(std::max<std::size_t>(1, built_.setup.driven.size()));
}

// The first step after `step` at which something is to be done.
std::int64_t CaseSolver::next_stop(std::int64_t step) const {
  const Stop& stop = built_.setup.stop;
  std::int64_t next = (step / kCheckEvery + 1) * kCheckEvery;
  if (stop.steps > 0) next = std::min(next, stop.steps);
  if (stop.time > 0) next = std::min(next, steps_until(stop.time, built_.model.dt));
  for (const DftMonitor& d : dfts_) next = std::min(next, (step / d.every() + 1) * d.every());
  for (const SnapshotCase& c : built_.setup.snapshots) {
    const double dt = built_.model.dt;
    const double done = std::floor((double(step) * dt - c.start) / c.every + 1e-9);
    const double t = c.start + std::max(0.0, done + 1) * c.every;
    if (t <= c.stop) next = std::min(next, std::max(step + 1, steps_until(t, dt)));
  }
  return next;
}

std::int64_t CaseSolver::steps(double, double dt, std::int64_t steps) {
  if (done_) return 0;
  const std::int64_t at = solver_->step_count();
  const std::int64_t want =
      std::max<std::int64_t>(1, std::min({steps, next_stop(at) - at, solver_->record_capacity()}));
  const std::int64_t did = solver_->steps(double(at) * dt, dt, want);
  take_records();
  const std::int64_t now = solver_->step_count();
  for (DftMonitor& d : dfts_) d.add(context_.queue, *solver_, now);
  write_snapshots(now);
  check_end(now);
  return did;
}

void CaseSolver::take_records() {
  const Records records = solver_->drain();
  const std::size_t probes = built_.model.probes.size();
  RunResult& r = results_.back();
  for (std::int64_t row = 0; row < records.rows; ++row)
    for (std::size_t w = 0; w < watched_.size(); ++w)
      r.series[w].push_back(watched_[w].value(records.values.data() + std::size_t(row) * probes));
}

bool CaseSolver::ports_decayed() const {
  const RunResult& r = results_.back();
  const double level = std::pow(10.0, -built_.setup.stop.decay_db / 20);
  for (std::size_t p = 0; p < built_.setup.ports.size(); ++p) {
    const auto& v = r.series[2 * p];
    double peak = 0, recent = 0;
    for (const double x : v) peak = std::max(peak, std::abs(x));
    const std::size_t window = std::min<std::size_t>(v.size(), std::size_t(kCheckEvery));
    for (std::size_t i = v.size() - window; i < v.size(); ++i)
      recent = std::max(recent, std::abs(v[i]));
    if (recent > level * peak) return false;
  }
  return true;
}

void CaseSolver::check_end(std::int64_t step) {
  const Stop& stop = built_.setup.stop;
  const double t = double(step) * built_.model.dt;
  if (step % kCheckEvery == 0) {
    const double energy = solver_->energy();
    RunResult& r = results_.back();
    r.energy_times.push_back(t);
    r.energies.push_back(energy);
    // More than the Sun gives in a year: also while a source never ends.
    const bool absurd = energy > 1e35;
    if (absurd || growth_.grows(t, energy)) {
      bad_ = fmt::format("the field grows {}: {:.3g} J at {:.4g} s; {}",
                         absurd ? "beyond all bounds" : "although all sources have ended", energy,
                         t, where_strongest());
      return;
    }
    const bool late = t > built_.setup.last_source_time && t >= stop.min_time;
    if (stop.decay_db > 0 && late &&
        energy <= growth_.peak() * std::pow(10.0, -stop.decay_db / 10) && ports_decayed()) {
      end_run(fmt::format("decayed by {:g} dB at {:.4g} s, step {}", stop.decay_db, t, step));
      return;
    }
  }
  if (stop.steps > 0 && step >= stop.steps)
    end_run(fmt::format("after {} steps", step));
  else if (stop.time > 0 && step >= steps_until(stop.time, built_.model.dt))
    end_run(fmt::format("at {:.6g} s, step {}", t, step));
}

void CaseSolver::end_run(const std::string& why) {
  const Setup& s = built_.setup;
  results_.back().ended = why;
  context_.log.info(fmt::format("{}: {}", results_.back().name, why));
  if (!s.driven.empty()) {
    std::vector<Waves> waves;
    for (std::size_t p = 0; p < s.ports.size(); ++p) waves.push_back(waves_of(p, results_.back()));
    network_.set_column(s.driven[results_.size() - 1], waves);
  }
  for (const DftMonitor& d : dfts_) {
    auto arrays = d.arrays(context_.comm, results_.back().name, built_.model.grid);
    for (auto& a : arrays) dft_arrays_.push_back(std::move(a));
  }
  keep_maps(results_.back().name);
  if (results_.size() < std::max<std::size_t>(1, s.driven.size()))
    start_run();
  else
    done_ = true;
}

void CaseSolver::keep_maps(const std::string& run) {
  for (const DftMonitor& d : dfts_) {
    const auto list = d.components();
    const bool electric = d.config().electric;
    const auto n = std::size_t(d.box().count());
    std::vector<double> sum(n * d.config().frequencies.size(), 0.0);
    for (const int c : list) {
      if ((c < 3) != electric) continue;
      const auto values = d.gather(context_.comm, c);
      for (std::size_t i = 0; i < values.size(); ++i) sum[i] += std::norm(values[i]);
    }
    if (!context_.comm.is_root()) continue;
    for (std::size_t f = 0; f < d.config().frequencies.size(); ++f) {
      Map m{run, d.config().name, d.config().frequencies[f], d.box(), {}, electric};
      for (std::size_t i = 0; i < n; ++i) m.magnitude.push_back(std::sqrt(sum[f * n + i]));
      maps_.push_back(std::move(m));
    }
  }
}

double CaseSolver::gap_capacitance(const Port& port) const {
  // Of the gap's own cells: columns in parallel, edges in a row.
  const Setup& s = built_.setup;
  const MaterialMap& map = built_.canvas->around(port.gap.low, port.gap.high).map;
  const LumpedLoads geometry(built_.model.grid, s.periodic());
  std::map<std::pair<Index, Index>, double> elastance;
  const auto [u, v] = plane_axes(port.gap.component);
  for (const EdgeId& e : port.gap.edges())
    elastance[{e.node[std::size_t(u)], e.node[std::size_t(v)]}] +=
        geometry.length(e) / (geometry.area(e) * map.edge(e.component, e.node).storage);
  double c = 0;
  for (const auto& [column, x] : elastance) c += 1 / x;
  return c;
}

Waves CaseSolver::waves_of(std::size_t p, const RunResult& run) const {
  const Setup& s = built_.setup;
  const Port& port = s.ports[p];
  PortSpectra x;
  x.voltage =
      spectrum_of(run.series[2 * p], built_.model.dt, 1, watched_[2 * p].offset, s.frequencies);
  x.current = spectrum_of(run.series[2 * p + 1], built_.model.dt, 1, watched_[2 * p + 1].offset,
                          s.frequencies);
  PortReference r;
  r.impedance = port.impedance;
  r.shift = port.shift;
  r.eps_eff = port.eps_eff;
  if (port.gap_capacitance && !port.plane) r.gap_admittance_c = gap_capacitance(port);
  return power_waves(x, r, s.frequencies);
}

std::vector<sim::AuditItem> CaseSolver::audit() {
  return {{"field energy", "J", solver_->energy(), false}};
}

std::optional<sim::BadValue> CaseSolver::find_bad_value() {
  if (bad_) return sim::BadValue{*bad_};
  return solver_->find_bad_value();
}

// Names the strongest edge, what owns it, and why it may grow.
std::string CaseSolver::where_strongest() {
  const Setup& s = built_.setup;
  double strongest = -1;
  int component = 0;
  Cell at{};
  for (int c = 0; c < 3; ++c) {
    Box whole;
    for (std::size_t a = 0; a < 3; ++a) whole.high[a] = built_.model.extent(int(a));
    Box found;
    const auto values = solver_->owned_values(c, whole, found);
    std::size_t n = 0;
    for (Index k = found.low[2]; k < found.high[2]; ++k)
      for (Index j = found.low[1]; j < found.high[1]; ++j)
        for (Index i = found.low[0]; i < found.high[0]; ++i, ++n) {
          if (n >= values.size()) continue;
          const double size =
              std::isnan(values[n]) ? std::numeric_limits<double>::infinity() : std::abs(values[n]);
          if (size > strongest) {
            strongest = size;
            component = c;
            at = {i, j, k};
          }
        }
  }
  // All ranks agree on the strongest, the lowest rank on a tie.
  const double top = context_.comm.max(strongest);
  std::int64_t rank = strongest == top ? context_.comm.rank() : context_.comm.size();
  rank = context_.comm.min(rank);
  comm::Bytes bytes(sizeof(Cell) + sizeof(int));
  std::copy_n(reinterpret_cast<const std::byte*>(&at), sizeof(Cell), bytes.begin());
  std::copy_n(reinterpret_cast<const std::byte*>(&component), sizeof(int),
              bytes.begin() + std::ptrdiff_t(sizeof(Cell)));
  if (rank < context_.comm.size()) context_.comm.broadcast(bytes, int(rank));
  std::copy_n(bytes.begin(), sizeof(Cell), reinterpret_cast<std::byte*>(&at));
  std::copy_n(bytes.begin() + std::ptrdiff_t(sizeof(Cell)), sizeof(int),
              reinterpret_cast<std::byte*>(&component));
  Cell cell = at;
  for (std::size_t a = 0; a < 3; ++a)
    cell[a] = std::clamp<Index>(cell[a], 0, Index(s.lines[a].size()) - 2);
  const std::size_t owner = built_.canvas->owner_of_cell(cell);
  std::string cause = "a growing field without sources points to a fault of the model or program";
  for (const auto& e : built_.model.events)
    if (e.node == at && e.component == component)
      cause = fmt::format("the element \"{}\" acts on this edge", e.name);
  for (std::size_t a = 0; a < 3; ++a) {
    const Index last = Index(s.lines[a].size()) - 2;
    if ((s.boundary[2 * a] == Boundary::cpml && cell[a] < s.cpml[2 * a].layers) ||
        (s.boundary[2 * a + 1] == Boundary::cpml && cell[a] > last - s.cpml[2 * a + 1].layers))
      cause = fmt::format(
          "this cell lies in the absorbing layer along {}: keep objects that end "
          "inside it and large kappa_max out of it",
          "xyz"[a]);
  }
  return fmt::format(
      "strongest at E{} of cell ({}, {}, {}) at ({:g}, {:g}, {:g}) m in {}; {}", "xyz"[component],
      cell[0], cell[1], cell[2], s.lines[0][std::size_t(at[0])], s.lines[1][std::size_t(at[1])],
      s.lines[2][std::size_t(at[2])],
      owner == 0 ? std::string("the background") : "object \"" + s.objects[owner - 1].name + "\"",
      cause);
}

}  // namespace terrawave::fdtd
