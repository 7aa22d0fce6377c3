#include "terrawave/app/device.hpp"

#include <cstring>
#include <span>

#include <fmt/format.h>
#include <unistd.h>

namespace terrawave::app {
namespace {

std::string host_name() {
  char name[256] = "";
  if (gethostname(name, sizeof(name) - 1) != 0) return "this host";
  return name;
}

// One line a rank, shown by the root. Collective.
void log_mapping(const std::string& mine, comm::Comm& comm, const sim::Log& log) {
  const std::vector<comm::Bytes> lines = comm.gather(std::as_bytes(std::span(mine)), 0);
  for (std::size_t rank = 0; rank < lines.size(); ++rank) {
    std::string line(lines[rank].size(), ' ');
    if (!line.empty()) std::memcpy(line.data(), lines[rank].data(), line.size());
    log.info(comm.size() > 1 ? fmt::format("rank {}: {}", rank, line) : line);
  }
}

std::string describe(const par::Queue& queue, const std::string& why) {
  return "device: " + queue.info().name + why;
}

par::Queue choose_cuda(int count, const std::string& why, comm::Comm& comm, const sim::Log& log) {
  const int ordinal = comm.local_rank() % count;
  par::Queue queue = par::Queue::cuda(ordinal);
  std::string mine = describe(queue, why);
  if (comm.size() > 1) mine += fmt::format(" (GPU {} of {} on {})", ordinal, count, host_name());
  log_mapping(mine, comm, log);
  const auto crowding = static_cast<std::int64_t>((comm.local_size() + count - 1) / count);
  if (const std::int64_t most = comm.max(crowding); most > 1)
    log.warning(
        fmt::format("more ranks than GPUs: up to {} ranks share one GPU; start one rank "
                    "per GPU for full speed",
                    most));
  return queue;
}

}  // namespace

par::Queue choose_queue(const std::string& device, int threads, comm::Comm& comm,
                        const sim::Log& log) {
  const int count = par::Queue::cuda_device_count();
  const bool any = comm.min(std::int64_t{count}) > 0;  // every rank must have one
  if (device == "cuda" || (device == "auto" && any)) {
    if (count == 0) return par::Queue::cuda(0);  // says why there is none
    return choose_cuda(count, device == "auto" ? ", chosen because it is there" : "", comm, log);
  }
  par::Queue queue = par::Queue::host(threads);
  log_mapping(describe(queue, device == "auto" ? "; there is no GPU" : ""), comm, log);
  return queue;
}

MemoryNeed memory_need(double needed, const par::Queue& queue, const comm::Comm& comm) {
  const par::DeviceInfo info = queue.info();
  int sharing = comm.local_size();
  if (queue.backend() == par::Backend::cuda) {
    const int count = par::Queue::cuda_device_count();
    sharing = (sharing + count - 1) / count;
  }
  return {needed, static_cast<double>(info.memory_free) / sharing};
}

void check_memory(const CaseFile& loaded, const par::Queue& queue, comm::Comm& comm,
                  const sim::Log& log) {
  const run::SolverEntry& entry = loaded.entry;
  const bool cuda = queue.backend() == par::Backend::cuda;
  double needed = entry.estimate_bytes(loaded.config, comm.size());
  const double besides =
      entry.estimate_host_bytes ? entry.estimate_host_bytes(loaded.config, comm.size()) : 0;
  if (!cuda) needed += besides;
  const auto check = [&](double bytes, const par::Queue& where) {
    MemoryNeed need = memory_need(bytes, where, comm);
    need.available = comm.min(need.available);  // the ranks agree
    const std::string text = "memory: " + describe(need) + (comm.size() > 1 ? " per rank" : "");
    if (need.needed > need.available)
      throw InputError("error: " + text + " on " + where.info().name +
                       "; use a smaller case, single precision, or more ranks on more machines");
    log.info(text);
  };
  check(needed, queue);
  if (cuda && besides > 0) check(besides, par::Queue::host());
}

}  // namespace terrawave::app
