#include "terrawave/io/atomic_file.hpp"

#include <fstream>
#include <system_error>

#include <unistd.h>

#include "terrawave/base/error.hpp"

namespace terrawave::io {
namespace {

class Temporary {
 public:
  explicit Temporary(std::filesystem::path name) : name_(std::move(name)) {}
  ~Temporary() {
    std::error_code ignored;
    std::filesystem::remove(name_, ignored);
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  const std::filesystem::path& name() const { return name_; }

 private:
  std::filesystem::path name_;
};

}  // namespace

void write_atomically(const std::filesystem::path& file,
                      const std::function<void(const std::filesystem::path&)>& write) {
  // Keeps the extension: some libraries choose the format by it.
  const Temporary temporary(file.parent_path() /
                            (".part-" + std::to_string(getpid()) + "-" + file.filename().string()));
  write(temporary.name());
  std::error_code error;
  std::filesystem::rename(temporary.name(), file, error);
  if (error) throw RunError("cannot write " + file.string() + ": " + error.message());
}

void write_text(const std::filesystem::path& file, std::string_view text) {
  write_atomically(file, [&](const std::filesystem::path& name) {
    std::ofstream out(name, std::ios::binary);
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
    out.close();
    if (!out) throw RunError("cannot write " + file.string() + ": is the disk full?");
  });
}

}  // namespace terrawave::io
