// Touchstone files of one to five ports; read back by read_touchstone_files.py with scikit-rf.
#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>

#include "scratch_folder.hpp"
#include "terrawave/io/touchstone.hpp"

namespace terrawave {
namespace {

TEST(TouchstoneFiles, OneToFivePorts) {
  const test::ScratchFolder scratch;
  const char* folder = std::getenv("TERRAWAVE_TOUCHSTONE_FILES");
  const std::filesystem::path out = folder != nullptr ? folder : scratch.path();
  for (int ports = 1; ports <= 5; ++ports) {
    io::Touchstone data;
    data.ports = ports;
    data.impedance = 40 + ports;
    data.comments = {"every entry says where it belongs: row + column / 10, and the frequency"};
    for (const double f : {1e9, 2.5e9, 7.25e9}) {
      data.frequencies.push_back(f);
      data.s.emplace_back();
      for (int row = 1; row <= ports; ++row)
        for (int column = 1; column <= ports; ++column)
          data.s.back().emplace_back(row + column / 10.0, f * 1e-9);
    }
    const auto file = out / ("numbers.s" + std::to_string(ports) + "p");
    io::write_touchstone(file, data);
    EXPECT_GT(std::filesystem::file_size(file), 0u);
  }
}

}  // namespace
}  // namespace terrawave
