#include "terrawave/run/signals.hpp"

#include <csignal>

namespace terrawave::run {
namespace {

// A signal handler can reach nothing but a global: the one exception to "nothing global".
volatile std::sig_atomic_t received_signal = 0;

extern "C" void note_signal(int number) { received_signal = number; }

void install(int number) {
  struct sigaction action {};
  action.sa_handler = note_signal;
  // Reset: the second signal finds the default action.
  action.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  sigaction(number, &action, nullptr);
}

}  // namespace

StopSignals::StopSignals() {
  received_signal = 0;
  install(SIGINT);
  install(SIGTERM);
}

StopSignals::~StopSignals() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

int StopSignals::received() const { return static_cast<int>(received_signal); }

}  // namespace terrawave::run
