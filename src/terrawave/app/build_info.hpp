// How this program was built; build_info.cpp is written by CMake.
#pragma once

#include <string>

namespace terrawave::app {

std::string build_options();     // one "  name  value" a line
std::string library_versions();  // one "  name  version" a line

}  // namespace terrawave::app
