#include "terrawave/par/host/memory.hpp"

#include <atomic>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <map>
#include <mutex>
#include <new>
#include <string>

#include <sys/mman.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "terrawave/base/error.hpp"
#include "terrawave/par/memory_count.hpp"

namespace terrawave::par::host {
namespace {

constexpr std::size_t kAlignment = 64;  // one cache line, one AVX-512 register

// Large blocks lie on huge pages where the system offers them: a page fault for each 4 KiB costs
// as much as a pass over the data.
constexpr std::size_t kHugePage = std::size_t{1} << 21;
constexpr std::size_t kLarge = 4 * kHugePage;

std::align_val_t alignment_of(std::size_t bytes) {
  return std::align_val_t{bytes >= kLarge ? kHugePage : kAlignment};
}
// `shift` < kHugePage, a multiple of the alignment: where in its first huge page a large block
// begins.
void* aligned(std::size_t bytes, std::size_t shift) {
  if (bytes < kLarge) return ::operator new(bytes, alignment_of(bytes));
  bytes += shift;
  void* const p = ::operator new(bytes, alignment_of(bytes));
  madvise(p, bytes / kHugePage * kHugePage, MADV_HUGEPAGE);  // a hint only
  return static_cast<std::byte*>(p) + shift;
}
void free_aligned(void* p, std::size_t bytes) noexcept {
  if (bytes >= kLarge)
    p = reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(p) / kHugePage * kHugePage);
  ::operator delete(p, alignment_of(bytes));
}

// Bytes that a program can still get, page cache included (which "free" memory is not).
std::size_t available_memory() {
  std::ifstream in("/proc/meminfo");
  std::string word;
  for (std::size_t kib = 0; in >> word;)
    if (word == "MemAvailable:" && in >> kib) return kib * 1024;
  struct sysinfo s {};
  sysinfo(&s);
  return std::size_t{s.freeram + s.bufferram} * s.mem_unit;
}

class Plain : public QueueImpl, public MemoryCount {
 public:
  explicit Plain(int threads) : threads_(threads) {}
  void* allocate(std::size_t bytes) override {
    void* const p = aligned(bytes, next_shift());
    add(bytes);
    return p;
  }
  void deallocate(void* p, std::size_t bytes) noexcept override {
    free_aligned(p, bytes);
    take_off(bytes);
  }
  void upload(void* to, const void* from, std::size_t n) override { transfer(to, from, n); }
  void download(void* to, const void* from, std::size_t n) override { transfer(to, from, n); }
  void copy(void* to, const void* from, std::size_t n) override { transfer(to, from, n); }
  void fill_bytes(void* p, int value, std::size_t n) override {
    const Scope open(*this);
    std::memset(p, value, n);
  }
  void* allocate_pinned(std::size_t bytes) override { return aligned(bytes, next_shift()); }
  void deallocate_pinned(void* p, std::size_t bytes) noexcept override { free_aligned(p, bytes); }
  void lane_download(void* to, const void* from, std::size_t n) override { transfer(to, from, n); }
  void lane_upload(void* to, const void* from, std::size_t n) override { transfer(to, from, n); }
  void lane_after_queue() override {}
  void queue_after_lane() override {}
  void lane_synchronize() override {}
  void synchronize() override {}
  DeviceInfo info() override {
    struct sysinfo s {};
    sysinfo(&s);
    return {"host, " + std::to_string(threads_) + (threads_ == 1 ? " thread" : " threads"),
            std::size_t{s.totalram} * s.mem_unit, available_memory(), 0};
  }

 private:
  struct Scope {
    explicit Scope(QueueImpl& q) : queue(q) { queue.launch_begins(); }
    ~Scope() { queue.launch_ends(); }
    QueueImpl& queue;
  };
  void transfer(void* to, const void* from, std::size_t n) {
    const Scope open(*this);
    std::memcpy(to, from, n);
  }
  // Kernels walk several large blocks in step. Were they all to begin on a page, the same entries
  // of all of them would compete for the same few lines of the caches.
  std::size_t next_shift() { return 640 * (blocks_++ % 24); }
  std::atomic<std::size_t> blocks_{0};
  int threads_;
};

// Every block lies on pages of its own that are inaccessible while no launch is open.
class Guarded final : public Plain {
 public:
  using Plain::Plain;
  void* allocate(std::size_t bytes) override {
    const std::size_t span = pages(bytes);
    const std::lock_guard lock(mutex_);
    void* p = mmap(nullptr, span, open_ > 0 ? PROT_READ | PROT_WRITE : PROT_NONE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) throw std::bad_alloc();
    blocks_[p] = span;
    add(bytes);
    return p;
  }
  void deallocate(void* p, std::size_t bytes) noexcept override {
    take_off(bytes);
    const std::lock_guard lock(mutex_);
    const auto it = blocks_.find(p);
    if (it == blocks_.end()) return;
    munmap(p, it->second);
    blocks_.erase(it);
  }
  void launch_begins() override {
    const std::lock_guard lock(mutex_);
    if (open_++ == 0) protect(PROT_READ | PROT_WRITE);
  }
  void launch_ends() override {
    const std::lock_guard lock(mutex_);
    if (--open_ == 0) protect(PROT_NONE);
  }

 private:
  static std::size_t pages(std::size_t bytes) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return (bytes + page - 1) / page * page;
  }
  void protect(int how) {
    for (const auto& [p, span] : blocks_)
      if (mprotect(p, span, how) != 0) throw LogicError("mprotect failed on guarded memory");
  }
  std::mutex mutex_;
  std::map<void*, std::size_t> blocks_;
  int open_ = 0;
};

}  // namespace

std::shared_ptr<QueueImpl> make_plain(int threads) { return std::make_shared<Plain>(threads); }
std::shared_ptr<QueueImpl> make_guarded(int threads) { return std::make_shared<Guarded>(threads); }

}  // namespace terrawave::par::host
