#include "terrawave/par/queue.hpp"

#include <omp.h>

#include "terrawave/par/cuda/device.hpp"
#include "terrawave/par/host/memory.hpp"

namespace terrawave::par {
namespace {

int thread_count(int asked) { return asked > 0 ? asked : omp_get_max_threads(); }

}  // namespace

Queue Queue::host(int threads) {
  const int n = thread_count(threads);
  return Queue(Backend::host, n, host::make_plain(n));
}

Queue Queue::guarded_host(int threads) {
  const int n = thread_count(threads);
  return Queue(Backend::host, n, host::make_guarded(n));
}

Queue Queue::cuda(int ordinal) {
  return Queue(Backend::cuda, thread_count(0), cuda::make(ordinal));
}

int Queue::cuda_device_count() { return cuda::device_count(); }

}  // namespace terrawave::par
