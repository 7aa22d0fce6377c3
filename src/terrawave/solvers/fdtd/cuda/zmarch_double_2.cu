// The z-marching kernel in double precision, 2 steps per pass.
#include "terrawave/solvers/fdtd/cuda/zmarch_kernel.cuh"

namespace terrawave::fdtd::zmarch {

template void prepare_kernel<double, 2>();
template void launch_kernel<double, 2>(const Args<double>&, unsigned, cudaStream_t);

}  // namespace terrawave::fdtd::zmarch
