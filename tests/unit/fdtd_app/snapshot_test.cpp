// Files for ParaView and HDF5 readers; read back by read_snapshot_files.py.
#include "terrawave/io/snapshot.hpp"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include <gtest/gtest.h>

namespace terrawave {
namespace {

TEST(Snapshot, WritesWhatItIsGiven) {
  const char* folder = std::getenv("TERRAWAVE_SNAPSHOT_FILES");
  const std::filesystem::path out = folder ? folder : testing::TempDir();
  const std::array<std::vector<double>, 3> lines = {
      std::vector<double>{0, 1, 3}, {0, 2}, {-1, 0, 1, 2}};
  io::PointArray e{"E", 3, {}};
  for (int n = 0; n < 3 * 2 * 4; ++n)
    for (int c = 0; c < 3; ++c) e.values.push_back(float(10 * n + c));
  io::write_vtr(out / "field.vtr", lines, {e});
  io::Segments s;
  s.points = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}};
  s.ends = {{0, 1}, {1, 2}};
  s.labels = {7, 9};
  s.label_name = "object";
  io::write_vtp(out / "metal.vtp", s);
  io::write_pvd(out / "field.pvd", {{1e-12, "field.vtr"}});
  io::write_hdf5(out / "dft.h5",
                 {{"run/plane/Ex", {2, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, true, "V s/m"},
                  {"run/plane/x", {3}, {0, 1, 2}, false, "m"}});
  for (const char* name : {"field.vtr", "metal.vtp", "field.pvd", "dft.h5"})
    EXPECT_GT(std::filesystem::file_size(out / name), 0u);
}

// HDF5 would note the time of writing, in seconds.
TEST(Snapshot, HoldsTheSameBytesWheneverItIsWritten) {
  const auto bytes = [](const char* name) {
    const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / name;
    io::write_hdf5(
        file, {{"run/plane/Ex", {2}, {1, 2, 3, 4}, true, "V s/m"}, {"x", {1}, {0}, false, ""}});
    std::ifstream in(file, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  const std::string first = bytes("terrawave_snapshot_then.h5");
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));
  EXPECT_EQ(first, bytes("terrawave_snapshot_now.h5"));
}

}  // namespace
}  // namespace terrawave
