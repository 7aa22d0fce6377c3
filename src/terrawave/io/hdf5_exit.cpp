#include "terrawave/io/hdf5_exit.hpp"

#include <hdf5.h>

namespace terrawave::io {

void keep_hdf5_from_exit() { H5dont_atexit(); }

}  // namespace terrawave::io
