#include "terrawave/io/atomic_file.hpp"

#include <fstream>
#include <system_error>

#include <unistd.h>

#include "terrawave/base/error.hpp"

namespace terrawave::io {

PartFile::PartFile(std::filesystem::path file)
    : file_(std::move(file)),
      // Keeps the extension: some libraries choose the format by it.
      name_(file_.parent_path() /
            (".part-" + std::to_string(getpid()) + "-" + file_.filename().string())) {}

PartFile::~PartFile() {
  std::error_code ignored;
  std::filesystem::remove(name_, ignored);
}

void PartFile::keep() {
  std::error_code error;
  std::filesystem::rename(name_, file_, error);
  if (error) throw RunError("cannot write " + file_.string() + ": " + error.message());
}

void write_atomically(const std::filesystem::path& file,
                      const std::function<void(const std::filesystem::path&)>& write) {
  PartFile part(file);
  write(part.name());
  part.keep();
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
