// The marching kernel: 4 steps per pass, 12 warps of 2 rows.
#include "terrawave/solvers/fdtd/cuda/march_device.cuh"

namespace terrawave::fdtd::march {

template Variant<float> variant<float, 4, 12, 2>();

}  // namespace terrawave::fdtd::march
