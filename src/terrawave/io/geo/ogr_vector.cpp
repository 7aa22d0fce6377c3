// Lines and regions through OGR.
#include <gdal_alg.h>
#include <gdal_priv.h>
#include <ogrsf_frmts.h>

#include "terrawave/base/error.hpp"
#include "terrawave/io/atomic_file.hpp"
#include "terrawave/io/geo/gdal_messages.hpp"
#include "terrawave/io/raster.hpp"
#include "terrawave/io/vector.hpp"

namespace terrawave::io {
namespace {

struct CloseDataset {
  void operator()(GDALDataset* dataset) const { GDALClose(dataset); }
};
using Dataset = std::unique_ptr<GDALDataset, CloseDataset>;
struct DestroyFeature {
  void operator()(OGRFeature* feature) const { OGRFeature::DestroyFeature(feature); }
};
using Feature = std::unique_ptr<OGRFeature, DestroyFeature>;

void fail_unless(bool good, const std::filesystem::path& file, const GdalMessages& messages) {
  if (!good) throw RunError("cannot write " + file.string() + ": " + messages.text());
}

// A new file of one layer with its fields.
class LayerFile {
 public:
  LayerFile(const std::filesystem::path& file, const std::string& layer,
            const domain::GeoFrame& frame, OGRwkbGeometryType geometry,
            const std::vector<VectorField>& fields)
      : file_(file) {
    GDALAllRegister();
    const bool package = file.extension() == ".gpkg";
    GDALDriver* driver = GetGDALDriverManager()->GetDriverByName(package ? "GPKG" : "GeoJSON");
    require(driver != nullptr, "GDAL without GPKG or GeoJSON");
    dataset_.reset(driver->Create(file.c_str(), 0, 0, 0, GDT_Unknown, nullptr));
    fail_unless(dataset_ != nullptr, file, messages_);
    OGRSpatialReference crs;
    const bool known =
        frame.located && !frame.crs.empty() && crs.importFromWkt(frame.crs.c_str()) == OGRERR_NONE;
    crs.SetAxisMappingStrategy(OAMS_TRADITIONAL_GIS_ORDER);
    layer_ = dataset_->CreateLayer(layer.c_str(), known ? &crs : nullptr, geometry, nullptr);
    fail_unless(layer_ != nullptr, file, messages_);
    for (const VectorField& field : fields) {
      OGRFieldDefn made(field.name.c_str(), field.type == VectorField::Type::integer ? OFTInteger64
                                            : field.type == VectorField::Type::real  ? OFTReal
                                                                                     : OFTString);
      fail_unless(layer_->CreateField(&made) == OGRERR_NONE, file, messages_);
    }
    transacted_ = dataset_->StartTransaction() == OGRERR_NONE;
  }

  void add(const OGRGeometry& geometry, const VectorRow& values) {
    const Feature feature(OGRFeature::CreateFeature(layer_->GetLayerDefn()));
    for (std::size_t k = 0; k < values.size(); ++k)
      std::visit(
          [&](const auto& value) {
            using V = std::decay_t<decltype(value)>;
            if constexpr (std::is_same_v<V, std::int64_t>)
              feature->SetField(int(k), GIntBig(value));
            else if constexpr (std::is_same_v<V, double>)
              feature->SetField(int(k), value);
            else
              feature->SetField(int(k), value.c_str());
          },
          values[k]);
    feature->SetGeometry(&geometry);
    fail_unless(layer_->CreateFeature(feature.get()) == OGRERR_NONE, file_, messages_);
  }

  void finish() {
    if (transacted_) fail_unless(dataset_->CommitTransaction() == OGRERR_NONE, file_, messages_);
    dataset_.reset();
    fail_unless(!messages_.failed(), file_, messages_);
  }

