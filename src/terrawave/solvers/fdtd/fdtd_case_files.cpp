// What a running case writes: snapshots, probes, S-parameters, Fourier transforms.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "terrawave/io/atomic_file.hpp"
#include "terrawave/io/touchstone.hpp"
#include "terrawave/solvers/fdtd/fdtd_case_solver.hpp"

namespace terrawave::fdtd {

namespace {

// E or H at the nodes low...high (by stride), interpolated from the staggered components: the mean
// of the two edges along an axis (one at the grid's end), of the four faces around for H.
std::vector<float> nodal_vectors(const FdtdSolver& solver, comm::Comm& comm, bool electric,
                                 const Cell& low, const Cell& high, Index stride) {
  const Model& m = solver.model();
  std::array<std::vector<double>, 3> values;
  Box box;
  for (std::size_t a = 0; a < 3; ++a) {
    box.low[a] = std::max<Index>(0, low[a] - 1);
    box.high[a] = std::min(high[a] + 1, m.extent(int(a)));
  }
  for (int c = 0; c < 3; ++c)
    values[std::size_t(c)] = gather_box(solver, comm, electric ? c : c + 3, box);
  if (!comm.is_root()) return {};
  const auto at = [&](int c, Cell n, double& weight) {
    for (std::size_t a = 0; a < 3; ++a) {
      const bool spans = (int(a) == c) == electric;
      const Index last = m.grid.cells(int(a)) - (spans ? 1 : 0);
      if (n[a] < 0 || n[a] > last) return 0.0;
      if (m.periodic(int(a)) && n[a] == m.extent(int(a))) n[a] = box.low[a];
      if (n[a] < box.low[a] || n[a] >= box.high[a]) return 0.0;
    }
    weight += 1;
    return values[std::size_t(c)][std::size_t(
        n[0] - box.low[0] + box.size(0) * (n[1] - box.low[1] + box.size(1) * (n[2] - box.low[2])))];
  };
  std::vector<float> out;
  for (Index k = low[2]; k <= high[2]; k += stride)
    for (Index j = low[1]; j <= high[1]; j += stride)
      for (Index i = low[0]; i <= high[0]; i += stride)
        for (int c = 0; c < 3; ++c) {
          double sum = 0, weight = 0;
          for (int p = 0; p < 2; ++p)
            for (int q = 0; q < (electric ? 1 : 2); ++q) {
              Cell n{i, j, k};
              const auto [u, v] = plane_axes(c);
              if (electric) {
                n[std::size_t(c)] -= p;
              } else {
                n[std::size_t(u)] -= p;
                n[std::size_t(v)] -= q;
              }
              sum += at(c, n, weight);
            }
          out.push_back(weight > 0 ? float(sum / weight) : 0.0f);
        }
  return out;
}

std::string csv_text(const std::vector<std::string>& head,
                     const std::vector<const std::vector<double>*>& columns) {
  std::string text;
  for (std::size_t c = 0; c < head.size(); ++c) text += (c > 0 ? "," : "") + head[c];
  text += "\n";
  const std::size_t rows = columns.empty() ? 0 : columns[0]->size();
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns.size(); ++c)
      text += fmt::format("{}{:.9g}", c > 0 ? "," : "", (*columns[c])[r]);
    text += "\n";
  }
  return text;
}

}  // namespace

void CaseSolver::add_file(const std::string& name) {
  if (std::find(files_.begin(), files_.end(), name) == files_.end()) files_.push_back(name);
}

void CaseSolver::write_snapshots(std::int64_t step) {
  const Setup& s = built_.setup;
  const double dt = built_.model.dt, t = double(step) * dt;
  for (std::size_t c = 0; c < s.snapshots.size(); ++c) {
    const SnapshotCase& shot = s.snapshots[c];
    const double count = std::round((t - shot.start) / shot.every);
    const double due = shot.start + count * shot.every;
    // The first step at or after the wanted time.
    if (count < 0 || due > shot.stop || std::int64_t(std::ceil(due / dt * (1 - 1e-12))) != step)
      continue;
    std::array<std::vector<double>, 3> lines;
    for (std::size_t a = 0; a < 3; ++a)
      for (Index i = shot.low[a]; i <= shot.high[a]; i += shot.stride)
        lines[a].push_back(s.lines[a][std::size_t(i)]);
    std::vector<io::PointArray> arrays;
    for (const bool electric : {true, false}) {
      if (electric ? !shot.electric : !shot.magnetic) continue;
      arrays.push_back(
          {electric ? "E" : "H", 3,
           nodal_vectors(*solver_, context_.comm, electric, shot.low, shot.high, shot.stride)});
    }
    const std::string stem = fmt::format("{}_{}_{:06d}", shot.name, results_.back().name, step);
    const std::string name = stem + (shot.hdf5 ? ".h5" : ".vtr");
    // A collection a run: their times overlap.
    if (!shot.hdf5)
      series_files_[s.driven.size() > 1 ? shot.name + "_" + results_.back().name : shot.name]
          .emplace_back(t, name);
    add_file(name);
    if (!context_.comm.is_root()) continue;
    if (!shot.hdf5) {
      io::write_vtr(out_ / name, lines, arrays);
      continue;
    }
    std::vector<io::Hdf5Array> h5 = {{"time", {1}, {t}, false, "s"}};
    for (std::size_t a = 0; a < 3; ++a)
      h5.push_back({std::string(1, "xyz"[a]), {lines[a].size()}, lines[a], false, "m"});
    for (const auto& a : arrays)
      h5.push_back({a.name,
                    {lines[2].size(), lines[1].size(), lines[0].size(), 3},
                    std::vector<double>(a.values.begin(), a.values.end()),
                    false,
                    a.name == "E" ? "V/m" : "A/m"});
    io::write_hdf5(out_ / name, h5);
  }
}

