// Rasters through GDAL.
#include <cmath>
#include <numbers>

#include <cpl_conv.h>
#include <cpl_string.h>
#include <gdal_priv.h>
#include <ogr_spatialref.h>
#include <unistd.h>

#include "terrawave/base/error.hpp"
#include "terrawave/io/geo/gdal_messages.hpp"
#include "terrawave/io/raster.hpp"

namespace terrawave::io {
namespace {

using domain::Cells;
using domain::CellType;
using domain::GeoFrame;
using domain::RasterInfo;
using domain::Window;

GDALDataType gdal_type(CellType type) {
  constexpr GDALDataType types[] = {GDT_Byte,   GDT_Int16, GDT_UInt16,  GDT_Int32,
                                    GDT_UInt32, GDT_Int64, GDT_Float32, GDT_Float64};
  return types[std::size_t(type)];
}

std::optional<CellType> our_type(GDALRasterBand& band) {
  const char* signed_byte = band.GetMetadataItem("PIXELTYPE", "IMAGE_STRUCTURE");
  if (band.GetRasterDataType() == GDT_Byte && signed_byte != nullptr &&
      EQUAL(signed_byte, "SIGNEDBYTE"))
    return std::nullopt;
  for (int k = 0; k < 8; ++k)
    if (gdal_type(CellType(k)) == band.GetRasterDataType()) return CellType(k);
  return std::nullopt;
}

struct CloseDataset {
  void operator()(GDALDataset* dataset) const { GDALClose(dataset); }
};
using Dataset = std::unique_ptr<GDALDataset, CloseDataset>;

void read_crs(const OGRSpatialReference& crs, GeoFrame& frame) {
  char* wkt = nullptr;
  crs.exportToWkt(&wkt);
  frame.crs = wkt != nullptr ? wkt : "";
  CPLFree(wkt);
  frame.geographic = crs.IsGeographic() != 0;
  frame.unit = frame.geographic ? crs.GetAngularUnits() : crs.GetLinearUnits();
  OGRErr error = OGRERR_NONE;
  const double a = crs.GetSemiMajor(&error);
  if (error == OGRERR_NONE) frame.semi_major = a;
  const double inverse = crs.GetInvFlattening(&error);
  if (error == OGRERR_NONE) frame.inverse_flattening = inverse;
}

// NetCDF files without a coordinate system often say "degrees_east": longitudes on the Earth.
bool in_degrees(GDALDataset& dataset) {
  char** all = dataset.GetMetadata();
  for (int k = 0; all != nullptr && all[k] != nullptr; ++k)
    if (std::string(all[k]).ends_with("#units=degrees_east")) return true;
  return false;
}

// Fills west, north, dx, dy, south_up; refuses what the grid cannot be.
void read_frame(GDALDataset& dataset, RasterInfo& info) {
  GeoFrame& frame = info.frame;
  double t[6] = {0, 1, 0, 0, 0, 1};
  frame.located = dataset.GetGeoTransform(t) == CE_None;
  if (!frame.located) {
    t[0] = 0, t[1] = 1, t[2] = 0, t[3] = double(info.rows), t[4] = 0, t[5] = -1;
  } else {
    if (const OGRSpatialReference* crs = dataset.GetSpatialRef()) {
      read_crs(*crs, frame);
    } else if (in_degrees(dataset)) {
      frame.geographic = true;  // on the default ellipsoid, WGS 84
      frame.unit = std::numbers::pi / 180;
    }
  }
  if (t[2] != 0 || t[4] != 0)
    throw InputError(info.name + ": error: the grid is rotated (geotransform terms " +
                     std::to_string(t[2]) + " and " + std::to_string(t[4]) +
                     ", expected 0); rows and columns must run along the axes: resample it with "
                     "gdalwarp first");
  if (!(t[1] > 0) || t[5] == 0 || !std::isfinite(t[0] + t[1] + t[3] + t[5]))
    throw InputError(info.name + ": error: expected columns that run eastward, found cells of " +
                     std::to_string(t[1]) + " by " + std::to_string(t[5]) +
                     "; the grid is mirrored or damaged: resample it with gdalwarp first");
  frame.west = t[0];
  frame.dx = t[1];
  frame.dy = std::abs(t[5]);
  frame.south_up = t[5] > 0;
  frame.north = frame.south_up ? t[3] + double(info.rows) * t[5] : t[3];
}

class GdalSource final : public RasterSource {
 public:
  GdalSource(const std::string& name, int band_number) {
    GDALAllRegister();
    refuse_missing(name);
    GdalMessages messages;
    dataset_.reset(static_cast<GDALDataset*>(
        GDALOpenEx(name.c_str(), GDAL_OF_RASTER | GDAL_OF_READONLY | GDAL_OF_VERBOSE_ERROR, nullptr,
                   nullptr, nullptr)));
    if (!dataset_)
      throw InputError(name + ": error: cannot be read as a raster: " + messages.text());
    info_.name = name;
    refuse_several(name, band_number);
    bands_ = dataset_->GetRasterCount();
    band_ = dataset_->GetRasterBand(band_number > 0 ? band_number : 1);
    info_.rows = band_->GetYSize();
    info_.cols = band_->GetXSize();
    const auto type = our_type(*band_);
    if (!type)
      throw InputError(name +
                       ": error: expected cells of type u8, i16, u16, i32, u32, i64, f32 or "
                       "f64, found " +
                       std::string(GDALGetDataTypeName(band_->GetRasterDataType())) +
                       "; convert them with gdal_translate -ot first");
    info_.type = *type;
    read_nodata();
    refuse_packed(name);
    read_frame(*dataset_, info_);
  }

