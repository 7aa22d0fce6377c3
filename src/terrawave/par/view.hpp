// What a kernel sees of a buffer: a pointer and a length.
#pragma once

#include <type_traits>

#include "terrawave/base/function.hpp"
#include "terrawave/base/index.hpp"

namespace terrawave::par {

// Non-owning view of `size` elements in the memory of one device. Trivially copyable.
template <class T>
struct View {
  T* data = nullptr;
  Index size = 0;

  TW_FUNCTION T& operator[](Index i) const { return data[i]; }
  template <class U>
  requires(!std::is_const_v<T> && std::is_same_v<U, const T>) TW_FUNCTION operator View<U>() const {
    return {data, size};
  }
};

}  // namespace terrawave::par