 private:
  std::filesystem::path file_;
  GdalMessages messages_;
  Dataset dataset_;
  OGRLayer* layer_ = nullptr;
  bool transacted_ = false;
};

// The parts of the polygon around each label.
std::map<std::int32_t, OGRMultiPolygon> polygons_of(const domain::Raster& labels,
                                                    const std::map<std::int32_t, VectorRow>& rows,
                                                    const std::filesystem::path& file) {
  GdalMessages messages;
  GDALAllRegister();
  const auto& cells = std::get<std::vector<std::int32_t>>(labels.cells);
  const domain::GeoFrame& f = labels.info.frame;
  const auto width = int(labels.info.cols);
  const auto height = int(labels.info.rows);
  const Dataset raster(GetGDALDriverManager()->GetDriverByName("MEM")->Create("", width, height, 2,
                                                                              GDT_Int32, nullptr));
  fail_unless(raster != nullptr, file, messages);
  double transform[6] = {f.west, f.dx, 0, f.north, 0, -f.dy};
  raster->SetGeoTransform(transform);
  std::vector<std::int32_t> wanted(cells.size());
  for (std::size_t i = 0; i < cells.size(); ++i) wanted[i] = rows.count(cells[i]) != 0 ? 1 : 0;
  const auto put = [&](int band, const std::vector<std::int32_t>& values) {
    fail_unless(raster->GetRasterBand(band)->RasterIO(
                    GF_Write, 0, 0, width, height, const_cast<std::int32_t*>(values.data()), width,
                    height, GDT_Int32, 0, 0, nullptr) == CE_None,
                file, messages);
  };
  put(1, cells);
  put(2, wanted);
  const Dataset memory(
      GetGDALDriverManager()->GetDriverByName("Memory")->Create("", 0, 0, 0, GDT_Unknown, nullptr));
  OGRLayer* layer = memory->CreateLayer("parts", nullptr, wkbPolygon, nullptr);
  OGRFieldDefn label("label", OFTInteger);
  layer->CreateField(&label);
  fail_unless(GDALPolygonize(raster->GetRasterBand(1), raster->GetRasterBand(2), layer, 0, nullptr,
                             nullptr, nullptr) == CE_None,
              file, messages);
  std::map<std::int32_t, OGRMultiPolygon> parts;
  layer->ResetReading();
  while (const Feature feature{layer->GetNextFeature()})
    parts[feature->GetFieldAsInteger(0)].addGeometry(feature->GetGeometryRef());
  return parts;
}

}  // namespace

bool is_vector_name(const std::string& name) {
  return name.ends_with(".gpkg") || name.ends_with(".geojson") || name.ends_with(".json");
}

void check_vector_target(const std::filesystem::path& file) {
  const auto folder = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
  std::error_code error;
  if (!std::filesystem::is_directory(folder, error))
    throw InputError(file.string() + ": error: the folder " + folder.string() +
                     " does not exist; make it first");
}

void write_lines(const std::filesystem::path& file, const std::string& layer,
                 const domain::GeoFrame& frame, const std::vector<VectorField>& fields,
                 const std::vector<VectorLine>& lines) {
  write_atomically(file, [&](const std::filesystem::path& name) {
    LayerFile out(name, layer, frame, wkbLineString, fields);
    for (const VectorLine& line : lines) {
      OGRLineString geometry;
      for (const auto& [x, y] : line.points) geometry.addPoint(x, y);
      out.add(geometry, line.values);
    }
    out.finish();
  });
}

void write_regions(const std::filesystem::path& file, const std::string& layer,
                   const domain::Raster& labels, const std::vector<VectorField>& fields,
                   const std::map<std::int32_t, VectorRow>& rows) {
  const auto parts = polygons_of(labels, rows, file);
  write_atomically(file, [&](const std::filesystem::path& name) {
    LayerFile out(name, layer, labels.info.frame, wkbMultiPolygon, fields);
    for (const auto& [label, values] : rows)
      if (const auto at = parts.find(label); at != parts.end()) out.add(at->second, values);
    out.finish();
  });
}

namespace {

OGRLayer& layer_of(GDALDataset& dataset, const std::string& file, const std::string& layer) {
  std::string names;
  for (int k = 0; k < dataset.GetLayerCount(); ++k)
    names += (k == 0 ? "" : ", ") + std::string(dataset.GetLayer(k)->GetName());
  if (layer.empty() && dataset.GetLayerCount() != 1)
    throw InputError(file + ": error: expected one layer, found " +
                     std::to_string(dataset.GetLayerCount()) + " (" + names +
                     "); name one with --layer");
  OGRLayer* found = layer.empty() ? dataset.GetLayer(0) : dataset.GetLayerByName(layer.c_str());
  if (found == nullptr)
    throw InputError(file + ": error: there is no layer \"" + layer +
                     "\"; the layers are: " + names);
  return *found;
}

}  // namespace

std::vector<VectorPoint> read_points(const std::string& file, const std::string& layer,
                                     const domain::GeoFrame& frame) {
  GDALAllRegister();
  GdalMessages messages;
  const Dataset dataset(static_cast<GDALDataset*>(
      GDALOpenEx(file.c_str(), GDAL_OF_VECTOR | GDAL_OF_READONLY, nullptr, nullptr, nullptr)));
  if (!dataset)
    throw InputError(file + ": error: expected a CSV table or a file of points that OGR reads: " +
                     messages.text());
  OGRLayer& points = layer_of(*dataset, file, layer);
  std::unique_ptr<OGRCoordinateTransformation> to_raster;
  OGRSpatialReference crs;
  if (const OGRSpatialReference* own = points.GetSpatialRef();
      own != nullptr && !frame.crs.empty() && crs.importFromWkt(frame.crs.c_str()) == OGRERR_NONE) {
    crs.SetAxisMappingStrategy(OAMS_TRADITIONAL_GIS_ORDER);
    OGRSpatialReference theirs(*own);
    theirs.SetAxisMappingStrategy(OAMS_TRADITIONAL_GIS_ORDER);
    if (theirs.IsSame(&crs) == 0) {
      to_raster.reset(OGRCreateCoordinateTransformation(&theirs, &crs));
      if (!to_raster)
        throw InputError(
            file + ": error: there is no way from its CRS to the raster's: " + messages.text());
    }
  }
  const int name = points.GetLayerDefn()->GetFieldIndex("name");
  std::vector<VectorPoint> found;
  points.ResetReading();
  while (const Feature feature{points.GetNextFeature()}) {
    const OGRGeometry* geometry = feature->GetGeometryRef();
    if (geometry == nullptr || wkbFlatten(geometry->getGeometryType()) != wkbPoint)
      throw InputError(file + ": error: expected points, found feature " +
                       std::to_string(feature->GetFID()) + " of type " +
                       (geometry == nullptr ? "none" : geometry->getGeometryName()));
    VectorPoint point;
    point.x = geometry->toPoint()->getX();
    point.y = geometry->toPoint()->getY();
    if (to_raster && to_raster->Transform(1, &point.x, &point.y) == 0)
      throw InputError(file + ": error: feature " + std::to_string(feature->GetFID()) +
                       " has no place in the raster's CRS");
    if (name >= 0) point.name = feature->GetFieldAsString(name);
    found.push_back(point);
  }
  if (found.empty()) throw InputError(file + ": error: the file holds no points");
  return found;
}

}  // namespace terrawave::io
