// CUDA status codes as exceptions. Included by .cu files and CUDA headers only.
#pragma once

#include <string>

#include <cuda_runtime.h>

#include "terrawave/base/error.hpp"

namespace terrawave::par::cuda {

inline void check(cudaError_t status, const char* doing) {
  if (status == cudaSuccess) return;
  throw RunError(std::string("CUDA failed while ") + doing + ": " + cudaGetErrorString(status));
}

}  // namespace terrawave::par::cuda
