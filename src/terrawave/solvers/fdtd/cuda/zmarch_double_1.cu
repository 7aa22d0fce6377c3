// The z-marching kernel in double precision, 1 step per pass.
#include "terrawave/solvers/fdtd/cuda/zmarch_kernel.cuh"

namespace terrawave::fdtd::zmarch {

template void prepare_kernel<double, 1>();
template void launch_kernel<double, 1>(const Args<double>&, unsigned, cudaStream_t);

}  // namespace terrawave::fdtd::zmarch
