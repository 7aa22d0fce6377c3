// Launches of the z-marching kernel.
#include <map>
#include <string>

#include "terrawave/base/error.hpp"
#include "terrawave/par/buffer.hpp"
#include "terrawave/par/cuda/check.hpp"
#include "terrawave/solvers/fdtd/cuda/march.hpp"
#include "terrawave/solvers/fdtd/cuda/overlap.hpp"
#include "terrawave/solvers/fdtd/cuda/zmarch.hpp"
#include "terrawave/solvers/fdtd/cuda/zmarch_launch.cuh"

namespace terrawave::fdtd {
namespace {

using namespace zmarch;

// Calls f with the compile-time number of steps.
template <class Real, class F>
void with_steps(int steps, const F& f) {
  switch (steps) {
    case 1:
      return f(std::integral_constant<int, 1>{});
    case 2:
      return f(std::integral_constant<int, 2>{});
    case 3:
      if constexpr (sizeof(Real) == 4) return f(std::integral_constant<int, 3>{});
      break;
    case 4:
      if constexpr (sizeof(Real) == 4) return f(std::integral_constant<int, 4>{});
      break;
    default:
      break;
  }
  throw LogicError("zmarch: no kernel for this number of steps");
}

}  // namespace

int zmarch_steps(bool single, bool thin_layered, bool magnetic) {
  return single && !magnetic ? march_steps(thin_layered) : 2;
}

// On an H200 the kernel of march.hpp is twice as fast as two_pass on 2.2 M cells, the fewest that
// were measured (bench/results/h200/fdtd-2026-11-30-march.md). The first one is faster at 512^3 and
// slower at 2.2 M cells; the border lies in between (bench/results/h200/fdtd-2026-11-30.md).
bool zmarch_pays(const Model& model, bool marches) {
  const double least = marches ? 2e6 : 6.4e7;
  return double(model.extent(0)) * double(model.extent(1)) * double(model.extent(2)) >= least;
}

bool zmarch_marches(const HostClasses& edges, const HostClasses& faces, int steps) {
  return march_runs(edges, faces) && march_shape(steps) >= 0 && march_shape(1) >= 0;
}

template <class Real>
struct Zmarch<Real>::Impl {
  struct Device {
    Plan plan;
    par::Buffer<Tile> tiles;
    par::Buffer<std::uint16_t> uniform;
    par::Buffer<std::int32_t> offsets;
    par::Buffer<TileEvent> list;
    par::Buffer<Pair<Real>> ring;
    par::Buffer<double> states;
  };
  explicit Impl(const par::Queue& q) : queue(q) {}
  par::Queue queue;
  std::map<int, Device> plans;  // by steps
  std::int32_t states = 0;
  std::map<int, std::unique_ptr<Marcher>> marchers;  // by steps; else: plans
  std::string description;
};

template <class Real>
Zmarch<Real>::Zmarch(const par::Queue& queue, const Medium<Real>& medium, const HostClasses& edges,
                     const HostClasses& faces, const HostEvents& events, int steps, int shape,
                     const std::optional<Brick>& overlap)
    : impl_(std::make_unique<Impl>(queue)) {
  require(medium.layout.plane < (Index{1} << 31), "zmarch: a plane of more than 2^31 entries");
  impl_->states = events.states;
  const int sm = queue.info().multiprocessors;
  if constexpr (std::is_same_v<Real, float>)
    if (zmarch_marches(edges, faces, steps)) {
      for (const int t : {1, steps}) {
        if (impl_->marchers.count(t) != 0) continue;
        const int chosen = t == steps && shape >= 0 ? shape : march_shape(t);
        impl_->marchers[t] =
            std::make_unique<Marcher>(queue, medium, edges, events, chosen, overlap);
        const MarchShape& s = march_shapes()[std::size_t(chosen)];
        impl_->description = std::to_string(s.warps) + " warps of " + std::to_string(s.rows) +
                             " rows, rim " + std::to_string(s.rim);
      }
      return;
    }
  impl_->description = "the first kernel";
  for (const int t : {1, steps}) {
    if (impl_->plans.count(t) != 0) continue;
    with_steps<Real>(t, [&](auto constant) {
      constexpr int T = decltype(constant)::value;
      constexpr int W = Shape<Real, T>::warps, R = Shape<Real, T>::rows;
      typename Impl::Device& d = impl_->plans[t];
      d.plan = make_plan(medium, edges, !faces.index.empty(), events, t, W, R, sm, overlap);
      d.tiles = par::Buffer<Tile>(queue, d.plan.tiles);
      d.uniform = par::Buffer<std::uint16_t>(queue, d.plan.uniform);
      d.offsets = par::Buffer<std::int32_t>(queue, d.plan.offsets);
      d.list = par::Buffer<TileEvent>(queue, d.plan.list);
      const Index per_tile = medium.layers ? Index{12} * T * R * 32 * W : 0;
      d.ring = par::Buffer<Pair<Real>>(queue, per_tile * d.plan.full);
      d.states = par::Buffer<double>(queue, Index(events.states) * d.plan.full);
      prepare_kernel<Real, T>();
    });
  }
}

template <class Real>
Zmarch<Real>::~Zmarch() = default;

template <class Real>
void Zmarch<Real>::run(const Medium<Real>& medium, const State<Real>& from, const State<Real>& to,
                       const EventTables& events, const double* states_from, double* states_to,
                       Index sample_row, Index record_row, int count, Part part) {
  if constexpr (std::is_same_v<Real, float>)
    if (!impl_->marchers.empty()) {
      impl_->marchers.at(count)->run(medium, from, to, events, states_from, states_to, sample_row,
                                     record_row, part);
      return;
    }
  typename Impl::Device& d = impl_->plans.at(count);
  const auto [first, tiles] = tiling::launch_of(d.plan, part);
  if (tiles == 0) return;
  Args<Real> args{};
  args.m = medium;
  args.from = from;
  args.to = to;
  args.events = events;
  args.states_from = states_from;
  args.states_to = states_to;
  args.states_scratch = d.states.view().data;
  args.states = impl_->states;
  args.sample_row = sample_row;
  args.record_row = record_row;
  args.tiles = d.tiles.cview().data + first;
  args.uniform = d.uniform.cview().data;
  args.offsets = d.offsets.cview().data;
  args.list = d.list.cview().data;
  args.ring = d.ring.view().data;
  with_steps<Real>(count, [&, blocks = tiles](auto constant) {
    constexpr int T = decltype(constant)::value;
    launch_kernel<Real, T>(args, unsigned(blocks),
                           static_cast<cudaStream_t>(impl_->queue.impl().stream()));
  });
}

template <class Real>
std::string Zmarch<Real>::description() const {
  return impl_->description;
}

template class Zmarch<float>;
template class Zmarch<double>;

}  // namespace terrawave::fdtd
