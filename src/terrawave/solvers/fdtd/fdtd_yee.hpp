// The solver behind make_solver(), in one of two precisions.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "terrawave/base/error.hpp"
#include "terrawave/solvers/fdtd/cpu/wavefront.hpp"
#include "terrawave/solvers/fdtd/cuda/zmarch.hpp"
#include "terrawave/solvers/fdtd/fdtd_energy_steps.hpp"
#include "terrawave/solvers/fdtd/fdtd_event_data.hpp"
#include "terrawave/solvers/fdtd/fdtd_ghosts.hpp"
#include "terrawave/solvers/fdtd/fdtd_options.hpp"
#include "terrawave/solvers/fdtd/fdtd_setup.hpp"
#include "terrawave/solvers/fdtd/fdtd_solver.hpp"
#include "terrawave/solvers/fdtd/fdtd_two_pass_steps.hpp"

namespace terrawave::fdtd {

inline constexpr const char* kFieldNames[6] = {"ex", "ey", "ez", "hx", "hy", "hz"};

// Does the edge (components 0..2) or face (3..5) at a global entry exist in the grid?
bool exists(const Model& model, int component, const std::array<Index, 3>& entry);

// fdtd_solver.cpp holds what steps and looks, fdtd_checkpoint.cpp what saves and loads.
template <class Real>
class YeeSolver final : public FdtdSolver {
 public:
  YeeSolver(Model model, sim::Context& context, const Options& options);

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
    // Fields once in and out per pass, E and H twice in where they are passes of their own; four
    // psi in and out in the layers of each axis.
    double values = options_.kernel == Kernel::two_pass ? 18 : 12 / t;
    for (int a = 0; a < 3; ++a)
      values += 8 / t * double(psi_layers(a)) / double(model_.grid.cells(a));
    return {double(model_.grid.cell_count()), values * sizeof(Real) + 1 / t, 39};
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
  bool single_precision() const override { return std::is_same_v<Real, float>; }
  par::View<const float> field_single(int c) const override { return view<float>(c); }
  par::View<const double> field_double(int c) const override { return view<double>(c); }
  std::vector<double> owned_values(int component, const Box& box, Box& found) const override;
  void set_field(int component, const std::function<double(Index, Index, Index)>& value) override;
  double energy() override;
  Kernel kernel() const override { return options_.kernel; }
  int steps_per_pass() const override { return options_.steps_per_pass; }
  std::string kernel_description() const override {
    return zmarch_ ? zmarch_->description() : std::string{};
  }

 private:
  template <class T>
  par::View<const T> view(int c) const {
    if constexpr (std::is_same_v<T, Real>)
      return state_.f[std::size_t(c)].cview();
    else
      throw LogicError("fdtd: field asked for in the other precision");
  }
  void make_energy_weights();
  double element_energy();
  void advance(int count, Part part);
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
  bool quiet_wall_ = false;  // see Wavefront
  std::unique_ptr<Zmarch<Real>> zmarch_;
  std::vector<par::Buffer<double>> energy_buffers_;
  EnergyWeights energy_weights_;
  std::int64_t step_ = 0;
  bool stale_ = false;    // ghosts are not what their owners hold
  bool overlap_ = false;  // work goes on while ghosts travel
};

}  // namespace terrawave::fdtd
