// Files that appear complete or not at all.
#pragma once

#include <filesystem>
#include <functional>
#include <string_view>

namespace terrawave::io {

// A file under a temporary name in the folder of `file`; gone with this object unless kept.
class PartFile {
 public:
  explicit PartFile(std::filesystem::path file);
  ~PartFile();
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;
  const std::filesystem::path& name() const { return name_; }  // write here; same extension
  // Gives the file its name. Throws RunError when that fails.
  void keep();

 private:
  std::filesystem::path file_, name_;
};

// Calls write(temporary name in the same folder), then renames it to `file`. Removes the temporary
// file when `write` throws. Throws RunError when the rename fails.
void write_atomically(const std::filesystem::path& file,
                      const std::function<void(const std::filesystem::path&)>& write);
// The same for text.
void write_text(const std::filesystem::path& file, std::string_view text);

}  // namespace terrawave::io
