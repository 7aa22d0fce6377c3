#include "terrawave/solvers/fdtd/cpu/wavefront.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <omp.h>

#include "terrawave/solvers/fdtd/cpu/wavefront_rows.hpp"
#include "terrawave/solvers/fdtd/cpu/wavefront_schedule.hpp"

namespace terrawave::fdtd {
namespace {

using wavefront::Flag;
using wavefront::Pass;
using wavefront::Row;
using wavefront::Schedule;

std::size_t z(Index i) { return static_cast<std::size_t>(i); }

// Patterns are kept while they fit in a corner of the second-level cache.
constexpr std::size_t kMostPatterns = 1024;
// Entries of a row, whole chunks.
struct Span {
  Index from = 0, to = 0;
  bool operator==(const Span&) const = default;
};

// What a run updates of one field of one row: up to two spans.
struct Spans {
  Span part[2];
  bool operator==(const Spans&) const = default;
  bool holds(Index x) const {
    return std::ranges::any_of(part, [x](const Span& s) { return x >= s.from && x < s.to; });
  }
};

// Everything a strip needs, fixed for one sweep.
template <class Real>
struct Sweep {
  const Medium<Real>& medium;
  const State<Real>& state;
  const EventTables& events;
  double* event_states;
  const std::uint8_t* plain;          // by chunk of the whole array
  const std::int32_t* row_groups[2];  // by row j + size[1] k: E, H
  Index sample_row, record_row;
  Index x_low, x_high;  // whole chunks that hold updated entries
  // Chunks in the layers of x: [x_low, low_end) and [high_begin, high_end).
  Index low_end, high_begin, high_end;
  Part part;
  std::span<const Core> cores;  // by level, cut at chunks; for part != all

  // Entries of row (j, k) to update: q = 0 E, 1 H.
  Spans spans(int q, Index j, Index k, int level) const {
    const Span row{x_low, x_high};
    if (part == Part::all) return {{row, {}}};
    const Core& c = cores[z(level)];
    const Index* const low = q == 0 ? c.e_low : c.h_low;
    const Index* const high = q == 0 ? c.e_high : c.h_high;
    // Without ghosts along x the core holds the whole row.
    const Index from = low[0] <= medium.layout.update_low[0] ? x_low : low[0];
    const Index to = std::min(high[0] >= medium.layout.update_high[0] ? x_high : high[0], x_high);
    const bool met = from < to && j >= low[1] && j < high[1] && k >= low[2] && k < high[2];
    if (part == Part::core) return met ? Spans{{{from, to}, {}}} : Spans{};
    return met ? Spans{{{x_low, from}, {to, x_high}}} : Spans{{row, {}}};
  }
};

// The rows of one thread: what changes from row to row is set before each update.
template <class Real>
class RowUpdater {
 public:
  RowUpdater(const Sweep<Real>& sweep, const Row<Real>& common) : s_(sweep), r_(common) {}

  // Level `level` of row (j, k): H, then E, with their events.
  void update(Index j, Index k, int level, const Real* ahead0, const Real* ahead1) {
    const Medium<Real>& m = s_.medium;
    const Layout& l = m.layout;
    r_.ahead[0] = ahead0;
    r_.ahead[1] = ahead1;
    set_row(j, k);
    const std::size_t n = z(j + l.size[1] * k);
    const std::int32_t h0 = s_.row_groups[1][n], h1 = s_.row_groups[1][n + 1];
    const std::int32_t e0 = s_.row_groups[0][n], e1 = s_.row_groups[0][n + 1];
    const bool faces = !m.faces.empty();
    const EventList &electric = s_.events.list[0], &magnetic = s_.events.list[1];
    const Spans h = s_.spans(1, j, k, level), e = s_.spans(0, j, k, level);
    if (h0 == h1 && h == e) {
      keep_old(electric, e0, e1, e);
      pass<Pass::both>(faces, e);
    } else {
      keep_old(magnetic, h0, h1, h);
      pass<Pass::magnetic>(faces, h);
      apply(magnetic, h0, h1, h, level);
      keep_old(electric, e0, e1, e);
      pass<Pass::electric>(faces, e);
    }
    apply(electric, e0, e1, e, level);
  }

