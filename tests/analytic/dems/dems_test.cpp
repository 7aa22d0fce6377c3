// Real elevation models, fetched from Debian packages: raised cells, sums, maxima and md5 of the
// fill as an independent program found them.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <ostream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "reference/tiled_compare.hpp"
#include "scratch_folder.hpp"
#include "terrawave/io/raster.hpp"
#include "terrawave/solvers/terrain/product_lakes.hpp"
#include "terrawave/solvers/terrain/product_network.hpp"
#include "terrawave/solvers/terrain/product_verify.hpp"

namespace terrawave::terrain {
namespace {

const std::filesystem::path& folder() {
  static const std::filesystem::path path = std::filesystem::path(TERRAWAVE_BINARY_DIR) / "dems";
  return path;
}

// Fetched once; false where the packages cannot be had.
bool fetched() {
  static const bool done =
      std::system(fmt::format("timeout 240 '{}/tests/data/fetch_dems.sh' '{}' >&2",
                              TERRAWAVE_SOURCE_DIR, folder().string())
                      .c_str()) == 0;
  return done;
}

std::string md5_of(const domain::Raster& raster) {
  const test::ScratchFolder scratch;
  const auto file =
      scratch.path() / fmt::format("a.{}x{}.{}.raw", raster.info.rows, raster.info.cols,
                                   domain::name_of(raster.info.type));
  io::write_raster(file, raster);
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(
      popen(fmt::format("md5sum '{}'", file.string()).c_str(), "r"), pclose);
  std::array<char, 33> text = {};
  return std::fread(text.data(), 1, 32, pipe.get()) == 32 ? text.data() : "";
}

// GDAL turns NetCDF grids north-up; the listed sums were taken in the file's order, south first.
domain::Raster south_first(const domain::Raster& raster) {
  domain::Raster turned = raster;
  std::visit(
      [&](auto& v) {
        const Index cols = raster.info.cols;
        for (Index r = 0; r < raster.info.rows / 2; ++r)
          std::swap_ranges(v.begin() + r * cols, v.begin() + (r + 1) * cols,
                           v.begin() + (raster.info.rows - 1 - r) * cols);
      },
      turned.cells);
  return turned;
}

struct Expected {
  const char* name;
  const char* input;
  FlowRule rule;
  Index rows, cols;
  Index raised;
  double sum, most;
  const char* md5;  // "": not listed
  bool flipped;
};

void PrintTo(const Expected& e, std::ostream* out) { *out << e.name; }

const Expected table[] = {
    {"jacksboro_d8", "jacksboro_fault_dem.npz:elevation", FlowRule::d8, 344, 403, 6373, 34124, 32,
     "0eb79c06b132f312f9d6b62eb34cad44", false},
    {"jacksboro_d4", "jacksboro_fault_dem.npz:elevation", FlowRule::d4, 344, 403, 10370, 71461, 33,
     "", false},
    {"topobathy_d8", "topobathy.npz:topo", FlowRule::d8, 91, 120, 1234, 72460, 349,
     "dd9d6dbabf0fd5d985f97bc830cef1b1", false},
    {"topobathy_d4", "topobathy.npz:topo", FlowRule::d4, 91, 120, 1808, 127365, 496, "", false},
    {"luxembourg_d8", "elev.tif", FlowRule::d8, 90, 95, 432, 4540, 41,
     "19852dfb21b144a03fe13d7de6cd6779", false},
    {"luxembourg_d4", "elev.tif", FlowRule::d4, 90, 95, 876, 13174, 91, "", false},
    {"olinda_d8", "olinda_dem_utm25s.tif", FlowRule::d8, 111, 111, 1221, 2384, 8,
     "0ca9fbe9859511bed0572dfa4f6fac4f", false},
    {"olinda_d4", "olinda_dem_utm25s.tif", FlowRule::d4, 111, 111, 2003, 4817, 16, "", false},
    {"etopo60_d8", "etopo60.cdf:ROSE", FlowRule::d8, 180, 360, 23731, 19779410.0967, 3792.30542,
     "d07caa6c44308d21dcf7f53640aea422", true},
    {"etopo20_d8", "etopo20.cdf:ROSE", FlowRule::d8, 540, 1081, 222623, 182467540, 5432.25,
     "d8e2c7b55e9195cb3237b5f5f9baec84", true},
    {"etopo5_d8", "etopo5.cdf:ROSE", FlowRule::d8, 2161, 4320, 3543011, 2833080942, 6698,
     "e58ae77fdfb11fea3f4b8553df5b88e0", true},
};

std::string input_of(const Expected& e) {
  const std::string name = e.input;
  const auto colon = name.rfind(".cdf:");
  if (colon == std::string::npos) return (folder() / name).string();
  return "NETCDF:" + (folder() / name.substr(0, colon + 4)).string() + ":" + name.substr(colon + 5);
}

class RealDems : public ::testing::TestWithParam<Expected> {
 protected:
  void SetUp() override {
#ifndef TERRAWAVE_GEO
    if (!std::string(GetParam().input).ends_with("npz:elevation"))
      GTEST_SKIP() << "NO GDAL: this raster was NOT tested.";
#endif
    if (!fetched())
      GTEST_SKIP() << "NO REAL DEMS: the Debian packages could not be fetched; this test did NOT "
                      "run. Run tests/data/fetch_dems.sh with network access.";
  }
};

TEST_P(RealDems, FillAsListed) {
  const Expected& e = GetParam();
  FlowOptions options;
  options.rule = e.rule;
  Session session(par::Queue::host(), io::read_raster(input_of(e)), options, {});
  ASSERT_EQ(session.info().rows, e.rows);
  ASSERT_EQ(session.info().cols, e.cols);
  const domain::Raster& filled = session.filled();
  Index raised = 0;
  double sum = 0;
  double most = 0;
  for (Index i = 0; i < session.info().size(); ++i) {
    if (!is_data(session.states()[std::size_t(i)])) continue;
    const double up = domain::value_at(filled.cells, i) - domain::value_at(session.dem().cells, i);
    raised += up > 0 ? 1 : 0;
    sum += up;
    most = std::max(most, up);
  }
  EXPECT_EQ(raised, e.raised);
  EXPECT_NEAR(sum, e.sum, 1e-9 * e.sum);  // listed with 12 digits at most
  EXPECT_NEAR(most, e.most, 1e-8 * e.most);
  if (*e.md5 != 0) {
    EXPECT_EQ(md5_of(e.flipped ? south_first(filled) : filled), e.md5);
  }
}

INSTANTIATE_TEST_SUITE_P(Listed, RealDems, ::testing::ValuesIn(table),
                         [](const auto& one) { return std::string(one.param.name); });

// The whole chain on the largest: 9.3 million cells.
TEST(RealDemChain, Etopo5HoldsItsInvariants) {
#ifndef TERRAWAVE_GEO
  GTEST_SKIP() << "NO GDAL: this raster was NOT tested.";
#endif
  if (!fetched())
    GTEST_SKIP() << "NO REAL DEMS: the Debian packages could not be fetched; this did NOT run.";
  Session session(par::Queue::host(),
                  io::read_raster("NETCDF:" + (folder() / "etopo5.cdf").string() + ":ROSE"), {},
                  {});
  EXPECT_TRUE(session.info().frame.geographic);
  for (const Check& check : verify(session))
    EXPECT_TRUE(check.ok) << check.name << ": " << check.detail;
  const auto stream = stream_cells(session, 10000);
  EXPECT_GT(stream_links(list_stream(session, stream)).size(), 100u);
  const Lakes lakes = find_lakes(session);
  double depth = 0;
  Index cells = 0;
  for (const Lake& lake : lakes.lakes) {
    depth = std::max(depth, lake.depth);
    cells += lake.cells;
    EXPECT_EQ(domain::value_at(session.dem().cells, lake.spill), lake.level);
  }
  EXPECT_EQ(depth, 6698);
  EXPECT_EQ(cells, 3543011);
}

// The same in tiles, by the code that a GPU takes there: lakes of a million cells, basins and
// rivers over many tiles.
TEST(RealDemChain, Etopo5IsTheSameInTilesByTheKernelsOfGpus) {
#ifndef TERRAWAVE_GEO
  GTEST_SKIP() << "NO GDAL: this raster was NOT tested.";
#endif
  if (!fetched())
    GTEST_SKIP() << "NO REAL DEMS: the Debian packages could not be fetched; this did NOT run.";
  const auto self = comm::make_self();
  reference::TiledCase<float> c;
  c.raster = io::read_raster("NETCDF:" + (folder() / "etopo5.cdf").string() + ":ROSE");
  const Tiling tiling = {c.raster.info.rows, c.raster.info.cols, 900, 1500};
  const auto kernels = TileQueue::with_kernels(par::Queue::host());
  for (const RouteMode mode : {RouteMode::carve, RouteMode::fill}) {
    c.options.mode = mode;
    reference::compare_tiled<float>(*self, c, tiling, {}, kernels);
  }
}

}  // namespace
}  // namespace terrawave::terrain
