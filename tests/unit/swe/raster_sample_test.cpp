// Fields from rasters: bilinear, nodata refused, and what a case says about it.
#include "terrawave/io/raster_sample.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "scratch_folder.hpp"
#include "terrawave/base/error.hpp"
#include "terrawave/io/raster.hpp"

namespace terrawave::io {
namespace {

// 3 x 4 cells of 1 m, value = 10 row + col, nodata at (row 2, col 3).
std::string small_raster(const std::filesystem::path& folder) {
  domain::Raster raster;
  raster.info.rows = 3;
  raster.info.cols = 4;
  raster.info.type = domain::CellType::f64;
  std::vector<double> v;
  for (int row = 0; row < 3; ++row)
    for (int col = 0; col < 4; ++col) v.push_back(10 * row + col);
  v.back() = std::nan("");
  raster.cells = v;
  const auto file = folder / "small.npy";
  write_raster(file, raster);
  return file.string();
}

TEST(RasterSample, IsBilinearBetweenCentresAndConstantOutside) {
  const test::ScratchFolder folder;
  const std::string file = small_raster(folder.path());
  const domain::GeoFrame frame = read_raster(file).info.frame;
  // Positions by row and column of the grid of centres.
  const auto at = [&](double row, double col) {
    return sample_raster(file, 0, "", "", {domain::x_of(frame, col)}, {domain::y_of(frame, row)});
  };
  for (const auto& [row, col] : {std::pair{0.0, 0.0}, {1.0, 2.0}, {0.25, 1.5}, {1.75, 0.25}}) {
    const RasterSamples s = at(row, col);
    EXPECT_EQ(s.missing[0], 0);
    EXPECT_NEAR(s.values[0], 10 * row + col, 1e-12);
  }
  EXPECT_NEAR(at(-0.4, 1).values[0], 1, 1e-12);  // the outer half cell
  EXPECT_EQ(at(-0.6, 1).missing[0], 1);          // outside
  EXPECT_EQ(at(1, 3.6).missing[0], 1);
  EXPECT_EQ(at(1.5, 2.5).missing[0], 1);  // touches nodata
  EXPECT_EQ(at(2, 2).missing[0], 0);      // a corner without weight may be nodata
  EXPECT_FALSE(at(0, 0).notes.empty());   // unknown reference systems are said
}

TEST(RasterSample, KnowsGeographicSystems) {
  EXPECT_TRUE(is_geographic("EPSG:4326"));
#if defined(TERRAWAVE_GEO)
  EXPECT_FALSE(is_geographic("EPSG:32630"));
  // The central meridian of zone 30 is 3 degrees west, at 500 km.
  std::vector<double> x{500000}, y{3985000};
  EXPECT_TRUE(transform_points("EPSG:32630", "EPSG:4326", x, y));
  EXPECT_NEAR(x[0], -3, 1e-9);
  EXPECT_NEAR(y[0], 36.0, 0.02);
  EXPECT_THROW(transform_points("EPSG:32630", "nonsense", x, y), InputError);
#endif
  std::vector<double> x1{1}, y1{2};
  EXPECT_FALSE(transform_points("EPSG:4326", "EPSG:4326", x1, y1));
}

}  // namespace
}  // namespace terrawave::io
