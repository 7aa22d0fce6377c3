#include "terrawave/solvers/fdtd/dft_monitor.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

#include "terrawave/solvers/fdtd/dft_steps.hpp"

namespace terrawave::fdtd {

namespace {

// Copies a rank's box of doubles (per entry `width`) into the whole box.
void paste(const Box& whole, const Box& part, const double* values, std::size_t width,
           std::vector<double>& out) {
  std::size_t at = 0;
  for (Index k = part.low[2]; k < part.high[2]; ++k)
    for (Index j = part.low[1]; j < part.high[1]; ++j)
      for (Index i = part.low[0]; i < part.high[0]; ++i) {
        const auto to =
            std::size_t(i - whole.low[0] +
                        whole.size(0) * (j - whole.low[1] + whole.size(1) * (k - whole.low[2])));
        for (std::size_t w = 0; w < width; ++w) out[to * width + w] = values[at++];
      }
}

std::vector<double> gather_parts(comm::Comm& comm, const Box& whole, const Box& part,
                                 const std::vector<double>& values) {
  if (comm.size() == 1) {
    std::vector<double> out(std::size_t(whole.count()), 0.0);
    paste(whole, part, values.data(), 1, out);
    return out;
  }
  comm::Bytes mine(sizeof(Box) + values.size() * sizeof(double));
  std::memcpy(mine.data(), &part, sizeof(Box));
  if (!values.empty())
    std::memcpy(mine.data() + sizeof(Box), values.data(), values.size() * sizeof(double));
  const auto all = comm.gather(mine, 0);
  if (!comm.is_root()) return {};
  std::vector<double> out(std::size_t(whole.count()), 0.0);
  for (const auto& bytes : all) {
    Box box;
    std::memcpy(&box, bytes.data(), sizeof(Box));
    std::vector<double> v((bytes.size() - sizeof(Box)) / sizeof(double));
    if (v.empty()) continue;
    std::memcpy(v.data(), bytes.data() + sizeof(Box), v.size() * sizeof(double));
    paste(whole, box, v.data(), 1, out);
  }
  return out;
}

}  // namespace

std::vector<double> gather_box(const FdtdSolver& solver, comm::Comm& comm, int component,
                               const Box& box) {
  Box found;
  const auto values = solver.owned_values(component, box, found);
  if (values.empty()) found = {};
  return gather_parts(comm, box, found, values);
}

DftMonitor::DftMonitor(const DftCase& c, const Model& model, double f_max)
    : case_(c), dt_(model.dt) {
  for (std::size_t a = 0; a < 3; ++a) {
    box_.low[a] = c.low[a];
    box_.high[a] = std::min(c.high[a] + 1, model.extent(int(a)));
    box_.low[a] = std::min(box_.low[a], box_.high[a] - 1);
  }
  every_ = c.every;
  if (every_ == 0) {
    every_ = std::max<std::int64_t>(1, std::int64_t(1 / (4 * f_max * model.dt)));
    // Whole passes of kernels that advance 2, 4 or 8 steps at once.
    if (every_ > 8) every_ -= every_ % 8;
  }
}

std::vector<int> DftMonitor::components() const {
  std::vector<int> list;
  for (int c = 0; c < 6; ++c)
    if (c < 3 ? case_.electric : case_.magnetic) list.push_back(c);
  return list;
}

void DftMonitor::make_shares(const par::Queue& queue, const Layout& layout) {
  Box found;
  for (std::size_t a = 0; a < 3; ++a) {
    found.low[a] = std::max(box_.low[a], layout.origin[a] + layout.owned_low[a]);
    found.high[a] = std::min(box_.high[a], layout.origin[a] + layout.owned_high[a]);
    if (found.high[a] <= found.low[a]) {
      found = {};
      break;
    }
  }
  const auto list = components();
  for (std::size_t c = 0; c < list.size(); ++c) {
    Share share;
    share.component = list[c];
    share.found = found;
    share.sums = par::Buffer<double>(queue, found.count() * 2 * Index(case_.frequencies.size()));
    share.sums.fill_bytes(0);
    if (!restored_.empty()) share.sums.upload(restored(c, found));
    shares_.push_back(std::move(share));
  }
}

Index DftMonitor::phase_row(const par::Queue& queue, std::int64_t step) {
  const std::int64_t sample = step / every_;
  if (phases_.size() == 0 || sample < first_ || sample >= first_ + samples_) {
    first_ = sample;
    samples_ = 256;
    std::vector<double> table;
    for (std::int64_t s = 0; s < samples_; ++s)
      for (const double offset : {0.0, 0.5})
        for (const double f : case_.frequencies) {
          const double t = (double((first_ + s) * every_) - offset) * dt_;
          const double turns = std::fmod(f * t, 1.0);
          const auto phase = std::polar(double(every_) * dt_, -2 * std::numbers::pi * turns);
          table.push_back(phase.real());
          table.push_back(phase.imag());
        }
    phases_ = par::Buffer<double>(queue, table);
  }
  return sample - first_;
}

void DftMonitor::add(const par::Queue& queue, const FdtdSolver& solver, std::int64_t step) {
  if (step % every_ != 0) return;
  const Layout& layout = solver.layout();
  if (shares_.empty()) make_shares(queue, layout);
  const auto frequencies = Index(case_.frequencies.size());
  const Index row = phase_row(queue, step);
  const auto add_as = [&](auto real, Share& share, const auto& field) {
    DftBox<decltype(real)> box;
    box.layout = layout;
    for (std::size_t a = 0; a < 3; ++a) {
      box.low[a] = share.found.low[a] - layout.origin[a];
      box.size[a] = share.found.size(int(a));
    }
    box.field = field.data;
    box.phases = phases_.cview().data + 2 * frequencies * (2 * row + (share.component >= 3));
    box.sums = share.sums.view().data;
    par::dispatch(queue, [&](const auto& exec) { add_to_sums(exec, box, frequencies); });
  };
  for (Share& share : shares_) {
    if (share.found.count() == 0) continue;
    if (solver.single_precision())
      add_as(float{}, share, solver.field_single(share.component));
    else
      add_as(double{}, share, solver.field_double(share.component));
  }
}

void DftMonitor::reset() {
  shares_.clear();
  restored_.clear();
}

// The rank's part of what load() gave; `c` is the position among components().
std::vector<double> DftMonitor::restored(std::size_t c, const Box& found) const {
  const auto whole = std::size_t(box_.count());
  std::vector<double> sums;
  for (std::size_t f = 0; f < case_.frequencies.size(); ++f)
    for (Index k = found.low[2]; k < found.high[2]; ++k)
      for (Index j = found.low[1]; j < found.high[1]; ++j)
        for (Index i = found.low[0]; i < found.high[0]; ++i) {
          const auto from =
              (c * case_.frequencies.size() + f) * whole +
              std::size_t(i - box_.low[0] +
                          box_.size(0) * (j - box_.low[1] + box_.size(1) * (k - box_.low[2])));
          sums.push_back(restored_[2 * from]);
          sums.push_back(restored_[2 * from + 1]);
        }
  return sums;
}

std::vector<std::complex<double>> DftMonitor::gather(comm::Comm& comm, int component) const {
  std::vector<std::complex<double>> out;
  std::vector<double> sums;
  Box found{};
  for (const Share& s : shares_)
    if (s.component == component) {
      found = s.found;
      sums = s.sums.download();
    }
  const std::size_t n = sums.size() / (2 * case_.frequencies.size());
  for (std::size_t f = 0; f < case_.frequencies.size(); ++f) {
    std::vector<double> re, im;
    for (std::size_t i = 0; i < n; ++i) {
      re.push_back(sums[2 * (f * n + i)]);
      im.push_back(sums[2 * (f * n + i) + 1]);
    }
    const auto all_re = gather_parts(comm, box_, found, re);
    const auto all_im = gather_parts(comm, box_, found, im);
    for (std::size_t i = 0; i < all_re.size(); ++i) out.emplace_back(all_re[i], all_im[i]);
  }
  return out;
}

std::vector<io::Hdf5Array> DftMonitor::arrays(comm::Comm& comm, const std::string& group,
                                              const domain::YeeGrid& grid) const {
  std::vector<io::Hdf5Array> list;
  const std::string base = group + "/" + case_.name + "/";
  const auto n = std::uint64_t(case_.frequencies.size());
  list.push_back({base + "frequency", {n}, case_.frequencies, false, "Hz"});
  for (int a = 0; a < 3; ++a) {
    std::vector<double> line;
    for (Index i = box_.low[std::size_t(a)]; i < box_.high[std::size_t(a)]; ++i)
      line.push_back(grid.line(a, i));
    list.push_back({base + "xyz" [a], { line.size() }, line, false, "m"});
  }
  const char* names[] = {"Ex", "Ey", "Ez", "Hx", "Hy", "Hz"};
  for (const int c : components()) {
    const auto values = gather(comm, c);
    io::Hdf5Array a;
    a.name = base + names[c];
    a.dims = {n, std::uint64_t(box_.size(2)), std::uint64_t(box_.size(1)),
              std::uint64_t(box_.size(0))};
    a.complex = true;
    a.unit = c < 3 ? "V s/m" : "A s/m";
    for (const auto& v : values) {
      a.values.push_back(v.real());
      a.values.push_back(v.imag());
    }
    list.push_back(std::move(a));
  }
  if (!comm.is_root()) list.clear();
  return list;
}

std::vector<double> DftMonitor::save(comm::Comm& comm) const {
  if (shares_.empty()) return restored_;
  std::vector<double> all;
  for (const int c : components())
    for (const auto& v : gather(comm, c)) {
      all.push_back(v.real());
      all.push_back(v.imag());
    }
  return all;
}

void DftMonitor::load(const std::vector<double>& all) {
  shares_.clear();
  restored_ = all;
}

}  // namespace terrawave::fdtd
