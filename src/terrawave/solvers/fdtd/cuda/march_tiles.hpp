// Tiles of the marching kernel, made once on the host.
#pragma once

#include <optional>
#include <vector>

#include "terrawave/solvers/fdtd/cuda/march_args.hpp"
#include "terrawave/solvers/fdtd/fdtd_setup.hpp"

namespace terrawave::fdtd::march {

// What the tiles are made for.
struct Shape {
  int steps = 0, warps = 0, rows = 0;  // of Variant
  int rim = 4;                         // entries along x recomputed on both sides: a multiple of 4
  std::int64_t room = 0;               // pairs of psi that fit a block's shared memory
  int multiprocessors = 1;
  std::optional<Brick> overlap = {};  // whose ghosts travel while tiles run; none: no need to wait
};

struct Plan {
  std::vector<Tile> tiles;      // in order of launch
  Index inner = 0;              // how many, the first ones, read no ghosts
  std::int32_t eventful = 0;    // how many have the body of events
  std::int64_t store = 0;       // pairs of psi in memory
  std::int64_t most_pairs = 0;  // of psi in shared memory, of any tile
  Inside inside;
  std::vector<std::uint16_t> uniform;  // Args::uniform
  // Of tiles with events: per pass (E, H), z1 - z0 + 2 steps + 1 offsets into `list`.
  std::vector<std::int32_t> offsets;
  std::vector<TileEvent> list;
};

// Whether the kernel can run a model: faces all of one class without loss, at most 256 classes.
bool runs(const HostClasses& edges, const HostClasses& faces);

template <class Real>
Plan make_plan(const Medium<Real>& medium, const HostClasses& edges, const HostEvents& events,
               const Shape& shape);

}  // namespace terrawave::fdtd::march
