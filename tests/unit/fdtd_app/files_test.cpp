// Touchstone, STL and voxel files.
#include <cctype>
#include <cmath>
#include <fstream>
#include <random>
#include <sstream>

#include <gtest/gtest.h>

#include "terrawave/base/error.hpp"
#include "terrawave/io/stl.hpp"
#include "terrawave/io/touchstone.hpp"
#include "terrawave/io/voxels.hpp"
#include "terrawave/solvers/fdtd/geometry_shapes.hpp"

namespace terrawave {
namespace {

std::string temp(const std::string& name) { return testing::TempDir() + name; }

TEST(Touchstone, RoundTripForOneToFivePorts) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> u(-1, 1);
  for (int ports = 1; ports <= 5; ++ports) {
    io::Touchstone data;
    data.ports = ports;
    data.impedance = 75;
    for (int f = 0; f < 4; ++f) {
      data.frequencies.push_back(1e9 + f * 0.5e9);
      data.s.emplace_back();
      for (int e = 0; e < ports * ports; ++e) data.s.back().emplace_back(u(random), u(random));
    }
    const std::string file = temp("t.s" + std::to_string(ports) + "p");
    io::write_touchstone(file, data);
    const io::Touchstone back = io::read_touchstone(file);
    EXPECT_EQ(back.ports, ports);
    EXPECT_EQ(back.impedance, 75);
    ASSERT_EQ(back.s.size(), 4u);
    for (std::size_t f = 0; f < 4; ++f) {
      EXPECT_DOUBLE_EQ(back.frequencies[f], data.frequencies[f]);
      for (std::size_t e = 0; e < data.s[f].size(); ++e)
        EXPECT_LT(std::abs(back.s[f][e] - data.s[f][e]), 1e-12);
    }
  }
}

TEST(Touchstone, TwoPortOrderIsS11S21S12S22) {
  io::Touchstone data;
  data.ports = 2;
  data.frequencies = {1e9};
  data.s = {{{0.1, 0}, {0.12, 0}, {0.21, 0}, {0.22, 0}}};
  const std::string text = io::write_touchstone_text(data);
  EXPECT_NE(text.find("# Hz S RI R 50\n"), std::string::npos);
  EXPECT_LT(text.find("2.1"), text.find("1.2"));
}

TEST(Touchstone, RefusesBrokenFiles) {
  std::ofstream(temp("a.s2p")) << "# GHz S RI R 50\n1 0 0 0\n";
  EXPECT_THROW(io::read_touchstone(temp("a.s2p")), InputError);
  std::ofstream(temp("a.s1p")) << "# GHz S MA R 50\n1 0.5 x\n";
  EXPECT_THROW(io::read_touchstone(temp("a.s1p")), InputError);
  std::ofstream(temp("b.s1p")) << "# MHz S DB R 50\n1 -20 90\n";
  const auto t = io::read_touchstone(temp("b.s1p"));
  EXPECT_DOUBLE_EQ(t.frequencies[0], 1e6);
  EXPECT_NEAR(std::abs(t.s[0][0] - std::complex<double>(0, 0.1)), 0, 1e-12);
}

// A box of 12 triangles, outward normals.
std::vector<io::StlTriangle> box_mesh(double lx, double ly, double lz) {
  const auto p = [&](int c) {
    return std::array<double, 3>{c & 1 ? lx : 0, c & 2 ? ly : 0, c & 4 ? lz : 0};
  };
  const int quads[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                           {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
  std::vector<io::StlTriangle> t;
  for (const auto& q : quads) {
    t.push_back({p(q[0]), p(q[1]), p(q[2])});
    t.push_back({p(q[0]), p(q[2]), p(q[3])});
  }
  return t;
}

TEST(Stl, BinaryAndAsciiRoundTrip) {
  const auto mesh = box_mesh(2, 4, 8);
  io::write_stl_binary(temp("b.stl"), mesh);
  EXPECT_EQ(io::read_stl(temp("b.stl")), mesh);
  std::ostringstream out;
  out << "solid box\n";
  for (const auto& t : mesh) {
    out << "facet normal 0 0 0\nouter loop\n";
    for (const auto& v : t) out << "vertex " << v[0] << " " << v[1] << " " << v[2] << "\n";
    out << "endloop\nendfacet\n";
  }
  out << "endsolid box\n";
  std::string text = out.str();
  std::ofstream(temp("a.stl")) << text;
  EXPECT_EQ(io::read_stl(temp("a.stl")), mesh);
  for (char& c : text) c = char(std::toupper(static_cast<unsigned char>(c)));
  std::ofstream(temp("A.stl")) << text;
  EXPECT_EQ(io::read_stl(temp("A.stl")), mesh);
  std::ofstream(temp("c.stl")) << "hello";
  EXPECT_THROW(io::read_stl(temp("c.stl")), InputError);
}

TEST(Stl, WatertightOrNot) {
  auto mesh = box_mesh(1, 1, 1);
  EXPECT_TRUE(io::check_watertight(mesh).holds());
  auto flipped = mesh;
  std::swap(flipped[3][0], flipped[3][1]);
  EXPECT_EQ(io::check_watertight(flipped).flipped_edges, 3u);
  mesh.pop_back();
  EXPECT_EQ(io::check_watertight(mesh).open_edges, 3u);
}

TEST(Stl, InsideOfAMeshIsInsideOfTheBox) {
  // Columns that pass exactly through edges and diagonals included.
  const auto mesh = box_mesh(3, 2, 4);
  const auto solid = fdtd::make_triangle_solid(mesh);
  for (int k = -1; k <= 9; ++k)
    for (int j = -1; j <= 5; ++j)
      for (int i = -1; i <= 7; ++i) {
        const fdtd::Vec3 p{0.5 * i + 0.25, 0.5 * j + 0.25, 0.5 * k + 0.25};
        const bool inside = p[0] > 0 && p[0] < 3 && p[1] > 0 && p[1] < 2 && p[2] > 0 && p[2] < 4;
        EXPECT_EQ(solid->contains(p), inside) << p[0] << " " << p[1] << " " << p[2];
      }
  EXPECT_TRUE(solid->contains({1.5, 1, 2}));  // on the diagonals
}

// Boxes that overlap, fill one another twice or hollow one another out: inside is where the number
// of boxes around a point, cavities counted down, is not 0.
TEST(Stl, OverlappingBodiesAreUnitedAndCavitiesStayOpen) {
  std::mt19937_64 random(5);
  std::uniform_int_distribution<int> place(-8, 8), side(1, 8);
  for (int trial = 0; trial < 50; ++trial) {
    struct Box {
      fdtd::Vec3 low, high;
      int turns;
    };
    std::vector<Box> boxes;
    std::vector<io::StlTriangle> mesh;
    for (int b = 0; b < 4; ++b) {
      Box x{{}, {}, b == 3 ? -1 : 1};
      for (std::size_t a = 0; a < 3; ++a) {
        x.low[a] = 0.25 * place(random);
        x.high[a] = x.low[a] + 0.25 * side(random);
      }
      if (b == 2 && trial % 2 == 0) {  // the same twice
        x.low = boxes[0].low;
        x.high = boxes[0].high;
      }
      boxes.push_back(x);
      auto one = box_mesh(x.high[0] - x.low[0], x.high[1] - x.low[1], x.high[2] - x.low[2]);
      for (auto& t : one) {
        for (auto& p : t) p = {p[0] + x.low[0], p[1] + x.low[1], p[2] + x.low[2]};
        if (x.turns < 0) std::swap(t[1], t[2]);
        mesh.push_back(t);
      }
    }
    EXPECT_TRUE(io::check_watertight(mesh).holds());
    const auto solid = fdtd::make_triangle_solid(mesh);
    for (int n = 0; n < 2000; ++n) {
      fdtd::Vec3 p;
      for (double& c : p) c = 0.25 * place(random) + 0.125;
      int turns = 0;
      for (const Box& x : boxes) {
        bool inside = true;
        for (std::size_t a = 0; a < 3; ++a) inside = inside && p[a] > x.low[a] && p[a] < x.high[a];
        turns += inside ? x.turns : 0;
      }
      EXPECT_EQ(solid->contains(p), turns != 0);
    }
  }
}

TEST(Voxels, RawFilesAndLabels) {
  std::ofstream(temp("v.raw"), std::ios::binary) << std::string("\0\1\2\1\1\2", 6);
  const auto v = io::read_raw_voxels(temp("v.raw"), {3, 2, 1}, 1);
  EXPECT_EQ(v.labels[2], 2);
  EXPECT_THROW(io::read_raw_voxels(temp("v.raw"), {3, 2, 2}, 1), InputError);
  EXPECT_THROW(io::read_hdf5_voxels(temp("v.raw"), "labels"), InputError);
  const auto solid = fdtd::make_voxel_label(std::make_shared<std::vector<std::uint16_t>>(v.labels),
                                            v.n, {1, 1, 1}, {10, 0, 0}, 1);
  EXPECT_TRUE(solid->contains({11.5, 0.5, 0.5}));
  EXPECT_FALSE(solid->contains({12.5, 0.5, 0.5}));
  EXPECT_TRUE(solid->contains({11.5, 1.5, 0.5}));
  EXPECT_FALSE(solid->contains({13.5, 0.5, 0.5}));
}

}  // namespace
}  // namespace terrawave
