#include "terrawave/solvers/swe/swe_solver.hpp"

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include <fmt/format.h>

#include "terrawave/base/error.hpp"
#include "terrawave/comm/halo.hpp"
#include "terrawave/par/buffer.hpp"
#include "terrawave/solvers/swe/swe_audit_steps.hpp"
#include "terrawave/solvers/swe/swe_blocks.hpp"
#include "terrawave/solvers/swe/swe_device.hpp"
#include "terrawave/solvers/swe/swe_steps.hpp"

namespace terrawave::swe {
namespace {

constexpr std::array<const char*, 6> kState{"h1", "q1x", "q1y", "h2", "q2x", "q2y"};

template <class Real>
class Swe final : public SweSolver {
 public:
  Swe(sim::Context& context, const domain::LocalTriMesh& mesh, Index global_cells,
      const std::vector<BoundaryKind>& kinds, const Parameters& parameters,
      const CellFields& initial)
      : context_(context),
        parameters_(parameters),
        physics_(make_physics<Real>(parameters.g, parameters.density_ratio)),
        global_cells_(global_cells),
        ids_(mesh.part.global.begin(), mesh.part.global.begin() + mesh.part.owned()),
        center_x_(mesh.center_x),
        center_y_(mesh.center_y),
        per_cell_(use_cells(context.queue, parameters.method, mesh.part.owned())),
        mesh_(context.queue, mesh, kinds),
        plan_(block_plan(context.queue, mesh, kinds)),
        state_(context.queue, mesh.part.total(), initial),
        work_(context.queue, mesh_.view(), per_cell_, crossings()),
        global_(context.queue, ids_),
        area_(context.queue,
              std::vector<double>(mesh.area.begin(), mesh.area.begin() + mesh.part.owned())),
        halo_(context.comm, context.queue, mesh.part.peers, context.overlap),
        inner_cells_(mesh.part.inner),
        inner_edges_(mesh.inner_edges),
        open_(has_outflow(context, mesh, kinds)),
        mesh_hash_(hash_of(context, mesh, initial)) {
    exchange_bottom();
  }

  std::string_view name() const override { return "swe"; }

  double max_dt() override {
    evaluate();
    const double fastest = context_.comm.max(-double(work_.fastest.at(0)));
    return fastest > 0 ? parameters_.cfl / fastest : std::numeric_limits<double>::infinity();
  }

  void step(double, double dt) override {
    evaluate();
    update({Real(dt), {}});
  }

  double advance(std::int64_t n) override {
    if (context_.comm.size() > 1) {
      double t = 0;
      for (std::int64_t i = 0; i < n; ++i) {
        const double dt = max_dt();
        update({Real(dt), {}});
        t += dt;
      }
      return t;
    }
    par::Buffer<double> stored(context_.queue, 2);  // the step, and the time so far
    stored.fill_bytes(0);
    for (std::int64_t i = 0; i < n; ++i) {
      evaluate();
      par::dispatch(context_.queue, [&](const auto& exec) {
        choose_step(exec, work_.fastest.cview(), parameters_.cfl, stored.view());
      });
      update({Real(0), stored.cview()});
    }
    return stored.at(1);
  }

  std::vector<sim::AuditItem> audit() override {
    const double r = parameters_.density_ratio;
    const auto& s = state_;
    return {{"volume of the upper layer", "m3", total(s.cview(0), s.cview(0), 1, 0), !open_},
            {"volume of the lower layer", "m3", total(s.cview(3), s.cview(3), 1, 0), !open_},
            {"total momentum in x, r q1 + q2", "m4/s", total(s.cview(1), s.cview(4), r, 1), false},
            {"total momentum in y, r q1 + q2", "m4/s", total(s.cview(2), s.cview(5), r, 1), false}};
  }

  std::optional<sim::BadValue> find_bad_value() override;

  sim::Work work() const override {
    const double real = sizeof(Real);
    // Read and written in memory by blocks: state and bottom read, rates written (13), rates and
    // state read, state written (18), the area; per edge its normal, length and two slots.
    if (blocks()) return {double(global_cells_), 32 * real + 1.5 * (3 * real + 4), kFlops};
    // Least traffic otherwise: the state and the bottom read once, the state written once, and per
    // edge its normal, length and two cells.
    return {double(global_cells_), 13 * real + 1.5 * (3 * real + 8), kFlops};
  }

  std::vector<sim::FieldInfo> fields() const override;
  sim::FieldBlock save(std::string_view field) override;
  void load(std::string_view field, const Read& read) override;

