#include "terrawave/solvers/fdtd/fdtd_solver.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>

#include <fmt/format.h>

#include "terrawave/solvers/fdtd/fdtd_two_pass_steps.hpp"
#include "terrawave/solvers/fdtd/fdtd_yee.hpp"

namespace terrawave::fdtd {
namespace {

std::size_t z(Index i) { return static_cast<std::size_t>(i); }

}  // namespace

bool exists(const Model& model, int component, const std::array<Index, 3>& g) {
  for (int a = 0; a < 3; ++a) {
    const bool along = component < 3 ? a == component : a != component - 3;
    if (along && !model.periodic(a) && g[z(a)] >= model.grid.cells(a)) return false;
  }
  return true;
}

template <class Real>
YeeSolver<Real>::YeeSolver(Model model, sim::Context& context, const Options& options)
    : model_(std::move(model)),
      context_(context),
      options_(resolve_options(options, model_, context)) {
  const int depth = options_.steps_per_pass;
  brick_ = brick_of(model_, options_.ranks, context.comm.rank());
  layout_ = make_layout(model_, brick_, depth);
  for (int a = 0; a < 3; ++a) axes_[z(a)] = make_axis(model_, layout_, a);
  edges_ = edge_classes(model_, layout_);
  faces_ = face_classes(model_, layout_);
  medium_ = MediumData<Real>(context.queue, model_, layout_, axes_, edges_, faces_);
  make_energy_weights();
  events_ = EventData<Real>(context.comm, context.queue, model_, layout_);
  state_ = StateData<Real>(context.queue, layout_, axes_);
  ghosts_ = Ghosts<Real>(context.comm, context.queue, model_, options_.ranks, brick_, layout_,
                         axes_, depth);
  overlap_ = context.overlap && ghosts_.messages();
  if (options_.kernel == Kernel::wavefront)
    wavefront_ = Wavefront<Real>(medium_.view, edges_, faces_, axes_[0], model_, events_.host());
  // Only now is it known whether zmarch has a kernel for this model that pays on a small grid.
  if (options.kernel == Kernel::automatic && options_.kernel == Kernel::zmarch &&
      !zmarch_pays(model_, std::is_same_v<Real, float> && zmarch_marches(edges_, faces_, depth)))
    options_.kernel = Kernel::two_pass;
  if (options_.kernel == Kernel::zmarch) {
    other_ = StateData<Real>(context.queue, layout_, axes_);
    zmarch_ = std::make_unique<Zmarch<Real>>(context.queue, medium_.view, edges_, faces_,
                                             events_.host(), depth, options_.shape,
                                             overlap_ ? std::optional(brick_) : std::nullopt);
  }
  edges_.index = {};
  faces_.index = {};
}

// Takes `count` <= T steps from fresh ghosts; of the entries of `part` only, where the kernel can.
template <class Real>
void YeeSolver<Real>::advance(int count, Part part) {
  const EventTables tables = events_.tables();
  const Index sample = events_.sample_row(step_), record = events_.record_row(step_);
  double* states = events_.states();
  if (options_.kernel == Kernel::wavefront) {
    const auto timed = context_.timers.time("fdtd wavefront");
    // The core's run begins before the ghosts, which are looked at as well, are there.
    if (!quiet_wall_ && part != Part::core)
      quiet_wall_ = wavefront_.wall_is_quiet(medium_.view, state_.view);
    std::vector<Core> cores;
    for (int n = 0; n < count; ++n) cores.push_back(core_of(layout_, brick_, n, kChunk));
    wavefront_.run(context_.queue, medium_.view, state_.view, tables, states, sample, record, count,
                   quiet_wall_, part, cores);
  } else if (options_.kernel == Kernel::zmarch) {
    zmarch_->run(medium_.view, state_.view, other_.view, tables, states, events_.next_states(),
                 sample, record, count, part);
    if (part == Part::core) return;
    std::swap(state_, other_);
    events_.swap_states();
  } else {
    for (int n = 0; n < count; ++n)
      par::dispatch(context_.queue, [&](const auto& exec) {
        two_pass_step(exec, medium_.view, state_.view, tables, states, events_.scratch(),
                      sample + n, record + n, part, core_of(layout_, brick_, n));
      });
  }
}

// One pass: ghosts, then `count` <= T steps; with overlap the steps of the core run while the
// messages travel.
template <class Real>
void YeeSolver<Real>::pass(int count) {
  const bool overlapped = stale_ && overlap_;
  if (stale_) {
    events_.exchange_states();
    const auto timed = context_.timers.time("fdtd ghosts: pack and send");
    ghosts_.start(state_.view);
  }
  if (overlapped) {
    const auto timed = context_.timers.time("fdtd work while ghosts travel");
    advance(count, Part::core);
  }
  if (stale_) {
    const auto timed = context_.timers.time("fdtd ghosts: wait and unpack");
    ghosts_.finish(state_.view);
  }
  advance(count, overlapped ? Part::rest : Part::all);
  step_ += count;
  stale_ = ghosts_.any();
}

template <class Real>
std::int64_t YeeSolver<Real>::steps(double, double dt, std::int64_t count) {
  require(std::abs(dt - model_.dt) <= 1e-9 * model_.dt, "fdtd: dt is fixed by the model");
  const std::int64_t todo = std::min(count, events_.rows_left());
  require(todo > 0, "fdtd: the probe records are full: drain() them");
  std::int64_t done = 0;
  while (done < todo) {
    std::int64_t n = std::min<std::int64_t>(options_.steps_per_pass, todo - done);
    if (zmarch_ && n < options_.steps_per_pass) n = 1;  // it has plans for T and for 1
    events_.prepare_samples(step_, n);
    pass(int(n));
    events_.keep_rows(n);
    done += n;
  }
  return done;
}

template <class Real>
Records YeeSolver<Real>::drain() {
  return events_.drain(step_);
}

template <class Real>
void YeeSolver<Real>::make_energy_weights() {
  const auto keep = [&](const std::vector<double>& v) {
    energy_buffers_.emplace_back(context_.queue, v);
    return energy_buffers_.back().cview().data;
  };
  for (int a = 0; a < 3; ++a) {
    std::vector<double> dual(z(layout_.size[a]), 0.0), primary = dual;
    for (Index i = layout_.update_low[a]; i < layout_.update_high[a]; ++i) {
      const Index g = global_entry(model_, layout_, a, i);
      if (g < 0) continue;
      dual[z(i)] = model_.grid.dual(a, g, model_.periodic(a));
      if (g < model_.grid.cells(a)) primary[z(i)] = model_.grid.primary(a, g);
    }
    energy_weights_.dual[a] = keep(dual);
    energy_weights_.primary[a] = keep(primary);
  }
  std::vector<double> eps, mu;
  for (const auto& ids : edges_.ids)
    for (const auto id : ids)
      eps.push_back(model_.edge_materials[id].pec ? 0 : model_.edge_materials[id].eps);
  for (const auto& ids : faces_.ids)
    for (const auto id : ids) mu.push_back(model_.face_materials[id].mu);
  energy_weights_.eps = keep(eps);
  energy_weights_.mu = keep(mu);
}

template <class Real>
double YeeSolver<Real>::energy() {
  const double largest = context_.comm.max(par::dispatch(context_.queue, [&](const auto& exec) {
    return largest_energy(exec, medium_.view, state_.view, energy_weights_);
  }));
  const double elements = element_energy();
  if (!(largest > 0)) return elements;
  const int exponent = fixed_exponent(largest) + 1;
  const FixedSum sum = par::dispatch(context_.queue, [&](const auto& exec) {
    return sum_energy(exec, medium_.view, state_.view, energy_weights_, exponent);
  });
  return fixed_value(context_.comm.sum(sum), exponent) + elements;
}

// What inductors and series elements hold, added up in the model's order on every rank: without it
// the energy of a tank circuit would seem to vanish twice a period. (Capacitors are part of eps.)
template <class Real>
double YeeSolver<Real>::element_energy() {
  if (std::none_of(model_.events.begin(), model_.events.end(),
                   [](const PlacedEvent& e) { return event_states(e.kind) > 0; }))
    return 0;
  struct Held {
    std::int64_t id;
    double joules;
  };
  std::vector<Held> mine;
  const sim::FieldBlock block = events_.save();
  for (std::size_t n = 0; n < block.ids.size(); ++n) {
    const PlacedEvent& e = model_.events[z(block.ids[n])];
    if (event_states(e.kind) == 0) continue;
    double state[kMaxEventStates];
    std::memcpy(state, block.values.data() + n * sizeof state, sizeof state);
    const std::vector<double>& c = e.coefficients;
    if (e.kind == EventKind::inductor) {
      // J += dt l/(L A) E and I = J A: L I^2 / 2 = dt l A J^2 / (2 c0).
      double volume = 1;
      for (int a = 0; a < 3; ++a) {
        const Index i = e.node[z(a)];
        volume *= a == e.component ? model_.grid.primary(a, i)
                                   : model_.grid.dual(a, i, model_.periodic(a));
      }
      mine.push_back({block.ids[n], 0.5 * model_.dt * volume / c[0] * state[0] * state[0]});
    } else {
      // c0 = 2 L/dt, c4 = dt/(2 C); states i and vC.
      const double capacitor = c[4] > 0 ? model_.dt / (2 * c[4]) : 0;
      mine.push_back({block.ids[n], 0.25 * model_.dt * c[0] * state[0] * state[0] +
                                        0.5 * capacitor * state[1] * state[1]});
    }
  }
  std::vector<Held> all;
  for (const auto& bytes : context_.comm.all_gather(std::as_bytes(std::span(mine)))) {
    const std::size_t at = all.size();
    all.resize(at + bytes.size() / sizeof(Held));
    if (!bytes.empty()) std::memcpy(all.data() + at, bytes.data(), bytes.size());
  }
  std::sort(all.begin(), all.end(), [](const Held& a, const Held& b) { return a.id < b.id; });
  double sum = 0;
  for (const Held& h : all) sum += h.joules;
  return sum;
}

template <class Real>
std::optional<sim::BadValue> YeeSolver<Real>::find_bad_value() {
  const Index extent[3] = {model_.extent(0), model_.extent(1), model_.extent(2)};
  const double limit = std::is_same_v<Real, float> ? 1e30 : 1e200;
  Index first = par::dispatch(context_.queue, [&](const auto& exec) {
    return first_bad(exec, layout_, state_.view, extent, limit);
  });
  constexpr Index none = std::numeric_limits<Index>::max();
  first = context_.comm.min(std::int64_t{first < 0 ? none : first});
  if (first == none) return std::nullopt;
  const Index i = first % extent[0], j = first / extent[0] % extent[1],
              k = first / (extent[0] * extent[1]);
  // The values at this node, from the rank that owns it.
  std::string values;
  for (int c = 0; c < 6; ++c) {
    Box found;
    const auto v = owned_values(c, Box{{i, j, k}, {i + 1, j + 1, k + 1}}, found);
    if (!v.empty()) values += fmt::format("{}{} = {:.4g}", c > 0 ? ", " : "", kFieldNames[c], v[0]);
  }
  const auto all = context_.comm.all_gather(std::as_bytes(std::span(values)));
  for (const auto& bytes : all)
    if (!bytes.empty()) values.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const domain::YeeGrid& g = model_.grid;
  return sim::BadValue{
      fmt::format("the field diverges: at node ({}, {}, {}), x = {:.6g} m, y = {:.6g} m, z = "
                  "{:.6g} m, after step "
                  "{}: {}",
                  i, j, k, g.line(0, i), g.line(1, j), g.line(2, k), step_, values)};
}

template <class Real>
std::vector<double> YeeSolver<Real>::owned_values(int component, const Box& box, Box& found) const {
  for (std::size_t a = 0; a < 3; ++a) {
    found.low[a] = std::max(box.low[a], brick_.owned.low[a]);
    found.high[a] = std::min(box.high[a], brick_.owned.high[a]);
    if (found.high[a] <= found.low[a]) return {};
  }
  std::vector<double> values;
  values.reserve(z(found.count()));
  std::vector<Real> row(z(found.size(0)));
  // A box that spans whole planes' worth of rows is fetched plane by plane.
  std::vector<Real> plane;
  for (Index k = found.low[2]; k < found.high[2]; ++k) {
    const Index lk = k - layout_.origin[2];
    const Index first = layout_.at(0, found.low[1] - layout_.origin[1], lk);
    plane.resize(z(layout_.row * found.size(1)));
    state_.f[z(component)].download(std::span<Real>(plane), first);
    for (Index j = 0; j < found.size(1); ++j)
      for (Index i = found.low[0]; i < found.high[0]; ++i)
        values.push_back(double(plane[z(j * layout_.row + i - layout_.origin[0])]));
  }
  return values;
}

template <class Real>
void YeeSolver<Real>::set_field(int component,
                                const std::function<double(Index, Index, Index)>& value) {
  std::vector<Real> v(z(layout_.count), Real(0));
  for (Index k = 0; k < layout_.size[2]; ++k)
    for (Index j = 0; j < layout_.size[1]; ++j)
      for (Index i = 0; i < layout_.size[0]; ++i) {
        const Index gi = global_entry(model_, layout_, 0, i),
                    gj = global_entry(model_, layout_, 1, j),
                    gk = global_entry(model_, layout_, 2, k);
        // Entries behind the last cell stand for nothing and must stay zero: walls rest on that. E
        // on a wall is zero.
        const Index at = layout_.at(i, j, k);
        if (gi >= 0 && gj >= 0 && gk >= 0 && exists(model_, component, {gi, gj, gk}) &&
            !on_wall(model_, component, {gi, gj, gk}))
          v[z(at)] = Real(value(gi, gj, gk));
      }
  state_.f[z(component)].upload(v);
  quiet_wall_ = false;
}

std::unique_ptr<FdtdSolver> make_solver(Model model, sim::Context& context,
                                        const Options& options) {
  check(model);
  if (context.single_precision)
    return std::make_unique<YeeSolver<float>>(std::move(model), context, options);
  return std::make_unique<YeeSolver<double>>(std::move(model), context, options);
}

}  // namespace terrawave::fdtd
