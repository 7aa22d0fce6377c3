#include "terrawave/par/memory_count.hpp"

#include <gtest/gtest.h>

#include "terrawave/par/buffer.hpp"

namespace terrawave::par {
namespace {

TEST(MemoryCount, KeepsTheMostThatBuffersHeldAtOnce) {
  for (const Queue& queue : {Queue::host(1), Queue::guarded_host(1)}) {
    const Buffer<double> one(queue, 100);
    { const Buffer<char> two(queue, 1000); }
    { const Buffer<char> three(queue, 500); }
    EXPECT_EQ(peak_bytes(queue), 1800u);
    restart_peak_bytes(queue);
    EXPECT_EQ(peak_bytes(queue), 800u);
  }
}

}  // namespace
}  // namespace terrawave::par
