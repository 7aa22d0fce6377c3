// The z-marching kernel in single precision, 2 steps per pass.
#include "terrawave/solvers/fdtd/cuda/zmarch_kernel.cuh"

namespace terrawave::fdtd::zmarch {

template void prepare_kernel<float, 2>();
template void launch_kernel<float, 2>(const Args<float>&, unsigned, cudaStream_t);

}  // namespace terrawave::fdtd::zmarch