 private:
  void set_row(Index j, Index k) {
    const Medium<Real>& m = s_.medium;
    const Layout& l = m.layout;
    const AxisWeights<Real>&wy = m.axis[1], &wz = m.axis[2];
    r_.first = l.at(0, j, k);
    for (int c = 0; c < 6; ++c) r_.f[c] = s_.state.f[c] + r_.first;
    r_.plain = s_.plain + r_.first / kChunk;
    r_.y[0] = {wy.se[j], wy.ae[j], wy.be[j]};
    r_.y[1] = {wy.sh[j], wy.ah[j], wy.bh[j]};
    r_.z[0] = {wz.se[k], wz.ae[k], wz.be[k]};
    r_.z[1] = {wz.sh[k], wz.ah[k], wz.bh[k]};
    if (!m.layers) return;
    y_ = wy.slab.holds(j);
    z_ = wz.slab.holds(k);
    const auto set = [&](Real*(&to)[2][2], int axis, Index at) {
      for (int q = 0; q < 4; ++q) to[q / 2][q % 2] = s_.state.psi[axis][q] + at;
    };
    if (y_) set(r_.py, 1, psi_at(l, wy.slab, 1, 0, j, k));
    if (z_) set(r_.pz, 2, psi_at(l, wz.slab, 2, 0, j, k));
    x_row_ = j + l.size[1] * k;
  }

  template <Pass kPass>
  void pass(bool faces, const Spans& spans) {
    for (const Span& s : spans.part) faces ? ranges<kPass, true>(s) : ranges<kPass, false>(s);
  }

  template <Pass kPass, bool Faces>
  void ranges(const Span& span) {
    const auto range = [&](bool in_layer, Index low, Index high) {
      const Index from = std::max(low, span.from), to = std::min(high, span.to);
      if (to <= from) return;
      if (in_layer) shift_x(s_.medium.axis[0].slab.position(from) - from);
      wavefront::update_range<Real, kPass, Faces>(r_, in_layer, y_, z_, from, to);
    };
    range(true, s_.x_low, s_.low_end);
    range(false, s_.low_end, s_.high_begin);
    range(true, s_.high_begin, s_.high_end);
    range(false, s_.high_end, s_.x_high);
  }

  // psi of x is kept for the chunks of the layers only: makes entry i lie at [i].
  void shift_x(Index shift) {
    const Index at = s_.medium.axis[0].slab.width() * x_row_ + shift;
    for (int q = 0; q < 4; ++q) r_.px[q / 2][q % 2] = s_.state.psi[0][q] + at;
  }

  void keep_old(const EventList& list, std::int32_t begin, std::int32_t end, const Spans& spans) {
    old_.clear();
    for (std::int32_t g = begin; g < end; ++g) {
      const Event& e = list.events[list.group[g]];
      if (spans.holds(e.x)) old_.push_back(s_.state.f[e.component][r_.first + e.x]);
    }
  }

  void apply(const EventList& list, std::int32_t begin, std::int32_t end, const Spans& spans,
             int level) {
    std::size_t n = 0;
    for (std::int32_t g = begin; g < end; ++g) {
      const Event& e = list.events[list.group[g]];
      if (!spans.holds(e.x)) continue;
      Real& value = s_.state.f[e.component][r_.first + e.x];
      value = apply_group(s_.events, list, g, s_.sample_row + level, s_.record_row + level,
                          old_[n++], value, s_.event_states);
    }
  }

