// The two ways a program run can fail, with the exit codes of the command line.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace terrawave {

// Exit codes of the `terrawave` program.
enum class ExitCode : int { done = 0, bad_input = 2, run_failed = 3, interrupted = 130 };

// The user's input cannot be used. what() is what the user reads: one clear message (or several,
// one a line) that says where, what was expected, what was found, and what to do. Exit code 2.
class InputError : public std::runtime_error {
 public:
  explicit InputError(const std::string& message) : std::runtime_error(message) {}
};

// The run itself failed: a non-finite value, a full disk, a lost device. Exit code 3.
class RunError : public std::runtime_error {
 public:
  explicit RunError(const std::string& message) : std::runtime_error(message) {}
};

// A broken promise inside the program: always a bug, never the user's fault.
class LogicError : public std::logic_error {
 public:
  explicit LogicError(const std::string& message) : std::logic_error(message) {}
};

// Throws LogicError when `condition` is false.
inline void require(bool condition, const char* message) {
  if (!condition) throw LogicError(message);
}

}  // namespace terrawave
