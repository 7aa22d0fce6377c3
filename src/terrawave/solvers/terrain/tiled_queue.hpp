// Where the work inside tiles runs, and by which code.
#pragma once

#include "terrawave/par/queue.hpp"

namespace terrawave::terrain {

// A queue, and whether tiles use the kernels that run on both backends, as they do on a GPU, or the
// code made for host threads. Either gives the same bytes.
class TileQueue {
 public:
  // By the queue's backend; a plain queue serves wherever a TileQueue is asked for.
  TileQueue(const par::Queue& queue) : TileQueue(queue, queue.backend() != par::Backend::host) {}
  // The kernels on any queue: what a GPU does can be tested on host threads.
  static TileQueue with_kernels(const par::Queue& queue) { return TileQueue(queue, true); }

  operator const par::Queue&() const { return queue_; }
  const par::Queue& queue() const { return queue_; }
  bool kernels() const { return kernels_; }

 private:
  TileQueue(const par::Queue& queue, bool kernels) : queue_(queue), kernels_(kernels) {}
  par::Queue queue_;
  bool kernels_;
};

}  // namespace terrawave::terrain