  const Sweep<Real>& s_;
  Row<Real> r_;
  Index x_row_ = 0;
  bool y_ = false, z_ = false;  // the row lies in layers of y, of z
  std::vector<Real> old_;
};

// All levels of one strip at one position of the sweep.
template <class Real>
void sweep_strip(RowUpdater<Real>& rows, const State<Real>& state, const Layout& l,
                 const Schedule& schedule, Index m, Index sweep) {
  const Index low = l.update_low[1], high = l.update_high[1];
  const Index height = schedule.strip_height(), base = low + m * height;
  const Index front = l.update_low[2] + sweep;  // plane of level 0
  for (int level = 0; level < schedule.steps(); ++level) {
    const Index k = front - level;
    if (k < l.update_low[2] || k >= l.update_high[2]) continue;
    const Index from = std::max(low, base - level), to = std::min(high, base + height - level);
    for (Index j = from; j < to; ++j) {
      // The next sweep needs one more plane, and one more row of each plane: spread over the rows.
      const Index n = j - (base - level);
      const Real* plane = state.f[0] + l.at(0, j, k);
      const Real* row = plane;
      if (level < 6 && front + 2 < l.update_high[2] && base + n < high)
        plane = state.f[level] + l.at(0, base + n, front + 2);
      if (n < 6 && k + 1 < l.update_high[2]) row = state.f[n] + l.at(0, from, k + 1);
      rows.update(j, k, level, plane, row);
    }
  }
}

}  // namespace

namespace {

// A strip of S rows through T levels keeps about (T + 1) planes of S + 2 rows in use; they shall
// fit in the second-level cache of a core with room to spare.
constexpr double kCacheBytes = 800e3;
Index strip_rows(double row_bytes, int steps) {
  return std::clamp<Index>(Index(kCacheBytes / (row_bytes * (steps + 1))) - 2, 2, 64);
}

}  // namespace

int wavefront_steps(const Model& model, int bytes) {
  // Each strip brings S + T rows into the cache for S T row updates.
  const double row = 6.0 * double(model.grid.cells(0) + kChunk) * bytes;
  int best = 2;
  double least = 2;
  for (int steps = 2; steps <= 8; ++steps) {
    const double strip = double(strip_rows(row, steps));
    const double traffic = (strip + steps) / (strip * steps);
    if (traffic < least) {
      least = traffic;
      best = steps;
    }
  }
  return best;
}

namespace {

// Rows of the grid hold few different patterns of classes; each is kept once.
template <class Real>
struct PatternData {
  std::vector<wavefront::Pattern<Real>> palette;
  std::vector<bool> uniform;         // by pattern: all entries are of one class
  std::vector<std::uint32_t> place;  // by chunk

  template <class UpdateOf>
  void build(const Layout& l, const HostClasses& classes, const UpdateOf& update_of) {
    if (classes.index.empty()) return;
    std::unordered_map<std::string_view, std::uint32_t> known;
    std::vector<Real> table;
    for (const auto& ids : classes.ids)
      for (const std::uint16_t id : ids) {
        const Update u = update_of(id);
        table.push_back(static_cast<Real>(u.a));
        table.push_back(static_cast<Real>(u.b));
      }
    place.reserve(z(l.count / kChunk));
    std::string_view last;
    for (Index at = 0; at < l.count; at += kChunk) {
      const std::string_view key(reinterpret_cast<const char*>(&classes.index[z(at)]),
                                 kChunk * sizeof(std::uint16_t));
      if (place.empty() || key != last)
        place.push_back(find(known, table, classes, key, at));
      else
        place.push_back(place.back());
      last = key;
    }
  }

