// Kernel "zmarch", second generation: two to four steps per pass over memory.
//
// A block owns a tile of columns (x, y) and a range of planes z. It marches along z; level t of the
// march works on plane k - t while level 0 loads plane k. Fields of the levels live in registers,
// neighbours in x come from lanes of the same warp, neighbours in y through shared memory. Tiles
// overlap by the number of steps and recompute their rims, so that blocks need not talk; the old
// state is read from one copy and the new one written to another. A kernel has bodies
// for tiles by what they meet: convolution layers (psi waits in shared memory between the levels)
// of one axis or several, and events. march_kernel.hpp is the kernel, march_layers.hpp its layers.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "terrawave/par/queue.hpp"
#include "terrawave/solvers/fdtd/fdtd_core.hpp"
#include "terrawave/solvers/fdtd/fdtd_setup.hpp"

namespace terrawave::fdtd {

// A compiled shape of a block in single precision: `warps` of `rows` rows each; of a tile's 64
// columns, `rim` on both sides are recomputed.
struct MarchShape {
  int steps, warps, rows, rim;
};
const std::vector<MarchShape>& march_shapes();

// The shape that ran passes of `steps` steps fastest (docs/decisions/0026-fdtd-kernels.md), or -1
// where none is compiled or none fits this GPU.
int march_shape(int steps);
// Steps per pass that ran fastest; 0 in a build without CUDA. thin_layered: a grid with convolution
// layers and an axis of less than 128 cells, most of whose tiles meet layers of several axes.
int march_steps(bool thin_layered);

// Whether the kernel can run a model: faces all of one class without loss, at most 256 classes.
bool march_runs(const HostClasses& edges, const HostClasses& faces);

class Marcher {
 public:
  // `shape`: index in march_shapes(). `overlap`: the brick whose ghosts travel while the core is
  // run.
  Marcher(const par::Queue& queue, const Medium<float>& medium, const HostClasses& edges,
          const HostEvents& events, int shape, const std::optional<Brick>& overlap = {});
  ~Marcher();
  Marcher(const Marcher&) = delete;
  Marcher& operator=(const Marcher&) = delete;

  // The shape's number of steps from `from` to `to`; event states likewise. The core is the tiles
  // that read no ghosts.
  void run(const Medium<float>& medium, const State<float>& from, const State<float>& to,
           const EventTables& events, const double* states_from, double* states_to,
           Index sample_row, Index record_row, Part part = Part::all);

  // Whether results are written past the cache; chosen by the size of the arrays.
  void write_past_cache(bool on);

  // Tiles of each body (march_args.hpp), the planes they march over, and bytes of shared memory of
  // a block, for reports.
  struct Body {
    std::int32_t body = 0;
    int tiles = 0;
    std::int64_t planes = 0;
  };
  struct Summary {
    std::vector<Body> bodies;
    std::int64_t shared_bytes = 0;
  };
  Summary summary() const;
  // To measure: from now on only tiles of this body run, so that results are wrong; -1: all.
  void run_only(std::int32_t body);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace terrawave::fdtd
