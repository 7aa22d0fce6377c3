// Models for the tests of the Yee solver: random ones, and a runner.
#pragma once

#include <cstring>
#include <memory>
#include <random>

#include "terrawave/solvers/fdtd/fdtd_solver.hpp"
#include "test_world.hpp"

namespace terrawave::test {

// A context that owns what it needs; messages are dropped.
struct Bench {
  explicit Bench(bool single_precision, par::Queue queue = par::Queue::host(),
                 comm::Comm& comm = world())
      : context{comm, queue, log, timers, single_precision, true} {}
  sim::Log log{[](sim::Log::Level, const std::string&) {}};
  sim::Timers timers;
  sim::Context context;
};

// The same value for the same (seed, component, node) on every rank: a hash, mapped to [-1, 1].
inline double noise(std::uint64_t seed, int c, Index i, Index j, Index k) {
  std::uint64_t h = seed * 0x9e3779b97f4a7c15ull + std::uint64_t(c) * 0xbf58476d1ce4e5b9ull;
  for (const Index v : {i, j, k}) {
    h ^= std::uint64_t(v) + 0x9e3779b97f4a7c15ull + (h << 6) + (h >> 2);
    h *= 0x94d049bb133111ebull;
    h ^= h >> 29;
  }
  return double(h >> 11) * 0x1p-52 - 1;
}

struct ModelKind {
  std::array<Index, 3> cells{20, 9, 8};
  std::array<fdtd::Boundary, 6> boundary{};
  bool graded = true;
  int materials = 3;  // non-PEC edge materials; more than about 6 gives two-byte classes
  bool magnetic = false;
  bool events = true;
  int layers = 4;
};

inline fdtd::Model random_model(const ModelKind& kind, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto uniform = [&](double a, double b) {
    return std::uniform_real_distribution<double>(a, b)(random);
  };
  fdtd::Model m;
  std::array<std::vector<double>, 3> lines;
  for (std::size_t a = 0; a < 3; ++a) {
    double x = 0;
    for (Index i = 0; i <= kind.cells[a]; ++i) {
      lines[a].push_back(x);
      x += kind.graded ? 1e-3 * uniform(0.8, 1.2) : 1e-3;
    }
  }
  m.grid = domain::YeeGrid(lines);
  m.boundary = kind.boundary;
  for (auto& c : m.cpml) {
    c.layers = kind.layers;
    c.kappa_max = uniform(1, 5);
    c.alpha_frequency = uniform(0, 2e9);
  }
  m.edge_materials = {{fdtd::kEps0, 0, true}};
  for (int n = 0; n < kind.materials; ++n)
    m.edge_materials.push_back(
        {fdtd::kEps0 * uniform(1, 6), n % 3 == 0 ? 0 : uniform(0, n % 3 == 1 ? 0.5 : 100), false});
  const int materials = kind.materials;
  m.fill_edges = [seed, materials](int c, const fdtd::Box& b, std::span<std::uint16_t> ids) {
    std::size_t n = 0;
    for (Index k = b.low[2]; k < b.high[2]; ++k)
      for (Index j = b.low[1]; j < b.high[1]; ++j)
        for (Index i = b.low[0]; i < b.high[0]; ++i) {
          const double x = noise(seed, c, i, j, k);
          ids[n++] =
              x > 0.97 ? 0 : (x > 0 ? 1 : std::uint16_t(1 + int(-x * materials) % materials));
        }
  };
  m.face_materials = {{}};
  if (kind.magnetic) {
    m.face_materials.push_back({fdtd::kMu0 * 1.7, 0});
    m.face_materials.push_back({fdtd::kMu0 * 2.1, 1e4});
    m.fill_faces = [seed](int c, const fdtd::Box& b, std::span<std::uint16_t> ids) {
      std::size_t n = 0;
      for (Index k = b.low[2]; k < b.high[2]; ++k)
        for (Index j = b.low[1]; j < b.high[1]; ++j)
          for (Index i = b.low[0]; i < b.high[0]; ++i)
            ids[n++] = std::uint16_t((noise(seed + 7, c, i, j, k) + 1) * 1.4999);
    };
  }
  m.dt = 0.98 * fdtd::time_step_limit(m);
  if (!kind.events) return m;
  const double dt = m.dt;
  m.signals.push_back(
      {[dt](double t) { return std::exp(-std::pow((t - 10 * dt) / (4 * dt), 2)); }, 0.5});
  m.signals.push_back({[dt](double t) { return 0.1 * std::sin(0.3 * t / dt); }, 1});
  const auto node = [&] {
    std::array<Index, 3> p;
    for (std::size_t a = 0; a < 3; ++a) p[a] = Index(uniform(1, double(kind.cells[a]) - 1));
    return p;
  };
  for (int n = 0; n < 12; ++n) {
    const auto p = node();
    m.events.push_back({p, n % 6, fdtd::EventKind::add, 0, {uniform(-1, 1)}, {}});
    m.events.push_back({node(), n % 6, fdtd::EventKind::set, 1, {uniform(-1, 1)}, {}});
    m.events.push_back({p, n % 6, fdtd::EventKind::combine, 1, {0.9, 0.05, uniform(-1, 1)}, {}});
    m.events.push_back({p, n % 3, fdtd::EventKind::inductor, -1, {0.05, 0.04}, {}});
    m.events.push_back(
        {node(), n % 3, fdtd::EventKind::series_rlc, -1, {0.3, 0.05, 0.2, 0.5, 0.1}, {}});
    m.probes.push_back({p, n % 6});
    m.probes.push_back({node(), (n + 1) % 6});
  }
  return m;
}

// Random fields everywhere.
// Noise of component c at an entry, E and H in the proportion of a wave.
inline double field_noise(std::uint64_t seed, int c, Index i, Index j, Index k) {
  return noise(seed + 100, c, i, j, k) * (c < 3 ? 1.0 : 1.0 / 376.7);
}
// The solver leaves E on the walls of the grid at zero.
inline void randomise(fdtd::FdtdSolver& s, std::uint64_t seed) {
  for (int c = 0; c < 6; ++c)
    s.set_field(c, [=](Index i, Index j, Index k) { return field_noise(seed, c, i, j, k); });
}

inline fdtd::Box whole(const fdtd::Model& m) {
  return {{0, 0, 0}, {m.extent(0), m.extent(1), m.extent(2)}};
}

// All six components and the probe records of a run, for comparison bit by bit.
struct Outcome {
  std::vector<double> values;
  std::vector<double> records;
  bool operator==(const Outcome& o) const {
    const auto same = [](const std::vector<double>& a, const std::vector<double>& b) {
      return a.size() == b.size() &&
             (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
    };
    return same(values, o.values) && same(records, o.records);
  }
};

inline Outcome outcome(fdtd::FdtdSolver& s) {
  Outcome o;
  for (int c = 0; c < 6; ++c) {
    fdtd::Box found;
    const auto v = s.owned_values(c, whole(s.model()), found);
    o.values.insert(o.values.end(), v.begin(), v.end());
  }
  o.records = s.drain().values;
  return o;
}

inline void advance(fdtd::FdtdSolver& s, std::int64_t steps) {
  for (std::int64_t n = 0; n < steps;) n += s.steps(0, s.max_dt(), steps - n);
}

}  // namespace terrawave::test