  Cells read(const Window& w) override {
    require(
        w.row >= 0 && w.col >= 0 && w.row + w.rows <= info_.rows && w.col + w.cols <= info_.cols,
        "raster window out of range");
    Cells cells = domain::make_cells(info_.type, w.size());
    if (w.size() == 0) return cells;
    GdalMessages messages;
    const Index first = info_.frame.south_up ? info_.rows - w.row - w.rows : w.row;
    const CPLErr error = std::visit(
        [&](auto& v) {
          using T = typename std::decay_t<decltype(v)>::value_type;
          return band_->RasterIO(GF_Read, int(w.col), int(first), int(w.cols), int(w.rows),
                                 v.data(), int(w.cols), int(w.rows), gdal_type(info_.type),
                                 sizeof(T), GSpacing(sizeof(T)) * w.cols, nullptr);
        },
        cells);
    if (error != CE_None)
      throw InputError(info_.name + ": error: cannot be read: " + messages.text() +
                       "; is the file complete?");
    if (info_.frame.south_up) flip_rows(w.rows, w.cols, cells);
    return cells;
  }

  static void flip_rows(Index rows, Index cols, Cells& cells) {
    std::visit(
        [&](auto& v) {
          for (Index r = 0; r < rows / 2; ++r)
            std::swap_ranges(v.begin() + r * cols, v.begin() + (r + 1) * cols,
                             v.begin() + (rows - 1 - r) * cols);
        },
        cells);
  }

 private:
  // Plain names only: "NETCDF:file:variable" and the like are GDAL's own affair.
  static void refuse_missing(const std::string& name) {
    std::error_code error;
    if (name.find(':') != std::string::npos || name.starts_with("/vsi")) return;
    if (!std::filesystem::exists(name, error))
      throw InputError(name + ": error: there is no such file");
    if (std::filesystem::is_regular_file(name, error) &&
        std::filesystem::file_size(name, error) == 0)
      throw InputError(name + ": error: the file is empty");
  }
  void refuse_several(const std::string& name, int band_number) {
    const int bands = dataset_->GetRasterCount();
    if (bands == 0) {
      char** list = dataset_->GetMetadata("SUBDATASETS");
      std::string all;
      for (int k = 0; list != nullptr && list[k] != nullptr; ++k) {
        const std::string entry = list[k];
        if (const auto at = entry.find("_NAME="); at != std::string::npos)
          all += "\n  " + entry.substr(at + 6);
      }
      throw InputError(name + ": error: " +
                       (all.empty() ? "the file holds no raster"
                                    : "the file holds several rasters; name one of them:" + all));
    }
    if (band_number > bands)
      throw InputError(name + ": error: expected --band 1 to " + std::to_string(bands) +
                       ", found " + std::to_string(band_number));
    if (band_number == 0 && bands > 1)
      throw InputError(name + ": error: the raster has " + std::to_string(bands) +
                       " bands; choose one with --band N");
  }
  void refuse_packed(const std::string& name) {
    const double scale = band_->GetScale();
    const double offset = band_->GetOffset();
    if (scale != 1 || offset != 0)
      throw InputError(name + ": error: the heights are packed (scale " + std::to_string(scale) +
                       ", offset " + std::to_string(offset) +
                       "); unpack them with gdal_translate -unscale -ot Float32 first");
  }
  void read_nodata() {
    int has = 0;
    if (info_.type == CellType::i64) {
      const std::int64_t value = band_->GetNoDataValueAsInt64(&has);
      if (has != 0) info_.nodata = double(value);
    } else {
      const double value = band_->GetNoDataValue(&has);
      if (has != 0) info_.nodata = value;
    }
  }