// The columns of S that are known, where not all ports are driven.
void CaseSolver::write_columns(
    const std::function<void(const std::string&, const std::string&)>& write) {
  std::vector<std::string> names = {"frequency_Hz"};
  std::vector<std::vector<double>> parts = {network_.frequencies};
  const auto n = std::size_t(network_.ports);
  for (std::size_t run = 0; run < results_.size(); ++run) {
    if (results_[run].ended.empty()) continue;
    const auto j = std::size_t(built_.setup.driven[run]);
    for (std::size_t i = 0; i < n; ++i)
      for (const bool imaginary : {false, true}) {
        names.push_back(fmt::format("S({} {}) {}", i + 1, j + 1, imaginary ? "im" : "re"));
        parts.emplace_back();
        for (const auto& matrix : network_.s) {
          const Complex x = matrix[i * n + j];
          parts.back().push_back(imaginary ? x.imag() : x.real());
        }
      }
  }
  std::vector<const std::vector<double>*> pointers;
  for (const auto& p : parts) pointers.push_back(&p);
  if (parts.size() > 1) write("sparameters.csv", csv_text(names, pointers));
}

void CaseSolver::write_results() {
  const Setup& s = built_.setup;
  const double dt = built_.model.dt;
  const bool root = context_.comm.is_root();
  const auto text = [&](const std::string& name, const std::string& content) {
    add_file(name);
    if (root) io::write_text(out_ / name, content);
  };
  for (const RunResult& r : results_) {
    if (watched_.empty() || r.series.front().empty()) continue;
    std::vector<double> time;
    for (std::size_t n = 0; n < r.series.front().size(); ++n) time.push_back(double(n + 1) * dt);
    std::vector<std::string> head = {"time_s"};
    std::vector<const std::vector<double>*> columns = {&time};
    for (std::size_t w = 0; w < watched_.size(); ++w) {
      // Sums of H belong to half a step earlier.
      head.push_back(names_[w] + (watched_[w].offset < 0 ? " (at time - dt/2)" : ""));
      columns.push_back(&r.series[w]);
    }
    text("probes_" + r.name + ".csv", csv_text(head, columns));
    if (s.probes.empty()) continue;
    std::vector<std::string> names = {"frequency_Hz"};
    std::vector<std::vector<double>> parts = {s.frequencies};
    for (std::size_t w = 2 * s.ports.size(); w < watched_.size(); ++w) {
      names.push_back(names_[w] + " re");
      names.push_back(names_[w] + " im");
      parts.emplace_back();
      parts.emplace_back();
      for (const Complex& x : spectrum_of(r.series[w], dt, 1, watched_[w].offset, s.frequencies)) {
        parts[parts.size() - 2].push_back(x.real());
        parts[parts.size() - 1].push_back(x.imag());
      }
    }
    std::vector<const std::vector<double>*> pointers;
    for (const auto& p : parts) pointers.push_back(&p);
    text("spectra_" + r.name + ".csv", csv_text(names, pointers));
  }
  if (network_.ports > 0 && s.driven.size() < s.ports.size()) write_columns(text);
  if (network_.ports > 0 && network_.complete()) {
    io::Touchstone data;
    data.ports = network_.ports;
    data.frequencies = network_.frequencies;
    data.s = network_.s;
    data.impedance = s.ports.front().impedance;
    // Version 1 of the format knows one impedance for all ports.
    std::vector<double> own;
    bool mixed = false;
    for (const Port& p : s.ports) {
      own.push_back(p.impedance);
      mixed = mixed || p.impedance != data.impedance;
    }
    if (mixed) data.s = renormalised(network_, own, data.impedance).s;
    data.comments = {fmt::format("S-parameters, every port referred to {} ohm{}", data.impedance,
                                 mixed ? ", renormalised from the ports' own impedances" : "")};
    for (std::size_t p = 0; p < s.ports.size(); ++p)
      data.comments.push_back(
          fmt::format("port {}: {} ({} ohm)", p + 1, s.ports[p].name, s.ports[p].impedance));
    const std::string name = fmt::format("sparameters.s{}p", network_.ports);
    add_file(name);
    if (root) io::write_touchstone(out_ / name, data);
  }
  if (!dft_arrays_.empty() || (!dfts_.empty() && !root)) {
    add_file("dft.h5");
    if (root) io::write_hdf5(out_ / "dft.h5", dft_arrays_);
  }
  for (const auto& [name, entries] : series_files_) {
    add_file(name + ".pvd");
    if (root) io::write_pvd(out_ / (name + ".pvd"), entries);
  }
}

}  // namespace terrawave::fdtd
