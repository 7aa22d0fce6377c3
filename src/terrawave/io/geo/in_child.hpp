// A try in a child process, for libraries that crash on damaged files.
#pragma once

#include <functional>
#include <string>

namespace terrawave::io {

// Runs `work` in a child process, whatever it throws. Returns what killed the child, such as
// "Segmentation fault", or "no end within 60 s"; empty where it came to an end. Where no child can
// be made nothing is tried.
std::string crash_of(const std::function<void()>& work, unsigned seconds);

}  // namespace terrawave::io
