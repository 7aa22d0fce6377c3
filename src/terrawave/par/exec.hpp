// How a file of launches sees the backend it is compiled for.
//
// A `*_steps.cpp` file holds function templates over `Exec` and ends by instantiating them for
// `par::Exec`. The build compiles it for the host and, where CUDA is on, once more with nvcc; the
// header declares the templates, and host code picks one with `dispatch`.
#pragma once

#include <utility>

#include "terrawave/base/error.hpp"
#include "terrawave/par/buffer.hpp"
#include "terrawave/par/queue.hpp"
#include "terrawave/par/range.hpp"

namespace terrawave::par {

struct HostExec {
  const Queue& queue;
};

struct CudaExec {
  const Queue& queue;
};

#if defined(__CUDACC__)
using Exec = CudaExec;
#else
using Exec = HostExec;
#endif

// The only switch between host and device: calls f(HostExec) or f(CudaExec).
template <class F>
decltype(auto) dispatch(const Queue& queue, F&& f) {
#if defined(TERRAWAVE_CUDA)
  if (queue.backend() == Backend::cuda) return std::forward<F>(f)(CudaExec{queue});
#endif
  require(queue.backend() == Backend::host, "this build has no CUDA");
  return std::forward<F>(f)(HostExec{queue});
}

}  // namespace terrawave::par
