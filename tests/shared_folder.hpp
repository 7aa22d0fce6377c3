// A folder that all ranks of a test may write to; gone at the end.
#pragma once

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "terrawave/comm/comm.hpp"

namespace terrawave::test {

inline std::string read_file(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

// A folder that all ranks know; the root makes it and removes it, unless TERRAWAVE_KEEP_TESTS is
// set (to look at what a test wrote).
class SharedFolder {
 public:
  explicit SharedFolder(comm::Comm& comm) : comm_(comm) {
    std::string name = std::string("terrawave-") + std::to_string(getpid()) + "-" +
                       ::testing::UnitTest::GetInstance()->current_test_info()->name();
    for (char& c : name)
      if (c == '/') c = '-';  // of parameters
    comm::Bytes bytes(name.size());
    std::memcpy(bytes.data(), name.data(), name.size());
    comm.broadcast(bytes, 0);
    path_ = std::filesystem::temp_directory_path() /
            std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (comm.is_root()) {
      std::filesystem::remove_all(path_);
      std::filesystem::create_directories(path_);
    }
    comm.barrier();
  }
  ~SharedFolder() {
    comm_.barrier();
    std::error_code ignored;
    if (comm_.is_root() && std::getenv("TERRAWAVE_KEEP_TESTS") == nullptr)
      std::filesystem::remove_all(path_, ignored);
  }
  SharedFolder(const SharedFolder&) = delete;
  SharedFolder& operator=(const SharedFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  comm::Comm& comm_;
  std::filesystem::path path_;
};

}  // namespace terrawave::test
