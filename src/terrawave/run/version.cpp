#include "terrawave/run/version.hpp"

#include "terrawave_version.hpp"

namespace terrawave::run {

std::string version() { return TERRAWAVE_VERSION; }
std::string git_commit() { return TERRAWAVE_COMMIT; }

}  // namespace terrawave::run
