// The marching kernel: 1 step per pass, 16 warps of 2 rows.
#include "terrawave/solvers/fdtd/cuda/march_device.cuh"

namespace terrawave::fdtd::march {

template Variant<float> variant<float, 1, 16, 2>();

}  // namespace terrawave::fdtd::march
