#include "terrawave/run/bandwidth.hpp"

#include <algorithm>
#include <chrono>
#include <exception>

#include "terrawave/run/bandwidth_steps.hpp"

namespace terrawave::run {
namespace {

double best_of_passes(const par::Queue& queue, Index n) {
  par::Buffer<double> a(queue, n), b(queue, n), c(queue, n);
  a.fill_bytes(0);
  b.fill_bytes(0);
  c.fill_bytes(0);
  double best = 0;
  for (int pass = 0; pass < 4; ++pass) {
    queue.synchronize();
    const auto begin = std::chrono::steady_clock::now();
    par::dispatch(queue,
                  [&](const auto& exec) { triad(exec, a.view(), b.cview(), c.cview(), 3.0); });
    queue.synchronize();
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    best = std::max(best, 3.0 * sizeof(double) * static_cast<double>(n) / seconds);
  }
  return best;
}

}  // namespace

std::optional<double> measure_bandwidth(const par::Queue& queue, comm::Comm& comm) {
  const Index n = queue.backend() == par::Backend::cuda ? Index{1} << 25 : Index{1} << 23;
  comm.barrier();
  std::int64_t mine = 0;
  try {
    mine = static_cast<std::int64_t>(best_of_passes(queue, n));
  } catch (const std::exception&) {
    // No room for the arrays.
  }
  if (comm.min(mine) <= 0) return std::nullopt;
  return static_cast<double>(comm.sum(mine));
}

}  // namespace terrawave::run
