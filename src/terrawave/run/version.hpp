// Which program this is.
#pragma once

#include <string>

namespace terrawave::run {

// "0.1.0"
std::string version();
// The commit of the sources as built, with "+" where they had uncommitted changes; "unknown" where
// they were no git checkout.
std::string git_commit();

}  // namespace terrawave::run
