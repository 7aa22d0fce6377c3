// The ranks that a test runs on.
#pragma once

#include "terrawave/comm/comm.hpp"

namespace terrawave::test {

// All ranks of this test program.
comm::Comm& world();

}  // namespace terrawave::test
