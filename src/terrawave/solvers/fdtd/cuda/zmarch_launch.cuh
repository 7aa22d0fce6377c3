// What a launch of the z-marching kernel is given. The kernels of each precision and number of
// steps are compiled in files of their own: they take a minute each.
#pragma once

#include <cstdint>

#include <cuda_runtime.h>

#include "terrawave/solvers/fdtd/cuda/zmarch_tiles.hpp"
#include "terrawave/solvers/fdtd/fdtd_cells.hpp"

namespace terrawave::fdtd::zmarch {

// Warps of a block and rows of a warp; what fits 64 K registers with little spilling.
template <class Real, int T>
struct Shape {
  static constexpr int warps = sizeof(Real) == 4 ? (T == 4 ? 12 : 16) : 8;
  static constexpr int rows = 2;
};

template <class Real>
struct PairOf;
template <>
struct PairOf<float> {
  using Type = float2;
};
template <>
struct PairOf<double> {
  using Type = double2;
};
template <class Real>
using Pair = typename PairOf<Real>::Type;

template <class Real>
struct Args {
  Medium<Real> m;
  State<Real> from, to;
  EventTables events;
  const double* states_from;
  double* states_to;
  double* states_scratch;  // `states` per full tile
  std::int32_t states;
  Index sample_row, record_row;
  const Tile* tiles;
  const std::uint16_t* uniform;
  const std::int32_t* offsets;
  const TileEvent* list;
  Pair<Real>* ring;  // per full tile: [axis][q][plane mod T][row][thread]
};

// Once per process and kernel, then any number of launches.
template <class Real, int T>
void prepare_kernel();
template <class Real, int T>
void launch_kernel(const Args<Real>& args, unsigned blocks, cudaStream_t stream);

}  // namespace terrawave::fdtd::zmarch