  std::string fingerprint() const override {
    return fmt::format(
        "solver = swe\ncells = {}\nmesh and bottom = {:016x}\ng = {}\ndensity_ratio = {}\n"
        "precision = {}\n",
        global_cells_, mesh_hash_, parameters_.g, parameters_.density_ratio,
        sizeof(Real) == 4 ? "single" : "double");
  }

  std::vector<double> values(std::string_view field) override;
  CellValues cell(Index owned) override {
    const auto get = [&](int k) { return double(state_.at(k, owned)); };
    return {get(0), get(1), get(2), get(3), get(4), get(5), get(6)};
  }
  const std::vector<GlobalId>& ids() const override { return ids_; }
  Index global_cells() const override { return global_cells_; }

 private:
  // Operations per update: an edge without entropy fix (362, a multiply-add as two, its ten
  // divisions and roots as one each), velocities of a cell and the sum over its edges.
  static constexpr double kFlops = 1.5 * 362 + 11 + 50;

  // Measured on an H200 (bench/results/h200): a step of few cells is bound by its launches, of
  // which the cells' way has one less; beyond, evaluating each edge once wins by a third.
  static bool use_cells(const par::Queue& queue, Method method, Index cells) {
    if (method != Method::automatic) return method == Method::cells;
    return queue.backend() == par::Backend::host || cells < 100000;
  }
  BlockPlan<Real> block_plan(const par::Queue& queue, const domain::LocalTriMesh& mesh,
                             const std::vector<BoundaryKind>& kinds) const {
    if (!blocks()) return {};
    return BlockPlan<Real>(queue.threads(), mesh, kinds, mesh_.view().per_area);
  }
  // Whether blocks of cells evaluate their edges.
  bool blocks() const { return per_cell_ && context_.queue.backend() == par::Backend::host; }
  // How many parts report their fastest crossing: cells or blocks.
  Index crossings() const { return blocks() ? plan_.blocks() : mesh_.view().owned; }
  static bool has_outflow(sim::Context& context, const domain::LocalTriMesh& mesh,
                          const std::vector<BoundaryKind>& kinds) {
    std::int64_t open = 0;
    for (const std::int32_t group : mesh.edge_group)
      if (group >= 0 && kinds.at(std::size_t(group)) == BoundaryKind::outflow) open = 1;
    return context.comm.max(open) != 0;
  }
  static std::uint64_t hash_of(sim::Context& context, const domain::LocalTriMesh& mesh,
                               const CellFields& initial);

  // Ghosts, edges (or cells), and the fastest crossing of a cell: all that a step needs but dt.
  void evaluate() {
    if (fresh_) return;
    par::dispatch(context_.queue, [&](const auto& exec) {
      const auto slices = state_.slices();
      halo_.start(slices);
      evaluate_part(exec, true);
      halo_.finish();
      evaluate_part(exec, false);
      if (!per_cell_) find_crossing(exec, mesh_.view(), work_.edges(), work_.crossing.view());
      fastest_crossing(exec, work_.crossing.cview(), work_.fastest.view());
    });
    fresh_ = true;
  }
  // What needs no ghost, or the rest.
  template <class Exec>
  void evaluate_part(const Exec& exec, bool inner) {
    const MeshView<Real> mesh = mesh_.view();
    if (per_cell_) {
      evaluate_rates(exec, inner);
    } else {
      const auto range =
          inner ? par::Range1{0, inner_edges_} : par::Range1{inner_edges_, mesh.edges};
      evaluate_edges(exec, physics_, mesh, state_.view(), work_.edges(), range);
    }
  }
  template <class Exec>
  void evaluate_rates(const Exec& exec, bool inner) {
    if constexpr (std::is_same_v<Exec, par::HostExec>) {
      const auto range =
          inner ? par::Range1{0, plan_.inner()} : par::Range1{plan_.inner(), plan_.blocks()};
      evaluate_blocks(exec, physics_, plan_.view(), state_.view(), work_.rates(), range);
    } else {
      const auto range =
          inner ? par::Range1{0, inner_cells_} : par::Range1{inner_cells_, mesh_.view().owned};
      evaluate_cells(exec, physics_, mesh_.view(), state_.view(), work_.rates(), range);
    }
  }
  void update(StepSize<Real> dt) {
    par::dispatch(context_.queue, [&](const auto& exec) {
      const MeshView<Real> mesh = mesh_.view();
      if (per_cell_)
        update_from_rates(exec, work_.rates(), state_.view(), mesh.owned, dt);
      else
        update_from_edges(exec, mesh, work_.edges(), state_.view(), dt);
    });
    fresh_ = false;
  }

