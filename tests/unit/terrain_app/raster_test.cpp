// Rasters through files: types, nodata, orientation, windows, refusals; and the metric of cells.
#include "terrawave/domain/raster.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <random>

#include <gtest/gtest.h>

#include "scratch_folder.hpp"
#include "terrawave/base/error.hpp"
#include "terrawave/io/raster.hpp"

namespace terrawave {
namespace {

using domain::Cells;
using domain::CellType;
using domain::Raster;

Raster random_raster(CellType type, Index rows, Index cols, unsigned seed) {
  Raster raster;
  raster.info.rows = rows;
  raster.info.cols = cols;
  raster.info.type = type;
  raster.cells = domain::make_cells(type, rows * cols);
  std::mt19937 random(seed);
  std::visit(
      [&](auto& v) {
        using T = typename std::decay_t<decltype(v)>::value_type;
        for (T& x : v) x = static_cast<T>(random() % 251) / T(std::is_integral_v<T> ? 1 : 3);
      },
      raster.cells);
  return raster;
}

TEST(Raster, FlatFilesKeepEveryTypeAndAnyWindow) {
  const test::ScratchFolder folder;
  for (int k = 0; k < 8; ++k) {
    const auto type = CellType(k);
    const Raster raster = random_raster(type, 7, 5, unsigned(k));
    for (const std::string& name :
         {std::string("a.npy"), "a.7x5." + std::string(domain::name_of(type)) + ".raw"}) {
      io::write_raster(folder.path() / name, raster);
      const auto source = io::open_raster((folder.path() / name).string());
      EXPECT_EQ(source->info().type, type);
      ASSERT_EQ(source->info().rows, 7);
      EXPECT_EQ(source->read(source->info().whole()), raster.cells);
      Cells pasted = domain::make_cells(type, 35);
      for (const domain::Window w : {domain::Window{0, 0, 3, 5}, domain::Window{3, 0, 4, 2},
                                     domain::Window{3, 2, 4, 3}, domain::Window{7, 0, 0, 5}})
        domain::paste(w, source->read(w), source->info().whole(), pasted);
      EXPECT_EQ(pasted, raster.cells);
    }
  }
}

TEST(Raster, RefusesWhatItCannotRead) {
  const test::ScratchFolder folder;
  const auto refused = [&](const std::string& name, const std::string& content) {
    const auto file = (folder.path() / name).string();
    if (!content.empty()) std::ofstream(file) << content;
    try {
      io::read_raster(file);
    } catch (const InputError& e) {
      return std::string(e.what());
    }
    return std::string("read");
  };
  EXPECT_NE(refused("absent.npy", "").find("does it exist"), std::string::npos);
  EXPECT_NE(refused("text.npy", "not an array at all").find("not a NumPy array"),
            std::string::npos);
  EXPECT_NE(refused("short.9x9.f64.raw", "abc").find("expected 648 bytes"), std::string::npos);
  EXPECT_NE(refused("dem.raw", "abc").find("dem.344x403.i16.raw"), std::string::npos);
  EXPECT_NE(refused("dem.0x4.u8.raw", "abc").find("no cells"), std::string::npos);
  EXPECT_NE(refused("some.npz", "PK nothing").find("npz"), std::string::npos);
  EXPECT_NE(refused("a.tif", "no tiff").find("error"), std::string::npos);
}

// Written band by band and window by window, in any order.
TEST(Raster, KeepsSeveralBandsApart) {
  const test::ScratchFolder folder;
  std::vector<std::string> names = {"bands.npy"};
#ifdef TERRAWAVE_GEO
  names.emplace_back("bands.tif");
#endif
  constexpr int kBands = 3;
  for (const std::string& name : names)
    for (const bool south_up : {false, true}) {
      std::vector<Raster> bands;
      for (int b = 0; b < kBands; ++b)
        bands.push_back(random_raster(CellType::f64, 7, 5, 10 + std::uint64_t(b)));
      domain::RasterInfo info = bands[0].info;
      info.frame.located = info.frame.south_up = south_up;
      const auto file = folder.path() / name;
      const auto sink = io::create_raster(file, info, kBands);
      for (int b = kBands; b >= 1; --b)
        for (const domain::Window& w : {domain::Window{4, 0, 3, 5}, domain::Window{0, 0, 4, 5}}) {
          Cells part = domain::make_cells(CellType::f64, w.size());
          domain::paste(info.whole(), bands[std::size_t(b - 1)].cells, w, part);
          sink->write_band(b, w, part);
        }
      sink->finish();
      for (int b = 1; b <= kBands; ++b) {
        const auto source = io::open_raster(file.string(), b);
        EXPECT_EQ(source->bands(), kBands);
        EXPECT_EQ(source->read(info.whole()), bands[std::size_t(b - 1)].cells) << name << " " << b;
      }
      EXPECT_THROW(io::open_raster(file.string(), 0), InputError);
      EXPECT_THROW(io::open_raster(file.string(), kBands + 1), InputError);
    }
  EXPECT_FALSE(io::holds_bands("out.asc"));
}

TEST(Raster, NothingIsLeftOfAnUnfinishedFile) {
  const test::ScratchFolder folder;
  const Raster raster = random_raster(CellType::i16, 4, 4, 1);
  {
    const auto sink = io::create_raster(folder.path() / "a.npy", raster.info);
    sink->write(raster.info.whole(), raster.cells);
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(Raster, NodataIsComparedInTheRastersOwnType) {
  const Cells floats = std::vector<float>{1, -3.4028235e38f, std::nanf(""), 4};
  EXPECT_EQ(domain::valid_cells(floats, -3.4028234663852886e38),
            (std::vector<std::uint8_t>{1, 0, 0, 1}));
  EXPECT_EQ(domain::valid_cells(floats, -3.40282355e38), (std::vector<std::uint8_t>{1, 0, 0, 1}));
  const Cells bytes = std::vector<std::uint8_t>{0, 255, 3};
  EXPECT_EQ(domain::valid_cells(bytes, -9999.0), (std::vector<std::uint8_t>{1, 1, 1}));
  EXPECT_EQ(domain::valid_cells(bytes, 255.0), (std::vector<std::uint8_t>{1, 0, 1}));
}

// T12: the cells of a global grid add up to the sphere.
TEST(Raster, CellAreasAddUpToTheSphere) {
  domain::RasterInfo info;
  info.rows = 180;
  info.cols = 360;
  info.frame.located = true;
  info.frame.west = -180;
  info.frame.north = 90;
  info.frame.geographic = true;
  info.frame.unit = std::numbers::pi / 180;
  info.frame.semi_major = 6371007.2;
  info.frame.inverse_flattening = 0;
  const auto sum = [&] {
    double all = 0;
    for (const double area : domain::cell_metric(info).area) all += area * 360;
    return all;
  };
  EXPECT_NEAR(sum() / 5.10065624779439e14, 1, 1e-13);
  // WGS 84: the area of the ellipsoid of revolution in closed form, 510065621.724 km2.
  info.frame.semi_major = 6378137;
  info.frame.inverse_flattening = 298.257223563;
  EXPECT_NEAR(sum() / 5.10065621724079e14, 1, 1e-12);
}

TEST(Raster, MetricOfGeographicRowsMatchesTheEllipsoid) {
  // WGS 84: the first degree of latitude and the quarter meridian; a degree of longitude on the
  // equator is a pi / 180 = 111319.491 m.
  const double degree = std::numbers::pi / 180;
  const double f = 1 / 298.257223563;
  EXPECT_NEAR(domain::meridian_arc(degree, 6378137, f), 110574.3886, 0.001);
  EXPECT_NEAR(domain::meridian_arc(90 * degree, 6378137, f), 10001965.7293, 0.001);
  domain::RasterInfo info;
  info.rows = 2;
  info.cols = 1;
  info.frame.located = true;
  info.frame.north = 1;
  info.frame.geographic = true;
  info.frame.unit = degree;
  const auto metric = domain::cell_metric(info);
  EXPECT_DOUBLE_EQ(metric.dx[0], metric.dx[1]);  // half a degree north and south
  EXPECT_NEAR(metric.dx[0], 111319.491 * std::cos(0.5 * degree), 1.0);
}

}  // namespace
}  // namespace terrawave
