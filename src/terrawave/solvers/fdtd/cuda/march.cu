// Launches of the marching kernel.
#include <algorithm>

#include "terrawave/base/error.hpp"
#include "terrawave/par/buffer.hpp"
#include "terrawave/par/cuda/check.hpp"
#include "terrawave/solvers/fdtd/cuda/march.hpp"
#include "terrawave/solvers/fdtd/cuda/march_launch.hpp"
#include "terrawave/solvers/fdtd/cuda/march_tiles.hpp"
#include "terrawave/solvers/fdtd/cuda/overlap.hpp"

namespace terrawave::fdtd {
namespace {

using namespace march;
using tiling::launch_of;

Variant<float> variant_of(const MarchShape& s) {
  const auto is = [&](int t, int w, int r) { return s.steps == t && s.warps == w && s.rows == r; };
  if (is(1, 16, 2)) return variant<float, 1, 16, 2>();
  if (is(2, 12, 2)) return variant<float, 2, 12, 2>();
  if (is(3, 12, 2)) return variant<float, 3, 12, 2>();
  if (is(4, 12, 2)) return variant<float, 4, 12, 2>();
  throw LogicError("march: no kernel of this shape");
}

// Shared memory that a block may ask for.
std::int64_t shared_limit() {
  int device = 0, bytes = 0;
  par::cuda::check(cudaGetDevice(&device), "asking for the device");
  par::cuda::check(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device),
                   "asking for the shared memory of a block");
  return bytes;
}
std::int64_t cache_bytes() {
  int device = 0, bytes = 0;
  par::cuda::check(cudaGetDevice(&device), "asking for the device");
  par::cuda::check(cudaDeviceGetAttribute(&bytes, cudaDevAttrL2CacheSize, device),
                   "asking for the size of the cache");
  return bytes;
}

}  // namespace

const std::vector<MarchShape>& march_shapes() {
  static const std::vector<MarchShape> all{
      {1, 16, 2, 4}, {2, 12, 2, 4}, {3, 12, 2, 4}, {4, 12, 2, 4}};
  return all;
}

int march_shape(int steps) {
  const int shape = steps - 1;
  if (shape < 0 || shape >= int(march_shapes().size())) return -1;
  return variant_of(march_shapes()[std::size_t(shape)]).shared_bytes <= shared_limit() ? shape : -1;
}
int march_steps(bool thin_layered) { return thin_layered ? 2 : 3; }

bool march_runs(const HostClasses& edges, const HostClasses& faces) { return runs(edges, faces); }

struct Marcher::Impl {
  par::Queue queue;
  Variant<float> variant;
  Plan plan;
  std::vector<Tile> all;  // of the plan
  std::int64_t shared_bytes = 0;
  std::int32_t states = 0;
  std::int32_t stream = 0;
  par::Buffer<Tile> tiles;
  par::Buffer<std::uint16_t> uniform;
  par::Buffer<std::int32_t> offsets;
  par::Buffer<TileEvent> list;
  par::Buffer<Pair<float>> store;
  par::Buffer<double> scratch;
};

Marcher::Marcher(const par::Queue& queue, const Medium<float>& medium, const HostClasses& edges,
                 const HostEvents& events, int shape, const std::optional<Brick>& overlap)
    : impl_(std::make_unique<Impl>(Impl{queue, {}, {}, {}, 0, 0, 0, {}, {}, {}, {}, {}, {}})) {
  require(medium.layout.plane < (Index{1} << 30), "march: a plane of more than 2^30 entries");
  for (int axis = 0; axis < 3; ++axis)
    require(psi_count(medium.layout, medium.axis[axis].slab, axis) < (Index{1} << 30),
            "march: layers of more than 2^30 entries");
  const MarchShape& s = march_shapes().at(std::size_t(shape));
  Impl& m = *impl_;
  m.variant = variant_of(s);
  const std::int64_t room = shared_limit() - m.variant.shared_bytes;
  require(room >= 0, "march: a block does not fit this GPU");
  m.plan =
      make_plan(medium, edges, events,
                Shape{s.steps, s.warps, s.rows, s.rim, room / std::int64_t(sizeof(Pair<float>)),
                      queue.info().multiprocessors, overlap});
  m.shared_bytes = m.variant.shared_bytes + m.plan.most_pairs * std::int64_t(sizeof(Pair<float>));
  m.states = events.states;
  // Two copies of the fields.
  m.stream = 2 * 6 * medium.layout.count * std::int64_t(sizeof(float)) > 2 * cache_bytes() ? 1 : 0;
  m.all = m.plan.tiles;
  m.tiles = par::Buffer<Tile>(queue, m.plan.tiles);
  m.uniform = par::Buffer<std::uint16_t>(queue, m.plan.uniform);
  m.offsets = par::Buffer<std::int32_t>(queue, m.plan.offsets);
  m.list = par::Buffer<TileEvent>(queue, m.plan.list);
  m.store = par::Buffer<Pair<float>>(queue, m.plan.store);
  m.scratch = par::Buffer<double>(queue, Index(events.states) * m.plan.eventful);
  m.variant.allow_shared(m.shared_bytes);
}

Marcher::~Marcher() = default;

void Marcher::run(const Medium<float>& medium, const State<float>& from, const State<float>& to,
                  const EventTables& events, const double* states_from, double* states_to,
                  Index sample_row, Index record_row, Part part) {
  Impl& m = *impl_;
  const auto [first, tiles] = launch_of(m.plan, part);
  if (tiles == 0) return;
  Args<float> args{};
  args.m = medium;
  args.from = from;
  args.to = to;
  args.events = events;
  args.states_from = states_from;
  args.states_to = states_to;
  args.states_scratch = m.scratch.view().data;
  args.states = m.states;
  args.stream = m.stream;
  args.sample_row = sample_row;
  args.record_row = record_row;
  args.tiles = m.tiles.cview().data + first;
  args.uniform = m.uniform.cview().data;
  args.inside = m.plan.inside;
  args.offsets = m.offsets.cview().data;
  args.list = m.list.cview().data;
  args.store = m.store.view().data;
  m.variant.launch(args, unsigned(tiles), m.shared_bytes, m.queue.impl().stream());
}

void Marcher::write_past_cache(bool on) { impl_->stream = on ? 1 : 0; }

Marcher::Summary Marcher::summary() const {
  Summary s;
  for (const std::int32_t body : kBodies) {
    Body b{body, 0, 0};
    for (const Tile& t : impl_->all)
      if (t.body == body) {
        ++b.tiles;
        b.planes += t.z1 - t.z0 + 2 * impl_->variant.steps - 1;
      }
    if (b.tiles > 0) s.bodies.push_back(b);
  }
  s.shared_bytes = impl_->shared_bytes;
  return s;
}

void Marcher::run_only(std::int32_t body) {
  std::vector<Tile>& tiles = impl_->plan.tiles;
  tiles = impl_->all;
  if (body >= 0) std::erase_if(tiles, [body](const Tile& t) { return t.body != body; });
  impl_->plan.inner = Index(tiles.size());
  impl_->tiles = par::Buffer<Tile>(impl_->queue, tiles);
}

}  // namespace terrawave::fdtd
