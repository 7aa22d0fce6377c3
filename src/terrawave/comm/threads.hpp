// Ranks that are threads of this process.
#pragma once

#include <functional>

#include "terrawave/comm/comm.hpp"

namespace terrawave::comm {

// Calls work(comm) on `count` threads, the ranks of one group; the root is the calling thread. When
// ranks throw, those that wait for them are ended, and what the lowest of them threw is thrown
// here.
void run_on_threads(int count, const std::function<void(Comm&)>& work);

}  // namespace terrawave::comm
