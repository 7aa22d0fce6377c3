// Memory and streams of one CUDA device.
#include <cstdint>
#include <limits>
#include <string>

#include "terrawave/par/cuda/check.hpp"
#include "terrawave/par/cuda/device.hpp"
#include "terrawave/par/memory_count.hpp"

namespace terrawave::par::cuda {
namespace {

class Device final : public QueueImpl, public MemoryCount {
 public:
  explicit Device(int ordinal) : ordinal_(ordinal) {
    check(cudaSetDevice(ordinal), "selecting the device");
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "creating a stream");
    check(cudaStreamCreateWithFlags(&lane_, cudaStreamNonBlocking), "creating a stream");
    check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "creating an event");
    // Buffers come and go in loops: what one has freed is kept for the next.
    check(cudaDeviceGetDefaultMemPool(&pool_, ordinal), "asking for the memory pool");
    std::uint64_t keep = std::numeric_limits<std::uint64_t>::max();
    check(cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReleaseThreshold, &keep),
          "setting up the memory pool");
  }
  ~Device() override {
    cudaEventDestroy(event_);
    cudaStreamDestroy(lane_);
    cudaStreamDestroy(stream_);
  }
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  void* allocate(std::size_t bytes) override {
    void* p = nullptr;
    const cudaError_t status = cudaMallocAsync(&p, bytes, stream_);
    if (status == cudaErrorMemoryAllocation) {
      cudaGetLastError();
      const DeviceInfo i = info();
      throw RunError("the GPU has no room for " + std::to_string(bytes >> 20) +
                     " MiB more: " + std::to_string(i.memory_free >> 20) + " MiB of " +
                     std::to_string(i.memory_total >> 20) + " MiB are free");
    }
    check(status, "allocating memory");
    add(bytes);
    return p;
  }
  void deallocate(void* p, std::size_t bytes) noexcept override {
    if (lane_used_) {  // a copy of it may be on its way
      cudaEventRecord(event_, lane_);
      cudaStreamWaitEvent(stream_, event_);
    }
    cudaFreeAsync(p, stream_);
    take_off(bytes);
  }
  void upload(void* to, const void* from, std::size_t n) override {
    check(cudaMemcpyAsync(to, from, n, cudaMemcpyHostToDevice, stream_), "uploading");
    synchronize();
  }
  void download(void* to, const void* from, std::size_t n) override {
    check(cudaMemcpyAsync(to, from, n, cudaMemcpyDeviceToHost, stream_), "downloading");
    synchronize();
  }
  void copy(void* to, const void* from, std::size_t n) override {
    check(cudaMemcpyAsync(to, from, n, cudaMemcpyDeviceToDevice, stream_), "copying");
  }
  void fill_bytes(void* p, int value, std::size_t n) override {
    check(cudaMemsetAsync(p, value, n, stream_), "filling memory");
  }
  void* allocate_pinned(std::size_t bytes) override {
    void* p = nullptr;
    check(cudaMallocHost(&p, bytes), "allocating pinned memory");
    return p;
  }
  void deallocate_pinned(void* p, std::size_t) noexcept override { cudaFreeHost(p); }
  void lane_download(void* to, const void* from, std::size_t n) override {
    lane_used_ = true;
    check(cudaMemcpyAsync(to, from, n, cudaMemcpyDeviceToHost, lane_), "downloading");
  }
  void lane_upload(void* to, const void* from, std::size_t n) override {
    lane_used_ = true;
    check(cudaMemcpyAsync(to, from, n, cudaMemcpyHostToDevice, lane_), "uploading");
  }
  void lane_after_queue() override { order(stream_, lane_); }
  void queue_after_lane() override { order(lane_, stream_); }
  void lane_synchronize() override { check(cudaStreamSynchronize(lane_), "waiting for a copy"); }
  void synchronize() override { check(cudaStreamSynchronize(stream_), "running a kernel"); }
  void* stream() override { return stream_; }
  DeviceInfo info() override {
    cudaDeviceProp p{};
    check(cudaGetDeviceProperties(&p, ordinal_), "asking for device properties");
    DeviceInfo i;
    i.name = p.name;
    check(cudaMemGetInfo(&i.memory_free, &i.memory_total), "asking for free memory");
    std::uint64_t reserved = 0, used = 0;  // what the pool keeps for later is free for us
    check(cudaMemPoolGetAttribute(pool_, cudaMemPoolAttrReservedMemCurrent, &reserved),
          "asking for free memory");
    check(cudaMemPoolGetAttribute(pool_, cudaMemPoolAttrUsedMemCurrent, &used),
          "asking for free memory");
    i.memory_free += reserved - used;
    i.multiprocessors = p.multiProcessorCount;
    return i;
  }

 private:
  void order(cudaStream_t first, cudaStream_t then) {
    check(cudaEventRecord(event_, first), "recording an event");
    check(cudaStreamWaitEvent(then, event_), "waiting for an event");
  }
  int ordinal_;
  cudaStream_t stream_ = nullptr;
  cudaStream_t lane_ = nullptr;
  cudaEvent_t event_ = nullptr;
  cudaMemPool_t pool_ = nullptr;
  bool lane_used_ = false;
};

}  // namespace

int device_count() {
  int n = 0;
  if (cudaGetDeviceCount(&n) != cudaSuccess) {
    cudaGetLastError();
    return 0;
  }
  return n;
}

std::shared_ptr<QueueImpl> make(int ordinal) {
  const int n = device_count();
  if (n == 0)
    throw InputError("device \"cuda\" was asked for, but no CUDA GPU is visible: use --device cpu");
  if (ordinal < 0 || ordinal >= n)
    throw InputError("CUDA device " + std::to_string(ordinal) + " was asked for, but there are " +
                     std::to_string(n) + " (0 ... " + std::to_string(n - 1) + ")");
  return std::make_shared<Device>(ordinal);
}

}  // namespace terrawave::par::cuda
