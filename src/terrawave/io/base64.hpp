// Bytes as text (RFC 4648).
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace terrawave::io {

void append_base64(std::string& text, std::span<const std::byte> bytes);

}  // namespace terrawave::io
