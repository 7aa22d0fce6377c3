#include "terrawave/solvers/fdtd/fdtd_solver.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include <fmt/format.h>

#include "terrawave/base/error.hpp"
#include "terrawave/solvers/fdtd/cpu/wavefront.hpp"
#include "terrawave/solvers/fdtd/cuda/zmarch.hpp"
#include "terrawave/solvers/fdtd/fdtd_energy_steps.hpp"
#include "terrawave/solvers/fdtd/fdtd_event_data.hpp"
#include "terrawave/solvers/fdtd/fdtd_ghosts.hpp"
#include "terrawave/solvers/fdtd/fdtd_setup.hpp"
#include "terrawave/solvers/fdtd/fdtd_two_pass_steps.hpp"

namespace terrawave::fdtd {
namespace {

constexpr const char* kFields[6] = {"ex", "ey", "ez", "hx", "hy", "hz"};

std::size_t z(Index i) { return static_cast<std::size_t>(i); }

// Which kernel and how many steps per pass, where the user leaves it to us.
Options resolve(Options o, const Model& model, const sim::Context& context) {
  const bool cuda = context.queue.backend() == par::Backend::cuda;
  if (o.kernel == Kernel::automatic) {
    o.kernel = Kernel::two_pass;
    if (!cuda) o.kernel = Kernel::wavefront;
    if (cuda && zmarch_pays(model)) o.kernel = Kernel::zmarch;
  }
  if (o.kernel == Kernel::wavefront && cuda)
    throw InputError("kernels = \"wavefront\" runs on the CPU; on CUDA use \"zmarch\" or \"auto\"");
  if (o.kernel == Kernel::zmarch && !cuda)
    throw InputError("kernels = \"zmarch\" runs on CUDA; on the CPU use \"wavefront\" or \"auto\"");
  const int most =
      o.kernel == Kernel::zmarch ? zmarch_most_steps(context.single_precision) : kChunk - 1;
  if (o.steps_per_pass < 0 || o.steps_per_pass > most)
    throw InputError(fmt::format("steps per pass: expected 1 to {} with kernel {}, found {}", most,
                                 kernel_name(o.kernel), o.steps_per_pass));
  if (o.steps_per_pass == 0) {
    if (o.kernel == Kernel::two_pass) o.steps_per_pass = 1;
    if (o.kernel == Kernel::wavefront)
      o.steps_per_pass = wavefront_steps(model, context.single_precision ? 4 : 8);
    if (o.kernel == Kernel::zmarch) o.steps_per_pass = zmarch_steps(context.single_precision);
  }
  if (context.comm.size() == 1 && !model.periodic(0) && !model.periodic(1) && !model.periodic(2))
    return o;
  // Ghosts come from one neighbour: no deeper than its brick.
  Index shortest = kChunk;
  for (int a = 0; a < 3; ++a) {
    if (model.periodic(a)) shortest = std::min(shortest, model.extent(a));
  }
  o.steps_per_pass = int(std::min<Index>(o.steps_per_pass, shortest));
  return o;
}

bool exists(const Model& model, int component, const std::array<Index, 3>& g) {
  for (int a = 0; a < 3; ++a) {
    const bool along = component < 3 ? a == component : a != component - 3;
    if (along && !model.periodic(a) && g[z(a)] >= model.grid.cells(a)) return false;
  }
  return true;
}

template <class Real>
class YeeSolver final : public FdtdSolver {
 public:
  YeeSolver(Model model, sim::Context& context, const Options& options)
      : model_(std::move(model)), context_(context), options_(resolve(options, model_, context)) {
    const int depth = options_.steps_per_pass;
    options_.ranks = split_ranks(model_, context.comm.size(), options_.ranks, depth);
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
    if (options_.kernel == Kernel::wavefront)
      wavefront_ =
          Wavefront<Real>(context.queue, medium_.view, edges_, model_, events_.host(), depth);
    if (options_.kernel == Kernel::zmarch) {
      other_ = StateData<Real>(context.queue, layout_, axes_);
      zmarch_ = std::make_unique<Zmarch<Real>>(context.queue, medium_.view, edges_, faces_,
                                               events_.host(), depth);
    }
    edges_.index = {};
    faces_.index = {};
  }

  std::string_view name() const override { return "fdtd"; }
  double max_dt() override { return model_.dt; }
  void step(double t, double dt) override { steps(t, dt, 1); }
  std::int64_t steps(double t, double dt, std::int64_t count) override;
  std::vector<sim::AuditItem> audit() override {
    return {{"energy of the electromagnetic field", "J", energy(), false}};
  }
  std::optional<sim::BadValue> find_bad_value() override;
  sim::Work work() const override {
    const auto t = double(options_.steps_per_pass);
    const double fields = options_.kernel == Kernel::two_pass ? 18 : 12 / t;
    return {double(model_.grid.cell_count()), fields * sizeof(Real) + 1 / t, 39};
  }

