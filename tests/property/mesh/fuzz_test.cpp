// Broken mesh files: whatever the bytes, the reader says what is wrong or gives a mesh that can be
// computed with. It never crashes, hangs or lets another kind of exception out.
#include <fstream>
#include <random>

#include <gtest/gtest.h>

#include "scratch_folder.hpp"
#include "terrawave/base/error.hpp"
#include "terrawave/domain/partition.hpp"
#include "terrawave/domain/rectangle.hpp"
#include "terrawave/domain/renumber.hpp"
#include "terrawave/io/gmsh.hpp"
#include "terrawave/io/mesh_file.hpp"

namespace terrawave::io {
namespace {

class Fuzz : public ::testing::TestWithParam<int> {
 protected:
  std::string sound() const {
    const auto mesh = domain::make_rectangle({0, 0, 2, 1, domain::RectanglePattern::right, 2, 2});
    return format_gmsh(mesh, GetParam() / 2 == 0 ? GmshVersion::v22 : GmshVersion::v41,
                       GetParam() % 2 == 1);
  }
  // True where the bytes are a mesh.
  static bool read(const std::string& bytes) {
    try {
      auto mesh = domain::check_mesh(parse_gmsh("fuzz.msh", bytes)).mesh;
      domain::renumber(mesh);
      const auto local = domain::build_local(mesh, domain::partition(mesh, 3), 1);
      for (const double a : local.area) EXPECT_GT(a, 0);
      return true;
    } catch (const InputError& e) {
      EXPECT_TRUE(std::string(e.what()).starts_with("fuzz.msh:")) << e.what();
      for (const char c : std::string(e.what()))
        EXPECT_FALSE((c >= 0 && c < ' ' && c != '\n') || c == 127) << e.what();
      return false;
    }
  }
};

TEST_P(Fuzz, TruncatedFilesAreRefused) {
  const std::string file = sound();
  ASSERT_TRUE(read(file));
  // All but the last line break.
  for (std::size_t n = 0; n + 1 < file.size(); ++n) EXPECT_FALSE(read(file.substr(0, n))) << n;
}

TEST_P(Fuzz, FlippedDroppedAndRepeatedBytesNeverCrash) {
  const std::string file = sound();
  std::mt19937_64 random(std::uint64_t(GetParam()) + 17);
  int meshes = 0;
  for (int round = 0; round < 6000; ++round) {
    std::string bytes = file;
    for (std::uint64_t n = 1 + random() % 3; n > 0; --n) {
      const std::size_t at = random() % bytes.size();
      switch (random() % 5) {
        case 0:
          bytes[at] = char(random() % 256);
          break;
        case 1:
          bytes[at] = char(bytes[at] ^ char(1 << random() % 8));
          break;
        case 2:
          bytes.erase(at, 1 + random() % 4);
          break;
        case 3:
          bytes.insert(at, bytes.substr(random() % bytes.size(), 1 + random() % 9));
          break;
        default:
          bytes[at] = "0123456789-. \n\"$enE"[random() % 19];
      }
    }
    meshes += read(bytes) ? 1 : 0;
  }
  // Some changes (a coordinate's last digit) leave a mesh; most do not.
  EXPECT_GT(meshes, 0);
  EXPECT_LT(meshes, 6000);
}

INSTANTIATE_TEST_SUITE_P(Formats, Fuzz, ::testing::Range(0, 4));

// NetCDF files of both kinds. What HDF5 does not survive is told as a damaged file, too.
TEST(FuzzUgrid, ChangedBytesNeverCrash) {
  const terrawave::test::ScratchFolder scratch;
  const auto mesh = domain::make_rectangle({0, 0, 2, 1, domain::RectanglePattern::right, 3, 2});
  const auto whole = scratch.path() / "whole.nc", changed = scratch.path() / "changed.nc";
  try {
    write_mesh(whole, mesh, MeshFormat::ugrid);
  } catch (const InputError&) {
    GTEST_SKIP() << "this build has no NetCDF: UGRID files are NOT tried";
  }
  std::ifstream in(whole, std::ios::binary);
  const std::string file{std::istreambuf_iterator<char>(in), {}};
  std::mt19937_64 random(41);
  int meshes = 0, refused = 0;
  for (int round = 0; round < 400; ++round) {
    std::string bytes = file;
    for (std::uint64_t n = 1 + random() % 20; n > 0; --n) {
      const std::size_t at = 8 + random() % (bytes.size() - 8);
      bytes[at] =
          random() % 2 == 0 ? char(random() % 256) : char(bytes[at] ^ char(1 << random() % 8));
    }
    if (random() % 8 == 0) bytes.resize(random() % bytes.size());
    std::ofstream(changed, std::ios::binary) << bytes;
    try {
      domain::check_mesh(read_mesh(changed));
      ++meshes;
    } catch (const InputError& e) {
      ++refused;
      EXPECT_NE(std::string(e.what()).find("changed.nc"), std::string::npos) << e.what();
    }
  }
  EXPECT_GT(meshes, 0);
  EXPECT_GT(refused, 0);
}

}  // namespace
}  // namespace terrawave::io
