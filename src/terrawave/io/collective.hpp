// Work that one rank does for all, so that all succeed or all fail alike.
#pragma once

#include <functional>

#include "terrawave/base/error.hpp"
#include "terrawave/comm/comm.hpp"

namespace terrawave::io {

// A RunError that every rank throws at the same place: the ranks may go on talking to each other.
class SharedError : public RunError {
 public:
  using RunError::RunError;
};

// Runs `work` on the root. Where it throws, every rank throws: InputError for an InputError,
// SharedError with the same text for anything else. Collective.
void on_root(comm::Comm& comm, const std::function<void()>& work);

}  // namespace terrawave::io
