// Host memory as a device: plain, or guarded against access outside launches.
#pragma once

#include <memory>

#include "terrawave/par/queue.hpp"

namespace terrawave::par::host {

std::shared_ptr<QueueImpl> make_plain(int threads);
std::shared_ptr<QueueImpl> make_guarded(int threads);

}  // namespace terrawave::par::host
