// A Queue names where work runs and where its memory lies.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "terrawave/base/index.hpp"

namespace terrawave::par {

enum class Backend { host, cuda };

struct DeviceInfo {
  std::string name;              // "host, 8 threads", "NVIDIA H200"
  std::size_t memory_total = 0;  // bytes
  std::size_t memory_free = 0;   // bytes, at the time of asking
  int multiprocessors = 0;       // 0 on the host
};

// Memory and ordering of one device; implemented by host/memory.cpp and cuda/device.cu.
class QueueImpl {
 public:
  virtual ~QueueImpl() = default;
  virtual void* allocate(std::size_t bytes) = 0;
  virtual void deallocate(void* p, std::size_t bytes) noexcept = 0;
  virtual void upload(void* device, const void* host, std::size_t bytes) = 0;    // synchronous
  virtual void download(void* host, const void* device, std::size_t bytes) = 0;  // synchronous
  virtual void copy(void* device_to, const void* device_from, std::size_t bytes) = 0;
  virtual void fill_bytes(void* device, int value, std::size_t bytes) = 0;
  virtual void* allocate_pinned(std::size_t bytes) = 0;
  virtual void deallocate_pinned(void* p, std::size_t bytes) noexcept = 0;
  // Asynchronous copies to and from pinned host memory on a second stream; `lane_*` order them.
  virtual void lane_download(void* pinned, const void* device, std::size_t bytes) = 0;
  virtual void lane_upload(void* device, const void* pinned, std::size_t bytes) = 0;
  virtual void lane_after_queue() = 0;  // the lane waits for what the queue holds now
  virtual void queue_after_lane() = 0;  // the queue waits for what the lane holds now
  virtual void lane_synchronize() = 0;  // the host waits for the lane
  virtual void synchronize() = 0;
  virtual void launch_begins() {}  // guarded host memory opens here ...
  virtual void launch_ends() {}    // ... and closes here
  virtual void* stream() { return nullptr; }
  virtual DeviceInfo info() = 0;
};

// Where work runs: host threads, or one stream of one CUDA device. Cheap to copy; copies share.
class Queue {
 public:
  // Host threads; `threads` = 0 takes what OpenMP offers.
  static Queue host(int threads = 0);
  // Like host(), but "device" memory faults when it is touched outside a launch or a transfer,
  // so that a forgotten transfer crashes on a machine without a GPU.
  static Queue guarded_host(int threads = 0);
  // CUDA device `ordinal`. Throws InputError where the build or the machine has none.
  static Queue cuda(int ordinal = 0);
  // Number of usable CUDA devices; 0 where the build has no CUDA.
  static int cuda_device_count();

  Backend backend() const { return backend_; }
  int threads() const { return threads_; }
  DeviceInfo info() const { return impl_->info(); }
  void synchronize() const { impl_->synchronize(); }
  QueueImpl& impl() const { return *impl_; }

 private:
  Queue(Backend backend, int threads, std::shared_ptr<QueueImpl> impl)
      : backend_(backend), threads_(threads), impl_(std::move(impl)) {}
  Backend backend_;
  int threads_;
  std::shared_ptr<QueueImpl> impl_;
};

// Opens guarded memory for the length of one launch.
class LaunchScope {
 public:
  explicit LaunchScope(const Queue& queue) : impl_(queue.impl()) { impl_.launch_begins(); }
  ~LaunchScope() { impl_.launch_ends(); }
  LaunchScope(const LaunchScope&) = delete;
  LaunchScope& operator=(const LaunchScope&) = delete;

 private:
  QueueImpl& impl_;
};

}  // namespace terrawave::par
