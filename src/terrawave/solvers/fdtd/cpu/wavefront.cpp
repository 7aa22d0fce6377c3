#include "terrawave/solvers/fdtd/cpu/wavefront.hpp"

#include <algorithm>
#include <atomic>
#include <string_view>
#include <thread>
#include <unordered_map>

#include <omp.h>

#include "terrawave/solvers/fdtd/cpu/wavefront_rows.hpp"

namespace terrawave::fdtd {
namespace {

using wavefront::chunks;
using wavefront::kGather;
using wavefront::kPattern;
using wavefront::Row;
using wavefront::Touch;

std::size_t z(Index i) { return static_cast<std::size_t>(i); }

constexpr std::size_t kMostPatterns = 8192;  // a palette of 3 MB in single precision

// Everything a strip needs, fixed for one sweep.
template <class Real>
struct Sweep {
  const Medium<Real>& medium;
  const State<Real>& state;
  const EventTables& events;
  double* event_states;
  const Real* palette;
  const std::uint32_t* pattern;
  const std::int32_t* plane_groups[2];
  const std::int32_t* x_member;
  Index sample_row, record_row;
  Index chunk_low, chunk_high;  // chunks that hold updated entries
  // Chunks in the layers of x: [chunk_low, layer_low_end) and [layer_high_begin, layer_high_end).
  Index layer_low_end, layer_high_begin, layer_high_end;
};

// Position range of event groups of one plane whose rows lie in [low, high).
struct Groups {
  std::int32_t at = 0, end = 0;
};
template <class Real>
Groups groups_of(const Sweep<Real>& s, int pass, Index k, Index low, Index high) {
  const EventList& list = s.events.list[pass];
  Groups g{s.plane_groups[pass][k], s.plane_groups[pass][k + 1]};
  const auto row = [&](std::int32_t n) { return Index(list.events[list.group[n]].y); };
  while (g.at < g.end && row(g.at) < low) ++g.at;
  std::int32_t end = g.at;
  while (end < g.end && row(end) < high) ++end;
  g.end = end;
  return g;
}

// One pass over one row, with its events. `g` advances past the row's groups.
template <class Real, bool Electric>
void update_row(const Sweep<Real>& s, Index j, Index k, int level, Groups& g,
                std::vector<Real>& old) {
  const Medium<Real>& m = s.medium;
  const Layout& l = m.layout;
  const Index first = l.at(0, j, k);
  const EventList& list = s.events.list[Electric ? 0 : 1];
  const std::int32_t g0 = g.at;
  old.clear();
  for (; g.at < g.end && list.events[list.group[g.at]].y == j; ++g.at) {
    const Event& e = list.events[list.group[g.at]];
    old.push_back(s.state.f[e.component][first + e.x]);
  }
  const AxisWeights<Real>&wx = m.axis[0], &wy = m.axis[1], &wz = m.axis[2];
  Row<Real> r{};
  for (int c = 0; c < 6; ++c) r.f[c] = s.state.f[c] + first;
  r.row = l.row;
  r.plane = l.plane;
  r.sx = Electric ? wx.se : wx.sh;
  r.ax = Electric ? wx.ae : wx.ah;
  r.bx = Electric ? wx.be : wx.bh;
  r.sy = (Electric ? wy.se : wy.sh)[j];
  r.ay = (Electric ? wy.ae : wy.ah)[j];
  r.by = (Electric ? wy.be : wy.bh)[j];
  r.sz = (Electric ? wz.se : wz.sh)[k];
  r.az = (Electric ? wz.ae : wz.ah)[k];
  r.bz = (Electric ? wz.be : wz.bh)[k];
  r.x_member = s.x_member;
  r.classes = Electric ? m.edges : m.faces;
  r.table = Electric ? m.edge_table : m.face_table;
  r.first = first;
  r.pattern = s.pattern + first / kChunk;
  r.palette = s.palette;
  r.b = m.face_b;
  Touch touch{false, m.layers && wy.slab.holds(j), m.layers && wz.slab.holds(k)};
  constexpr int q = Electric ? 0 : 2;
  if (touch.y) {
    const Index at = psi_at(l, wy.slab, 1, 0, j, k);
    r.py0 = s.state.psi[1][q] + at;
    r.py1 = s.state.psi[1][q + 1] + at;
  }
  if (touch.z) {
    const Index at = psi_at(l, wz.slab, 2, 0, j, k);
    r.pz0 = s.state.psi[2][q] + at;
    r.pz1 = s.state.psi[2][q + 1] + at;
  }
  const bool faces = !m.faces.empty();
  const auto x_layer = [&](Index c0, Index c1) {
    if (c1 <= c0) return;
    const Index i = c0 * kChunk;
    const Index at = psi_at(l, wx.slab, 0, i, j, k) - i;
    r.px0 = s.state.psi[0][q] + at;
    r.px1 = s.state.psi[0][q + 1] + at;
    chunks<Real, Electric>(r, {true, touch.y, touch.z}, faces, c0, c1);
  };
  x_layer(s.chunk_low, s.layer_low_end);
  chunks<Real, Electric>(r, touch, faces, s.layer_low_end, s.layer_high_begin);
  x_layer(s.layer_high_begin, s.layer_high_end);
  chunks<Real, Electric>(r, touch, faces, s.layer_high_end, s.chunk_high);
  for (std::int32_t n = g0; n < g.at; ++n) {
    const Event& e = list.events[list.group[n]];
    Real& value = s.state.f[e.component][first + e.x];
    value = apply_group(s.events, list, n, s.sample_row + level, s.record_row + level,
                        old[z(n - g0)], value, s.event_states);
  }
}

// Level `level` of one plane of a strip: rows [low, high).
template <class Real>
void update_plane(const Sweep<Real>& s, Index k, Index low, Index high, int level,
                  std::vector<Real>& old) {
  Groups h = groups_of(s, 1, k, low, high), e = groups_of(s, 0, k, low, high);
  for (Index j = low; j < high; ++j) {
    update_row<Real, false>(s, j, k, level, h, old);
    update_row<Real, true>(s, j, k, level, e, old);
  }
}

// Progress of a strip: planes swept; on a line of its own so that waiting threads do not disturb.
struct alignas(64) Progress {
  std::atomic<Index> planes{0};
};

void wait_for(const Progress& p, Index planes) {
  for (int spins = 0; p.planes.load(std::memory_order_acquire) < planes; ++spins)
    if (spins > 64) std::this_thread::yield();
}

}  // namespace

int wavefront_steps(const Model& model, int bytes) {
  // About steps + 2 planes of a strip are in use at once; half of a typical second-level cache.
  const double row = 6.0 * double(model.grid.cells(0)) * bytes;
  for (int steps = 8; steps > 2; --steps)
    if (row * (8 + steps) * (steps + 2) < 1.2e6) return steps;
  return 2;
}

template <class Real>
Wavefront<Real>::Wavefront(const par::Queue& queue, const Medium<Real>& medium,
                           const HostClasses& edges, const Model& model, const HostEvents& events,
                           int) {
  const Layout& l = medium.layout;
  // Patterns of classes along 16 entries; each is written once.
  std::unordered_map<std::string_view, std::uint32_t> known;
  std::vector<Real> table;
  for (const auto& ids : edges.ids)
    for (const std::uint16_t id : ids) {
      const Update u = edge_update(model.edge_materials[id], model.dt);
      table.push_back(static_cast<Real>(u.a));
      table.push_back(static_cast<Real>(u.b));
    }
  pattern_.reserve(z(l.count / kChunk));
  std::string_view last;
  for (Index at = 0; at < l.count; at += kChunk) {
    const std::string_view key(reinterpret_cast<const char*>(&edges.index[z(at)]),
                               kChunk * sizeof(std::uint16_t));
    if (!pattern_.empty() && key == last) {
      pattern_.push_back(pattern_.back());
      continue;
    }
    last = key;
    const auto it = known.find(key);
    if (it != known.end()) {
      pattern_.push_back(it->second);
    } else if (known.size() >= kMostPatterns) {
      pattern_.push_back(kGather);
    } else {
      const auto number = std::uint32_t(known.size());
      known.emplace(key, number);
      for (Index q = 0; q < 6; ++q)
        for (Index n = 0; n < kChunk; ++n)
          palette_.push_back(table[6 * std::size_t(edges.index[z(at + n)]) + z(q)]);
      pattern_.push_back(number);
    }
  }
  for (std::size_t p = 0; p < 2; ++p) {
    plane_groups_[p].assign(z(l.size[2] + 1), 0);
    for (std::size_t g = 0; g + 1 < events.groups[p].size(); ++g)
      ++plane_groups_[p][z(events.events[p][z(events.groups[p][g])].z) + 1];
    for (std::size_t k = 1; k < plane_groups_[p].size(); ++k)
      plane_groups_[p][k] += plane_groups_[p][k - 1];
  }
  members_.assign(z(l.size[0]), 0);
  for (Index i = 0; i < l.size[0]; ++i) members_[z(i)] = medium.axis[0].slab.holds(i) ? 1 : 0;
  (void)queue;
}

template <class Real>
void Wavefront<Real>::run(const par::Queue& queue, const Medium<Real>& medium,
                          const State<Real>& state, const EventTables& events, double* event_states,
                          Index sample_row, Index record_row, int count) {
  const par::LaunchScope open(queue);
  const Layout& l = medium.layout;
  const Slab& slab = medium.axis[0].slab;
  Sweep<Real> s{medium,
                state,
                events,
                event_states,
                palette_.data(),
                pattern_.data(),
                {plane_groups_[0].data(), plane_groups_[1].data()},
                members_.data(),
                sample_row,
                record_row,
                l.update_low[0] / kChunk,
                (l.update_high[0] + kChunk - 1) / kChunk,
                0,
                0,
                0};
  s.layer_low_end = s.chunk_low;
  s.layer_high_begin = s.layer_high_end = s.chunk_high;
  if (slab.low_width > 0) s.layer_low_end = (slab.low_begin + slab.low_width) / kChunk;
  if (slab.high_width > 0) {
    s.layer_high_begin = slab.high_begin / kChunk;
    s.layer_high_end = (slab.high_begin + slab.high_width) / kChunk;
  }
  const Index rows_low = l.update_low[1], rows_high = l.update_high[1];
  const Index low = l.update_low[2], high = l.update_high[2];
  const int threads = queue.threads();
  const Index strips = (rows_high - rows_low + count - 1 + strip_ - 1) / strip_;
  std::vector<Progress> progress(z(strips));
#pragma omp parallel num_threads(threads)
  {
    std::vector<Real> old;
    const int mine = omp_get_thread_num(), team = omp_get_num_threads();
    for (Index m = mine; m < strips; m += team) {
      const Index base = rows_low + m * strip_;
      for (Index sweep = low; sweep < high + count - 1; ++sweep) {
        if (m > 0) wait_for(progress[z(m - 1)], sweep - low + 1);
        for (int level = 0; level < count; ++level) {
          const Index k = sweep - level;
          if (k < low || k >= high) continue;
          update_plane(s, k, std::max(rows_low, base - level),
                       std::min(rows_high, base + strip_ - level), level, old);
        }
        progress[z(m)].planes.store(sweep - low + 1, std::memory_order_release);
      }
    }
  }
}

template class Wavefront<float>;
template class Wavefront<double>;

}  // namespace terrawave::fdtd
