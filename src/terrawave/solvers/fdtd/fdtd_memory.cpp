// What a rank will hold, counted from the same layouts that the solver makes, before it makes them.
#include <algorithm>

#include "terrawave/solvers/fdtd/cpu/wavefront.hpp"
#include "terrawave/solvers/fdtd/cuda/zmarch.hpp"
#include "terrawave/solvers/fdtd/fdtd_setup.hpp"
#include "terrawave/solvers/fdtd/fdtd_solver.hpp"

namespace terrawave::fdtd {
namespace {

// Numbers in the messages of a brick, one way, fields only.
double message_entries(const Layout& l, const Brick& brick, int depth) {
  // All entries within `depth` of the owned box, on the sides that have ghosts, less the box.
  double all = 1, owned = 1;
  for (std::size_t a = 0; a < 3; ++a) {
    const auto n = double(l.owned_high[a] - l.owned_low[a]);
    owned *= n;
    all *= n + (brick.ghost_low[a] ? depth : 0) + (brick.ghost_high[a] ? depth : 0);
  }
  return all - owned;
}

}  // namespace

double estimate_bytes(const std::array<Index, 3>& cells, const std::array<Boundary, 6>& boundary,
                      const std::array<Cpml, 6>& cpml, bool single_precision, bool cuda,
                      int ranks) {
  Model m;
  m.grid = domain::YeeGrid::uniform(cells, {1, 1, 1});
  m.boundary = boundary;
  m.cpml = cpml;
  const double real = single_precision ? 4 : 8;
  const int wanted =
      cuda ? zmarch_steps(single_precision) : wavefront_steps(m, single_precision ? 4 : 8);
  const int steps = most_steps_per_pass(m, ranks, {0, 0, 0}, wanted);
  // Where no split fits the run is refused for that; any number will do.
  const int parts = steps > 0 ? ranks : 1, depth = std::max(steps, 1);
  const auto split = split_ranks(m, parts, {0, 0, 0}, parts == 1 ? 1 : depth);
  double most = 0;
  for (int rank = 0; rank < parts; ++rank) {
    const Brick brick = brick_of(m, split, rank);
    const Layout layout = make_layout(m, brick, depth);
    double numbers = 6 * double(layout.count), psi = 0;
    for (int a = 0; a < 3; ++a)
      psi += 4 * double(psi_count(layout, make_axis(m, layout, a).slab, a));
    numbers += psi;
    // The z-marching kernel reads one copy, writes another and keeps some planes of its tiles.
    if (cuda) numbers *= 2.05;
    // Sent and received, here and in pinned memory (to itself only sent); psi of layers as densely
    // as in the brick.
    numbers += (parts == 1 ? 1 : 4) * message_entries(layout, brick, depth) *
               (6 + psi / double(layout.count));
    // Classes of edges and faces in two bytes while they are made, and as the kernels read them;
    // the wavefront's patterns and runs of chunks.
    const double classes = double(layout.count) * (2 + 2 + 1 + 1 + 0.25 + 0.0625);
    most = std::max(most, numbers * real + classes);
  }
  // Records of probes, samples of sources, patterns: at most.
  constexpr double small = 44e6;
  return most + small;
}

}  // namespace terrawave::fdtd
