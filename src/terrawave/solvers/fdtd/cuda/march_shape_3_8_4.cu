// The marching kernel: 3 steps per pass, 8 warps of 4 rows.
#include "terrawave/solvers/fdtd/cuda/march_device.cuh"

namespace terrawave::fdtd::march {

template Variant<float> variant<float, 3, 8, 4>();

}  // namespace terrawave::fdtd::march
