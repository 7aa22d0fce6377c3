// Device tests run on a real GPU or say loudly that they did not.
#pragma once

#include <gtest/gtest.h>

#include "terrawave/par/queue.hpp"

// Skips the running test where no GPU can be used; the reason is printed and counted by ctest.
#define TW_SKIP_WITHOUT_GPU()                                                   \
  if (terrawave::par::Queue::cuda_device_count() == 0)                          \
  GTEST_SKIP() << "NO GPU: this device test did NOT run. Its last real result " \
                  "stands in bench/results/."