  std::vector<sim::FieldInfo> fields() const override;
  sim::FieldBlock save(std::string_view field) override;
  void load(std::string_view field, const Read& read) override;
  std::string fingerprint() const override;

  const Model& model() const override { return model_; }
  std::int64_t step_count() const override { return step_; }
  Records drain() override;
  std::int64_t record_capacity() const override { return events_.record_rows(); }
  const Layout& layout() const override { return layout_; }
  par::View<const float> field_single(int c) const override { return view<float>(c); }
  par::View<const double> field_double(int c) const override { return view<double>(c); }
  std::vector<double> owned_values(int component, const Box& box, Box& found) const override;
  void set_field(int component, const std::function<double(Index, Index, Index)>& value) override;
  double energy() override;
  Kernel kernel() const override { return options_.kernel; }

 private:
  template <class T>
  par::View<const T> view(int c) const {
    if constexpr (std::is_same_v<T, Real>)
      return state_.f[z(c)].cview();
    else
      throw LogicError("fdtd: field asked for in the other precision");
  }
  void make_energy_weights();
  void pass(int count);

  // Entries of one saved array of this rank: global ids and local positions.
  struct Entries {
    std::vector<GlobalId> ids;
    std::vector<Index> at;
  };
  Entries entries(std::string_view field) const;
  par::Buffer<Real>* array(std::string_view field);
  Index psi_layers(int axis) const;

