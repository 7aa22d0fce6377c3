// A hash of numbers, to tell whether two models are the same.
#pragma once

#include <cstdint>
#include <cstring>

namespace terrawave::fdtd {

// FNV-1a over the bytes of doubles.
class NumberHash {
 public:
  void mix(double v) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &v, sizeof v);
    for (int b = 0; b < 8; ++b) value_ = (value_ ^ ((bits >> (8 * b)) & 255)) * 1099511628211ull;
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 14695981039346656037ull;
};

}  // namespace terrawave::fdtd
