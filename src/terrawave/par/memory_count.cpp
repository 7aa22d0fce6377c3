#include "terrawave/par/memory_count.hpp"

#include "terrawave/base/error.hpp"

namespace terrawave::par {
namespace {

MemoryCount& count_of(const Queue& queue) {
  auto* const count = dynamic_cast<MemoryCount*>(&queue.impl());
  require(count != nullptr, "this queue does not count its memory");
  return *count;
}

}  // namespace

std::size_t peak_bytes(const Queue& queue) { return count_of(queue).peak(); }
void restart_peak_bytes(const Queue& queue) { count_of(queue).restart_peak(); }

}  // namespace terrawave::par
