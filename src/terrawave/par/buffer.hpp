// Memory of one device.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "terrawave/base/error.hpp"
#include "terrawave/par/queue.hpp"
#include "terrawave/par/view.hpp"

namespace terrawave::par {

// Owns `size` elements of T on the queue's device. Not initialised unless filled or uploaded.
// The host must not touch the elements: use upload and download.
template <class T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Buffer() = default;
  Buffer(const Queue& queue, Index size) : queue_(queue) { allocate(size); }
  Buffer(const Queue& queue, std::span<const T> values) : Buffer(queue, Index(values.size())) {
    upload(values);
  }
  Buffer(const Queue& queue, const std::vector<T>& values)
      : Buffer(queue, std::span<const T>(values)) {}
  ~Buffer() { release(); }
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    swap(other);
    return *this;
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  Index size() const { return size_; }
  View<T> view() { return {data_, size_}; }
  View<const T> view() const { return {data_, size_}; }
  View<const T> cview() const { return {data_, size_}; }

  // Copies host values to elements [at, at + values.size()). Waits for earlier work.
  void upload(std::span<const T> values, Index at = 0) {
    require(at >= 0 && at + Index(values.size()) <= size_, "Buffer::upload out of range");
    if (!values.empty()) impl().upload(data_ + at, values.data(), values.size_bytes());
  }
  // Copies elements [at, at + values.size()) to the host. Waits for earlier work.
  void download(std::span<T> values, Index at = 0) const {
    require(at >= 0 && at + Index(values.size()) <= size_, "Buffer::download out of range");
    if (!values.empty()) impl().download(values.data(), data_ + at, values.size_bytes());
  }
  std::vector<T> download() const {
    std::vector<T> values(static_cast<std::size_t>(size_));
    download(std::span<T>(values));
    return values;
  }
  // One element; a slow, synchronous transfer.
  T at(Index i) const {
    T value;
    download(std::span<T>(&value, 1), i);
    return value;
  }
  // Sets every byte; 0 makes zeros of every arithmetic type. Ordered on the queue.
  void fill_bytes(int value) {
    if (size_ > 0) impl().fill_bytes(data_, value, bytes());
  }
  void copy_from(const Buffer& other) {
    require(other.size_ == size_, "Buffer::copy_from size mismatch");
    if (size_ > 0) impl().copy(data_, other.data_, bytes());
  }
  std::size_t bytes() const { return static_cast<std::size_t>(size_) * sizeof(T); }
  void swap(Buffer& other) noexcept {
    std::swap(queue_, other.queue_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }

 private:
  QueueImpl& impl() const { return queue_->impl(); }
  void allocate(Index size) {
    require(size >= 0, "Buffer of negative size");
    size_ = size;
    if (size > 0) data_ = static_cast<T*>(impl().allocate(bytes()));
  }
  void release() noexcept {
    if (data_ != nullptr) impl().deallocate(data_, bytes());
    data_ = nullptr;
    size_ = 0;
  }

  std::optional<Queue> queue_;  // none while empty
  T* data_ = nullptr;
  Index size_ = 0;
};

// Page-locked host memory for transfers that overlap with work.
class PinnedBytes {
 public:
  PinnedBytes() = default;
  PinnedBytes(const Queue& queue, std::size_t bytes) : queue_(queue), bytes_(bytes) {
    if (bytes > 0) data_ = static_cast<std::byte*>(queue.impl().allocate_pinned(bytes));
  }
  ~PinnedBytes() {
    if (data_ != nullptr) queue_->impl().deallocate_pinned(data_, bytes_);
  }
  PinnedBytes(PinnedBytes&& other) noexcept { swap(other); }
  PinnedBytes& operator=(PinnedBytes&& other) noexcept {
    swap(other);
    return *this;
  }
  PinnedBytes(const PinnedBytes&) = delete;
  PinnedBytes& operator=(const PinnedBytes&) = delete;
  std::byte* data() const { return data_; }
  std::size_t size() const { return bytes_; }
  void swap(PinnedBytes& other) noexcept {
    std::swap(queue_, other.queue_);
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
  }

 private:
  std::optional<Queue> queue_;
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace terrawave::par