  Model model_;
  sim::Context& context_;
  Options options_;
  Brick brick_;
  Layout layout_{};
  std::array<HostAxis, 3> axes_;
  HostClasses edges_, faces_;
  MediumData<Real> medium_;
  EventData<Real> events_;
  StateData<Real> state_, other_;
  Ghosts<Real> ghosts_;
  Wavefront<Real> wavefront_;
  std::unique_ptr<Zmarch<Real>> zmarch_;
  std::vector<par::Buffer<double>> energy_buffers_;
  EnergyWeights energy_weights_;
  std::int64_t step_ = 0;
};

// One pass: `count` <= T steps, then ghosts.
template <class Real>
void YeeSolver<Real>::pass(int count) {
  const EventTables tables = events_.tables();
  const Index sample = events_.sample_row(step_), record = events_.record_row(step_);
  double* states = events_.states();
  if (options_.kernel == Kernel::wavefront) {
    const auto timed = context_.timers.time("fdtd wavefront");
    wavefront_.run(context_.queue, medium_.view, state_.view, tables, states, sample, record,
                   count);
  } else if (options_.kernel == Kernel::zmarch) {
    zmarch_->run(medium_.view, state_.view, other_.view, tables, states, events_.next_states(),
                 sample, record, count);
    std::swap(state_, other_);
    events_.swap_states();
  } else {
    for (int n = 0; n < count; ++n)
      par::dispatch(context_.queue, [&](const auto& exec) {
        two_pass_step(exec, medium_.view, state_.view, tables, states, events_.scratch(),
                      sample + n, record + n);
      });
  }
  step_ += count;
  if (ghosts_.any()) {
    const auto timed = context_.timers.time("fdtd ghosts");
    ghosts_.exchange(state_.view);
    events_.exchange_states();
  }
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
  if (!(largest > 0)) return 0;
  const int exponent = fixed_exponent(largest) + 1;
  const FixedSum sum = par::dispatch(context_.queue, [&](const auto& exec) {
    return sum_energy(exec, medium_.view, state_.view, energy_weights_, exponent);
  });
  return fixed_value(context_.comm.sum(sum), exponent);
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
    if (!v.empty()) values += fmt::format("{}{} = {:.4g}", c > 0 ? ", " : "", kFields[c], v[0]);
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
        // Entries behind the last cell stand for nothing and must stay zero: walls rest on that.
        if (gi >= 0 && gj >= 0 && gk >= 0 && exists(model_, component, {gi, gj, gk}))
          v[z(layout_.at(i, j, k))] = Real(value(gi, gj, gk));
      }
  state_.f[z(component)].upload(v);
}

template <class Real>
Index YeeSolver<Real>::psi_layers(int axis) const {
  Index n = 0;
  for (const std::size_t face : {z(2 * axis), z(2 * axis + 1)})
    if (model_.boundary[face] == Boundary::cpml) n += model_.cpml[face].layers;
  return n;
}

template <class Real>
std::vector<sim::FieldInfo> YeeSolver<Real>::fields() const {
  std::vector<sim::FieldInfo> list;
  sim::FieldInfo info;
  info.type =
      std::is_same_v<Real, float> ? sim::FieldInfo::Type::float32 : sim::FieldInfo::Type::float64;
  for (std::size_t c = 0; c < 6; ++c) {
    info.name = kFields[c];
    info.unit = c < 3 ? "V/m" : "A/m";
    info.long_name =
        fmt::format("{} field along {}", c < 3 ? "electric" : "magnetic", "xyz"[c % 3]);
    info.place = c < 3 ? sim::FieldInfo::Place::edge : sim::FieldInfo::Place::face;
    info.global_size = model_.extent(0) * model_.extent(1) * model_.extent(2);
    list.push_back(info);
  }
  info.place = sim::FieldInfo::Place::global;
  info.unit = "1";
  for (int a = 0; a < 3; ++a)
    for (int q = 0; q < 4 && psi_layers(a) > 0; ++q) {
      info.name = fmt::format("psi_{}{}", "xyz"[a], q);
      info.long_name = "memory of the absorbing layers";
      info.global_size = psi_layers(a) * model_.extent((a + 1) % 3) * model_.extent((a + 2) % 3);
      list.push_back(info);
    }
  if (!model_.events.empty()) {
    info.name = "event_states";
    info.long_name = "states of lumped elements";
    info.type = sim::FieldInfo::Type::float64;
    info.global_size = Index(model_.events.size());
    info.components = kMaxEventStates;
    list.push_back(info);
  }
  sim::FieldInfo step;
  step.name = "fdtd_step";
  step.unit = "1";
  step.long_name = "steps done";
  step.place = sim::FieldInfo::Place::global;
  step.type = sim::FieldInfo::Type::int64;
  step.global_size = 1;
  list.push_back(step);
  return list;
}

template <class Real>
typename YeeSolver<Real>::Entries YeeSolver<Real>::entries(std::string_view field) const {
  Entries e;
  const bool psi = field.starts_with("psi_");
  const int axis = psi ? field[4] - 'x' : -1;
  Index extent[3] = {model_.extent(0), model_.extent(1), model_.extent(2)};
  if (psi) extent[axis] = psi_layers(axis);
  const Index low_layers =
      psi && model_.boundary[z(2 * axis)] == Boundary::cpml ? model_.cpml[z(2 * axis)].layers : 0;
  for (Index k = layout_.owned_low[2]; k < layout_.owned_high[2]; ++k)
    for (Index j = layout_.owned_low[1]; j < layout_.owned_high[1]; ++j)
      for (Index i = layout_.owned_low[0]; i < layout_.owned_high[0]; ++i) {
        const Index at[3] = {i, j, k};
        Index g[3] = {i + layout_.origin[0], j + layout_.origin[1], k + layout_.origin[2]};
        if (psi) {
          const Slab& slab = axes_[z(axis)].slab;
          if (!slab.holds(at[axis])) continue;
          if (g[axis] >= low_layers) g[axis] -= model_.grid.cells(axis) - psi_layers(axis);
          e.at.push_back(psi_at(layout_, slab, axis, i, j, k));
        } else {
          e.at.push_back(layout_.at(i, j, k));
        }
        e.ids.push_back(g[0] + extent[0] * (g[1] + extent[1] * g[2]));
      }
  return e;
}

template <class Real>
par::Buffer<Real>* YeeSolver<Real>::array(std::string_view field) {
  for (std::size_t c = 0; c < 6; ++c)
    if (field == kFields[c]) return &state_.f[c];
  if (field.starts_with("psi_") && field.size() == 6)
    return &state_.psi[z(field[4] - 'x')][z(field[5] - '0')];
  return nullptr;
}

template <class Real>
sim::FieldBlock YeeSolver<Real>::save(std::string_view field) {
  sim::FieldBlock block;
  if (field == "fdtd_step") {
    if (!context_.comm.is_root()) return block;
    block.ids = {0};
    block.values.resize(sizeof(std::int64_t));
    std::memcpy(block.values.data(), &step_, sizeof step_);
    return block;
  }
  if (field == "event_states") return events_.save();
  par::Buffer<Real>* from = array(field);
  require(from != nullptr, "fdtd: save of an unknown field");
  const std::vector<Real> all = from->download();
  Entries e = entries(field);
  block.values.resize(e.at.size() * sizeof(Real));
  for (std::size_t n = 0; n < e.at.size(); ++n)
    std::memcpy(block.values.data() + n * sizeof(Real), &all[z(e.at[n])], sizeof(Real));
  block.ids = std::move(e.ids);
  return block;
}

template <class Real>
void YeeSolver<Real>::load(std::string_view field, const Read& read) {
  if (field == "fdtd_step") {
    const GlobalId id = 0;
    const auto bytes = read({&id, 1});
    require(bytes.size() == sizeof step_, "fdtd: bad size of fdtd_step");
    std::memcpy(&step_, bytes.data(), sizeof step_);
    events_.restart(step_);
    return;
  }
  if (field == "event_states") return events_.load(read);
  par::Buffer<Real>* to = array(field);
  require(to != nullptr, "fdtd: load of an unknown field");
  const Entries e = entries(field);
  const auto bytes = read(e.ids);
  require(bytes.size() == e.ids.size() * sizeof(Real), "fdtd: bad size of a loaded field");
  std::vector<Real> all = to->download();
  for (std::size_t n = 0; n < e.at.size(); ++n)
    std::memcpy(&all[z(e.at[n])], bytes.data() + n * sizeof(Real), sizeof(Real));
  to->upload(all);
  if (ghosts_.any()) ghosts_.exchange(state_.view);
}

template <class Real>
std::string YeeSolver<Real>::fingerprint() const {
  std::uint64_t hash = 1469598103934665603ull;
  const auto mix = [&](double v) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &v, sizeof v);
    for (int b = 0; b < 8; ++b) hash = (hash ^ ((bits >> (8 * b)) & 255)) * 1099511628211ull;
  };
  for (int a = 0; a < 3; ++a)
    for (const double l : model_.grid.lines(a)) mix(l);
  for (const Cpml& c : model_.cpml)
    for (const double v :
         {double(c.layers), c.order, c.sigma_factor, c.kappa_max, c.alpha_frequency, c.eps_r})
      mix(v);
  for (const EdgeMaterial& e : model_.edge_materials)
    for (const double v : {e.eps, e.sigma, double(e.pec)}) mix(v);
  for (const FaceMaterial& f : model_.face_materials)
    for (const double v : {f.mu, f.sigma_m}) mix(v);
  for (const PlacedEvent& e : model_.events) {
    for (const Index i : e.node) mix(double(i));
    for (const double c : e.coefficients) mix(c);
    mix(double(e.component) + 10 * double(int(e.kind)) + 1000.0 * e.signal);
  }
  std::string boundaries;
  for (const Boundary b : model_.boundary)
    boundaries += b == Boundary::pec        ? "pec "
                  : b == Boundary::pmc      ? "pmc "
                  : b == Boundary::periodic ? "periodic "
                                            : "cpml ";
  return fmt::format(
      "cells = {} x {} x {}\ndt = {:.17g}\nboundaries = {}\nprecision = {}\n"
      "grid, materials and elements = {:016x}\n",
      model_.grid.cells(0), model_.grid.cells(1), model_.grid.cells(2), model_.dt, boundaries,
      std::is_same_v<Real, float> ? "single" : "double", hash);
}

