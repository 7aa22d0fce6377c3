#include "terrawave/io/geo/in_child.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace terrawave::io {
namespace {

[[noreturn]] void child(const std::function<void()>& work, unsigned seconds) {
  // Handlers of the parent (MPI's print a stack trace) and what libraries print are not for here.
  for (const int s : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGALRM, SIGINT, SIGTERM})
    std::signal(s, SIG_DFL);
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  const int nowhere = open("/dev/null", O_WRONLY);
  if (nowhere >= 0) dup2(nowhere, STDERR_FILENO);
  alarm(seconds);
  try {
    work();
  } catch (...) {  // the parent will meet it again
  }
  _exit(0);
}

}  // namespace

std::string crash_of(const std::function<void()>& work, unsigned seconds) {
  const pid_t id = fork();
  if (id < 0) return "";
  if (id == 0) child(work, seconds);
  int status = 0;
  pid_t ended = 0;
  while ((ended = waitpid(id, &status, 0)) < 0 && errno == EINTR) {
  }
  if (ended != id) return "";
  if (WIFSIGNALED(status))
    return WTERMSIG(status) == SIGALRM ? "no end within " + std::to_string(seconds) + " s"
                                       : strsignal(WTERMSIG(status));
  // A sanitizer ends the process itself.
  return WEXITSTATUS(status) == 0 ? "" : "exit code " + std::to_string(WEXITSTATUS(status));
}

}  // namespace terrawave::io