 private:
  std::uint32_t find(std::unordered_map<std::string_view, std::uint32_t>& known,
                     const std::vector<Real>& table, const HostClasses& classes,
                     std::string_view key, Index at) {
    const auto it = known.find(key);
    if (it != known.end()) return it->second;
    if (known.size() >= kMostPatterns) return wavefront::Patterns<Real>::kLookUp;
    const auto fresh = std::uint32_t(palette.size()) * std::uint32_t(6 * kChunk);
    known.emplace(key, fresh);
    const std::span<const std::uint16_t> ids(&classes.index[z(at)], z(kChunk));
    uniform.push_back(std::ranges::all_of(ids, [&](std::uint16_t id) { return id == ids[0]; }));
    wavefront::Pattern<Real>& p = palette.emplace_back();
    for (Index q = 0; q < 6; ++q)
      for (Index n = 0; n < kChunk; ++n)
        p.at[q * kChunk + n] = table[6 * std::size_t(classes.index[z(at + n)]) + z(q)];
    return fresh;
  }
};

// By chunk: how many chunks from here on share one class of edges and one weight along x.
template <class Real>
std::vector<std::uint8_t> plain_runs(const Layout& l, const PatternData<Real>& edges,
                                     const HostAxis& x) {
  const auto weight = [](const std::vector<double>& w, Index i) { return Real(w[z(i)]); };
  const auto same_weights = [&](Index i, Index j) {
    return weight(x.se, i) == weight(x.se, j) && weight(x.sh, i) == weight(x.sh, j);
  };
  const Index chunks = l.size[0] / kChunk;
  std::vector<std::uint8_t> even(z(chunks)), joined(z(chunks));  // by chunk of a row
  for (Index c = 0; c < chunks; ++c) {
    even[z(c)] = 1;
    for (Index n = 1; n < kChunk; ++n)
      if (!same_weights(c * kChunk, c * kChunk + n)) even[z(c)] = 0;
    joined[z(c)] = c + 1 < chunks && same_weights(c * kChunk, (c + 1) * kChunk);
  }
  std::vector<std::uint8_t> runs(edges.place.size());
  for (Index at = Index(runs.size()) - 1; at >= 0; --at) {
    const Index c = at % chunks;
    const std::uint32_t place = edges.place[z(at)];
    if (even[z(c)] == 0 || place == wavefront::Patterns<Real>::kLookUp ||
        !edges.uniform[place / std::size_t(6 * kChunk)])
      continue;
    const bool goes_on = joined[z(c)] != 0 && edges.place[z(at + 1)] == place;
    runs[z(at)] = std::uint8_t(1 + (goes_on ? std::min<int>(runs[z(at + 1)], 254) : 0));
  }
  return runs;
}

bool any_event_from(const HostEvents& events, Index x) {
  return std::ranges::any_of(events.events, [&](const auto& list) {
    return std::ranges::any_of(list, [&](const Event& e) { return e.x >= x; });
  });
}

}  // namespace

template <class Real>
struct Wavefront<Real>::Plan {
  PatternData<Real> patterns[2];            // edges, faces
  std::vector<std::uint8_t> plain;          // plain_runs()
  std::vector<std::int32_t> row_groups[2];  // first event group of each row; one more at the end
  std::vector<wavefront::Flag<Real>> x_member;  // by x entry: inside a layer of x
  Index wall = 0;  // x entry of the wall at the end of x where it is alone in its chunk; or 0
  const Real* palette(int q) const {
    return patterns[q].palette.empty() ? nullptr : patterns[q].palette[0].at;
  }
};

template <class Real>
Wavefront<Real>::Wavefront(const Medium<Real>& medium, const HostClasses& edges,
                           const HostClasses& faces, const HostAxis& x_axis, const Model& model,
                           const HostEvents& events) {
  const Layout& l = medium.layout;
  const auto plan = std::make_shared<Plan>();
  plan->patterns[0].build(
      l, edges, [&](std::uint16_t id) { return edge_update(model.edge_materials[id], model.dt); });
  plan->patterns[1].build(
      l, faces, [&](std::uint16_t id) { return face_update(model.face_materials[id], model.dt); });
  plan->plain = plain_runs(l, plan->patterns[0], x_axis);
  for (std::size_t p = 0; p < 2; ++p) {
    auto& first = plan->row_groups[p];
    first.assign(z(l.size[1] * l.size[2] + 1), 0);
    for (std::size_t g = 0; g + 1 < events.groups[p].size(); ++g) {
      const Event& e = events.events[p][z(events.groups[p][g])];
      ++first[z(e.y + l.size[1] * e.z + 1)];
    }
    for (std::size_t k = 1; k < first.size(); ++k) first[k] += first[k - 1];
  }
  plan->x_member.assign(z(l.size[0]), 0);
  for (Index i = 0; i < l.size[0]; ++i)
    plan->x_member[z(i)] = medium.axis[0].slab.holds(i) ? -1 : 0;
  const Index last = l.update_high[0] - 1;
  const Boundary end = model.boundary[x_high];
  if ((end == Boundary::pec || end == Boundary::cpml) && last % kChunk == 0 &&
      last + l.origin[0] == model.grid.cells(0) && !any_event_from(events, last))
    plan->wall = last;
  plan_ = plan;
}

template <class Real>
bool Wavefront<Real>::wall_is_quiet(const Medium<Real>& medium, const State<Real>& state) const {
  if (plan_->wall == 0) return false;
  const Layout& l = medium.layout;
  const Flag<Real> zeros[kChunk] = {};
  for (const Real* field : state.f)
    for (Index k = 0; k < l.size[2]; ++k)
      for (Index j = 0; j < l.size[1]; ++j)
        if (std::memcmp(field + l.at(plan_->wall, j, k), zeros, sizeof(zeros)) != 0) return false;
  return true;
}

template <class Real>
void Wavefront<Real>::run(const par::Queue& queue, const Medium<Real>& medium,
                          const State<Real>& state, const EventTables& events, double* event_states,
                          Index sample_row, Index record_row, int count, bool quiet_wall, Part part,
                          std::span<const Core> cores) const {
  const par::LaunchScope open(queue);
  const Layout& l = medium.layout;
  const Slab& slab = medium.axis[0].slab;
  Sweep<Real> s{medium,
                state,
                events,
                event_states,
                plan_->plain.data(),
                {plan_->row_groups[0].data(), plan_->row_groups[1].data()},
                sample_row,
                record_row,
                l.update_low[0] / kChunk * kChunk,
                quiet_wall && plan_->wall > 0 ? plan_->wall
                                              : (l.update_high[0] + kChunk - 1) / kChunk * kChunk,
                0,
                0,
                0,
                part,
                cores};
  s.low_end = s.x_low;
  s.high_begin = s.high_end = s.x_high;
  if (slab.low_width > 0) s.low_end = slab.low_begin + slab.low_width;
  if (slab.high_width > 0) {
    s.high_begin = slab.high_begin;
    s.high_end = slab.high_begin + slab.high_width;
  }
  Row<Real> common{};
  common.row = l.row;
  common.plane = l.plane;
  const AxisWeights<Real>& wx = medium.axis[0];
  const Real* const weights[3][2] = {{wx.se, wx.sh}, {wx.ae, wx.ah}, {wx.be, wx.bh}};
  for (int q = 0; q < 2; ++q) {
    common.sx[q] = weights[0][q];
    common.ax[q] = weights[1][q];
    common.bx[q] = weights[2][q];
    common.patterns[q] = {plan_->palette(q), plan_->patterns[q].place.data(),
                          q == 0 ? medium.edges : medium.faces,
                          q == 0 ? medium.edge_table : medium.face_table};
  }
  common.x_member = plan_->x_member.data();
  common.face_b = medium.face_b;
  const Index rows = strip_rows(6.0 * double(l.row) * double(sizeof(Real)), count);
  std::optional<Schedule> schedule;
#pragma omp parallel num_threads(queue.threads())
  {
#pragma omp single
    schedule.emplace(l, count, omp_get_num_threads(), rows);
    RowUpdater<Real> updater(s, common);
    schedule->run(omp_get_thread_num(), [&](Index strip, Index sweep) {
      sweep_strip(updater, state, l, *schedule, strip, sweep);
    });
  }
}

template class Wavefront<float>;
template class Wavefront<double>;

}  // namespace terrawave::fdtd
