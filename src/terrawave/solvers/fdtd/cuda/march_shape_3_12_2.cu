// The marching kernel: 3 steps per pass, 12 warps of 2 rows.
#include "terrawave/solvers/fdtd/cuda/march_device.cuh"

namespace terrawave::fdtd::march {

template Variant<float> variant<float, 3, 12, 2>();

}  // namespace terrawave::fdtd::march