constexpr std::pair<Kernel, std::string_view> kKernels[] = {{Kernel::automatic, "auto"},
                                                            {Kernel::two_pass, "two_pass"},
                                                            {Kernel::wavefront, "wavefront"},
                                                            {Kernel::zmarch, "zmarch"}};

}  // namespace

std::string_view kernel_name(Kernel kernel) {
  for (const auto& [k, name] : kKernels)
    if (k == kernel) return name;
  return "?";
}

Kernel kernel_named(std::string_view name) {
  for (const auto& [k, n] : kKernels)
    if (n == name) return k;
  throw InputError(
      fmt::format("kernels: expected auto, two_pass, wavefront or zmarch, found {}", name));
}

std::unique_ptr<FdtdSolver> make_solver(Model model, sim::Context& context,
                                        const Options& options) {
  check(model);
  if (context.single_precision)
    return std::make_unique<YeeSolver<float>>(std::move(model), context, options);
  return std::make_unique<YeeSolver<double>>(std::move(model), context, options);
}

double estimate_bytes(const std::array<Index, 3>& cells, const std::array<Boundary, 6>& boundary,
                      const std::array<Cpml, 6>& cpml, bool single_precision, bool cuda,
                      int ranks) {
  const double real = single_precision ? 4 : 8;
  const double entries =
      double(cells[0] + 2 * kChunk) * double(cells[1] + 16) * double(cells[2] + 16);
  double psi = 0;
  for (std::size_t face = 0; face < 6; ++face)
    if (boundary[face] == Boundary::cpml) {
      const double layers =
          double(face < 2 ? (cpml[face].layers / kChunk + 2) * kChunk : Index(cpml[face].layers));
      psi += 4 * layers * entries / double(cells[face / 2]);
    }
  const double copies = cuda ? 2 : 1;  // the z-marching kernel reads one copy and writes another
  return (copies * (6 * entries + psi) * real + 2 * entries) / std::max(ranks, 1);
}

}  // namespace terrawave::fdtd
