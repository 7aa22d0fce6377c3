// A case while it runs: the solver of the kernels, one run after the other for each driven port,
// with what watches it (probes, ports, Fourier transforms, snapshots) and what stops it.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "terrawave/sim/context.hpp"
#include "terrawave/sim/solver.hpp"
#include "terrawave/solvers/fdtd/dft_monitor.hpp"
#include "terrawave/solvers/fdtd/fdtd_case.hpp"
#include "terrawave/solvers/fdtd/fdtd_solver.hpp"
#include "terrawave/solvers/fdtd/ports_measure.hpp"
#include "terrawave/solvers/fdtd/ports_network.hpp"
#include "terrawave/solvers/fdtd/probes_growth.hpp"

namespace terrawave::fdtd {

// What one run (of one driven port) left.
struct RunResult {
  std::string name;                         // the driven port, or "run"
  std::vector<std::vector<double>> series;  // of each watched combination, one value a step
  std::vector<double> energy_times, energies;
  std::string ended;  // "decayed by 40 dB", "at 4000 steps"
};

// Steps between two looks at the energy and the ports; whole passes of 2, 4 or 8 steps.
inline constexpr std::int64_t kCheckEvery = 96;

class CaseSolver : public sim::Solver {
 public:
  CaseSolver(BuiltCase built, sim::Context& context, std::filesystem::path out);

  std::string_view name() const override { return "fdtd"; }
  double max_dt() override { return built_.model.dt; }
  void step(double t, double dt) override { steps(t, dt, 1); }
  std::int64_t steps(double t, double dt, std::int64_t steps) override;
  std::vector<sim::AuditItem> audit() override;
  std::optional<sim::BadValue> find_bad_value() override;
  sim::Work work() const override { return solver_->work(); }
  std::vector<sim::FieldInfo> fields() const override { return solver_->fields(); }
  sim::FieldBlock save(std::string_view field) override { return solver_->save(field); }
  void load(std::string_view field, const Read& read) override { solver_->load(field, read); }
  std::string fingerprint() const override;
  bool fixed_dt() const override { return true; }
  // Also after growth was noticed: the loop then asks find_bad_value().
  bool finished() override { return done_ || bad_.has_value(); }

  std::int64_t most_steps() const;  // of all runs together
  // Probe series, spectra and Fourier sums so far; for a restart. Collective.
  std::string save_extra();
  void load_extra(const std::string& bytes);
  // Writes probes, S-parameters and Fourier transforms so far. Collective.
  void write_results();
  std::vector<std::string> files() const { return files_; }

  const BuiltCase& built() const { return built_; }
  const std::vector<RunResult>& results() const { return results_; }
  const Network& network() const { return network_; }
  const std::vector<std::string>& watched_names() const { return names_; }
  const std::vector<Combination>& watched() const { return watched_; }
  // Phasors of the last finished run for the report: monitor, component, on the root.
  struct Map {
    std::string run, monitor;
    double frequency = 0;
    Box box;
    std::vector<double> magnitude;  // |E| (or |H|), x fastest
    bool electric = true;
  };
  const std::vector<Map>& maps() const { return maps_; }
  std::vector<std::string> warnings() const;

 private:
  void start_run();
  void end_run(const std::string& why);
  void take_records();
  std::int64_t next_stop(std::int64_t step) const;
  void write_snapshots(std::int64_t step);
  void check_end(std::int64_t step);
  bool ports_decayed() const;
  void keep_maps(const std::string& run);
  std::string where_strongest();
  void add_file(const std::string& name);
  void write_columns(const std::function<void(const std::string&, const std::string&)>& write);
  Waves waves_of(std::size_t port, const RunResult& run) const;
  double gap_capacitance(const Port& port) const;

  BuiltCase built_;
  sim::Context& context_;
  std::filesystem::path out_;
  Options options_;
  std::unique_ptr<FdtdSolver> solver_;
  std::vector<std::string> names_;    // of the watched combinations
  std::vector<Combination> watched_;  // port 0 V, port 0 I, port 1 V, ..., then probes
  std::vector<DftMonitor> dfts_;
  std::vector<RunResult> results_;         // the last one is the run that goes on
  std::vector<io::Hdf5Array> dft_arrays_;  // of finished runs, on the root
  std::vector<Map> maps_;
  Network network_;
  GrowthDetector growth_;
  std::optional<std::string> bad_;
  // .pvd collections by their stem: times and files of a snapshot in a run.
  std::map<std::string, std::vector<std::pair<double, std::string>>> series_files_;
  std::vector<std::string> files_;
  bool done_ = false;
};

}  // namespace terrawave::fdtd