  double total(par::View<const Real> f, par::View<const Real> g, double a, double b) {
    const Weighted<Real> w{area_.cview(), f, g, a, b};
    const Index n = Index(ids_.size());
    return par::dispatch(context_.queue, [&](const auto& exec) {
      const int exponent = fixed_exponent(context_.comm.max(largest(exec, w, n)));
      return fixed_value(context_.comm.sum(sum(exec, w, n, exponent)), exponent);
    });
  }
  void exchange_bottom() {
    const comm::FieldSlice slice = state_.bottom_slice();
    halo_.start(std::span(&slice, 1));
    halo_.finish();
  }
  std::size_t position(std::string_view field) const {
    for (std::size_t i = 0; i < kState.size(); ++i)
      if (field == kState[i]) return i;
    throw LogicError("swe has no state field of this name");
  }

  sim::Context& context_;
  Parameters parameters_;
  Physics<Real> physics_;
  Index global_cells_;
  std::vector<GlobalId> ids_;
  std::vector<double> center_x_, center_y_;
  bool per_cell_;
  DeviceMesh<Real> mesh_;
  BlockPlan<Real> plan_;  // where cells are evaluated on the host
  DeviceState<Real> state_;
  DeviceWork<Real> work_;
  par::Buffer<std::int64_t> global_;
  par::Buffer<double> area_;
  comm::Halo halo_;
  Index inner_cells_, inner_edges_;
  bool open_;
  std::uint64_t mesh_hash_;
  bool fresh_ = false;  // the edges (or rates) belong to the present state
};

std::uint64_t mix(std::uint64_t x) {  // the finaliser of splitmix64
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}
std::uint64_t bits_of(double x) {
  std::uint64_t b;
  std::memcpy(&b, &x, sizeof b);
  return b;
}

// A sum over cells, so that it does not depend on the partition.
template <class Real>
std::uint64_t Swe<Real>::hash_of(sim::Context& context, const domain::LocalTriMesh& mesh,
                                 const CellFields& initial) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < std::size_t(mesh.part.owned()); ++i) {
    std::uint64_t h = mix(std::uint64_t(mesh.part.global[i]) + 0x9e3779b97f4a7c15u);
    for (const double v : {mesh.center_x[i], mesh.center_y[i], mesh.area[i], initial.bottom[i]})
      h = mix(h ^ bits_of(v));
    sum += h;
  }
  return static_cast<std::uint64_t>(context.comm.sum(static_cast<std::int64_t>(sum)));
}

template <class Real>
std::optional<sim::BadValue> Swe<Real>::find_bad_value() {
  const std::int64_t mine = par::dispatch(context_.queue, [&](const auto& exec) {
    return first_bad_cell(exec, state_.view(), global_.cview(), Index(ids_.size()));
  });
  const std::int64_t first = context_.comm.min(mine);
  if (first == kNoCell) return std::nullopt;
  std::string text;
  if (mine == first) {
    std::size_t i = 0;
    while (ids_[i] != first) ++i;
    std::array<double, 6> v{};
    std::string bad;
    for (std::size_t k = 0; k < v.size(); ++k) {
      v[k] = double(state_.at(int(k), Index(i)));
      const bool depth = k == 0 || k == 3;
      if (!bad.empty()) continue;
      if (!std::isfinite(v[k]))
        bad = fmt::format("{} is not a finite number", kState[k]);
      else if (depth && !(v[k] > 0))
        bad = fmt::format("{} is not positive (this solver needs both layers wet)", kState[k]);
    }
    text = fmt::format("{} in cell {} at ({:g}, {:g}):", bad, first, center_x_[i], center_y_[i]);
    for (std::size_t k = 0; k < v.size(); ++k) text += fmt::format(" {} = {:g}", kState[k], v[k]);
  }
  const auto all = context_.comm.all_gather(std::as_bytes(std::span(text)));
  for (const auto& bytes : all)
    if (!bytes.empty()) text.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return sim::BadValue{text};
}

template <class Real>
std::vector<sim::FieldInfo> Swe<Real>::fields() const {
  static constexpr std::array<const char*, 6> names{
      "thickness of the upper layer",      "discharge of the upper layer in x",
      "discharge of the upper layer in y", "thickness of the lower layer",
      "discharge of the lower layer in x", "discharge of the lower layer in y"};
  std::vector<sim::FieldInfo> all;
  for (std::size_t i = 0; i < kState.size(); ++i) {
    sim::FieldInfo f;
    f.name = kState[i];
    f.unit = i == 0 || i == 3 ? "m" : "m2/s";
    f.long_name = names[i];
    f.type = sizeof(Real) == 4 ? sim::FieldInfo::Type::float32 : sim::FieldInfo::Type::float64;
    f.global_size = global_cells_;
    all.push_back(f);
  }
  return all;
}

