#include "terrawave/app/command.hpp"

#include "terrawave/io/collective.hpp"

namespace terrawave::app {

Action by_root(std::function<void()> work) {
  return [work = std::move(work)](comm::Comm& comm) {
    if (comm.size() == 1)
      work();
    else
      io::on_root(comm, work);
    return ExitCode::done;
  };
}

}  // namespace terrawave::app
