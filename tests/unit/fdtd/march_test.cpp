// The marching kernel of the GPU, run on the CPU thread by thread, against the portable kernel.
#include <algorithm>
#include <optional>
#include <set>

#include <gtest/gtest.h>

#include "reference/emulated_block.hpp"
#include "reference/fdtd_models.hpp"
#include "terrawave/solvers/fdtd/cuda/march_tiles.hpp"
#include "terrawave/solvers/fdtd/fdtd_bench.hpp"
#include "terrawave/solvers/fdtd/fdtd_event_data.hpp"
#include "terrawave/solvers/fdtd/fdtd_two_pass_steps.hpp"

namespace terrawave::test {
namespace {

using fdtd::Boundary;
using fdtd::Kernel;
using namespace fdtd::march;

template <class Real, int T, int W, int R>
void run_tile(const Args<Real>& args, const Tile& tile, std::int64_t room,
              EmulatedBlock::Options options) {
  using Memory = Shared<Real, T, W, R>;
  // Shared memory is not zeroed on a GPU.
  std::vector<std::byte> bytes(sizeof(Memory) + std::size_t(room) * sizeof(Pair<Real>) + 16,
                               std::byte{0x7b});
  void* aligned = bytes.data() + (16 - reinterpret_cast<std::uintptr_t>(bytes.data()) % 16) % 16;
  auto& shared = *static_cast<Memory*>(aligned);
  auto* psi = reinterpret_cast<Pair<Real>*>(&shared + 1);
  EmulatedBlock block(32 * W, options);
  block.run([&](EmulatedBlock::Lane& lane) {
    using L = EmulatedBlock::Lane;
    auto* store = tile.store < 0 ? psi : args.store + tile.store;
    const auto body = [&]<int kBody>() {
      if (tile.body == kBody) March<L, Real, T, W, R, kBody>(lane, args, tile, shared, store).run();
    };
    [&]<std::size_t... kIndex>(std::index_sequence<kIndex...>) {
      (body.template operator()<kBodies[kIndex]>(), ...);
    }
    (std::make_index_sequence<std::size(kBodies)>());
  });
}

struct Kinds {
  int plain = 0, layered = 0, eventful = 0, stored = 0, tight = 0;
  Index inner = 0;  // of a brick with ghosts: tiles that ran before these were there
  std::set<std::int32_t> bodies;
  void count(const Tile& tile, int steps) {
    plain += tile.body == 0;
    layered += tile.body != 0 && (tile.body & kNeedsEvents) == 0;
    bodies.insert(tile.body);
    eventful += (tile.body & kNeedsEvents) != 0;
    stored += tile.store >= 0;
    tight += tile.body != 0 && tile.slots == steps;
  }
};

// Keeps the fields, and spoils those of their entries that are ghosts.
template <class Real>
std::array<std::vector<Real>, 6> take_ghosts(const fdtd::Layout& l, fdtd::StateData<Real>& state) {
  std::array<std::vector<Real>, 6> kept;
  for (std::size_t c = 0; c < 6; ++c) {
    Real* f = state.f[c].view().data;
    kept[c].assign(f, f + l.count);
    for (Index n = 0; n < l.count; ++n) {
      const Index at[3] = {n % l.row, n / l.row % l.size[1], n / l.plane};
      for (int a = 0; a < 3; ++a)
        if (at[a] < l.owned_low[a] || at[a] >= l.owned_high[a]) f[n] = Real(1e30);
    }
  }
  return kept;
}

// `passes` passes of T steps of both kernels from the same random fields; the arrays are compared.
template <class Real, int T, int W, int R>
Kinds compare(const fdtd::Model& model, int passes, int rim, std::int64_t room) {
  const par::Queue queue = par::Queue::host(2);
  Bench bench(sizeof(Real) == 4, queue);
  const auto solver =
      fdtd::make_solver(model, bench.context, {.kernel = Kernel::two_pass, .steps_per_pass = T});
  randomise(*solver, 3);
  const auto brick = fdtd::brick_of(model, {1, 1, 1}, 0);
  const auto layout = fdtd::make_layout(model, brick, T);
  std::array<fdtd::HostAxis, 3> axes;
  for (int a = 0; a < 3; ++a) axes[std::size_t(a)] = fdtd::make_axis(model, layout, a);
  const auto edges = fdtd::edge_classes(model, layout), faces = fdtd::face_classes(model, layout);
  EXPECT_TRUE(runs(edges, faces));
  const fdtd::MediumData<Real> medium(queue, model, layout, axes, edges, faces);
  fdtd::EventData<Real> events(bench.context.comm, queue, model, layout);
  fdtd::StateData<Real> from(queue, layout, axes), to(queue, layout, axes);
  const auto field = [&](int c) {
    if constexpr (sizeof(Real) == 4) return solver->field_single(c);
    if constexpr (sizeof(Real) == 8) return solver->field_double(c);
  };
  for (int c = 0; c < 6; ++c)
    std::memcpy(from.f[c].view().data, field(c).data, std::size_t(layout.count) * sizeof(Real));

  std::optional<fdtd::Brick> overlap;
  if (model.periodic(0) && model.periodic(1) && model.periodic(2)) overlap = brick;
  const Plan plan =
      make_plan(medium.view, edges, events.host(), Shape{T, W, R, rim, room, 3, overlap});
  std::vector<Pair<Real>> store(std::size_t(plan.store), Pair<Real>{Real(1e30), Real(1e30)});
  std::vector<double> scratch(std::size_t(events.host().states) * std::size_t(plan.eventful));
  Kinds kinds;
  for (int pass = 0; pass < passes; ++pass) {
    events.prepare_samples(pass * T, T);
    Args<Real> args{};
    args.m = medium.view;
    args.from = from.view;
    args.to = to.view;
    args.events = events.tables();
    args.states_from = events.states();
    args.states_to = events.next_states();
    args.states_scratch = scratch.data();
    args.states = events.host().states;
    args.sample_row = events.sample_row(pass * T);
    args.record_row = events.record_row(pass * T);
    args.tiles = plan.tiles.data();
    args.uniform = plan.uniform.data();
    args.inside = plan.inside;
    args.offsets = plan.offsets.data();
    args.list = plan.list.data();
    args.store = store.data();
    std::array<std::vector<Real>, 6> kept;
    if (overlap) kept = take_ghosts(layout, from);
    int n = 0;
    for (const Tile& tile : plan.tiles) {
      if (overlap && n == plan.inner)  // the ghosts arrive
        for (std::size_t c = 0; c < 6; ++c) std::ranges::copy(kept[c], from.f[c].view().data);
      run_tile<Real, T, W, R>(args, tile, plan.most_pairs,
                              {std::uint64_t(pass + n % 3), (pass + n++) % 2 == 1});
      kinds.count(tile, T);
    }
    if (overlap) kinds.inner = plan.inner;
    std::swap(from, to);
    events.swap_states();
    events.keep_rows(T);
  }
  advance(*solver, std::int64_t{passes} * T);
  for (int c = 0; c < 6; ++c) {
    std::size_t different = 0;
    Index first = -1;
    for (Index k = layout.owned_low[2]; k < layout.owned_high[2]; ++k)
      for (Index j = layout.owned_low[1]; j < layout.owned_high[1]; ++j)
        for (Index i = layout.owned_low[0]; i < layout.owned_high[0]; ++i) {
          const Index n = layout.at(i, j, k);
          if (std::memcmp(field(c).data + n, from.f[c].view().data + n, sizeof(Real)) == 0)
            continue;
          if (different++ == 0) first = n;
        }
    EXPECT_EQ(different, 0u) << "component " << c << ", first (" << first % layout.row << ", "
                             << first / layout.row % layout.size[1] << ", " << first / layout.plane
                             << ")";
  }
  const auto expected = solver->drain().values, got = events.drain(passes * T).values;
  EXPECT_EQ(expected.size(), got.size());
  EXPECT_TRUE(got.empty() ||
              std::memcmp(expected.data(), got.data(), got.size() * sizeof(double)) == 0);
  return kinds;
}

// What tune_fdtd does, with the shared memory of an H200: from the same state both kernels take the
// same steps, and whole arrays are compared, padding and psi too.
template <int T, int W, int R>
Kinds compare_arrays(const fdtd::Model& model, int passes, int rim) {
  const par::Queue queue = par::Queue::host(2);
  Bench bench(true, queue);
  const auto layout = fdtd::make_layout(model, fdtd::brick_of(model, {1, 1, 1}, 0), 4);
  std::array<fdtd::HostAxis, 3> axes;
  for (int a = 0; a < 3; ++a) axes[std::size_t(a)] = fdtd::make_axis(model, layout, a);
  const auto edges = fdtd::edge_classes(model, layout), faces = fdtd::face_classes(model, layout);
  EXPECT_TRUE(runs(edges, faces));
  const fdtd::MediumData<float> medium(queue, model, layout, axes, edges, faces);
  fdtd::EventData<float> events(bench.context.comm, queue, model, layout);
  fdtd::StateData<float> from(queue, layout, axes), to(queue, layout, axes),
      expected(queue, layout, axes);
  const auto each = [](auto& a, auto& b, const auto& f) {
    for (std::size_t c = 0; c < 6; ++c) f(a.f[c], b.f[c]);
    for (std::size_t axis = 0; axis < 3; ++axis)
      for (std::size_t q = 0; q < 4; ++q) f(a.psi[axis][q], b.psi[axis][q]);
  };
  const auto copy = [](auto& a, auto& b) {
    if (a.size() > 0)
      std::memcpy(b.view().data, a.cview().data, std::size_t(a.size()) * sizeof(float));
  };
  const auto solver = fdtd::make_solver(model, bench.context, {.steps_per_pass = 4});
  randomise(*solver, 3);
  for (int c = 0; c < 6; ++c)
    std::memcpy(expected.f[c].view().data, solver->field_single(c).data,
                std::size_t(layout.count) * sizeof(float));
  const auto two_pass = [&](int steps) {
    for (int n = 0; n < steps; ++n)
      par::dispatch(queue, [&](const auto& exec) {
        fdtd::two_pass_step(exec, medium.view, expected.view, events.tables(), events.states(),
                            events.scratch(), 0, 0);
      });
  };
  two_pass(3);
  each(expected, from, copy);
  each(expected, to, copy);
  two_pass(passes * T);

  constexpr std::int64_t kSharedMemory = 232448;  // of a block
  const Plan plan = make_plan(
      medium.view, edges, events.host(),
      Shape{T, W, R, rim, (kSharedMemory - std::int64_t(sizeof(Shared<float, T, W, R>))) / 8, 20});
  std::vector<Pair<float>> store(std::size_t(plan.store), Pair<float>{1e30f, 1e30f});
  Kinds kinds;
  for (int pass = 0; pass < passes; ++pass) {
    Args<float> args{};
    args.m = medium.view;
    args.from = from.view;
    args.to = to.view;
    args.events = events.tables();
    args.tiles = plan.tiles.data();
    args.uniform = plan.uniform.data();
    args.inside = plan.inside;
    args.store = store.data();
    int n = 0;
    for (const Tile& tile : plan.tiles) {
      run_tile<float, T, W, R>(args, tile, plan.most_pairs,
                               {std::uint64_t(pass + n % 3), (pass + n++) % 2 == 1});
      kinds.count(tile, T);
    }
    std::swap(from, to);
  }
  std::size_t different = 0;
  each(expected, from, [&](auto& a, auto& b) {
    for (Index n = 0; n < a.size(); ++n)
      if (std::memcmp(a.cview().data + n, b.cview().data + n, sizeof(float)) != 0) ++different;
  });
  EXPECT_EQ(different, 0u);
  return kinds;
}

constexpr auto pec = Boundary::pec, pmc = Boundary::pmc, pml = Boundary::cpml,
               per = Boundary::periodic;

TEST(FdtdMarch, PlainTilesEqualTwoPass) {
  const ModelKind kind{.cells = {116, 22, 13},
                       .boundary = {pmc, pec, pec, pmc, pmc, pmc},
                       .materials = 2,
                       .events = false};
  const Kinds kinds = compare<float, 3, 12, 2>(random_model(kind, 5), 2, 4, 0);
  EXPECT_GT(kinds.plain, 3);
  compare<float, 2, 8, 4>(random_model(kind, 6), 2, 4, 0);
  compare<float, 4, 12, 2>(random_model(kind, 7), 1, 4, 0);
  compare<float, 1, 4, 2>(random_model(kind, 8), 2, 4, 0);
  compare<double, 2, 8, 2>(random_model(kind, 9), 2, 4, 0);
}

TEST(FdtdMarch, LayersEqualTwoPass) {
  ModelKind kind{.cells = {122, 34, 26},
                 .boundary = {pml, pml, pml, pml, pml, pml},
                 .materials = 2,
                 .events = false};
  Kinds kinds = compare<float, 3, 8, 2>(random_model(kind, 15), 2, 4, 100000);
  EXPECT_GT(kinds.layered, 8);
  EXPECT_EQ(kinds.stored, 0);
  // Psi in memory where shared memory has no room.
  kinds = compare<float, 2, 8, 3>(random_model(kind, 16), 2, 4, 4000);
  EXPECT_GT(kinds.layered, 0);
  EXPECT_GT(kinds.stored, 0);
  compare<double, 2, 8, 2>(random_model(kind, 17), 2, 4, 100000);
  kind.boundary = {pec, pml, pml, pmc, pec, pml};
  compare<float, 1, 8, 2>(random_model(kind, 18), 2, 4, 100000);
}

TEST(FdtdMarch, EventsEqualTwoPass) {
  const ModelKind kind{
      .cells = {66, 24, 17}, .boundary = {pml, pec, pec, pml, pml, pmc}, .materials = 2};
  const Kinds kinds = compare<float, 3, 10, 2>(random_model(kind, 25), 3, 4, 8000);
  EXPECT_GT(kinds.eventful, 0);
  compare<float, 2, 8, 2>(random_model(kind, 26), 3, 4, 100000);
}

// Grids of several tiles in every direction, with three materials in blocks, in the shapes that
// `auto` chooses.
TEST(FdtdMarch, BlocksOfMaterialsBetweenLayersEqualTwoPass) {
  const fdtd::Model layered =
      fdtd::bench_model({"layers", {116, 60, 30}, true, 3, true, Kernel::automatic, 0});
  Kinds kinds = compare_arrays<2, 12, 2>(layered, 1, 4);
  EXPECT_GT(kinds.layered, 12);
  EXPECT_EQ(kinds.tight, 0);
  const std::set<std::int32_t> all_but_events{0, 1, 2, 3, 4, 5, 6, 7};
  EXPECT_EQ(kinds.bodies, all_but_events);
  // Corners of three steps have room for the psi of three planes.
  kinds = compare_arrays<3, 12, 2>(layered, 1, 4);
  EXPECT_GT(kinds.layered, 12);
  EXPECT_EQ(kinds.bodies, all_but_events);
  EXPECT_GT(kinds.tight, 0);
}
TEST(FdtdMarch, BlocksOfMaterialsBetweenWallsEqualTwoPass) {
  const fdtd::Model walled =
      fdtd::bench_model({"walls", {116, 24, 20}, false, 3, true, Kernel::automatic, 0});
  const Kinds kinds = compare_arrays<3, 12, 2>(walled, 2, 4);
  EXPECT_GT(kinds.plain, 12);
}

TEST(FdtdMarch, OnePassBetweenGhostsOfAPeriodicGridEqualsTwoPass) {
  const ModelKind kind{.cells = {61, 23, 14},
                       .boundary = {per, per, per, per, per, per},
                       .materials = 2,
                       .events = false};
  compare<float, 3, 10, 2>(random_model(kind, 35), 1, 4, 0);
  compare<float, 2, 10, 2>(random_model(kind, 36), 1, 4, 0);
}

TEST(FdtdMarch, InnerTilesDoNotNeedTheGhosts) {
  ModelKind kind{.cells = {190, 24, 12}};
  kind.boundary.fill(Boundary::periodic);
  const fdtd::Model model = random_model(kind, 71);
  const Kinds two = compare<float, 2, 4, 4>(model, 1, 4, 0);
  EXPECT_GT(two.inner, 0);
  EXPECT_LT(two.inner, two.plain + two.layered + two.eventful);
  EXPECT_GT((compare<double, 3, 6, 2>(model, 1, 4, 0).inner), 0);
}

}  // namespace
}  // namespace terrawave::test
