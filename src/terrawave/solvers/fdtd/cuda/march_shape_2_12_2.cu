// The marching kernel: 2 steps per pass, 12 warps of 2 rows.
#include "terrawave/solvers/fdtd/cuda/march_device.cuh"

namespace terrawave::fdtd::march {

template Variant<float> variant<float, 2, 12, 2>();

}  // namespace terrawave::fdtd::march
