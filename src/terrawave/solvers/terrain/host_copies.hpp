// Moves views of a queue's device to the host and back, for algorithms that run on the host alone.
#pragma once

#include <type_traits>
#include <vector>

#include "terrawave/base/error.hpp"
#include "terrawave/par/queue.hpp"
#include "terrawave/par/view.hpp"

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

}  // namespace terrawave::terrain
