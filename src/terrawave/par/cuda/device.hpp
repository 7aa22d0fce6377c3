// CUDA memory and streams behind QueueImpl; absent.cpp stands in where the build has no CUDA.
#pragma once

#include <memory>

#include "terrawave/par/queue.hpp"

namespace terrawave::par::cuda {

int device_count();
std::shared_ptr<QueueImpl> make(int ordinal);

}  // namespace terrawave::par::cuda
