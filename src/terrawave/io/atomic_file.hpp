// Files that appear complete or not at all.
#pragma once

#include <filesystem>
#include <functional>
#include <string_view>

namespace terrawave::io {

// Calls write(temporary name in the same folder), then renames it to `file`. Removes the temporary
// file when `write` throws. Throws RunError when the rename fails.
void write_atomically(const std::filesystem::path& file,
                      const std::function<void(const std::filesystem::path&)>& write);
// The same for text.
void write_text(const std::filesystem::path& file, std::string_view text);

}  // namespace terrawave::io
