// Reading ZIP archives (NumPy's .npz): stored and deflated entries, ZIP64 sizes.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace terrawave::io {

class ZipArchive {
 public:
  // Throws InputError where the file is no archive.
  explicit ZipArchive(const std::string& file);
  std::vector<std::string> names() const;
  std::vector<std::uint8_t> read(const std::string& name) const;

 private:
  struct Entry {
    std::uint64_t offset = 0, packed = 0, size = 0;
    int method = 0;
  };
  std::string file_;
  std::map<std::string, Entry> entries_;
};

}  // namespace terrawave::io
