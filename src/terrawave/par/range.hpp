// Ranges of indices that kernels run over.
#pragma once

#include "terrawave/base/index.hpp"

namespace terrawave::par {

// begin <= i < end
struct Range1 {
  Index begin = 0;
  Index end = 0;
  Index size() const { return end > begin ? end - begin : 0; }
};

// 0 <= i < nx (fastest), 0 <= j < ny
struct Range2 {
  Index nx = 0;
  Index ny = 0;
};

// 0 <= i < nx (fastest), 0 <= j < ny, 0 <= k < nz
struct Range3 {
  Index nx = 0;
  Index ny = 0;
  Index nz = 0;
};

}  // namespace terrawave::par
