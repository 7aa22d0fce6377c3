#include "terrawave/io/base64.hpp"

#include <cstdint>

namespace terrawave::io {

void append_base64(std::string& text, std::span<const std::byte> bytes) {
  static constexpr char kDigits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const std::size_t begin = text.size();
  text.resize(begin + (bytes.size() + 2) / 3 * 4, '=');
  char* out = text.data() + begin;
  const auto at = [&](std::size_t i) { return std::to_integer<std::uint32_t>(bytes[i]); };
  std::size_t i = 0;
  for (; i + 3 <= bytes.size(); i += 3, out += 4) {
    const std::uint32_t three = at(i) << 16 | at(i + 1) << 8 | at(i + 2);
    for (int k = 0; k < 4; ++k) out[k] = kDigits[three >> (18 - 6 * k) & 63];
  }
  if (i == bytes.size()) return;
  const bool two = i + 2 == bytes.size();
  const std::uint32_t rest = at(i) << 16 | (two ? at(i + 1) << 8 : 0);
  for (int k = 0; k < (two ? 3 : 2); ++k) out[k] = kDigits[rest >> (18 - 6 * k) & 63];
}

}  // namespace terrawave::io