template <class Real>
sim::FieldBlock Swe<Real>::save(std::string_view field) {
  const std::vector<Real> v = state_.download(int(position(field)), Index(ids_.size()));
  sim::FieldBlock block{ids_, std::vector<std::byte>(v.size() * sizeof(Real))};
  if (!v.empty()) std::memcpy(block.values.data(), v.data(), block.values.size());
  return block;
}

template <class Real>
void Swe<Real>::load(std::string_view field, const Read& read) {
  const std::vector<std::byte> bytes = read(ids_);
  require(bytes.size() == ids_.size() * sizeof(Real), "checkpoint field of the wrong size");
  std::vector<Real> v(ids_.size());
  if (!v.empty()) std::memcpy(v.data(), bytes.data(), bytes.size());
  state_.upload(int(position(field)), v);
  fresh_ = false;
}

template <class Real>
std::vector<double> Swe<Real>::values(std::string_view field) {
  const Index n = Index(ids_.size());
  const auto get = [&](int k) {
    const std::vector<Real> v = state_.download(k, n);
    return std::vector<double>(v.begin(), v.end());
  };
  if (field == "bottom") return get(6);
  if (field == "eta1" || field == "eta2") {
    std::vector<double> level = get(3);
    const std::vector<double> bottom = get(6);
    const std::vector<double> h1 =
        field == "eta1" ? get(0) : std::vector<double>(std::size_t(n), 0.0);
    for (std::size_t i = 0; i < level.size(); ++i) level[i] = (h1[i] + level[i]) - bottom[i];
    return level;
  }
  if (field.size() == 3 && field[0] == 'u') {
    const std::string q = "q" + std::string(field.substr(1));
    std::vector<double> u = get(int(position(q)));
    const std::vector<double> h = get(field[1] == '1' ? 0 : 3);
    for (std::size_t i = 0; i < u.size(); ++i) u[i] /= h[i];
    return u;
  }
  return get(int(position(field)));
}

}  // namespace

void set_levels(CellFields& fields, const std::vector<double>& eta1,
                const std::vector<double>& eta2, const std::vector<double>& bottom, double largest,
                bool single_precision) {
  int exponent = 0;
  std::frexp(largest, &exponent);  // largest < 2^exponent
  // Sums of two such numbers, below 2^(exponent + 1), must have at most 53 (24) bits.
  const int last = exponent + 1 - (single_precision ? 24 : 53);
  const auto snap = [last](double x) {
    return std::ldexp(std::nearbyint(std::ldexp(x, -last)), last);
  };
  for (std::size_t i = 0; i < bottom.size(); ++i) {
    const double interface = snap(eta2[i]);
    fields.bottom[i] = snap(bottom[i]);
    fields.h2[i] = interface + fields.bottom[i];
    fields.h1[i] = snap(eta1[i]) - interface;
  }
}

std::vector<double> gather_cells(comm::Comm& comm, const std::vector<GlobalId>& ids,
                                 const std::vector<double>& mine, Index global_cells) {
  const auto all_ids = comm.gather(std::as_bytes(std::span(ids)), 0);
  const auto all_values = comm.gather(std::as_bytes(std::span(mine)), 0);
  if (!comm.is_root()) return {};
  std::vector<double> whole(static_cast<std::size_t>(global_cells), 0.0);
  for (std::size_t r = 0; r < all_ids.size(); ++r)
    for (std::size_t i = 0; i < all_ids[r].size() / sizeof(GlobalId); ++i) {
      GlobalId id;
      double value;
      std::memcpy(&id, all_ids[r].data() + i * sizeof id, sizeof id);
      std::memcpy(&value, all_values[r].data() + i * sizeof value, sizeof value);
      whole[std::size_t(id)] = value;
    }
  return whole;
}

std::unique_ptr<SweSolver> make_solver(sim::Context& context, const domain::LocalTriMesh& mesh,
                                       Index global_cells, const std::vector<BoundaryKind>& kinds,
                                       const Parameters& parameters, const CellFields& initial) {
  require(initial.h1.size() == std::size_t(mesh.part.owned()), "initial state of the wrong size");
  if (context.single_precision)
    return std::make_unique<Swe<float>>(context, mesh, global_cells, kinds, parameters, initial);
  return std::make_unique<Swe<double>>(context, mesh, global_cells, kinds, parameters, initial);
}

}  // namespace terrawave::swe
