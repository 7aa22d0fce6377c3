// Moves views of a queue's device to the host and back, for algorithms that run on the host alone;
// and values of the host to where kernels read them.
#pragma once

#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "terrawave/base/error.hpp"
#include "terrawave/par/buffer.hpp"
#include "terrawave/par/queue.hpp"
#include "terrawave/par/view.hpp"
#include "terrawave/solvers/terrain/tiled_queue.hpp"

namespace terrawave::terrain {

// For those algorithms: the queue itself, or threads beside its device.
inline par::Queue host_of(const par::Queue& queue) {
  return queue.backend() == par::Backend::host ? queue : par::Queue::host();
}

template <class T>
std::vector<std::remove_const_t<T>> to_host(const par::Queue& queue, par::View<T> view) {
  std::vector<std::remove_const_t<T>> values(static_cast<std::size_t>(view.size));
  if (!values.empty()) queue.impl().download(values.data(), view.data, values.size() * sizeof(T));
  return values;
}

template <class T>
void to_device(const par::Queue& queue, const std::vector<T>& values, par::View<T> view) {
  require(Index(values.size()) == view.size, "to_device: sizes differ");
  if (!values.empty()) queue.impl().upload(view.data, values.data(), values.size() * sizeof(T));
}

// Values of the host where kernels can read them: on the host in place, else a copy. They must
// outlive this.
template <class T>
class OnQueue {
 public:
  OnQueue(const TileQueue& on, std::span<const T> values)
      : in_place_(!on.kernels()),
        values_{values.data(), Index(values.size())},
        copy_(on, in_place_ ? std::span<const T>() : values) {}
  par::View<const T> view() const { return in_place_ ? values_ : copy_.view(); }

 private:
  bool in_place_;
  par::View<const T> values_;
  par::Buffer<T> copy_;
};

// Values that kernels write, for the host: in place there, else in memory of the queue's device.
template <class T>
class FromQueue {
 public:
  FromQueue(const TileQueue& on, std::vector<T> values)
      : values_(std::move(values)),
        copy_(on, on.kernels() ? std::span<const T>(values_) : std::span<const T>()),
        in_place_(!on.kernels()) {}
  // Nothing is said of their values.
  FromQueue(const TileQueue& on, Index size)
      : values_(std::size_t(on.kernels() ? 0 : size)),
        copy_(on, on.kernels() ? size : 0),
        in_place_(!on.kernels()) {}
  par::View<T> view() {
    return in_place_ ? par::View<T>{values_.data(), Index(values_.size())} : copy_.view();
  }
  // Ends the use of this.
  std::vector<T> take() {
    if (!in_place_) values_ = copy_.download();
    return std::move(values_);
  }

 private:
  std::vector<T> values_;
  par::Buffer<T> copy_;
  bool in_place_;
};

}  // namespace terrawave::terrain
