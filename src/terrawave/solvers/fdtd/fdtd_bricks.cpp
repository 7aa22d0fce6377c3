// The split of the grid over ranks, and how a brick lies in memory.
#include <algorithm>
#include <optional>
#include <tuple>

#include <fmt/format.h>

#include "terrawave/base/error.hpp"
#include "terrawave/solvers/fdtd/fdtd_core.hpp"
#include "terrawave/solvers/fdtd/fdtd_setup.hpp"

namespace terrawave::fdtd {
namespace {

std::size_t z(Index i) { return static_cast<std::size_t>(i); }

Index round_up(Index n, Index multiple) { return (n + multiple - 1) / multiple * multiple; }

// Owned nodes of part p of `parts` of an axis.
std::pair<Index, Index> share(Index extent, int parts, int p) {
  return {extent * p / parts, extent * (p + 1) / parts};
}

// Ranks per axis for the least surface; none where some brick would be thinner than `depth`.
std::optional<std::array<int, 3>> best_split(const Model& model, int ranks,
                                             const std::array<int, 3>& given, int depth) {
  std::optional<std::array<int, 3>> best;
  double least = 0;
  const auto fits = [&](int axis, int parts) {
    if (given[z(axis)] > 0 && given[z(axis)] != parts) return false;
    if (parts == 1 && !model.periodic(axis)) return true;  // no ghosts on this axis
    return model.extent(axis) / parts >= std::max<Index>(depth, 1);
  };
  for (int x = 1; x <= ranks; ++x) {
    if (ranks % x != 0 || !fits(0, x)) continue;
    for (int y = 1; y <= ranks / x; ++y) {
      if (ranks / x % y != 0 || !fits(1, y) || !fits(2, ranks / x / y)) continue;
      const std::array<int, 3> parts{x, y, ranks / x / y};
      double surface = 0;
      for (int axis = 0; axis < 3; ++axis) {
        if (parts[z(axis)] == 1) continue;
        double area = 1;
        for (int b = 0; b < 3; ++b)
          if (b != axis) area *= double(model.extent(b)) / parts[z(b)];
        // Ghosts along x are whole chunks and their packing is strided: dearer by about two.
        surface += area * (axis == 0 ? 2 : 1);
      }
      if (!best || surface < least) {
        least = surface;
        best = parts;
      }
    }
  }
  return best;
}

}  // namespace

int most_steps_per_pass(const Model& model, int ranks, const std::array<int, 3>& given,
                        int wanted) {
  while (wanted > 0 && !best_split(model, ranks, given, wanted)) --wanted;
  return wanted;
}

std::array<int, 3> split_ranks(const Model& model, int ranks, std::array<int, 3> given, int depth) {
  if (const auto split = best_split(model, ranks, given, depth)) return *split;
  const std::string grid = fmt::format("the grid of {} x {} x {} cells", model.grid.cells(0),
                                       model.grid.cells(1), model.grid.cells(2));
  const int fits = most_steps_per_pass(model, ranks, given, depth);
  if (fits > 0)
    throw InputError(fmt::format(
        "{} on {} rank{} leaves room for at most {} steps per pass, found {}: lower "
        "fdtd.steps_per_pass, leave it at 0 to let the program choose, or use fewer ranks",
        grid, ranks, ranks == 1 ? "" : "s", fits, depth));
  int fewer = ranks;
  while (fewer > 1 && !best_split(model, fewer, {0, 0, 0}, 1)) --fewer;
  throw InputError(fmt::format(
      "{} cannot be cut into {} bricks with at least one cell each: use {} ranks or fewer", grid,
      ranks, fewer));
}

Brick brick_of(const Model& model, const std::array<int, 3>& ranks, int rank) {
  const std::array<int, 3> at{rank % ranks[0], rank / ranks[0] % ranks[1],
                              rank / (ranks[0] * ranks[1])};
  Brick brick;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    std::tie(brick.owned.low[axis], brick.owned.high[axis]) =
        share(model.extent(int(axis)), ranks[axis], at[axis]);
    brick.ghost_low[axis] = at[axis] > 0 || model.periodic(int(axis));
    brick.ghost_high[axis] = at[axis] + 1 < ranks[axis] || model.periodic(int(axis));
  }
  return brick;
}

Layout make_layout(const Model&, const Brick& brick, int depth) {
  require(depth >= 1 && depth < kChunk, "fdtd: ghost depth out of range");
  Layout l{};
  for (std::size_t a = 0; a < 3; ++a) {
    // A wall needs one zero entry on both sides; ghosts need `depth`, and one more below, because
    // the outermost E update reads one entry further.
    const Index below = a == 0 ? kChunk : (brick.ghost_low[a] ? depth + 1 : 1);
    const Index above = brick.ghost_high[a] ? depth : 1;
    const Index owned = brick.owned.high[a] - brick.owned.low[a];
    l.owned_low[a] = below;
    l.owned_high[a] = below + owned;
    l.size[a] = below + owned + above;
    l.origin[a] = brick.owned.low[a] - below;
    l.update_low[a] = brick.ghost_low[a] ? below - depth : below;
    l.update_high[a] = below + owned + (brick.ghost_high[a] ? depth - 1 : 0);
  }
  l.size[0] = round_up(l.size[0], kChunk);
  l.row = l.size[0];
  l.plane = l.row * l.size[1];
  l.count = l.plane * l.size[2];
  return l;
}

Core core_of(const Layout& layout, const Brick& brick, int step, Index chunk) {
  Core core;
  for (int a = 0; a < 3; ++a) {
    const bool low = brick.ghost_low[z(a)], high = brick.ghost_high[z(a)];
    const Index unit = a == 0 ? chunk : 1;
    core.h_low[a] = low ? round_up(layout.owned_low[a], unit) + unit * step : layout.update_low[a];
    core.e_low[a] = core.h_low[a] + (low ? unit : 0);
    // H reads E one entry up, and E of the top entry must stay as it was.
    core.h_high[a] =
        high ? (layout.owned_high[a] - 1) / unit * unit - unit * step : layout.update_high[a];
    core.e_high[a] = core.h_high[a];
  }
  return core;
}

Index global_entry(const Model& model, const Layout& layout, int axis, Index i) {
  const Index n = model.extent(axis);
  Index g = i + layout.origin[axis];
  if (model.periodic(axis)) g = (g % n + n) % n;
  return g >= 0 && g < n ? g : -1;
}

}  // namespace terrawave::fdtd
