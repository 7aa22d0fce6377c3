// Rasters through GDAL: every type, georeference, south-up files, refusals, faults.
#include <filesystem>
#include <fstream>
#include <numeric>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "scratch_folder.hpp"
#include "terrawave/base/error.hpp"
#include "terrawave/domain/raster.hpp"
#include "terrawave/io/raster.hpp"

#ifdef TERRAWAVE_GEO
namespace terrawave {
namespace {

using domain::Raster;

const char* const utm =
    R"(PROJCS["WGS 84 / UTM zone 25S",GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS 84",6378137,298.257223563]],PRIMEM["Greenwich",0],UNIT["degree",0.0174532925199433]],PROJECTION["Transverse_Mercator"],PARAMETER["latitude_of_origin",0],PARAMETER["central_meridian",-33],PARAMETER["scale_factor",0.9996],PARAMETER["false_easting",500000],PARAMETER["false_northing",10000000],UNIT["metre",1]])";

Raster numbered(domain::CellType type, Index rows, Index cols) {
  Raster raster;
  raster.info.rows = rows;
  raster.info.cols = cols;
  raster.info.type = type;
  raster.cells = domain::make_cells(type, rows * cols);
  std::visit([](auto& v) { std::iota(v.begin(), v.end(), 1); }, raster.cells);
  raster.info.frame.located = true;
  raster.info.frame.west = 288776.5;
  raster.info.frame.north = 9120760.25;
  raster.info.frame.dx = 90;
  raster.info.frame.dy = 60;
  raster.info.frame.crs = utm;
  return raster;
}

TEST(GdalRaster, GeoTiffKeepsTypeNodataAndFrame) {
  const test::ScratchFolder folder;
  for (int k = 0; k < 8; ++k)
    for (const bool south_up : {false, true}) {
      Raster raster = numbered(domain::CellType(k), 5, 4);
      raster.info.nodata = 7;
      raster.info.frame.south_up = south_up;
      const auto file = folder.path() / fmt::format("a{}.tif", k);
      io::write_raster(file, raster);
      const Raster back = io::read_raster(file.string());
      EXPECT_EQ(back.info.type, raster.info.type);
      EXPECT_EQ(back.cells, raster.cells);
      EXPECT_EQ(back.info.nodata, raster.info.nodata);
      EXPECT_EQ(back.info.frame.west, 288776.5);
      EXPECT_EQ(back.info.frame.north, 9120760.25);
      EXPECT_EQ(back.info.frame.dx, 90);
      EXPECT_EQ(back.info.frame.dy, 60);
      EXPECT_EQ(back.info.frame.south_up, south_up);
      EXPECT_EQ(back.info.frame.unit, 1);
      EXPECT_FALSE(back.info.frame.geographic);
      EXPECT_NE(back.info.frame.crs.find("UTM zone 25S"), std::string::npos);
      // A window read from the middle.
      const auto source = io::open_raster(file.string());
      const domain::Window middle{1, 2, 3, 2};
      domain::Cells expected = domain::make_cells(raster.info.type, 6);
      domain::paste(raster.info.whole(), raster.cells, middle, expected);
      EXPECT_EQ(source->read(middle), expected);
    }
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    EXPECT_EQ(entry.path().filename().string().find(".part"), std::string::npos);
}

TEST(GdalRaster, WritesFormatsThatCanOnlyCopy) {
  const test::ScratchFolder folder;
  const Raster raster = [] {
    Raster r = numbered(domain::CellType::f32, 5, 4);
    r.info.frame.dy = 90;  // .asc knows square cells only
    return r;
  }();
  for (const char* name : {"a.asc", "a.nc"}) {
    io::write_raster(folder.path() / name, raster);
    EXPECT_EQ(io::read_raster((folder.path() / name).string()).cells, raster.cells) << name;
  }
}

std::string refusal(const std::string& name, int band = 0) {
  try {
    io::read_raster(name, band);
  } catch (const InputError& e) {
    return e.what();
  }
  return "read";
}

TEST(GdalRaster, RefusesRotatedMirroredAndManyBands) {
  const test::ScratchFolder folder;
  const auto tif = folder.path() / "a.tif";
  io::write_raster(tif, numbered(domain::CellType::u8, 5, 4));
  const auto vrt = [&](const char* name, const std::string& transform, int bands,
                       const std::string& extra = "") {
    const auto file = folder.path() / name;
    std::ofstream out(file);
    out << "<VRTDataset rasterXSize=\"4\" rasterYSize=\"5\"><GeoTransform>" << transform
        << "</GeoTransform>";
    for (int b = 1; b <= bands; ++b)
      out << "<VRTRasterBand dataType=\"Byte\" band=\"" << b << "\">" << extra
          << "<SimpleSource><SourceFilename>" << tif.string()
          << "</SourceFilename><SourceBand>1</SourceBand></SimpleSource></VRTRasterBand>";
    out << "</VRTDataset>";
    return file.string();
  };
  EXPECT_NE(refusal(vrt("r.vrt", "0,1,0.1,9,0,-1", 1)).find("rotated"), std::string::npos);
  EXPECT_NE(refusal(vrt("m.vrt", "0,-1,0,9,0,-1", 1)).find("eastward"), std::string::npos);
  const std::string two = vrt("two.vrt", "0,1,0,9,0,-1", 2);
  EXPECT_NE(refusal(two).find("--band"), std::string::npos);
  EXPECT_EQ(refusal(two, 2), "read");
  EXPECT_NE(refusal(two, 3).find("--band 1 to 2"), std::string::npos);
  EXPECT_NE(refusal(vrt("s.vrt", "0,1,0,9,0,-1", 1, "<Scale>0.1</Scale>")).find("unscale"),
            std::string::npos);
}

TEST(GdalRaster, ATruncatedFileIsAMessage) {
  const test::ScratchFolder folder;
  const auto file = folder.path() / "a.tif";
  Raster raster = numbered(domain::CellType::f64, 300, 300);
  io::write_raster(file, raster);
  std::filesystem::resize_file(file, std::filesystem::file_size(file) / 2);
  EXPECT_NE(refusal(file.string()).find("error"), std::string::npos);
}

TEST(GdalRaster, RefusesTargetsBeforeAnyWork) {
  EXPECT_THROW(io::check_raster_target("/no/such/folder/a.tif"), InputError);
  EXPECT_THROW(io::check_raster_target("a.nosuchformat"), InputError);
  EXPECT_THROW(io::check_raster_target("a"), InputError);
}

}  // namespace
}  // namespace terrawave
#endif
