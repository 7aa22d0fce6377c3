#include "terrawave/base/error.hpp"
#include "terrawave/par/cuda/device.hpp"

namespace terrawave::par::cuda {

int device_count() { return 0; }

std::shared_ptr<QueueImpl> make(int) {
  throw InputError(
      "device \"cuda\" was asked for, but this build has no CUDA: configure with the preset "
      "\"cuda\", or use --device cpu");
}

}  // namespace terrawave::par::cuda
