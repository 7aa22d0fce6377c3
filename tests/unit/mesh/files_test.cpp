// Meshes to files and back; files that Gmsh itself wrote.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>

#include <gtest/gtest.h>
#include <unistd.h>

#include "terrawave/base/error.hpp"
#include "terrawave/domain/rectangle.hpp"
#include "terrawave/domain/renumber.hpp"
#include "terrawave/io/gmsh.hpp"
#include "terrawave/io/mesh_file.hpp"

namespace terrawave::io {
namespace {

using domain::TriMesh;

class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / ("mesh-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  std::filesystem::path operator/(const char* name) const { return path_ / name; }
  std::size_t files() const {
    const std::filesystem::directory_iterator all(path_);
    return std::size_t(std::distance(begin(all), end(all)));
  }

 private:
  std::filesystem::path path_;
};

std::multiset<std::array<double, 5>> named_edges(const TriMesh& m) {
  std::multiset<std::array<double, 5>> edges;
  for (const auto& e : m.boundary) {
    const auto a = std::size_t(e.nodes[0]), b = std::size_t(e.nodes[1]);
    edges.insert({double(e.group), m.x[a], m.y[a], m.x[b], m.y[b]});
  }
  return edges;
}

void expect_same(const TriMesh& a, const TriMesh& b) {
  EXPECT_EQ(a.x, b.x);
  EXPECT_EQ(a.y, b.y);
  EXPECT_EQ(a.triangles, b.triangles);
  EXPECT_EQ(a.groups, b.groups);
  EXPECT_EQ(named_edges(a), named_edges(b));
}

std::vector<MeshFormat> formats() {
  std::vector<MeshFormat> all = {MeshFormat::msh22, MeshFormat::msh22_binary, MeshFormat::msh41,
                                 MeshFormat::msh41_binary};
#ifdef TERRAWAVE_GEO
  all.push_back(MeshFormat::ugrid);
#endif
  return all;
}

TEST(MeshFiles, GiveTheSameMeshBackInEveryFormat) {
  const Folder folder;
  TriMesh mesh = domain::make_rectangle({1e5 / 3, -4e6 / 7, 1e5 / 3 + 20, -4e6 / 7 + 10,
                                         domain::RectanglePattern::equilateral, 7, 5, 0.25, 9});
  mesh.groups[1] = "open sea";  // names with blanks
  for (auto& e : mesh.boundary)
    if (e.group == 2) e.group = 0;  // edges without a name
  domain::renumber(mesh);
  for (const MeshFormat format : formats()) {
    write_mesh(folder / "mesh", mesh, format);
    const auto back = domain::check_mesh(read_mesh(folder / "mesh"));
    expect_same(back.mesh, mesh);
    EXPECT_EQ(back.findings.flipped, 0);
    EXPECT_EQ(folder.files(), 1U);
  }
}

TEST(MeshFiles, ThatGmshWroteAreTheSameMeshInEveryFormat) {
  const std::string data = std::string(TERRAWAVE_SOURCE_DIR) + "/tests/unit/mesh/data/gmsh_";
  const auto first = load_mesh(data + "msh22.msh");
  const TriMesh& m = first.mesh;
  EXPECT_EQ(m.groups, (std::vector<std::string>{"boundary", "wall", "open sea", "20"}));
  double area = 0;
  for (const auto& t : m.triangles) {
    const auto a = std::size_t(t[0]), b = std::size_t(t[1]), c = std::size_t(t[2]);
    area += 0.5 * ((m.x[b] - m.x[a]) * (m.y[c] - m.y[a]) - (m.x[c] - m.x[a]) * (m.y[b] - m.y[a]));
  }
  // A 10 by 6 basin around a polygon inside the unit circle.
  EXPECT_LT(area, 60 - 2.0);
  EXPECT_GT(area, 60 - std::acos(-1.0));
  std::vector<double> length(m.groups.size());
  for (const auto& e : m.boundary) {
    const auto a = std::size_t(e.nodes[0]), b = std::size_t(e.nodes[1]);
    length[std::size_t(e.group)] += std::hypot(m.x[b] - m.x[a], m.y[b] - m.y[a]);
  }
  EXPECT_NEAR(length[1] + length[2] + length[3], 32, 1e-12);
  for (const char* other : {"msh22_binary.msh", "msh41.msh", "msh41_binary.msh"}) {
    const TriMesh b = load_mesh(data + other).mesh;
    EXPECT_EQ(b.triangles, m.triangles);
    EXPECT_EQ(b.groups, m.groups);
    ASSERT_EQ(b.boundary.size(), m.boundary.size());
    for (std::size_t i = 0; i < b.boundary.size(); ++i) {
      EXPECT_EQ(b.boundary[i].nodes, m.boundary[i].nodes);
      EXPECT_EQ(b.boundary[i].group, m.boundary[i].group);
    }
    // Gmsh writes 16 digits to ASCII files: half a unit of the last one.
    for (std::size_t n = 0; n < m.x.size(); ++n) {
      EXPECT_NEAR(b.x[n], m.x[n], 5e-16 * 10);
      EXPECT_NEAR(b.y[n], m.y[n], 5e-16 * 10);
    }
  }
}

// Numbers of the other byte order, as a big-endian machine would write them.
TEST(MeshFiles, OfTheOtherByteOrderAreRead) {
  std::string file = "$MeshFormat\n4.1 1 8\n";
  const auto put = [&](auto value) {
    const auto* bytes = reinterpret_cast<const char*>(&value);
    for (std::size_t i = sizeof value; i-- > 0;) file += bytes[i];
  };
  const auto sizes = [&](std::initializer_list<std::int64_t> values) {
    for (const auto v : values) put(v);
  };
  const auto ints = [&](std::initializer_list<std::int32_t> values) {
    for (const auto v : values) put(v);
  };
  ints({1});
  file += "\n$EndMeshFormat\n$Nodes\n";
  sizes({1, 3, 5, 7});
  ints({2, 1, 0});
  sizes({3, 5, 6, 7});
  for (const double v : {0.0, 0.0, 0.0, 2.5, 0.0, 0.0, 0.0, -3.0, 0.0}) put(v);
  file += "\n$EndNodes\n$Elements\n";
  sizes({1, 1, 1, 1});
  ints({2, 1, 2});
  sizes({1, 1, 5, 6, 7});
  file += "\n$EndElements\n";
  const auto mesh = domain::check_mesh(parse_gmsh("big.msh", file));
  EXPECT_EQ(mesh.mesh.x, (std::vector<double>{0, 2.5, 0}));
  EXPECT_EQ(mesh.mesh.y, (std::vector<double>{0, 0, -3}));
  EXPECT_EQ(mesh.findings.flipped, 1);
}

#ifdef TERRAWAVE_GEO
// What happens to changed bytes is NetCDF's and HDF5's matter; a file cut short is common.
TEST(MeshFiles, NetCdfFilesCutShortAreRefused) {
  const Folder folder;
  write_mesh(folder / "whole.nc", domain::make_rectangle({}), MeshFormat::ugrid);
  std::ifstream in(folder / "whole.nc", std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(in), {});
  for (std::size_t n = 0; n < bytes.size(); n += bytes.size() / 60) {
    std::ofstream(folder / "cut.nc", std::ios::binary) << bytes.substr(0, n);
    EXPECT_THROW(load_mesh(folder / "cut.nc"), InputError) << n;
  }
}
#endif

TEST(MeshFiles, AFailedWriteLeavesNothingBehind) {
  const Folder folder;
  const TriMesh mesh = domain::make_rectangle({});
  for (const MeshFormat format : formats())
    EXPECT_THROW(write_mesh(folder / "no/mesh", mesh, format), RunError);
  EXPECT_EQ(folder.files(), 0U);
}

}  // namespace
}  // namespace terrawave::io
