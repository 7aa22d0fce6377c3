// How much memory a queue's buffers hold.
#pragma once

#include <atomic>
#include <cstddef>

#include "terrawave/par/queue.hpp"

namespace terrawave::par {

// Kept by the queue's implementation.
class MemoryCount {
 public:
  void add(std::size_t bytes) noexcept {
    const std::size_t now = held_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    std::size_t seen = peak_.load(std::memory_order_relaxed);
    while (seen < now && !peak_.compare_exchange_weak(seen, now, std::memory_order_relaxed)) {
    }
  }
  void take_off(std::size_t bytes) noexcept { held_.fetch_sub(bytes, std::memory_order_relaxed); }
  std::size_t held() const { return held_.load(std::memory_order_relaxed); }
  std::size_t peak() const { return peak_.load(std::memory_order_relaxed); }
  void restart_peak() { peak_.store(held(), std::memory_order_relaxed); }

 private:
  std::atomic<std::size_t> held_{0};
  std::atomic<std::size_t> peak_{0};
};

// The most bytes that buffers of this queue (and its copies) have held at once since the start, or
// since restart_peak_bytes.
std::size_t peak_bytes(const Queue& queue);
void restart_peak_bytes(const Queue& queue);

}  // namespace terrawave::par