  Dataset dataset_;
  GDALRasterBand* band_ = nullptr;
};

GDALDriver* driver_for(const std::filesystem::path& file) {
  GDALAllRegister();
  std::string ext = file.extension().string();
  if (!ext.empty()) ext.erase(0, 1);
  if (ext.empty()) return nullptr;
  GDALDriverManager* manager = GetGDALDriverManager();
  if (EQUAL(ext.c_str(), "tif") || EQUAL(ext.c_str(), "tiff"))
    return manager->GetDriverByName("GTiff");
  if (EQUAL(ext.c_str(), "nc")) return manager->GetDriverByName("netCDF");
  for (int k = 0; k < manager->GetDriverCount(); ++k) {
    GDALDriver* driver = manager->GetDriver(k);
    const bool raster = driver->GetMetadataItem(GDAL_DCAP_RASTER) != nullptr;
    const bool writes = driver->GetMetadataItem(GDAL_DCAP_CREATE) != nullptr ||
                        driver->GetMetadataItem(GDAL_DCAP_CREATECOPY) != nullptr;
    const char* list = driver->GetMetadataItem(GDAL_DMD_EXTENSIONS);
    if (!raster || !writes || list == nullptr) continue;
    const CPLStringList names(CSLTokenizeString(list));
    if (names.FindString(ext.c_str()) >= 0) return driver;
  }
  return nullptr;
}

GDALDriver& require_driver(const std::filesystem::path& file) {
  GDALDriver* driver = driver_for(file);
  if (driver == nullptr)
    throw InputError(file.string() +
                     ": error: no raster format that can be written has the "
                     "extension \"" +
                     file.extension().string() + "\"; use .tif, .nc, .asc, .npy or .raw");
  return *driver;
}

void set_frame(GDALDataset& dataset, const RasterInfo& info) {
  const GeoFrame& f = info.frame;
  if (f.located) {
    double t[6] = {f.west, f.dx, 0, f.north, 0, -f.dy};
    if (f.south_up) {
      t[3] = f.north - double(info.rows) * f.dy;
      t[5] = f.dy;
    }
    dataset.SetGeoTransform(t);
    if (!f.crs.empty()) {
      OGRSpatialReference crs;
      if (crs.importFromWkt(f.crs.c_str()) == OGRERR_NONE) {
        crs.SetAxisMappingStrategy(OAMS_TRADITIONAL_GIS_ORDER);
        dataset.SetSpatialRef(&crs);
      }
    }
  }
  if (!info.nodata) return;
  for (int b = 1; b <= dataset.GetRasterCount(); ++b) {
    GDALRasterBand* band = dataset.GetRasterBand(b);
    if (info.type == CellType::i64)
      band->SetNoDataValueAsInt64(std::int64_t(*info.nodata));
    else
      band->SetNoDataValue(*info.nodata);
  }
}

CPLStringList creation_options(GDALDriver& driver, CellType type, int bands) {
  CPLStringList options;
  if (EQUAL(driver.GetDescription(), "GTiff")) {
    options.SetNameValue("COMPRESS", "DEFLATE");
    options.SetNameValue("ZLEVEL", "5");
    options.SetNameValue("PREDICTOR", type == CellType::f32 || type == CellType::f64 ? "3" : "2");
    options.SetNameValue("TILED", "YES");
    if (bands > 1) options.SetNameValue("INTERLEAVE", "BAND");
    options.SetNameValue("BIGTIFF", "IF_SAFER");
    options.SetNameValue("NUM_THREADS", "ALL_CPUS");
  } else if (EQUAL(driver.GetDescription(), "netCDF")) {
    options.SetNameValue("FORMAT", "NC4C");
    options.SetNameValue("COMPRESS", "DEFLATE");
  }
  return options;
}

// Writes into a hidden folder beside the target; finish() moves the file and what lies beside it.
class GdalSink final : public RasterSink {
 public:
  GdalSink(std::filesystem::path file, const RasterInfo& info, int bands)
      : file_(std::move(file)), info_(info), bands_(bands), driver_(require_driver(file_)) {
    folder_ = file_.parent_path() /
              (".part-" + std::to_string(getpid()) + "-" + file_.filename().string());
    std::error_code error;
    std::filesystem::create_directory(folder_, error);
    if (error) throw RunError("cannot write " + file_.string() + ": " + error.message());
    GdalMessages messages;
    const bool create = driver_.GetMetadataItem(GDAL_DCAP_CREATE) != nullptr &&
                        EQUAL(driver_.GetDescription(), "GTiff");
    if (info.rows > std::numeric_limits<int>::max() || info.cols > std::numeric_limits<int>::max())
      throw InputError(file_.string() + ": error: GDAL holds at most 2^31 - 1 rows or columns");
    GDALDriver* maker = create ? &driver_ : GetGDALDriverManager()->GetDriverByName("MEM");
    const CPLStringList options = creation_options(driver_, info.type, bands);
    const std::string name = create ? (folder_ / file_.filename()).string() : std::string();
    dataset_.reset(maker->Create(name.c_str(), int(info.cols), int(info.rows), bands,
                                 gdal_type(info.type), create ? options.List() : nullptr));
    if (!dataset_) throw RunError("cannot write " + file_.string() + ": " + messages.text());
    copy_at_end_ = !create;
    set_frame(*dataset_, info);
  }
  ~GdalSink() override {
    const GdalMessages quiet;
    dataset_.reset();
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  void write_band(int band, const Window& w, const Cells& cells) override {
    require(domain::type_of(cells) == info_.type, "GdalSink: other cell type");
    if (w.size() == 0) return;
    if (info_.frame.south_up) {
      Cells flipped = cells;
      GdalSource::flip_rows(w.rows, w.cols, flipped);
      put(band, w, info_.rows - w.row - w.rows, flipped);
    } else {
      put(band, w, w.row, cells);
    }
  }
  void finish() override {
    GdalMessages messages;
    if (copy_at_end_) {
      const CPLStringList options = creation_options(driver_, info_.type, bands_);
      const std::string name = (folder_ / file_.filename()).string();
      const Dataset copy(
          driver_.CreateCopy(name.c_str(), dataset_.get(), TRUE, options.List(), nullptr, nullptr));
      if (!copy)
        throw InputError(file_.string() + ": error: the format " +
                         std::string(driver_.GetDescription()) + " cannot hold this raster (" +
                         std::string(domain::name_of(info_.type)) + " cells): " + messages.text() +
                         "; use .tif");
    } else {
      dataset_->FlushCache();
    }
    dataset_.reset();
    if (messages.failed())
      throw RunError("cannot write " + file_.string() + ": " + messages.text());
    std::error_code error;
    for (const auto& part : std::filesystem::directory_iterator(folder_)) {
      std::filesystem::rename(part.path(), file_.parent_path() / part.path().filename(), error);
      if (error) throw RunError("cannot write " + file_.string() + ": " + error.message());
    }
  }

 private:
  void put(int band, const Window& w, Index first, const Cells& cells) {
    GdalMessages messages;
    const CPLErr error = std::visit(
        [&](const auto& v) {
          using T = typename std::decay_t<decltype(v)>::value_type;
          return dataset_->GetRasterBand(band)->RasterIO(
              GF_Write, int(w.col), int(first), int(w.cols), int(w.rows), const_cast<T*>(v.data()),
              int(w.cols), int(w.rows), gdal_type(info_.type), sizeof(T),
              GSpacing(sizeof(T)) * w.cols, nullptr);
        },
        cells);
    if (error != CE_None) throw RunError("cannot write " + file_.string() + ": " + messages.text());
  }

  std::filesystem::path file_, folder_;
  RasterInfo info_;
  int bands_;
  GDALDriver& driver_;
  Dataset dataset_;
  bool copy_at_end_ = false;
};

}  // namespace

std::unique_ptr<RasterSource> open_gdal_raster(const std::string& name, int band) {
  return std::make_unique<GdalSource>(name, band);
}

std::unique_ptr<RasterSink> create_gdal_raster(const std::filesystem::path& file,
                                               const RasterInfo& info, int bands) {
  return std::make_unique<GdalSink>(file, info, bands);
}

void check_gdal_target(const std::filesystem::path& file) { require_driver(file); }

void limit_cache(double bytes) { GDALSetCacheMax64(GIntBig(std::max(bytes, 1e6))); }

}  // namespace terrawave::io
